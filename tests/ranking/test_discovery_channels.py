"""tools/ranking/discovery_channels.py: which channels found a paper."""

from typing import Any, Literal

from state.search import Hit
from tools.ranking.discovery_channels import BY_INPUT, captures

Via = Literal["query", "reference", "citation", "recommendation", "must_include"]


def hit(paper: str, via: Via = "query", by: str = "pears", **fields: Any) -> Hit:
    return Hit(paper=paper, via=via, by=by, source=fields.pop("source", "openalex"), **fields)


def test_all_queries_hops_and_sources_are_one_channel() -> None:
    hits = [hit("x", by="pears"), hit("x", by="apples", hop=2), hit("x", source="arxiv")]
    assert captures(hits, ["x"]) == {"x": {"keywords"}}
    assert captures([*hits, hit("x", by=BY_INPUT)], ["x"]) == {"x": {"keywords", "meaning"}}


def test_paper_that_the_caller_named_was_found_by_no_channel() -> None:
    assert captures([hit("x", "must_include")], ["x"]) == {"x": frozenset()}


def test_link_back_from_a_paper_that_was_reached_over_this_one_alone_proves_nothing() -> None:
    hits = [hit("x"), hit("y", "reference", "x"), hit("x", "citation", "y")]
    assert captures(hits, ["x", "y"]) == {"x": {"keywords"}, "y": {"references"}}
    hits.append(hit("y", "reference", "z"))
    assert captures(hits, ["x", "y"])["x"] == {"keywords", "citations"}
