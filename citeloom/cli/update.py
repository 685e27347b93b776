"""`citeloom update`: what is new since a run, and its section with that."""

from pathlib import Path
from typing import Annotated, Any

import typer

from citeloom.cli.telling import errors_told, say
from tools.counting import counted


def update(
    run: Annotated[str, typer.Argument(help="A run of `review` or `find`, as `runs list` has it.")],
    after: Annotated[
        str | None,
        typer.Option(
            metavar="YYYY-MM-DD",
            help="Only papers that may have appeared on this day or later; without it, all that the run has "
            "not seen, whatever their age.",
        ),
    ] = None,
    write: Annotated[
        bool,
        typer.Option(
            "--write",
            help="Write the section anew with those that rank as high as what it cites; the old one stays.",
        ),
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder for the results.")] = None,
) -> None:
    """Search again as a run did, and show what is new since; with --write take it into the section."""
    with errors_told():
        code = _updated(run, after, write, out)
    raise typer.Exit(code)


def _updated(name: str, after: str | None, write: bool, out: Path | None) -> int:
    import asyncio

    from citeloom.cli.run import ended
    from citeloom.cli.runs import Command
    from citeloom.service.kept import load_run
    from citeloom.service.updating import fresh, known_to, search_of, section_with

    old = load_run(name)
    inputs = search_of(old, after)
    before = asyncio.run(_values(name))
    known = known_to(before)
    text = inputs.pop("text")
    search = Command(
        graph="find", options=inputs, context=dict(old.context), input=text, out=out, show={"known": known}
    )  # fmt: skip
    run, code = ended(search)
    values = asyncio.run(_values(run.name))
    new = fresh(values, known)
    stop = values.get("stop")
    if stop and stop.subject == "papers":  # that nothing relevant is there is an answer here
        code = 0
    kept = counted(len(new), "paper") if new else "No paper"
    say(f"{kept} kept that {name} has not seen.")
    if code or not write or not new:
        return code
    given = section_with(old, before, new)
    if given is None:
        say("None ranks as high as what the section cites: it stands as it is.")
        return 0
    text = given.pop("text")
    folder = out / "section" if out else None
    _, code = ended(
        Command(graph="write", options=given, context=dict(old.context), input=text, out=folder)
    )
    return code


async def _values(name: str) -> dict[str, Any]:
    from citeloom.service.local import LocalRuns

    async with LocalRuns() as runs:
        return await runs.values(name)
