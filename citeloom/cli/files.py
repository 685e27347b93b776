"""Files that a command writes: as a whole or not at all, in folders that are checked beforehand."""

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tools.disk import write_whole
from tools.errors import InputError

if TYPE_CHECKING:
    from citeloom.report.result_report import ResultReport


def check_folder(folder: Path, remedy: str = "choose another --out") -> None:
    """Make sure, before any work is done, that a folder can be written to.

    Raises:
        InputError: It cannot be made or written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".citeloom-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise InputError(
            f"CiteLoom cannot write to '{folder}': {error.strerror}; {remedy}"
        ) from error


def drop_folder(folder: Path, run: str) -> None:
    """Delete the empty folder that was made for a run's results, and the one above it if that is empty."""
    with suppress(OSError):
        if folder.name == run:
            folder.rmdir()
            folder.parent.rmdir()


def check_home(home: Path) -> None:
    """See that runs and libraries can be kept in a folder; nothing is made or written.

    Raises:
        InputError: They cannot.
    """
    there = next(
        folder for folder in (home.absolute(), *home.absolute().parents) if folder.exists()
    )
    why = (
        f"{there} is not a folder"
        if not there.is_dir()
        else ""
        if os.access(there, os.R_OK | os.W_OK | os.X_OK)
        else f"you may not write to {there}"
    )
    if why:
        raise InputError(
            f"CiteLoom cannot write to {home} (CITELOOM_HOME): {why}; set CITELOOM_HOME to a "
            "folder of yours"
        )


def write_notes(folder: Path, report: "ResultReport") -> int:
    """Write a note for each paper of a result into a folder of the user's; return how many.

    A paper that has a note there, under whatever name, keeps it, and what the user wrote in it.
    """
    from citeloom.report.notes import notes, split_note

    there = {}
    before = {}
    for path in sorted(folder.glob("*.md")):
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):  # none of ours: its name is taken
            text = ""
        paper = split_note(text)[0].get("citeloom")
        there[paper if isinstance(paper, str) else path.name] = path.stem
        before[path.stem] = text
    made = notes(report, there)
    for note in made:
        write_whole(folder / f"{note.name}.md", note.text(before.get(note.name, "")))
    return len(made)
