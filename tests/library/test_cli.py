"""`citeloom library` at the command line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from citeloom.cli.library.commands import app
from citeloom.settings import settings as process_settings
from tests.library.words import WordEmbedder

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in a home of its own, with an embedder that needs no model."""
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CITELOOM_QDRANT_URL", raising=False)
    process_settings.cache_clear()
    words = WordEmbedder()
    monkeypatch.setattr("tools.embed.open._opened", {("minilm", "", ""): words})

    def call(*arguments: str | Path, answer: str = "") -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments], input=answer)

    return call


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    path = tmp_path / "papers.jsonl"
    rows = [{"id": f"10.1000/p{n}", "title": f"Title {n}", "year": 2000 + n} for n in range(3)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def settings_are_read_again() -> object:
    yield
    process_settings.cache_clear()


def test_added_papers_are_counted_and_listed(run: Run, papers: Path) -> None:
    first = run("add", papers, "--library", "mine")
    assert (first.exit_code, first.stdout) == (0, "library 'mine': 3 added\n")
    assert run("add", papers, "-l", "mine").stdout == "library 'mine': 3 unchanged\n"
    assert run("list").stdout.split() == ["mine", "starter"]
    stats = run("stats", "mine")
    assert "papers      3, 0 with abstract" in stats.stdout
    assert "2000 to 2002" in stats.stdout


def test_bad_records_are_shown_by_file_and_line_and_kept_in_full(
    run: Run, papers: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text("broken\n" * 30, encoding="utf-8")
    done = run("add", papers, bad, "-l", "mine")
    assert done.exit_code == 0
    assert f"{bad}:1: it is not JSON" in done.stderr
    assert f"{bad}:21:" not in done.stderr
    assert "30 records could not be read" in done.stderr
    account = tmp_path / "home" / "libraries" / "mine" / "bad-records.txt"
    assert len(account.read_text(encoding="utf-8").splitlines()) == 30
    assert run("add", papers, "-l", "mine").exit_code == 0
    assert not account.exists()


def test_file_without_a_good_record_exits_with_1(run: Run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text("broken\n", encoding="utf-8")
    done = run("add", bad, "-l", "mine")
    assert done.exit_code == 1
    assert "nothing to add" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("add", "none.jsonl", "-l", "mine"), "there is no file"),
        (("add", "PAPERS", "-l", "../mine"), "cannot be a library's name"),
        (("add", "PAPERS", "-l", "starter"), "choose another name"),
        (("stats", "none"), "there is no library 'none'"),
        (("verify", "none"), "there is no library 'none'"),
        (("index", "none"), "there is no library 'none'"),
        (("remove", "none", "--yes"), "there is no library 'none'"),
        (("search", "none", "words"), "there is no library 'none'"),
        (("snapshot", "none", "x.tar.gz"), "there is no library 'none'"),
        (("restore", "none.tar.gz"), "there is no file"),
    ],
)
def test_error_is_one_sentence_and_exit_code_2(
    run: Run, papers: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = run(*(str(papers) if argument == "PAPERS" else argument for argument in arguments))
    assert done.exit_code == 2
    assert done.stderr.startswith("citeloom: ")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_missing_file_makes_no_library(run: Run, papers: Path) -> None:
    run("add", papers, "none.jsonl", "-l", "mine")
    assert run("list").stdout.split() == ["starter"]


def test_papers_and_libraries_are_removed_after_a_question(run: Run, papers: Path) -> None:
    run("add", papers, "-l", "mine")
    assert run("remove", "mine", "10.1000/P1", answer="n\n").exit_code == 1
    done = run("remove", "mine", "10.1000/P1", "unknown", answer="y\n")
    assert done.exit_code == 0
    assert "1 paper removed" in done.stdout
    assert "not in 'mine': unknown" in done.stderr
    assert run("remove", "mine", "unknown").exit_code == 1
    assert run("remove", "mine", "--yes").exit_code == 0
    assert run("list").stdout.split() == ["starter"]
