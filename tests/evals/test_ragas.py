"""Tests of `citeloom eval ragas`: the formulas by hand, and the real command with a judge over real HTTP."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from evals.synthesis.ragas import Said, measures
from tests.evals.calls import evaluated, read_json, with_judge
from tests.evals.sections import write
from tests.fakes.openai_server import OpenAIServer, inputs_of, task_of

ROWS: list[dict[str, Any]] = [
    {
        "case": case,
        "arm": arm,
        "question": "How do bees find home?",
        "truth": "They integrate their path. They see marks.",
        "answer": answer,
        "contexts": ["Bees integrate their path. They dance.", "Owls hear voles."],
    }
    for case in ("one", "two")
    for arm, answer in (("ours", "By path integration."), ("silent", ""))
]
SOUND: dict[str, Any] = {
    "ragas_statements": {"statements": [
        {"statement": "Bees integrate their path.", "borne_out": True},
        {"statement": "Bees use the sun.", "borne_out": False},
    ]},
    "ragas_questions": {"questions": ["How do bees find home?"] * 2, "evasive": False},
    "ragas_relevance": {"relevant": [1], "needed": ["1.1"]},
    "ragas_inferred": {"inferred": [1]},
    "ragas_compared": {"shared": ["a"], "only_answer": ["b"], "only_truth": ["c"]},
}  # fmt: skip


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[OpenAIServer]:
    with (
        OpenAIServer(lambda request: SOUND[task_of(request)]) as server,
        with_judge(monkeypatch, server.url, tmp_path / "home"),
    ):
        yield server


def call(folder: Path, rows: list[Any]) -> Result:
    path = write(folder / "answers.jsonl", rows)
    return evaluated("ragas", "--answers", path, "--mind", "llm", "--json", folder / "found.json")


def figures(folder: Path) -> Any:
    return read_json(folder / "found.json")


def test_each_measure_is_what_the_judge_said_by_the_formulas(
    judge: OpenAIServer, tmp_path: Path
) -> None:
    done = call(tmp_path, ROWS)
    assert done.exit_code == 0, done.output
    ours = {name: value["mean"] for name, value in figures(tmp_path)["arms"]["ours"].items()}
    assert ours["faithfulness"] == 0.5
    assert ours["answer_relevancy"] == pytest.approx(1, abs=1e-3)
    assert ours["context_precision"] == 1
    assert ours["context_recall"] == 0.5
    assert ours["context_relevancy"] == pytest.approx(1 / 3)
    assert ours["answer_correctness"] == pytest.approx(
        0.75 * 0.5 + 0.25 * ours["answer_similarity"]
    )
    assert ours["ragas_score"] == pytest.approx(4 / (2 + 1 + 3 + 2), abs=1e-3)
    assert ours["ragas_with_precision"] == pytest.approx(4 / (2 + 1 + 1 + 2), abs=1e-3)
    spent = figures(tmp_path)["tasks"]["(judge)"]["ragas_relevance"]
    assert (spent["calls"], spent["cached"]) == (1, 3)
    silent = figures(tmp_path)["arms"]["silent"]
    assert silent.keys() == {
        "answer_similarity",
        "context_precision",
        "context_recall",
        "context_relevancy",
    }
    assert silent["answer_similarity"]["mean"] == 0
    assert len(judge.requests) == 5  # equal questions are asked once
    assert "14 questions to judge" in done.stderr
    assert any(inputs_of(one).get("question") for one in judge.requests)


def test_numbers_of_what_is_not_there_are_sent_back_and_counted(
    judge: OpenAIServer, tmp_path: Path
) -> None:
    wrong = SOUND | {"ragas_relevance": {"relevant": [7], "needed": []}}
    judge.script = lambda request: wrong[task_of(request)]
    assert call(tmp_path, ROWS[:1]).exit_code == 0
    found = figures(tmp_path)
    assert found["nonsense"] == 1
    assert "there is no 7" in found["cases"][0]["errors"]["ours"][0]
    assert not {"context_precision", "ragas_score"} & found["arms"]["ours"].keys()
    assert judge.tasks.count("ragas_relevance") == 2


@pytest.mark.parametrize(
    ("faithful", "relevancy", "contexts", "recall", "printed"),
    [  # LLM-Ref's Table 1, its last column
        (629, 0.948, 268, 705, 0.513),
        (547, 0.598, 49, 697, 0.158),
        (547, 0.947, 272, 703, 0.501),
        (778, 0.789, 35, 885, 0.125),
    ],
)
def test_score_comes_out_as_the_document_prints_it_with_relevancy_and_not_with_precision(
    faithful: int, relevancy: float, contexts: int, recall: int, printed: float
) -> None:
    def of(share: int) -> list[bool]:
        return [at < share for at in range(1000)]

    said = Said(
        borne=of(faithful),
        cosines=[relevancy],
        needed=(contexts, 1000),
        relevant=[True],
        inferred=of(recall),
    )
    assert measures(said)["ragas_score"] == pytest.approx(printed, abs=0.002)
    assert measures(said)["ragas_with_precision"] > 1.4 * printed


@pytest.mark.parametrize(
    ("said", "name", "value"),
    [
        (Said(relevant=[True, False, True]), "context_precision", (1 + 2 / 3) / 2),
        (Said(relevant=[False, False]), "context_precision", 0),
        (Said(relevant=[]), "context_precision", 0),
        (Said(cosines=[0.9, -0.3]), "answer_relevancy", 0.45),
        (Said(cosines=[0.9], evasive=True), "answer_relevancy", 0),
        (Said(both=(0, 0, 3)), "answer_correctness", 0),
        (Said(both=(2, 0, 0), similarity=0.6), "answer_correctness", 0.9),
        (Said(needed=(0, 0)), "context_relevancy", 0),
    ],
)
def test_edges_by_hand(said: Said, name: str, value: float) -> None:
    assert measures(said)[name] == pytest.approx(value)
