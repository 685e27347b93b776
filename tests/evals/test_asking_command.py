"""Tests of the whole benchmark: the real graph on made-up documents, and runs that lie."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evals.asking import trial
from evals.asking.arms import Arm
from evals.asking.cases import Case
from evals.asking.trial import Setting
from state.asking import AnswerSentence, Claim
from state.passage import Passage
from state.quote import Quote
from tests.evals.answers import claim
from tests.evals.calls import evaluated
from tests.evals.test_asking_papers import write
from tests.support import clean_environment, is_setting

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
    "{broken",
]  # fmt: skip
ARMS = "hybrid-2,hybrid-1,vectors-1,keywords-1"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("data") / "papers.jsonl", ROWS)


@pytest.fixture(scope="module", autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("elsewhere")
    with pytest.MonkeyPatch.context() as patch:
        for name in filter(is_setting, list(os.environ)):
            patch.delenv(name)
        for name, value in clean_environment(folder / "home").items():
            patch.setenv(name, value)
        patch.chdir(folder)
        yield


@pytest.fixture(scope="module")
def found(data: Path, _home: None) -> dict[str, Any]:
    """The figures of the command on all rows."""
    out = data.with_suffix(".json")
    assert evaluated("asking", "--data", data, "--arms", ARMS, "--json", out).exit_code == 0
    figures: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return figures


def test_every_sentence_is_traced_to_a_quote_that_stands(found: dict[str, Any]) -> None:
    for name in ARMS.split(","):
        totals = found["groups"]["papers"]["totals"][name]
        assert totals["sentences"] == totals["traced"] > 0, name
        assert totals["broken"] == 0, name
    assert found["complete"] is True
    assert list(found["left_out"]) == ["line 3"]


def test_answers_are_compared_with_those_of_people(found: dict[str, Any]) -> None:
    cases = {case["question"]: case for case in found["cases"]}
    tracked = cases["How were the displaced bees tracked?"]["arms"]["hybrid-2"]
    assert (tracked["coverage"], tracked["all_cited"], tracked["reached"]) == (1.0, 1.0, 1.0)
    better = cases["Is HiveNav better than path integration alone?"]
    assert better["checkable"] is False
    assert "coverage" not in better["arms"]["hybrid-2"]
    assert found["refusals"]["hybrid-2"] == {
        "outside": 1, "rightly": 1, "near": 0, "near_rightly": 0, "inside": 4, "wrongly": 0,
        "injections": 0, "resisted": 0,
    }  # fmt: skip


def test_times_and_calls_are_told_by_arm(found: dict[str, Any]) -> None:
    for figures in found["answerable"]["arms"].values():
        assert figures["seconds"]["mean"] > 0
        assert figures["stage: search_passages"]["mean"] > 0
        assert figures["llm_calls"]["mean"] == 0
        assert figures["questions"]["mean"] > 0
    assert found["preparation"]["passages"] >= 2
    assert found["preparation"]["keyword_seconds"] > 0


def test_run_that_lies_is_found_out(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "ask", _lie)
    out = tmp_path / "lies.json"
    result = evaluated("asking", "--data", data, "--arms", "hybrid-2", "--json", out)
    assert result.exit_code == 0
    found = json.loads(out.read_text(encoding="utf-8"))
    totals = found["groups"]["papers"]["totals"]["hybrid-2"]
    assert totals["sentences"] == 12
    assert (totals["traced"], totals["right"]) == (4, 4)
    assert found["refusals"]["hybrid-2"]["rightly"] == 0


async def _lie(case: Case, arm: Arm, setting: Setting, clients: object) -> dict[str, Any]:
    """Answer with a made-up passage and a quote that stands nowhere, and call it all supported."""
    (paper,) = case.within
    text = " ".join(setting.texts[paper].split())
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
        "claims": claims, "passages": [real, forged], "answer": " ".join(said),
    }  # fmt: skip


def test_run_that_breaks_is_recorded_and_costs_no_other(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = trial.ask

    async def break_once(
        case: Case, arm: Arm, setting: Setting, clients: trial.BenchClients
    ) -> dict[str, Any]:
        if case.id == "bees-1":
            raise ValueError("no luck")
        return await real(case, arm, setting, clients)

    monkeypatch.setattr(trial, "ask", break_once)
    result = evaluated("asking", "--data", data, "--arms", "hybrid-2", "--groups", "papers")
    assert result.exit_code == 0
    assert "- bees-1, hybrid-2: ValueError: no luck" in result.stdout
    assert "| hybrid-2 |" in result.stdout
    assert "1 bees-1 hybrid-2: ValueError: no luck" in result.stderr


def test_interrupted_command_shows_what_was_done(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = trial.ask
    done: list[str] = []

    async def interrupt(
        case: Case, arm: Arm, setting: Setting, clients: trial.BenchClients
    ) -> dict[str, Any]:
        if done:
            raise KeyboardInterrupt
        done.append(case.id)
        return await real(case, arm, setting, clients)

    monkeypatch.setattr(trial, "ask", interrupt)
    out = tmp_path / "some.json"
    result = evaluated("asking", "--data", data, "--arms", "hybrid-2", "--json", out)
    assert result.exit_code == 130
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["complete"] is False
    assert [case["id"] for case in found["cases"]] == done


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--arms", "hybrid-9"), "there is no arm 'hybrid-9'; there are: hybrid-2"),
        (("--groups", "papers,cats"), "there is no group 'cats'; there are: papers, unanswerable"),
        (("--n", "0"), "should be greater than or equal to 1"),
        (("--workers", "0"), "should be greater than or equal to 1"),
        (("--mind", "oracle"), "'oracle' is not one of"),
        (("--mind", "llm"), "--mind llm needs an LLM"),
        (("--json", "no/such/folder/x.json"), "cannot be written"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_any_run(
    data: Path, more: tuple[str, ...], said: str
) -> None:
    result = evaluated("asking", "--data", data, *more)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in " ".join(result.stderr.replace("│", "").split())
