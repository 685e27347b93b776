"""Tests of `citeloom eval writing`: the real command and the real graph on made-up rows."""

import dataclasses
import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from evals.writing import command
from evals.writing.cases import read_cases
from evals.writing.command import rows_of
from evals.writing.trial import ARMS, Row, Setting, choose_arms
from tests.evals.calls import evaluated
from tests.evals.sections import BARE, cited, row, write
from tests.support import clean_environment, is_setting
from tools.errors import InputError

BROKEN = "{broken"
ROWS = [
    row("bees"),
    BROKEN,
    row("bare", cited=[BARE, cited("4", "Wasps at night")], gold_sentences=None),
    row(
        "named", gold_sentences=None, gold_related_work="Ants count steps (Weaver and Reed, 2012)."
    ),
]
FEW = ("--writers", "beam,plan")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("rows") / "rows.jsonl", ROWS)


@pytest.fixture(autouse=True, scope="module")
def _no_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("elsewhere")
    with pytest.MonkeyPatch.context() as patch:
        for name in filter(is_setting, list(os.environ)):
            patch.delenv(name)
        for name, value in clean_environment(folder / "home").items():
            patch.setenv(name, value)
        patch.chdir(folder)
        yield


def call(data: Path, *more: str | Path) -> Result:
    return evaluated("writing", "--data", data, *more)


@pytest.fixture(scope="module")
def called(data: Path, _no_settings: None) -> Result:
    """The command on all rows, its figures beside the data."""
    return call(data, *FEW, "--json", data.with_suffix(".json"))


@pytest.fixture(scope="module")
def found(called: Result, data: Path) -> dict[str, Any]:
    assert called.exit_code == 0, called.output
    figures: dict[str, Any] = json.loads(data.with_suffix(".json").read_text(encoding="utf-8"))
    return figures


def test_rows_without_abstracts_are_told_of_apart(found: dict[str, Any]) -> None:
    assert [(case["id"], case["checkable"]) for case in found["cases"]] == [
        ("bees", True), ("bare", False), ("named", True),
    ]  # fmt: skip
    assert (found["checkable"]["n"], found["no_abstracts"]["n"]) == (2, 1)
    assert found["complete"] is True
    assert list(found["left_out"]) == ["line 2"]


def test_every_citation_resolves_and_rests_on_a_quote(found: dict[str, Any]) -> None:
    for name in ("beam", "plan", "lexrank"):
        totals = found["checkable"]["totals"][name]
        assert totals["citations"] == totals["resolved"] > 0, name
        assert totals["citing"] == totals["quoted"] > 0, name
        assert totals["repeated"] == 0, name
    beam = found["checkable"]["totals"]["beam"]
    assert beam["given"] == beam["accounted"] == 6
    assert found["checkable"]["writers"]["beam"]["resolved"]["mean"] == 1.0


def test_likeness_is_between_nothing_and_all_and_differences_are_paired(
    found: dict[str, Any],
) -> None:
    writers, minus = found["checkable"]["writers"], found["checkable"]["minus_lexrank"]
    assert set(minus) == {"beam", "plan"}
    for name in ("rouge1", "rouge2", "rougeL"):
        beam, base = writers["beam"][name], writers["lexrank"][name]
        assert 0 <= beam["low"] <= beam["mean"] <= beam["high"] <= 1
        assert beam["n"] == base["n"] == 2
        assert minus["beam"][name]["mean"] == pytest.approx(beam["mean"] - base["mean"])
    assert minus["plan"]["rouge1"]["n"] == 1
    assert writers["beam"]["llm_calls"]["mean"] == 0
    assert writers["beam"]["questions"]["mean"] > 0


def test_plan_is_made_of_the_gold_where_it_is_divided(found: dict[str, Any]) -> None:
    cases = {case["id"]: case for case in found["cases"]}
    adherence = cases["bees"]["adherence"]["plan"]
    assert (adherence["lines"], adherence["places"]) == (3, 2)
    assert adherence["in_place"] == 2
    assert "beam" not in cases["bees"]["adherence"]
    assert "does not say which" in cases["named"]["skipped"]["plan"]
    assert "plan" not in cases["named"]["arms"]


def test_tables_are_markdown_and_say_what_was_left_out(called: Result) -> None:
    text = called.stdout
    assert "## Rows with abstracts (2)" in text
    assert "## Rows whose papers all lack abstracts: nothing in them can be checked (1)" in text
    assert "| writer | runs | ROUGE-1 | ROUGE-2 | ROUGE-L | words | sentences |" in text
    assert "- line 2 was left out: it is no JSON" in text
    assert "- plan was not run on 1 row: the data does not say which" in text
    assert "- plan was not run on 1 row: the gold cites no paper that has an abstract" in text
    assert text.count("| lexrank |") == 8, "four tables for each group of rows"
    for line in text.splitlines():
        assert not line.startswith("|") or line.endswith("|")
    assert "1 bees beam:" in called.stderr


def test_several_processes_give_the_same_figures(
    found: dict[str, Any], data: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.json"
    result = call(data, *FEW, "--n", "1", "--workers", "2", "--json", out)
    assert result.exit_code == 0, result.output
    (side_by_side,) = json.loads(out.read_text(encoding="utf-8"))["cases"]
    alone = found["cases"][0]
    assert side_by_side["texts"] == alone["texts"]
    assert side_by_side["counts"] == alone["counts"]
    for arm in alone["arms"]:
        figures = {**side_by_side["arms"][arm], "seconds": alone["arms"][arm]["seconds"]}
        assert figures == alone["arms"][arm]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            ("--writers", "beam,best"),
            "there is no writer 'best'; there are: beam, beam_incremental",
        ),
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
    result = call(data, *more)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert not result.stdout


def test_missing_and_empty_data_are_refused(tmp_path: Path) -> None:
    assert "cannot be read" in call(tmp_path / "none.jsonl").stderr
    empty = call(write(tmp_path / "empty.jsonl", [BROKEN, row(gold_related_work="")]))
    assert empty.exit_code == 2
    assert "holds no row that can be used (line 1: it is no JSON" in empty.stderr


def test_installation_without_benchmarks_says_so(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "evals.__main__", None)
    result = call(data)
    assert result.exit_code == 2
    assert "the benchmarks need a checkout" in result.stderr


def test_all_writers_run_where_none_is_named() -> None:
    assert [arm.name for arm in choose_arms("")] == list(ARMS)
    assert [arm.name for arm in choose_arms("one_line, beam")] == ["beam", "lexrank", "one_line"]
    with pytest.raises(InputError, match="no writer"):
        choose_arms("beem")


def test_run_that_breaks_is_recorded_and_costs_no_other(data: Path, tmp_path: Path) -> None:
    (case, *_) = read_cases(data).cases
    good = Setting(mind="extractive", vectors=tmp_path / "vectors.sqlite")
    tasks = [(case, ARMS["one_line"])]
    (broken,) = rows_of(tasks, dataclasses.replace(good, mind="oracle"), 1)
    (whole,) = rows_of(tasks, good, 1)
    assert "oracle" in broken["error"]
    assert broken["text"] == ""
    assert whole["error"] == ""
    assert whole["text"]


def test_ctrl_c_between_two_runs_keeps_and_shows_what_is_done(
    data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def stopped(*given: Any) -> Iterator[Row]:
        with closing(rows_of(*given)) as rows:
            yield next(rows)
            signal.raise_signal(signal.SIGINT)
            yield from rows

    monkeypatch.setattr(command, "rows_of", stopped)
    out = tmp_path / "stopped.json"
    result = call(data, "--writers", "one_line", "--json", out)
    assert result.exit_code == 130
    assert "Stopped before the end" in result.stdout
    figures = json.loads(out.read_text(encoding="utf-8"))
    assert figures["complete"] is False
    assert [len(case["arms"]) for case in figures["cases"]] == [1]
