"""`citeloom snapshot`: a slice of OpenAlex's dump, to be searched on this machine."""

from pathlib import Path
from typing import Annotated

import typer

from citeloom.cli.telling import exit_on_error
from tools.counting import counted

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.callback()
def _group() -> None:
    """Keep the only command a command of its own."""


@app.command()
def build(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES...",
            help="Files of works from OpenAlex's dump (JSON lines, .gz or not), and folders that hold them.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="The slice's folder; made if there is none.")],
    year: Annotated[
        str | None, typer.Option(metavar="YEARS", help="Only these: 2019-2023, 2019- or -2023.")
    ] = None,
    field: Annotated[
        list[str],
        typer.Option(
            "--field",
            help="Only works of a topic, subfield, field or domain of OpenAlex, by its English name, such as "
            "'Computer Science'; may be repeated.",
        ),
    ] = [],  # noqa: B006 - typer copies it
    language: Annotated[
        list[str],
        typer.Option("--language", help="Only works in it, such as en; may be repeated."),
    ] = [],  # noqa: B006
    abstracts: Annotated[bool, typer.Option(help="Only works with an abstract.")] = False,
) -> None:
    """Make a slice of OpenAlex's dump for the source 'snapshot', or add files to one.

    Run again, it goes on where it was stopped.
    """
    from rich.console import Console

    from citeloom.cli.options import years_of
    from tools.scholar.snapshot_building import Filters, build

    filters = Filters(
        **years_of(year), fields=tuple(field), languages=tuple(language), abstracts=abstracts
    )
    console = Console(stderr=True, highlight=False)
    with exit_on_error(home=False), console.status("reading") as status:
        made = build(files, out, filters, lambda line: status.update(line))
    typer.echo(
        f"{counted(made.works, 'work')} ({made.told}): set CITELOOM_SNAPSHOT={out.resolve()}, and search them with "
        "--source snapshot"
    )
