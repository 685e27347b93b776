"""The real commands on made-up rows and texts: writing, and a judge that answers over real HTTP."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from evals.writing.cases import read_cases
from evals.writing.judging import DIMENSIONS, agreement, spearman
from evals.writing.trial import ARMS, try_arm
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
FEW = ("--writers", "plan")


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
            return {"text": "Bees use landmarks [1]. Nobody cites this [9]."}
        return reviewer()(request)

    task, vectors = (read_cases(data).cases[0], ARMS["bare"]), tmp_path / "vectors.sqlite"
    with OpenAIServer(script) as server, with_judge(monkeypatch, server.url, tmp_path / "home"):
        bare = try_arm(task, mind="llm", vectors=vectors)
    assert not bare["error"]
    assert (bare["counts"]["citations"], bare["counts"]["hallucinated"]) == (2, 1)
    assert bare["cost"]["llm_calls"] == 1, "of writing alone"
    alone = try_arm(task, mind="extractive", vectors=vectors)
    assert alone["skipped"] == "only an LLM writes it"


GOOD, POOR = "Ants integrate their path [1]; bees match pictures [2].", "Stuff was done [1]."
TEXTS = [
    {"case": case, "arm": arm, "text": f"{text} ({case})", "references": ["Ants", "Bees"]}
    for case in ("bees", "wasps", "ants")
    for arm, text in (("ours", GOOD), ("theirs", POOR))
]


@pytest.fixture
def judging_data(tmp_path: Path) -> Path:
    return write(tmp_path / "rows.jsonl", [row("bees"), row("wasps"), row("ants"), row("other")])


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    return write(tmp_path / "texts.jsonl", TEXTS)


def scores(request: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """What a sound judge says: the good text gets 5 on every scale, the poor one 2."""
    shown: Any = inputs_of(request)["candidates"]
    good = {label: GOOD in text for label, text in shown.items()}
    told = [
        {"label": label, "why": "read", **dict.fromkeys(DIMENSIONS, 5 if fine else 2)}
        for label, fine in good.items()
    ]
    return {"scores": told, "preferred": next(label for label in good if good[label]), **changes}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[OpenAIServer]:
    prices = {"STRONG_PRICE": "[1, 2]", "FAST_PRICE": "[1, 2]"}
    with (
        OpenAIServer(scores) as server,
        with_judge(monkeypatch, server.url, tmp_path / "home", **prices),
    ):
        yield server


def judging_call(data: Path, texts: Path, *more: str | Path) -> Result:
    return evaluated(
        "judging",
        "--data",
        data,
        "--texts",
        texts,
        "--mind",
        "llm",
        "--json",
        data.with_suffix(".json"),
        *more,
    )


def figures(data: Path) -> Any:
    return read_json(data.with_suffix(".json"))


def test_texts_are_scored_together_each_turn_in_another_order_and_the_judge_held_against_itself(
    asked: OpenAIServer, judging_data: Path, texts: Path
) -> None:
    done = judging_call(judging_data, texts, "--turns", "2")
    assert done.exit_code == 0, done.output
    found = figures(judging_data)
    assert found["arms"]["ours"]["g_score"]["mean"] == 5
    assert found["arms"]["theirs"]["fluency"]["mean"] == 2
    assert found["arms"]["ours"]["preferred"]["mean"] == 1
    assert found["minus"]["arms"]["theirs"]["g_score"]["mean"] == -3
    assert found["itself"]["1 and 2"] == {
        "n": 36,
        "spearman": pytest.approx(1),
        "distance": 0,
        "same": 1,
        "preferred_same": 1,
    }
    assert found["nonsense"] == 0
    orders = {tuple(turn["order"]) for case in found["cases"] for turn in case["turns"]}
    assert orders == {("ours", "theirs"), ("theirs", "ours")}
    assert re.search(
        r"6 questions to judge, about [\d,]+ tokens in .* about \d\.\d\d USD", done.stderr
    )
    assert not any(
        name in request for name in ("ours", "theirs") for request in map(str, asked.requests)
    )
    again = len(asked.requests)
    judging_call(judging_data, texts, "--turns", "2")
    assert len(asked.requests) == again  # a killed run begins again with the answers it had


def test_rank_correlation_by_hand() -> None:
    # Ranks 1 2 3 4 5 against 2 1 4 3 5: 1 - 6 * 4 / (5 * 24) = 0.8.
    assert spearman([1, 2, 3, 4, 5], [20, 10, 40, 30, 50]) == pytest.approx(0.8)
    # Ties share their mean rank: 1.5 1.5 3 against 1 2.5 2.5.
    assert spearman([1, 1, 2], [1, 2, 2]) == pytest.approx(0.5)
    assert spearman([3, 3, 3], [1, 2, 3]) is None


def test_agreement_is_over_what_both_scored() -> None:
    told = agreement({"x": 1, "y": 2, "z": 5}, {"x": 1, "y": 4})
    assert told == {"n": 2, "spearman": pytest.approx(1), "distance": 1, "same": 0.5}
    assert agreement({"x": 1}, {"y": 1}) == {"n": 0}
