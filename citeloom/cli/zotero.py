"""`citeloom zotero`: a run's papers with their checked quotes put into the user's Zotero."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.cli.runs_commands import RUN
from tools.errors import InputError, counted

if TYPE_CHECKING:
    from citeloom.service.zotero_export import ExportPlan


def zotero(
    run: RUN,
    collection: Annotated[
        str,
        typer.Option(
            "--collection", "-c", help="Collection for the papers; CiteLoom creates it if needed."
        ),
    ] = "CiteLoom",
    group: Annotated[
        int | None,
        typer.Option(min=1, help="Number of a group library. Without it: your own library."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list what would be written.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
) -> int:
    """Put a run's papers into your Zotero, with the checked quotes as notes and highlights."""
    import asyncio

    from citeloom.service.zotero_export import put_in_zotero

    def agree(plan: "ExportPlan") -> bool:
        for one in plan.changes:
            typer.echo(f"+ {one.told}")
        for told in plan.left:
            typer.echo(f"left alone: {told}", err=True)
        if not plan.changes:
            rest = "the rest" if plan.left else "everything"
            typer.echo(f"Nothing to write: Zotero has {rest} of this run already")
        elif not dry_run and not yes:
            if not sys.stdin.isatty():
                raise InputError("to write this without being asked, add --yes")
            typer.confirm(f"Write {counted(len(plan.changes), 'change')} to Zotero?", abort=True)
        return not dry_run

    if not collection.strip():
        raise InputError("a collection needs a name")
    written, problems = asyncio.run(put_in_zotero(run, collection.strip(), group, agree))
    for problem in problems:
        typer.echo(f"not written: {problem}", err=True)
    if written or problems:
        typer.echo(f"Written to Zotero: {written} of {written + len(problems)}")
    return int(bool(problems))
