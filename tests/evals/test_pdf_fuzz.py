"""The command that reads damaged PDFs in processes of their own; the papers are made up."""

from pathlib import Path

import pytest

from evals.pdf.damage import WAYS
from evals.pdf.fuzz_worker import Outcome, peak, read_measured
from evals.pdf_fuzz import main, planned, report
from tests.pdf import papers
from tests.pdf.writer import Page, pdf
from tools.ingest.workers import Limits


def test_whole_and_damaged_files_end_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "deeper").mkdir()
    (tmp_path / "rivers.pdf").write_bytes(papers.paper())
    (tmp_path / "deeper" / "scan.pdf").write_bytes(pdf([Page()]))
    arguments = [str(tmp_path), "--count", str(len(WAYS)), "--seconds", "300", "--workers", "1"]
    assert main([*arguments, "--keep", str(tmp_path / "kept"), "--megabytes", "2000"]) == 0
    shown = capsys.readouterr().out
    rows = {line.split()[0]: line.split()[1:] for line in shown.splitlines() if line.strip()}
    assert f"{len(WAYS) + 2} files; 0 ended in" in shown
    assert sum(map(int, rows["whole"])) == 2
    assert sum(map(int, rows["all"])) == len(WAYS) + 2
    assert not (tmp_path / "kept").exists()


def test_one_file_can_be_made_and_read_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rivers.pdf").write_bytes(papers.paper())
    assert main([str(tmp_path), "--only", "whole-0", "--workers", "1", "--megabytes", "2000"]) == 0
    assert "1 files; 0 ended in" in capsys.readouterr().out
    assert main([str(tmp_path), "--only", "cut-1000000"]) == 1
    assert "there is no cut-1000000" in capsys.readouterr().out


def test_folder_without_pdfs_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 1
    assert "no PDFs" in capsys.readouterr().out


def test_every_file_is_damaged_in_every_way(tmp_path: Path) -> None:
    files = [tmp_path / "a.pdf", tmp_path / "b.pdf"]
    cases = [case for case in planned(files, 2 * len(WAYS)) if not case.key.startswith("whole")]
    assert {(case.key.partition("-")[0], case.base) for case in cases} == {
        (way, file) for way in WAYS for file in files
    }


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("read", 0), ("refused", 0), ("crashed", 0), ("page failed", 0), ("out of time", 0),
        ("untyped", 1), ("without a remedy", 1),
    ],
)  # fmt: skip
def test_only_errors_that_say_nothing_fail_the_run(
    end: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    outcomes = {"cut-1": Outcome(end, "the cause", 0.5, 40.0)}
    assert report({"cut-1": "a.pdf"}, outcomes, Limits()) == code
    shown = capsys.readouterr().out
    assert ("the cause" in shown) == (end not in {"read", "refused"})
    assert "40 MB, reading cut-1" in shown


@pytest.mark.parametrize(
    ("fault", "end"), [(RecursionError(), "untyped"), (KeyError("x"), "page failed")]
)
def test_fault_of_the_reader_is_not_taken_for_a_bad_file(
    fault: Exception, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> object:
        raise fault

    path = tmp_path / "a.pdf"
    path.write_bytes(papers.paper())
    monkeypatch.setattr("tools.pdf.columns.Columns.lines", broken)
    assert read_measured(str(path), "a.pdf").end == end


def test_outcome_says_how_reading_ended(tmp_path: Path) -> None:
    whole, bad = tmp_path / "a.pdf", tmp_path / "b.pdf"
    whole.write_bytes(papers.paper())
    bad.write_bytes(b"%PDF-1.4\nno more")
    assert read_measured(str(whole), "a.pdf").end == "read"
    refused = read_measured(str(bad), "b.pdf")
    assert refused.end == "refused"
    assert "damaged" in refused.cause
    assert peak() >= 0
