"""`citeloom library`: add papers to libraries, list, count and remove them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tools.errors import CiteLoomError

if TYPE_CHECKING:
    from citeloom.settings import Settings
    from tools.library.library import Library
    from tools.library.report import AddReport

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

_SHOWN = 20  # bad records on the terminal; all are in the file


def _settings() -> "Settings":
    from citeloom.settings import settings

    return settings()


@app.command()
def add(
    files: Annotated[
        list[Path], typer.Argument(help="JSON Lines, BibTeX or CSL JSON, each also as .gz.")
    ],
    library: Annotated[
        str, typer.Option("--library", "-l", help="Name of the library; made if there is none.")
    ],
) -> None:
    """Add the papers of files to a library; run again, it goes on where it was stopped."""
    with _errors():
        from citeloom.cli.library_load import Load
        from tools.bibliography.read import read_records
        from tools.embed.open import embedder
        from tools.library.open import create_library

        sources = [(path, read_records(path)) for path in files]  # bad files fail before any work
        opened = create_library(library, _settings(), embedder())
        load = Load(sources, opened.folder / "bad-records.txt")
        try:
            with load.progress() as progress:
                report = opened.add(load.papers(), progress=progress)
        except KeyboardInterrupt:
            typer.echo("stopped: run the same command again to go on", err=True)
            raise typer.Exit(130) from None
        finally:
            load.close()
            opened.close()
        _tell(load.summary(_SHOWN))
        typer.echo(_added(report, library))
    raise typer.Exit(0 if load.good else 1)


@app.command("list")
def list_() -> None:
    """List the libraries by name."""
    with _errors():
        from tools.library.open import library_names

        for name in library_names(_settings()):
            typer.echo(name)


@app.command()
def stats(
    name: Annotated[str | None, typer.Argument(help="One library; all if left out.")] = None,
) -> None:
    """Count what is in a library."""
    with _errors():
        from tools.library.open import library_names

        names = [name] if name else library_names(_settings())
        for each in names:
            with _opened(each) as library:
                typer.echo(_counts(library))


@app.command()
def index(name: Annotated[str, typer.Argument(help="The library.")]) -> None:
    """Make the vectors that a library lacks, after a load was stopped or its vectors were lost."""
    with _errors():
        from citeloom.cli.library_load import bar

        with _opened(name) as library, bar() as progress:
            made = library.index(progress=progress)
        typer.echo(f"{name}: {made} vectors made")


@app.command()
def remove(
    name: Annotated[str, typer.Argument(help="The library.")],
    ids: Annotated[
        list[str] | None, typer.Argument(help="Papers to remove; the whole library if left out.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove papers from a library, or the library itself."""
    with _errors():
        from tools.embed.open import embedder
        from tools.library.open import delete_library

        with _opened(name) as library:
            known = set(library.get(ids or []))
            papers = library.stats().papers
        what = f"{len(known)} of {papers} papers of" if ids else f"all {papers} papers and"
        if not yes and (known or not ids):
            typer.confirm(f"Remove {what} library '{name}'?", abort=True)
        if not ids:
            delete_library(name, _settings(), embedder())
            typer.echo(f"library '{name}' is removed")
            return
        for missing in [key for key in ids if key not in known]:
            typer.echo(f"not in '{name}': {missing}", err=True)
        with _opened(name) as library:
            removed = library.remove(ids)
        typer.echo(f"{removed} {'paper' if removed == 1 else 'papers'} removed from '{name}'")
    raise typer.Exit(0 if removed else 1)


@contextmanager
def _errors() -> Iterator[None]:
    """Print an error of CiteLoom as one sentence and exit with 2."""
    try:
        yield
    except CiteLoomError as error:
        typer.echo(f"Error: {error}", err=True)
        raise typer.Exit(2) from error
    except OSError as error:
        where = error.filename or _settings().home
        typer.echo(
            f"Error: {where} cannot be used ({error.strerror}): set CITELOOM_HOME to a folder of yours",
            err=True,
        )
        raise typer.Exit(2) from error


@contextmanager
def _opened(name: str) -> "Iterator[Library]":
    from tools.embed.open import embedder
    from tools.library.open import open_library

    library = open_library(name, _settings(), embedder())
    try:
        yield library
    finally:
        library.close()


def _tell(lines: list[str]) -> None:
    for line in lines:
        typer.echo(line, err=True)


def _added(report: "AddReport", library: str) -> str:
    parts = [
        f"{count} {word}"
        for word in ("added", "updated", "merged", "unchanged")
        if (count := getattr(report, word))
    ]
    lines = [f"library '{library}': {', '.join(parts) or 'nothing to add'}"]
    if report.conflicts:
        shown = ", ".join(report.conflicts[:5])
        lines.append(
            f"{len(report.conflicts)} left out, as another paper has their local id here: {shown}"
            "; give them DOIs or other ids, or add them to another library"
        )
    return "\n".join(lines)


def _counts(library: "Library") -> str:
    found = library.stats()
    years = f"{found.first_year} to {found.last_year}" if found.first_year else "none known"
    lines = [
        f"{found.name}",
        f"  papers      {found.papers}, {found.abstracts} with abstract",
        f"  years       {years}",
        f"  references  {found.links} among them",
        f"  vectors     {found.papers - found.waiting} of {found.embedder} ({found.size} numbers)",
        f"  on disk     {found.bytes / 1e6:.1f} MB in {library.folder}",
    ]
    if found.waiting:
        lines.append(
            f"  missing     {found.waiting} vectors: run `citeloom library index {found.name}`"
        )
    return "\n".join(lines)
