"""Tests of `citeloom eval writing`: the real command and the real graph on made-up rows."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from evals.writing.cases import read_cases
from evals.writing.trial import ARMS, Setting, try_arm
from tests.evals.calls import evaluated, read_json, with_judge
from tests.evals.sections import BARE, cited, row, write
from tests.fakes.openai_server import OpenAIServer, inputs_of, task_of
from tests.fakes.reviewer import reviewer

ROWS = [
    row("bees"),
    row("odd", cited=[]),
    row("bare", cited=[BARE, cited("4", "Wasps at night")], gold_sentences=None),
    row(
        "named", gold_sentences=None, gold_related_work="Ants count steps (Weaver and Reed, 2012)."
    ),
]
PUBLISHED: list[dict[str, Any]] = [
    {
        "case": "bees",
        "arm": "tuned",
        "text": "Desert ants integrate their path @cite_1. Wasps dance at night @cite_9.",
    },
    {
        "case": "named",
        "arm": "tuned",
        "references": ["Landmark memory of honey bees", "Wasps at night"],
        "text": "Bees use landmarks [1]. Wasps fly at night [2].",
    },
    {"case": "unknown", "arm": "tuned", "text": "Of another set [1]."},
]
FEW = ("--writers", "beam,plan")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("rows") / "rows.jsonl", ROWS)


def call(data: Path, *more: str | Path) -> Result:
    return evaluated("writing", "--data", data, *more)


@pytest.fixture(scope="module")
def called(data: Path, _no_settings: None) -> Result:
    """The command on all rows, its figures beside the data."""
    texts = write(data.with_name("texts.jsonl"), PUBLISHED)
    return call(data, *FEW, "--texts", texts, "--json", data.with_suffix(".json"))


@pytest.fixture(scope="module")
def found(called: Result, data: Path) -> dict[str, Any]:
    assert called.exit_code == 0, called.output
    figures: dict[str, Any] = read_json(data.with_suffix(".json"))
    return figures


def test_rows_without_abstracts_are_told_of_apart(found: dict[str, Any]) -> None:
    assert [(case["id"], case["checkable"]) for case in found["cases"]] == [
        ("bees", True),
        ("bare", False),
        ("named", True),
    ]
    assert (found["checkable"]["n"], found["no_abstracts"]["n"]) == (2, 1)
    assert found["complete"] is True
    assert list(found["left_out"]) == ["odd"]


def test_every_citation_resolves_and_rests_on_a_quote(found: dict[str, Any]) -> None:
    for name in ("beam", "plan", "lexrank"):
        totals = found["checkable"]["totals"][name]
        assert totals["citations"] == totals["resolved"] > 0, name
        assert totals["citing"] == totals["quoted"] > 0, name
        assert totals["repeated"] == 0, name
    beam = found["checkable"]["totals"]["beam"]
    assert beam["given"] == beam["accounted"] == 6
    writers, minus = found["checkable"]["writers"], found["checkable"]["minus_lexrank"]
    assert writers["beam"]["hallucinated"]["mean"] == 0
    assert writers["beam"]["covered"]["mean"] > 0.5
    assert (writers["beam"]["llm_calls"]["mean"], writers["beam"]["questions"]["mean"] > 0) == (
        0,
        True,
    )
    rouge, base = (writers[name]["rouge1"] for name in ("beam", "lexrank"))
    assert 0 <= rouge["low"] <= rouge["mean"] <= rouge["high"] <= 1
    assert minus["beam"]["rouge1"]["mean"] == pytest.approx(rouge["mean"] - base["mean"])
    assert minus["plan"]["rouge1"]["n"] == 1


def test_published_texts_are_counted_as_our_own(found: dict[str, Any]) -> None:
    totals = found["checkable"]["totals"]["tuned"]
    assert (totals["runs"], totals["citations"], totals["resolved"]) == (2, 4, 2)
    assert (totals["hallucinated"], totals["cited"], totals["given"]) == (2, 2, 6)
    tuned = found["checkable"]["writers"]["tuned"]
    assert tuned["covered"]["mean"] == pytest.approx(1 / 3)
    assert tuned["hallucinated"]["mean"] == 0.5
    assert tuned["rouge1"]["mean"] > 0
    assert found["checkable"]["minus_lexrank"]["tuned"]["words"]["mean"] < 0


def test_bare_answer_of_an_llm_is_checked_as_a_published_text(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def script(request: dict[str, Any]) -> Any:
        if task_of(request) == "write_bare":
            style = " In style." if "example" in inputs_of(request) else ""
            return {"text": f"Bees use landmarks [1]. Nobody cites this [9].{style}"}
        return reviewer()(request)

    with OpenAIServer(script) as server, with_judge(monkeypatch, server.url, tmp_path / "home"):
        cases = tuple(read_cases(data).cases)
        vectors = tmp_path / "vectors.sqlite"
        setting = Setting(mind="llm", vectors=vectors, cases=cases)
        rows = {name: try_arm((cases[0], ARMS[name]), setting) for name in ("bare", "few_shot")}
    bare, shot = rows["bare"], rows["few_shot"]
    assert "error" not in bare or not bare["error"]
    assert (bare["counts"]["citations"], bare["counts"]["hallucinated"]) == (2, 1)
    assert bare["cost"]["llm_calls"] == 1, "of writing alone"
    assert shot["text"].endswith("In style.")
    alone = try_arm((cases[0], ARMS["bare"]), Setting(mind="extractive", vectors=vectors))
    assert alone["skipped"] == "only an LLM writes it"
