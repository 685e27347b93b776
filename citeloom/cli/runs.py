"""Commands as given, and the runs that they begin or go on with."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from citeloom.cli.files import check_folder
from citeloom.cli.inputs import (
    own_style,
    read_input,
    read_manuscript,
    read_papers,
    read_plan,
    read_references,
    read_section,
    stack_of,
)
from citeloom.runs.run_record import RunRecord, load_run, new_run
from tools.errors import InputError
from tools.program import PROGRAM
from tools.settings import settings

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
    text: Path | None = None
    """A section as a person edited it."""
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


def begun(command: Command) -> RunRecord:
    """Return the run of a command: a new one, or the one that is to go on.

    Raises:
        InputError: Something that was given cannot be used.
    """
    from tools.context import setting_of

    named = [(name, value) for name, _, value in (item.partition("=") for item in command.knobs)]
    command.context |= {name: setting_of(name, value) for name, value in named}
    return _resumed(command, {name for name, _ in named}) if command.resume else _started(command)


def way_on(run: RunRecord) -> str:
    """Return the command that goes on with a run, or shows its result again."""
    command = "chat" if run.status == "chat" else run.graph
    how = "runs resume" if run.graph == "revise" else f"{command} --resume"
    return f"{PROGRAM} {how} {run.name}"


def _started(command: Command) -> RunRecord:
    from graphs.calling import check_revision

    inputs = _inputs(command)
    check_revision(inputs, command.context)
    run = new_run(
        command.graph, inputs, command.context, formats=command.formats, style=own_style(inputs)
    )  # saved by who works on it
    out = command.out or (None if command.graph in ANSWERING else Path("citeloom-out") / run.name)
    if out:
        check_folder(out)
        run.out = str(out.resolve())
    check_folder(settings().home / "runs", "set CITELOOM_HOME to a folder of yours")
    return run


def _inputs(command: Command) -> dict[str, Any]:
    """Return the graph's input, with what is to be read from files."""
    from nodes.intake import check_date

    inputs = dict(command.options)
    if command.graph == "synthesize":
        inputs["paths"] = stack_of(command.input, command.files or (), inputs["papers"])
    if command.revises is None:
        name = "question" if command.graph in ANSWERING else "text"
        if command.graph == "verify":
            inputs[name], held = read_manuscript(command.input)
            inputs["papers"] = [*inputs["papers"], *held]
        else:
            inputs[name] = read_input(command.input)
    else:
        inputs["section"] = load_run(command.revises).run_store
        if command.text:
            inputs["text"] = read_section(command.text)
    check_date(inputs.get("before"))
    check_date(inputs.get("after"), "first day")
    if command.plan:
        inputs["plan"] = read_plan(command.plan)
    if command.papers_file:
        read = read_references if command.graph == "verify" else read_papers
        inputs["papers"] = [*inputs["papers"], *read(command.papers_file)]
    return inputs


def _resumed(command: Command, named: set[str]) -> RunRecord:
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
