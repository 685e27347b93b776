"""The small form of the benchmarks, on data of the starter library: the embedded engine's figures may not fall.

The bounds are what was measured, less what one case more or less is worth. None was tuned on: a figure that falls
says that a change cost something, one that rises may raise its bound.
"""

from collections.abc import Mapping
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest

from evals.starter.command import GRAPH, LEAST, QUERIES, SECTIONS
from tests.evals.calls import evaluated, measured

_LIARS = ("write_liar", "ask_liar", "synthesize_liar")
"""Judges that call everything supported: facts alone refuse."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory, _no_settings: None) -> Path:
    folder = tmp_path_factory.mktemp("starter")
    assert evaluated("data", "--out", folder).exit_code == 0
    return folder


def held(figures: Any, bounds: Mapping[str, tuple[float, float]]) -> None:
    """Assert that each figure, by its path, lies within its bounds."""
    values = {path: reduce(getitem, path.split("/"), figures) for path in bounds}
    outside = {
        path: values[path]
        for path, (low, high) in bounds.items()
        if not low <= values[path] <= high
    }
    assert not outside, bounds


def test_references_are_found_and_put_first(data: Path) -> None:
    queries = (data / QUERIES).read_text(encoding="utf-8").splitlines()
    assert len(queries) >= 40
    figures, _ = measured(
        data,
        "retrieval",
        "--data",
        (data / GRAPH).parent,
        "--queries",
        data / QUERIES,
        "--n",
        "1",
        "--keep",
        "20",
        "--k",
        "10",
    )
    assert all(query["gold"] >= LEAST for query in figures["queries"])
    held(
        figures["arms"]["default"],
        {"coverage/mean": (0.65, 1), "recall_at_k/mean": (0.33, 1), "failures/mean": (0, 0)},
    )


def test_papers_of_an_input_are_judged_and_put_first(data: Path) -> None:
    figures, _ = measured(data, "relevance", "--n", "1")
    held(figures["halves"]["odd"], {"judged/mean": (0.83, 1), "first_ten/mean": (0.66, 1)})


def test_sections_cite_what_they_were_given_and_nothing_else(data: Path) -> None:
    figures, _ = measured(data, "writing", "--data", data / SECTIONS, "--writers", "plan,whole")
    assert figures["left_out"] == {}
    for writer, least in (("plan", 0.48), ("whole", 0.46), ("lexrank", 0.43)):
        held(
            figures["checkable"]["writers"][writer],
            {
                "rouge1/mean": (least, 1),
                "hallucinated/mean": (0, 0),
                "quoted/mean": (1, 1),
                "passed/mean": (1, 1),
            },
        )
    for writer in ("plan", "whole"):
        held(figures["checkable"]["writers"][writer], {"covered/mean": (1, 1)})


def test_no_falsehood_is_supported_without_a_judge_and_no_judge_gets_a_number_past_the_facts(
    data: Path,
) -> None:
    arms = ("write", "ask", "synthesize", *_LIARS)
    figures, _ = measured(
        data,
        "citation_truth",
        "--data",
        data,
        "--each",
        "2",
        "--half",
        "both",
        "--arms",
        ",".join(arms),
    )
    assert tuple(figures["falsehoods"]) == arms
    for arm, row in figures["falsehoods"].items():
        verdicts = figures["verdicts"][arm]
        assert row["all"] >= 12, arm
        assert verdicts["own"] == {"supported": row["all"]}, arm
        assert row["accepted"] == (row["supported"] if arm in _LIARS else 0), arm
        told = verdicts.get("number", {})
        assert not told.get("supported"), f"{arm}: a number of nowhere stops a claim"


def test_questions_are_answered_in_the_papers_own_words_or_refused(data: Path) -> None:
    groups = ("--groups", "one_paper,out_of_scope", "--arms", "hybrid-2", "--n", "3")
    figures, _ = measured(data, "asking", *groups)
    held(
        figures["answerable"]["arms"]["hybrid-2"],
        {"coverage/mean": (0.4, 1), "factual/mean": (1, 1)},
    )
    totals = figures["groups"]["one_paper"]["totals"]["hybrid-2"]
    assert totals["sentences"] == totals["traced"] > 0
    assert figures["refusals"]["hybrid-2"]["rightly"] == 3
