"""The benchmark of retrieval, on made-up question sets and with the real model."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from evals.asking.passages import read_sets
from tests.evals.calls import measured

PAPER = """Introduction
Honey bees tell their nestmates where flowers are, by a dance on the comb that has the form of an eight, \
and foragers follow it in the dark with their antennae until they know the direction.

Instruments
We filmed the comb with two infrared cameras of the maker Basler, placed behind a glass pane, for six \
weeks, and marked four hundred foragers with numbered tags that were glued to the thorax.

Results
The mean error of the waggle run was fifteen degrees, and it fell to nine degrees when the colony stood \
in a compensated magnetic field, which nobody had seen in earlier work with fewer bees.
"""
ROWS: dict[str, list[dict[str, Any]]] = {
    "papers_with_questions": [
        {
            "full_text": PAPER,
            "qa": [
                {"question": "Which cameras were used?", "answer": "two infrared cameras by Basler"},
                {"question": "How large was the error?", "answer": "mean error of fifteen degrees"},
                {"question": "Was it large?", "answer": "Yes"},
                {"question": "Who paid?", "answer": "the national science foundation of Atlantis"},
            ],
        },
        {
            "full_text": PAPER,
            "qa": [{"question": "Which cameras  were used?", "answer": "infrared cameras"}],
        },
    ],
    "scifact_questions": [
        {
            "question": f"Substance {word} cures coughs.",
            "evidence": [{"title": f"On {word}", "text": f"Patients with coughs took {word} daily."}],
        }
        for word in ("aspirin", "honey", "thyme")
    ],
    "expert_long_answers": [
        {
            "question": "What do harbours tell?",
            "answer": "They silt up [0], as cores show [2, 1].",
            "contexts": [
                {"title": "Silt", "text": "Harbours silt up when rivers move."},
                {"title": "Cores", "text": "Cores of harbours show floods."},
                {"title": "Cores", "text": "Cores are dated by radiocarbon."},
                {"title": "Bread", "text": "Rye bread was eaten."},
                {"title": "Torn", "text": float("nan")},
            ],
        }
    ],
}  # fmt: skip


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evals.figures.RESAMPLES", 1000)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, rows in ROWS.items():
        with gzip.open(tmp_path / f"{name}.jsonl.gz", "wt") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    return tmp_path


def test_sets_are_read_with_their_gold_passages(folder: Path) -> None:
    papers, evidence, contexts = read_sets(folder)
    assert (len(papers.texts), papers.asked) == (1, 5)
    (text,) = papers.texts
    by_id = {passage.id: passage.text for passage in text.passages}
    golds = {q.text: [by_id[key] for key in q.gold] for q in papers.questions}
    assert list(golds) == ["Which cameras were used?", "How large was the error?"]
    assert ["Basler" in gold for gold in golds["Which cameras were used?"]] == [True]
    assert ["fifteen" in gold for gold in golds["How large was the error?"]] == [True]
    assert [len(q.gold) for q in evidence.questions] == [1, 1, 1]
    (question,) = contexts.questions
    assert len(question.gold) == 3
    assert sum(len(text.passages) for text in contexts.texts) == 4
    for text in [*evidence.texts, *contexts.texts]:
        assert all(text.text[p.start : p.end] == p.text for p in text.passages)


def test_command_prints_the_table_and_writes_the_figures(folder: Path) -> None:
    found, result = measured(folder, "passages", "--data", folder, "--half", "all")
    assert (
        "papers_with_questions, its paper: 2 of 2 questions that qualify (5 in the file)"
        in result.stdout
    )
    assert [view["questions"] for view in found["views"]] == [2, 2, 3, 1]
    for view in found["views"]:
        assert set(view["arms"]) == {"hybrid", "vectors", "keywords"}
        for name, row in view["arms"].items():
            assert row["recall"]["mean"] >= (2 / 3 if name == "keywords" else 1)
            assert row["context_ms_p95"] >= row["context_ms_p50"] > 0
