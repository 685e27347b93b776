"""tools/ranking/discovery_channels.py: which channels found a paper."""

from typing import Any, Literal

import pytest

from state.search import Hit
from tools.ranking.discovery_channels import (
    BY_INPUT,
    captures,
    divide,
)

Via = Literal["query", "reference", "citation", "recommendation", "must_include"]


def hit(paper: str, via: Via = "query", by: str = "pears", **fields: Any) -> Hit:
    return Hit(paper=paper, via=via, by=by, source=fields.pop("source", "openalex"), **fields)


def test_all_queries_and_hops_are_one_channel_until_they_are_told_apart() -> None:
    hits = [hit("x", by="pears"), hit("x", by="apples", hop=2), hit("x", by=BY_INPUT)]
    assert captures(hits, ["x"]) == {"x": {"keywords", "meaning"}}
    assert captures(hits, ["x"], "queries") == {
        "x": {"keywords “pears”", "keywords “apples”", "meaning"}
    }
    both = [hit("x", source="arxiv"), hit("x")]
    assert captures(both, ["x"], "queries") == {"x": {"keywords “pears”"}}
    assert captures(both, ["x"], "sources") == {
        "x": {"keywords “pears”, arxiv", "keywords “pears”, openalex"}
    }


def test_link_back_from_a_paper_that_was_reached_over_this_one_alone_proves_nothing() -> None:
    hits = [hit("x"), hit("y", "reference", "x"), hit("x", "citation", "y")]
    assert captures(hits, ["x", "y"]) == {"x": {"keywords"}, "y": {"references"}}
    hits.append(hit("y", "reference", "z"))
    assert captures(hits, ["x", "y"])["x"] == {"keywords", "citations"}


KINDS = [hit("x"), hit("y", by=BY_INPUT), hit("z", "reference", "x")]


@pytest.mark.parametrize(
    ("hits", "division", "channels"),
    [
        (KINDS, "kinds", {"keywords", "meaning", "references"}),
        (
            [hit("x"), hit("x", by="apples"), hit("y", by="plums")],
            "queries",
            {"keywords “pears”", "keywords “apples”", "keywords “plums”"},
        ),
        (
            [hit("x", source=name) for name in ("arxiv", "openalex", "library")],
            "sources",
            {f"keywords “pears”, {name}" for name in ("arxiv", "openalex", "library")},
        ),
        ([hit("x"), hit("y", by=BY_INPUT)], "kinds", {"keywords", "meaning"}),
        ([hit("x")], "kinds", {"keywords"}),
        ([], "kinds", set()),
    ],
)
def test_finer_division_is_taken_only_where_there_are_fewer_than_three_channels(
    hits: list[Hit], division: str, channels: set[str]
) -> None:
    found = divide(hits, ["x", "y", "z"])
    assert (found[0], set().union(*found[1].values())) == (division, channels)


def test_channel_that_found_nothing_relevant_does_not_count_as_one() -> None:
    division, _ = divide([*KINDS[:2], hit("x", by="apples"), KINDS[2]], ["x", "y"])
    assert division == "queries"
