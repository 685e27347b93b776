"""Tests of the papers that `citeloom synthesize` is given: what cannot be read is said before any work."""

import os
from pathlib import Path

import pytest

from citeloom.cli.read_inputs import paper_paths
from citeloom.cli.run_command import reading_allowed
from citeloom.runs.run_record import RunRecord
from tests.cli.commands import run
from tools.errors import InputError
from tools.ingest.file_places import allowed_roots, check_paths
from tools.run_settings import RunSettings

QUESTION = "How do bees find home?"


def stack(*files: str | Path, papers: tuple[str, ...] = ()) -> list[str]:
    return paper_paths(QUESTION, [str(path) for path in files], papers)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    (folder / "more" / ".hidden").mkdir(parents=True)
    for name in ("b.pdf", "a.md", "more/c.html", "more/.hidden/d.md", "picture.png", "refs.bib"):
        (folder / name).write_text("words", encoding="utf-8")
    return folder


def test_files_are_named_once_and_papers_of_a_library_need_none(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert stack("b.pdf", folder / "b.pdf", "more") == [str(folder / "b.pdf"), str(folder / "more")]
    assert stack(papers=("arxiv:2005.11401",)) == []


def test_what_is_no_paper_is_told_and_no_paper_at_all_exits_with_2(
    home: Path, folder: Path
) -> None:
    (folder / "empty").mkdir()
    os.mkfifo(folder / "pipe.pdf")
    result = run("synthesize", QUESTION, folder / "empty", folder / "pipe.pdf", code=2)
    said = " ".join(result.output.split())
    for cause in ("it has no readable file", "it is a pipe"):
        assert cause in said, said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([QUESTION], "no papers to read"),
        ([], "no papers to read"),
        (["a.pdf", "b.pdf"], "the question comes first"),
        (["", "a.pdf"], "no input"),
        (["missing.txt", "a.pdf"], "there is no file 'missing.txt'"),
        ([QUESTION, "a.pdf", "none.pdf"], "there is no file 'none.pdf'"),
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
    assert says in " ".join(run("synthesize", *arguments, code=2).output.split())


def test_run_may_read_the_folders_of_its_files_only(home: Path, folder: Path) -> None:
    record = RunRecord(
        name="r",
        graph="synthesize",
        inputs={"paths": [str(folder / "a.md")]},
        context={},
        out="",
        started="",
    )
    with reading_allowed(record):
        roots = allowed_roots(RunSettings().clients)
    check_paths([str(folder / "a.md"), str(folder / "b.pdf")], roots)
    with pytest.raises(InputError):
        check_paths([str(home / "elsewhere.pdf")], roots)
