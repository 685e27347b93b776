"""Commands as given, and runs as they are kept on disk."""

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from citeloom.settings import settings
from tools.errors import InputError


@dataclass
class Command:
    """A command as given."""

    graph: str
    input: str | None
    options: dict[str, Any]
    context: dict[str, Any]
    plan: Path | None = None
    papers: Path | None = None
    out: Path | None = None
    json: bool = False
    resume: str | None = None
    knobs: list[str] = field(default_factory=list)
    """Further settings of the run, as NAME=VALUE."""
    revises: str | None = None
    """The run whose section is revised, which takes the place of an input text."""
    files: list[str] = field(default_factory=list)
    """Files and folders of papers to read."""
    formats: list[str] = field(default_factory=list)
    """Further forms of the text to write."""
    chat: bool = False
    """Whether questions are read one by one until the input ends."""
    show: dict[str, Any] = field(default_factory=dict)
    """How the result is shown, such as `trace`; not kept with the run."""


@dataclass
class Run:
    """A run as it is kept on disk, so that it can be resumed."""

    name: str
    graph: str
    inputs: dict[str, Any]
    context: dict[str, Any]
    out: str
    started: str
    seconds: float = 0.0
    """Spent before the last interruption."""
    command: list[str] = field(default_factory=list)
    run_store: str = ""
    """The name under which graphs know it, once it has begun."""
    formats: list[str] = field(default_factory=list)
    style: str = ""
    """A citation style of the user's own, which only the command line opens."""

    @property
    def path(self) -> Path:
        """Where it is kept."""
        return settings().home / "runs" / f"{self.name}.json"

    def save(self) -> None:
        """Write it, replacing what was there as a whole."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.path.with_suffix(f".{os.getpid()}.tmp")
        temporary.write_text(
            json.dumps(asdict(self), indent=1),
            encoding="utf-8",  # arguments may be no UTF-8
        )
        temporary.replace(self.path)


def load_run(name: str) -> Run:
    """Return a run that was started on this machine.

    Raises:
        InputError: There is none of this name.
    """
    path = settings().home / "runs" / f"{Path(name).name}.json"
    if not path.is_file():
        known = sorted(item.stem for item in path.parent.glob("*.json"))[-5:]
        raise InputError(
            f"there is no run '{name}'"
            + (f"; the latest are {', '.join(known)}" if known else ": no run was started yet")
        )
    return Run(**json.loads(path.read_text(encoding="utf-8")))


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
            f"nothing can be written to '{folder}': {error.strerror}; {remedy}"
        ) from error
