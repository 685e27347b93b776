"""Tests of the papers that `citeloom synthesize` is given: what cannot be read is said before any work."""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from citeloom.cli.app import app
from citeloom.cli.run import reading_allowed
from citeloom.cli.runs import Run
from citeloom.cli.stack import stack_of
from tools.context import RunContext
from tools.errors import InputError
from tools.ingest.allowed_paths import allowed_roots, check_paths

QUESTION = "How do bees find home?"


def synthesize(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(app, ["synthesize", *map(str, arguments)])
    assert isinstance(result.exception, SystemExit | None), repr(result.exception)
    return result


def stack(*files: str | Path, papers: tuple[str, ...] = ()) -> list[str]:
    return stack_of(QUESTION, [str(path) for path in files], papers)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    (folder / "more" / ".hidden").mkdir(parents=True)
    for name in ("b.pdf", "a.md", "more/c.html", "more/.hidden/d.md", "picture.png", "refs.bib"):
        (folder / name).write_text("words", encoding="utf-8")
    return folder


def test_folders_are_looked_through_for_papers(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [Path(path) for path in stack(folder)]
    assert found == [folder / "a.md", folder / "b.pdf", folder / "more" / "c.html"]
    assert "2 files are left aside" in " ".join(capsys.readouterr().err.split())


def test_file_given_twice_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (folder / "again.pdf").symlink_to(folder / "b.pdf")
    assert stack("b.pdf", folder / "b.pdf", "again.pdf", "a.md") == [
        str(folder / "b.pdf"), str(folder / "a.md"),
    ]  # fmt: skip


def test_papers_of_a_library_need_no_file() -> None:
    assert stack(papers=("arxiv:2005.11401",)) == []


def test_all_that_cannot_be_read_is_said_at_once_and_exits_with_2(home: Path, folder: Path) -> None:
    (folder / "empty").mkdir()
    result = synthesize(QUESTION, folder / "none.pdf", folder / "empty", folder / "refs.bib")
    said = " ".join(result.stderr.split())
    assert result.exit_code == 2
    assert "there is no file" in said
    assert "there is no paper in the folder" in said
    assert "holds records, not a paper" in said
    assert not (home / "runs").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([QUESTION], "there are no papers to read"),
        ([], "there are no papers to read"),
        (["a.pdf", "b.pdf"], "the question comes first"),
        (["", "a.pdf"], "there is no input"),
        (["missing.txt", "a.pdf"], "there is no file 'missing.txt'"),
        ([QUESTION, "a.pdf", "--mind", "psychic"], "psychic"),
        ([QUESTION, "a.pdf", "--set", "nothing=1"], "no setting 'nothing'"),
        (["--resume", "nothing"], "there is no run 'nothing'"),
    ],
)
def test_what_cannot_be_used_is_said_and_exits_with_2(
    home: Path, arguments: list[str], says: str
) -> None:
    for name in ("a.pdf", "b.pdf"):
        (home.parent / name).write_bytes(b"%PDF-1.4")
    result = synthesize(*arguments)
    assert result.exit_code == 2
    assert says in " ".join(result.output.split())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_pipe_is_refused_and_not_waited_for(home: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.pdf")
    result = synthesize(QUESTION, tmp_path / "pipe.pdf")
    assert result.exit_code == 2
    assert "no file but a pipe" in " ".join(result.output.split())


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_file_that_may_not_be_read_is_said(home: Path, folder: Path) -> None:
    (folder / "b.pdf").chmod(0)
    result = synthesize(QUESTION, folder / "b.pdf")
    assert result.exit_code == 2
    assert "cannot be read: Permission denied" in " ".join(result.output.split())


def test_run_may_read_the_folders_of_its_files_only(home: Path, folder: Path) -> None:
    run = Run(
        name="r", graph="synthesize", inputs={"paths": [str(folder / "a.md")]}, context={}, out="",
        started="",
    )  # fmt: skip
    with reading_allowed(run):
        roots = allowed_roots(RunContext().clients)
    check_paths([str(folder / "a.md"), str(folder / "b.pdf")], roots)
    with pytest.raises(InputError):
        check_paths([str(home / "elsewhere.pdf")], roots)
