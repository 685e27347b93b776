"""Answers of the model that were lost to faults: the outcome is partial, and that is said first."""

from typing import Any

import pytest

from tests.cli.commands import model
from tests.cli.conftest import Cite
from tests.fakes.openai_server import Text, task_of
from tests.fakes.reviewer import reviewer
from tests.support import ABSTRACT, SMALL

QUICK = ("--library", SMALL, "--set", "pool=6", "--set", "max_hops=2", "--keep", "4", "--cite", "2")


def garbage(answer: Any, inputs: dict[str, Any]) -> Text:
    return Text("The stars were bright that night.")


ASKED = (
    "generate_queries",
    "triage_titles",
    "debate_papers",
    "reflect_on_sufficiency",
    "draft_section",
    "read_papers",
    "judge_claims",
    "revise_draft",
)
"""Every task of a review as `QUICK` asks for it."""


def test_review_that_lost_no_answer_is_complete(cite: Cite) -> None:
    with model(reviewer({})) as server:
        done = cite("review", ABSTRACT, *QUICK)
    assert {task_of(request) for request in server.requests} == set(ASKED)
    assert (done.code, done.run["outcome"]) == (0, "complete")
    assert "Partial" not in done.stdout


@pytest.mark.parametrize("task", ["generate_queries", "debate_papers", "revise_draft"])
def test_lost_answer_makes_a_review_partial_and_is_said_first(cite: Cite, task: str) -> None:
    with model(reviewer({task: garbage})):
        done = cite("review", ABSTRACT, *QUICK)
    assert done.run["outcome"] == "partial"
    told = "Partial: the model gave no usable answer "
    if done.run["sentences"]:
        assert done.stdout.startswith(f"# Related work\n\n> {told}")
        assert done.text("review.md").startswith(f"# Related work\n\n> {told}")
    else:
        assert done.stderr.index(told) < done.stderr.index("Not done")


def test_lost_answer_is_said_before_an_answer_and_a_verdict(cite: Cite) -> None:
    with model(reviewer({"plan_search": garbage, "judge_claims": garbage})):
        asked = cite("ask", "How are literature reviews written?", "--library", SMALL)
        row = (
            "Owls hoot [1].\n\n## References\n\n[1] A. Ajith. LitSearch: A Retrieval Benchmark for Scientific "
            "Literature Search. 2024."
        )
        checked = cite("verify", row, "--library", SMALL, "--source", "library", out="checked")
    for done in (asked, checked):
        assert done.json("answer.json" if done is asked else "run.json")["outcome"] == "partial"
        assert "Partial: the model gave no usable answer once," in done.stderr
