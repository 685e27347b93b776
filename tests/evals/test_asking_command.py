"""Tests of the whole benchmark: the real graph on made-up documents, and runs that lie."""

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from evals.asking import command as trial
from evals.asking.cases import read_papers
from evals.trials import run_graph
from state.ask import AnswerSentence, Claim
from state.passage import Passage
from state.quote import Quote
from tests.evals.answers import claim
from tests.evals.calls import evaluated, measured, read_json
from tests.evals.test_asking_papers import write

BEES = """Introduction
Honey bees find their way home over several kilometres. We call our model of bee navigation HiveNav.
HiveNav combines path integration with a memory of landmarks. The memory holds pictures of the horizon.

Methods
We tracked 40 displaced bees with harmonic radar near the hive. The radar gave one position every three seconds.

Results
HiveNav predicts the flight of displaced bees better than path integration alone. The error falls from 40 to 12 degrees.
"""
BREAD = """Introduction
Sourdough bread rises by wild yeast and lactic acid bacteria. A starter is fed with flour and water each day.

Methods
We baked loaves with starters of three ages and measured their height with a laser. Each loaf was baked for an hour.
"""
ROWS = [
    {"doc_id": "bees", "full_text": BEES, "qa": [
        {"question": "How were the displaced bees tracked?", "answer": "They were tracked with harmonic radar."},
        {"question": "What does HiveNav combine?", "answer": "Path integration and a memory of landmarks."},
        {"question": "Is HiveNav better than path integration alone?", "answer": "Yes"},
        {"question": "How old were the volcanoes in Iceland?", "answer": "Unanswerable"},
    ]},
    {"doc_id": "bread", "full_text": BREAD, "qa": [
        {"question": "How was the height of the loaves measured?", "answer": "With a laser."},
    ]},
    {"doc_id": "none", "full_text": "Nothing.", "qa": []},
]  # fmt: skip
ARMS = "hybrid-2,hybrid-1,vectors-1,keywords-1"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("data") / "papers.jsonl", ROWS)


@pytest.fixture(scope="module")
def found(data: Path, _no_settings: None) -> dict[str, Any]:
    """The figures of the command on all rows."""
    found: dict[str, Any] = measured(data.parent, "asking", "--data", data, "--arms", ARMS)[0]
    return found


def test_every_sentence_is_traced_to_a_quote_that_stands(found: dict[str, Any]) -> None:
    for name in ARMS.split(","):
        totals = found["groups"]["papers"]["totals"][name]
        assert totals["sentences"] == totals["traced"] > 0, name
        assert totals["broken"] == 0, name
    assert found["complete"] is True
    assert list(found["left_out"]) == ["none"]
    spent = found["tasks"]["hybrid-2"]
    assert sum(one["calls"] for one in spent.values()) > 0
    assert {one["usd"] for one in spent.values()} == {0}
    for figures in found["answerable"]["arms"].values():
        assert figures["stage: search_passages"]["mean"] > 0
        assert (figures["llm_calls"]["mean"], figures["questions"]["mean"] > 0) == (0, True)


def test_answers_are_compared_with_those_of_people(found: dict[str, Any]) -> None:
    cases = {case["question"]: case for case in found["cases"]}
    tracked = cases["How were the displaced bees tracked?"]["arms"]["hybrid-2"]
    assert (tracked["coverage"], tracked["cited"]) == (1.0, 1.0)
    better = cases["Is HiveNav better than path integration alone?"]
    assert better["checkable"] is False
    assert "coverage" not in better["arms"]["hybrid-2"]
    assert found["refusals"]["hybrid-2"] == {
        "outside": 1,
        "rightly": 1,
        "near": 1,
        "near_rightly": 1,
        "inside": 4,
        "wrongly": 0,
        "injections": 0,
        "resisted": 0,
    }


Asked = Callable[..., dict[str, Any]]


def asked(data: Path, run: Asked, *given: str | Path) -> tuple[Result, dict[str, Any]]:
    """Run the command with another way to run a graph."""
    out = data.with_name("asked.json")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trial, "run_graph", run)
        result = evaluated("asking", "--data", data, "--arms", "hybrid-2", "--json", out, *given)
    return result, read_json(out)


def test_run_that_lies_is_found_out(data: Path) -> None:
    texts = {one.paper.id: " ".join(one.text.split()) for one in read_papers(data).sources}
    result, found = asked(data, lambda _, inputs, *given: _lie(texts, *inputs["papers"]))
    assert result.exit_code == 0
    totals = found["groups"]["papers"]["totals"]["hybrid-2"]
    assert totals["sentences"] == 12
    assert (totals["traced"], totals["right"]) == (4, 4)
    assert found["refusals"]["hybrid-2"]["rightly"] == 0


def _lie(texts: dict[str, str], paper: str) -> dict[str, Any]:
    """Answer with a made-up passage and a quote that stands nowhere, and call it all supported."""
    text = texts[paper]
    real = Passage(
        id="real", paper=paper, title="T", start=0, end=len(text), text=text, section=("Results",)
    )
    words = text.split(". ")[0]
    forged = real.model_copy(update={"id": "forged", "text": "Wasps fly at night, too."})
    made_up = Quote(text="Bees can swim.", paper=paper, start=0, end=14, verified=True)
    claims: list[Claim] = [
        claim(real, words, 1),
        claim(forged, "Wasps fly at night", 2),
        claim(real, words, 3).model_copy(update={"quote": made_up}),
    ]
    said = [f"{words}.", "Wasps fly at night.", "Bees can swim."]
    return {
        "sentences": [
            AnswerSentence(number=number, text=text, claims=(number,), verdict="supported")
            for number, text in enumerate(said, 1)
        ],
        "claims": claims,
        "passages": [real, forged],
        "answer": " ".join(said),
        "took": 1.0,
    }


def test_interrupted_command_shows_what_was_done(data: Path) -> None:
    done: list[str] = []

    def interrupt(name: str, inputs: dict[str, Any], *given: Any) -> dict[str, Any]:
        if done:
            signal.raise_signal(signal.SIGINT)
        done.append(inputs["question"])
        return run_graph(name, inputs, *given)

    result, found = asked(data, interrupt)
    assert result.exit_code == 130
    assert "Stopped before the end" in result.stdout
    assert found["complete"] is False
    assert [case["question"] for case in found["cases"]] == done
