"""The comparison with the baselines on made-up papers, and the command that runs it all."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evals.asking.papers import read_papers
from evals.figures import ArmFigures, spread
from evals.intervals import interval
from evals.synthesis.arms import (
    ARMS,
    Row,
    around,
    minus,
    plan_of,
    stack_of,
    summarise,
)
from evals.synthesis.command import Synthesis, SynthesisOptions
from evals.synthesis.measures import MEASURES, Told
from tests.evals.calls import evaluated, with_judge
from tests.evals.owls import owls
from tests.evals.test_asking_command import BEES, ROWS
from tests.evals.test_asking_papers import write
from tests.fakes.composer import WRITING
from tests.fakes.openai_server import OpenAIServer, inputs_of, task_of
from tests.fakes.reviewer import reviewer


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    return write(tmp_path / "papers.jsonl", ROWS)


def test_only_questions_with_an_answer_in_words_are_asked(papers: Path) -> None:
    plan = plan_of(read_papers(papers))
    assert [case.question for case in plan.cases] == [
        "How were the displaced bees tracked?",
        "What does HiveNav combine?",
        "How was the height of the loaves measured?",
    ]
    assert len(plan_of(read_papers(papers), 1).cases) == 1
    assert len(plan.texts) == 2


def test_stack_is_the_paper_with_those_that_follow_it() -> None:
    texts = {"a": "A.", "b": "B.", "c": "C."}
    assert around("b", texts, 1) == ["b"]
    assert around("c", texts, 2) == ["c", "a"]
    assert around("b", texts, 9) == ["b", "c", "a"]
    assert [item["content"] for item in stack_of(["c", "a"], texts)] == ["A.", "C."]
    assert [item["name"] for item in stack_of(["c"], texts)] == ["paper-3.txt"]


TOLD = Told(question="Who?", lines=[], contexts=[], golds=[])


def row(case: str, arm: str, value: float) -> Row:
    return Row(case, 1, arm, dict.fromkeys(MEASURES, value), "", TOLD)


ROWS_MADE = [
    row("one", "paragraphs", 0.5),
    row("one", "basic", 0.25),
    row("two", "paragraphs", 1.0),
    row("two", "basic", 0.25),
]


def test_means_have_intervals_and_baselines_are_taken_question_by_question() -> None:
    found = summarise(ROWS_MADE, seed=3)["1"]
    assert found["paragraphs"]["faithfulness"] == interval([0.5, 1.0], seed=3)
    assert found["basic"]["composite"]["mean"] == pytest.approx(0.25)
    assert found.keys() == {"paragraphs", "basic"}
    less = minus(ROWS_MADE, seed=3)["1"]["basic"]["faithfulness"]
    assert (less["mean"], less["low"], less["high"]) == (0.5, 0.25, 0.75)


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[OpenAIServer]:
    with (
        OpenAIServer(reviewer()) as server,
        with_judge(monkeypatch, server.url, tmp_path / "home"),
    ):
        yield server


def test_temperature_reaches_what_writes_and_each_run_asks_anew(
    llm: OpenAIServer, papers: Path
) -> None:
    asked = [{"question": "How were the displaced bees tracked?", "answer": "With harmonic radar."}]
    long = f"{BEES}\n\nThe displaced bees flew {'over hill and dale and water ' * 15}with radar."
    options = SynthesisOptions(
        papers=write(papers, [{"doc_id": "bees", "full_text": long, "qa": asked}]),
        mind="llm",
        runs=2,
        temperatures="0,0.1",
        chunks="60",
        top_k=2,
    )
    suite = Synthesis(options)
    suite.prepare()
    assert suite.runs == 32
    few = [arm for arm in suite.plan.arms if arm.method in {"paragraphs", "basic"}]
    assert len(few) == len(suite.plan.arms) / 2 == 8
    suite.plan = replace(suite.plan, stacks=(1,), arms=few)
    rows: list[Any] = list(suite.rows())
    assert [one.arm for one in rows] == [
        f"{way}, temperature {degree}, run {run}"
        for degree in ("0", "0.1")
        for run in (1, 2)
        for way in ("paragraphs", "basic-60")
    ]
    sent = Counter((task_of(one), one["temperature"], str(inputs_of(one))) for one in llm.requests)
    assert {degree for task, degree, _ in sent if task in WRITING} == {0.0, 0.1}
    assert {degree for task, degree, _ in sent if task not in WRITING} == {0.0}
    # Each run asks everything once, summaries among it, and is not answered with what the other paid for.
    assert set(sent.values()) == {2}
    assert "summarize_paragraphs" in llm.tasks
    assert rows[0].tasks["synthesize_answer"]["calls"] == 1
    found = suite.found(rows)
    assert found["settings"]["model"] == "judge"
    assert found["arms"]["spread"]["1"]["Spread over runs"].keys() >= {"basic-60, temperature 0"}
    assert len(found["arms"]["minus"]["1"]) == 4
    # A killed benchmark begins again with what it has paid for.
    suite.plan, before = replace(suite.plan, arms=few[-2:]), len(llm.requests)
    assert [one.answer for one in suite.rows()] == [one.answer for one in rows[-2:]]  # type: ignore[union-attr]
    assert len(llm.requests) == before


def test_spread_of_the_documents_own_runs_by_hand() -> None:
    def arms(along: str, **columns: list[float]) -> ArmFigures:
        return {
            f"paragraphs, {along} {at}, stack of 1": {
                name: {"mean": values[at], "low": 0.0, "high": 1.0, "n": 1}
                for name, values in columns.items()
            }
            for at in range(len(next(iter(columns.values()))))
        }

    # LLM-Ref's Table 5. Runs: mean 0.4333 of 0.41, 0.44, 0.45, so sqrt((0.0233² + 0.0067² + 0.0167²) / 2).
    runs = arms("run", faithfulness=[0.41, 0.44, 0.45], ragas_score=[0.52, 0.57, 0.54])
    told = spread(runs, "run")["paragraphs, stack of 1"]
    assert told["faithfulness, standard deviation"] == pytest.approx(0.0208, abs=1e-4)
    assert told["faithfulness, largest difference"] == pytest.approx(0.04)
    assert told["ragas_score, standard deviation"] == pytest.approx(0.0252, abs=1e-4)
    degrees = arms("temperature", ragas_score=[0.57, 0.54, 0.56, 0.49])
    assert spread(degrees, "temperature")["paragraphs, stack of 1"] == {
        "ragas_score, standard deviation": pytest.approx(0.0356, abs=1e-4),
        "ragas_score, largest difference": pytest.approx(0.08),
    }
    assert spread(degrees, "run") == {}
    assert spread({"paragraphs, run 1": {}}, "run") == {}


def test_command_measures_references_and_arms(home: Path, tmp_path: Path, papers: Path) -> None:
    folder = owls(tmp_path)
    out = folder / "found.json"
    result = evaluated(
        "synthesis",
        "--folder",
        folder,
        "--questions",
        folder / "questions.jsonl",
        "--papers",
        papers,
        "--n",
        "1",
        "--json",
        out,
    )
    assert result.exit_code == 0
    found = json.loads(out.read_text("utf-8"))
    assert found.keys() == {"settings", "references", "arms", "tasks", "complete"}
    rows = found["arms"]["rows"]
    assert [(one["stack"], one["arm"]) for one in rows] == [
        (s, arm) for s in (1, 3) for arm in ARMS
    ]
    answered = [one for one in rows if one["figures"]["answered"]]
    assert answered
    for one in answered:
        assert "radar" in one["answer"]
        assert (one["figures"]["faithfulness"] > 0, one["figures"]["context_recall"]) == (True, 1.0)
        assert all(0 <= one["figures"][name] <= 1 for name in MEASURES)
    assert "Lines by how" in result.stdout
    assert "Stacks of 1" in result.stdout
