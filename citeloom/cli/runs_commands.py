"""`citeloom runs`: what was done on this machine, and what it cost."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.cli.commands import Commands
from citeloom.cli.telling import tell_error
from tools.errors import InputError, counted

if TYPE_CHECKING:
    from citeloom.runs.run_record import RunRecord

app = Commands()

RUN = Annotated[str, typer.Argument(help="Name of the run; `runs list` shows the names.")]


@app.command("list")
def list_(
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, help="Maximum number to show.")
    ] = 20,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per line.")
    ] = False,
) -> None:
    """List the runs, latest first: name, command, status, subject."""
    from json import dumps

    from citeloom.runs.run_record import all_runs

    runs = all_runs()
    for run in runs[:limit]:
        told = _told(run)
        line = "  ".join(f"{told[key]:<11}" for key in ("run", "command", "status"))
        typer.echo(dumps(told) if as_json else f"{line}  {told['about'][:60]}".rstrip())
    if not runs and not as_json:
        typer.echo("no runs yet", err=True)


@app.command()
def show(
    run: RUN,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print everything as one JSON object.")
    ] = False,
) -> None:
    """Show a run: its input, status, results, and how to see them again."""
    from dataclasses import asdict

    from citeloom.report.json_files import dump
    from citeloom.runs.run_record import load_run

    kept = load_run(run)
    told = _told(kept)
    if as_json:
        typer.echo(dump(asdict(kept) | told))
        return
    inputs = kept.inputs | {"papers": len(kept.inputs.get("papers") or ())}
    told["given"] = _pairs(
        {key: value for key, value in inputs.items() if key not in {*_ABOUT, "uploads"}}
    )
    told["settings"] = _pairs(kept.context)
    for key, value in told.items():
        if value:
            typer.echo(f"{key:<9} {value}")
    from citeloom.cli.run_command import resume_command

    typer.echo(f"To resume it or see its result again: {resume_command(kept)}")


@app.command()
def resume(run: RUN) -> int:
    """Resume a paused, waiting or failed run of any command, or show its result again."""
    from citeloom.cli.chat import go_on_with_chat
    from citeloom.cli.run_command import to_the_end
    from citeloom.runs.run_record import load_run

    kept = load_run(run)
    return go_on_with_chat(kept) if kept.command == "chat" else to_the_end(kept, resumed=True)


RESULTS = Annotated[
    bool,
    typer.Option("--with-results", help="Also delete their result folders in citeloom-out."),
]


@app.command()
def delete(
    runs: Annotated[list[str], typer.Argument(help="Names of the runs; `runs list` shows them.")],
    with_results: RESULTS = False,
) -> int:
    """Delete runs with the data needed to resume and revise them. Working runs stay."""
    from citeloom.runs.run_record import load_run

    wanted = list({name: load_run(name) for name in runs}.values())
    deleted = _deleted(wanted, with_results)
    for run in wanted:
        if run not in deleted:
            tell_error(f"run '{run.name}' is still working: CiteLoom did not delete it")
    return int(len(deleted) < len(wanted))


@app.command()
def prune(
    older_than: Annotated[
        str, typer.Option(help="Delete runs idle for this long: 30d, 12h, or a number of days.")
    ],
    keep: Annotated[int, typer.Option(min=0, help="Keep at least this many recent runs.")] = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list them; delete nothing.")
    ] = False,
    with_results: RESULTS = False,
) -> None:
    """Delete old runs and free their disk space; working runs stay."""
    from citeloom.runs.run_record import outdated_runs

    runs = outdated_runs(_days(older_than), keep)
    for run in runs if dry_run else _deleted(runs, with_results):
        typer.echo(run.name)


By = StrEnum("By", ["day", "caller", "task", "source"])


@app.command()
def spending(
    by: Annotated[By, typer.Option(help="Group by.")] = By.day,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per line.")
    ] = False,
) -> None:
    """Show what runs spent on models and sources, by UTC day, caller, task or source."""
    from json import dumps

    from tools.ledger.ledger_file import LedgerFile
    from tools.settings import settings

    rows = LedgerFile(settings().home).spent(by.value)
    names = (by.value, "calls", "input_tokens", "output_tokens", "usd")
    for row in rows:
        if as_json:
            typer.echo(dumps(dict(zip(names, row, strict=True))))
        else:
            name, calls, given, written, usd = row
            shown = name or "(no auth)"
            typer.echo(
                f"{shown:<24} {counted(calls, 'call'):>13} {given + written:>11,} tokens {usd:>10.4f} USD"
            )
    if not rows and not as_json:
        typer.echo("nothing spent yet", err=True)


def _deleted(runs: Sequence["RunRecord"], results: bool) -> Sequence["RunRecord"]:
    import asyncio

    from citeloom.runs.run_files import open_checkpoints
    from citeloom.runs.run_record import delete_runs, vacuum_stores

    async def delete_them() -> Sequence["RunRecord"]:
        async with open_checkpoints() as (saver, store):
            return await delete_runs(runs, saver, store, results=results)

    deleted = asyncio.run(delete_them()) if runs else []
    vacuum_stores()
    return deleted


def _days(age: str) -> float:
    number, unit = (age[:-1], age[-1:]) if age[-1:] in _UNITS else (age, "d")
    try:
        return float(number) * _UNITS[unit]
    except ValueError as error:
        raise InputError(
            f"'{age}' is not a time span: write 30d for days, 12h for hours"
        ) from error


_UNITS = {"d": 1.0, "h": 1 / 24}

_ABOUT = ("question", "text", "paths", "section")
"""Fields of a run's input that say what it is about, the first that is there."""


def _told(run: "RunRecord") -> dict[str, Any]:
    about = next((run.inputs[key] for key in _ABOUT if run.inputs.get(key)), "")
    chat = run.command == "chat"
    return {
        "run": run.name,
        "command": run.command,
        "status": "chat" if chat else run.status,
        "started": run.started,
        "seconds": round(run.seconds, 1),
        "about": "" if chat else " ".join(str(about).lstrip("# ").split()),
        "out": run.out,
    }


def _pairs(values: dict[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in values.items() if value)
