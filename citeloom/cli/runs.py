"""Commands as given, and runs as they are kept on disk."""

import json
import os
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from citeloom import PROGRAM
from citeloom.cli.files import check_folder
from citeloom.cli.inputs import (
    own_style,
    read_input,
    read_papers,
    read_plan,
    read_references,
    stack_of,
)
from citeloom.settings import settings
from tools.errors import InputError

ANSWERING = frozenset({"ask", "synthesize"})
"""Graphs that answer a question: what they say is read on the terminal, and kept where asked for."""


@dataclass(kw_only=True)
class Command:
    """A command as given."""

    graph: str
    options: dict[str, Any]
    """Fields of the graph's input."""
    context: dict[str, Any]
    """Settings of the run."""
    input: str | None = None
    plan: Path | None = None
    papers_file: Path | None = None
    out: Path | None = None
    json: bool = False
    resume: str | None = None
    knobs: list[str] = field(default_factory=list)
    """Further settings of the run, as NAME=VALUE."""
    revises: str | None = None
    """The run whose section is revised, which takes the place of an input text."""
    files: list[str] | None = None
    """Files and folders of papers to read."""
    formats: list[str] = field(default_factory=list)
    """Further forms of the text to write."""
    show: dict[str, Any] = field(default_factory=dict)
    """How the result is shown, such as `trace`; not kept with the run."""


@dataclass(kw_only=True)
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
    run_store: str = ""
    """The name under which graphs know it, once it has begun."""
    status: str = "begun"
    """How far it came: begun, waiting (for a person), interrupted, failed, or its outcome."""
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
        # As ASCII: arguments may be no UTF-8.
        temporary.write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")
        temporary.replace(self.path)


def begun(command: Command) -> Run:
    """Return the run of a command: a new one, or the one that is to go on.

    Raises:
        InputError: Something that was given cannot be used.
    """
    from tools.context import setting_of

    named = [(name, value) for name, _, value in (item.partition("=") for item in command.knobs)]
    command.context |= {name: setting_of(name, value) for name, value in named}
    return _resumed(command, {name for name, _ in named}) if command.resume else _started(command)


def _started(command: Command) -> Run:
    inputs = _inputs(command)
    style = own_style(inputs)
    now = datetime.now(UTC)
    name = f"{now:%Y%m%d-%H%M%S}-{uuid4().hex[:6]}"
    out = command.out or (None if command.graph in ANSWERING else Path("citeloom-out") / name)
    if out:
        check_folder(out)
    check_folder(settings().home / "runs", "set CITELOOM_HOME to a folder of yours")
    run = Run(
        name=name, graph=command.graph, inputs=inputs, context=command.context,
        out=str(out.resolve()) if out else "", started=now.isoformat(timespec="seconds"),
        formats=command.formats, style=style,
    )  # fmt: skip
    run.save()
    return run


def _inputs(command: Command) -> dict[str, Any]:
    """Return the graph's input, with what is to be read from files."""
    from nodes.intake import check_date

    inputs = dict(command.options)
    if command.graph == "synthesize":
        inputs["paths"] = stack_of(command.input, command.files or (), inputs["papers"])
    if command.revises is None:
        name = "question" if command.graph in ANSWERING else "text"
        inputs[name] = read_input(command.input)
    else:
        inputs["section"] = load_run(command.revises).run_store
    check_date(inputs.get("before"))
    if command.plan:
        inputs["plan"] = read_plan(command.plan)
    if command.papers_file:
        read = read_references if command.graph == "verify" else read_papers
        inputs["papers"] = [*inputs["papers"], *read(command.papers_file)]
    return inputs


def _resumed(command: Command, named: set[str]) -> Run:
    """Return a run as it was begun; budgets may be raised, and what is named with --set."""
    run = load_run(command.resume or "")
    if run.graph != command.graph:
        raise InputError(
            f"'{run.name}' is a run of `{PROGRAM} {run.graph}`: resume it with that command"
        )
    run.context |= {
        key: value
        for key, value in command.context.items()
        if key in named or (value is not None and key in _BUDGETS)
    }
    run.formats = command.formats or run.formats
    run.out = str(command.out.resolve()) if command.out else run.out
    if run.out:
        check_folder(Path(run.out))
    return run


_BUDGETS = frozenset({"max_usd", "max_usd_by_source", "max_tokens", "max_calls", "max_minutes"})


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
    return _kept(path)


def all_runs() -> list[Run]:
    """Return the runs that were started on this machine, those last worked on first."""
    paths = (settings().home / "runs").glob("*.json")
    return [_kept(path) for path in sorted(paths, key=lambda path: -path.stat().st_mtime_ns)]


def _kept(path: Path) -> Run:
    kept = json.loads(path.read_text(encoding="utf-8"))
    return Run(**{name: value for name, value in kept.items() if name in Run.__dataclass_fields__})
