"""The files that a library keeps, to show their pages."""

from hashlib import sha256
from pathlib import Path

import pytest

from tools.library.texts import LibraryFiles

CONTENT = b"%PDF-1.4 owls"
NAME = sha256(CONTENT).hexdigest()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "owls.pdf"
    path.write_bytes(CONTENT)
    return path


def test_file_is_kept_without_room_of_its_own_and_outlives_the_other_name(
    tmp_path: Path, source: Path
) -> None:
    files = LibraryFiles(tmp_path / "files")
    files.keep(NAME, source)
    kept = files.path(NAME)
    assert kept is not None
    assert kept.stat().st_ino == source.stat().st_ino
    source.unlink()
    assert kept.read_bytes() == CONTENT
    files.keep(NAME, source)  # it is here already, and its source is not asked for


def test_file_on_another_disk_is_copied(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr("os.link", refuse)
    files = LibraryFiles(tmp_path / "files")
    files.keep(NAME, source)
    kept = files.path(NAME)
    assert kept is not None
    assert kept.stat().st_ino != source.stat().st_ino


def test_file_that_was_edited_since_is_not_shown_as_what_it_was(
    tmp_path: Path, source: Path
) -> None:
    files = LibraryFiles(tmp_path / "files")
    files.keep(NAME, source)
    source.write_bytes(b"%PDF-1.4 voles")
    assert files.path(NAME) is None
    assert files.path("0" * 64) is None


def test_what_belongs_to_no_document_is_deleted(tmp_path: Path, source: Path) -> None:
    files = LibraryFiles(tmp_path / "files")
    files.tidy({NAME})
    files.keep(NAME, source)
    files.tidy({NAME})
    assert files.path(NAME)
    files.tidy(set())
    assert list((tmp_path / "files").iterdir()) == []


def test_file_that_cannot_be_kept_is_a_line_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "files").write_text("in the way")
    LibraryFiles(tmp_path / "files").keep(NAME, tmp_path / "none.pdf")
    assert "the pages of a file cannot be shown later" in caplog.text
