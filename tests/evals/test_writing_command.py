"""The real commands on made-up rows and texts: writing, and a judge that answers over real HTTP."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from evals.writing.cases import read_cases
from evals.writing.judge_texts import DIMENSIONS
from evals.writing.judging import agreement, spearman
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
            style = " In style." if inputs_of(request).get("example") == example else ""
            return {"text": f"Bees use landmarks [1]. Nobody cites this [9].{style}"}
        return reviewer()(request)

    cases, vectors = read_cases(data).cases, tmp_path / "vectors.sqlite"
    task, shot, example = (cases[0], ARMS["bare"]), (cases[0], ARMS["few_shot"]), cases[1].gold
    with OpenAIServer(script) as server, with_judge(monkeypatch, server.url, tmp_path / "home"):
        bare = try_arm(task, mind="llm", vectors=vectors, cases=cases)
        styled = try_arm(shot, mind="llm", vectors=vectors, cases=cases)
        lonely = try_arm(shot, mind="llm", vectors=vectors, cases=cases[:1])
    assert not bare["error"]
    assert not bare["text"].endswith("In style.")
    assert styled["text"].endswith("In style.")
    assert lonely["skipped"] == "there is no other row to show"
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


def judge(request: dict[str, Any]) -> Any:
    given: Any = inputs_of(request)
    if task_of(request) == "nuggets":
        good = [label for label, text in given["candidates"].items() if GOOD in text]
        facts = [("Ants integrate.", True, good), ("Bees match.", False, []), ("Wasps.", True, [])]
        keys = ("fact", "vital", "told_by")
        return {"nuggets": [dict(zip(keys, fact, strict=True)) for fact in facts]}
    if task_of(request) == "citations":
        keys = ("number", "claims", "supported_by")
        told = [(int(number), True, [1, 9]) for number in given["sentences"]]
        return {"sentences": [dict(zip(keys, one, strict=True)) for one in told]}
    if task_of(request) == "grade":
        return {"why": "read", "grade": 80 if GOOD in given["candidate"] else 20}
    return scores(request)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[OpenAIServer]:
    prices = {"STRONG_PRICE": "[1, 2]", "FAST_PRICE": "[1, 2]"}
    with (
        OpenAIServer(judge) as server,
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
    done = judging_call(judging_data, texts, "--turns", "2", "--measures", "grade")
    assert done.exit_code == 0, done.output
    found = figures(judging_data)
    assert found["arms"]["ours"]["g_score"]["mean"] == 5
    assert found["arms"]["theirs"]["fluency"]["mean"] == 2
    assert found["arms"]["ours"]["preferred"]["mean"] == 1
    assert [found["arms"][arm]["grade"]["mean"] for arm in ("ours", "theirs")] == [80, 20]
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
        r"18 questions to judge, about [\d,]+ tokens in .* about \d\.\d\d USD", done.stderr
    )
    assert not any(
        name in request for name in ("ours", "theirs") for request in map(str, asked.requests)
    )
    again = len(asked.requests)
    judging_call(judging_data, texts, "--turns", "2", "--measures", "grade")
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


def test_citations_claims_and_nuggets_are_measured_as_in_deepscholar_bench(
    asked: OpenAIServer, judging_data: Path, tmp_path: Path
) -> None:
    known = [{**one, "references": ["Path integration in desert ants", "Bees"]} for one in TEXTS]
    texts = write(tmp_path / "texts.jsonl", known)
    done = judging_call(judging_data, texts, "--measures", "deepscholar")
    assert done.exit_code == 0, done.output
    arms = figures(judging_data)["arms"]
    ours, theirs = (
        {name: figure["mean"] for name, figure in arms[arm].items()} for arm in ("ours", "theirs")
    )
    assert (ours["nuggets"], ours["vital_nuggets"]) == (pytest.approx(1 / 3), 0.5)
    assert (theirs["nuggets"], theirs["vital_nuggets"]) == (0, 0)
    assert (ours["citation_precision"], theirs["citation_precision"]) == (0.5, 1)
    assert ours["claim_coverage"] == 1
    assert ours["reference_coverage"] == pytest.approx(1 / 3), "one of the row's three works"
    tasks = [task_of(request) for request in asked.requests]
    assert (tasks.count("nuggets"), tasks.count("citations")) == (3, 6)
    shown: Any = next(inputs_of(one) for one in asked.requests if task_of(one) == "citations")
    assert "desert ants integrate their path" in str(shown["works"])
