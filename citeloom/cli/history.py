"""`citeloom runs`: what was done on this machine."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom import PROGRAM
from citeloom.cli.telling import errors_told

if TYPE_CHECKING:
    from citeloom.service.kept import Run

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.command("list")
def list_(
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many at most.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """List the runs, those last worked on first: name, command, how it ended, what it was about."""
    from json import dumps

    with errors_told():
        from citeloom.service.kept import all_runs

        runs = all_runs()
        for run in runs[:limit]:
            told = _told(run)
            line = "  ".join(f"{told[key]:<11}" for key in ("run", "command", "status"))
            typer.echo(dumps(told) if as_json else f"{line}  {told['about'][:60]}".rstrip())
        if not runs and not as_json:
            typer.echo("no run was started yet", err=True)


@app.command()
def show(
    run: Annotated[str, typer.Argument(help="Its name, as `runs list` has it.")],
    as_json: Annotated[bool, typer.Option("--json", help="All of it as one JSON object.")] = False,
) -> None:
    """Show what a run was asked, how it ended, where its results are, and how to see them again."""
    from dataclasses import asdict

    with errors_told():
        from citeloom.cli.files import dump
        from citeloom.service.kept import load_run

        kept = load_run(run)
        told = _told(kept)
        if as_json:
            typer.echo(dump(asdict(kept) | told))
            return
        inputs = kept.inputs | {"papers": len(kept.inputs.get("papers") or ())}
        told["given"] = _pairs({key: value for key, value in inputs.items() if key not in _ABOUT})
        told["settings"] = _pairs(kept.context)
        for key, value in told.items():
            if value:
                typer.echo(f"{key:<9} {value}")
        if kept.graph != "revise":  # which is not resumed
            again = f"{PROGRAM} {told['command']} --resume {kept.name}"
            typer.echo(f"To go on with it, or to see its result again: {again}")


_ABOUT = ("question", "text", "paths", "section")
"""Fields of a run's input that say what it is about, the first that is there."""


def _told(run: "Run") -> dict[str, Any]:
    about = next((run.inputs[key] for key in _ABOUT if run.inputs.get(key)), "")
    chat = run.status == "chat"
    return {
        "run": run.name, "command": "chat" if chat else run.graph, "status": run.status,
        "started": run.started, "seconds": round(run.seconds, 1),
        "about": "" if chat else " ".join(str(about).split()), "out": run.out,
    }  # fmt: skip


def _pairs(values: dict[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in values.items() if value)
