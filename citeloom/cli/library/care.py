"""`citeloom library verify`, `export`, `compact`, `snapshot` and `restore`."""

from pathlib import Path
from typing import Annotated

import typer

from citeloom.cli.library.opening import opened, process_settings
from citeloom.cli.telling import exit_on_error
from tools.counting import counted
from tools.errors import LibraryError
from tools.program import PROGRAM


def verify(
    name: Annotated[str, typer.Argument(help="The library.")],
    repair: Annotated[
        bool, typer.Option("--repair", help="Make again what can be made again.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object for each fault.")
    ] = False,
) -> None:
    """See that a library is whole: catalog, texts, vectors; exits with 1 if it is not."""
    with exit_on_error():
        from tools.library.database import is_damage
        from tools.library.library_care import damage, fault_lines
        from tools.library.library_care import repair as repaired
        from tools.library.library_care import verify as verified

        try:
            with opened(name) as library:
                faults = verified(library)
                if repair and faults:
                    for line in fault_lines(faults):
                        typer.echo(f"found: {line}", err=True)
                    faults = repaired(library)
        except LibraryError as error:
            if not is_damage(error):
                raise
            faults = [damage(error.__cause__ or error)]
        for line in fault_lines(faults, as_json=as_json):
            typer.echo(line)
        if not (repair or as_json) and any(fault.repairable for fault in faults):
            typer.echo(f"Repair it with `{PROGRAM} library verify {name} --repair`.")
        if not faults and not as_json:
            typer.echo(f"library '{name}' is whole")
    raise typer.Exit(1 if faults else 0)


def export(
    name: Annotated[str, typer.Argument(help="The library.")],
    file: Annotated[Path, typer.Argument(help="To write: .jsonl, .bib, .json (CSL) or .ris.")],
    passages: Annotated[
        bool, typer.Option("--passages", help="The passages instead, as .jsonl.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the file.")] = False,
) -> None:
    """Write a library's records, or its passages, to a file."""
    with exit_on_error(), opened(name) as library:
        from tools.library.library_snapshot import export_passages, export_records

        write = export_passages if passages else export_records
        count = write(library, file, force=force)
        typer.echo(f"{counted(count, 'passage' if passages else 'record')} written to {file}")


def compact(name: Annotated[str, typer.Argument(help="The library.")]) -> None:
    """Give back disk space: leftovers of stopped work, deleted rows and vectors."""
    with exit_on_error(), opened(name) as library:
        from tools.library.library_care import compact as compacted

        done = compacted(library)
        typer.echo(
            f"{name}: {done.before:,} bytes before, {done.after:,} after, "
            f"{counted(done.leftovers, 'leftover')} deleted"
        )


def snapshot(
    name: Annotated[str, typer.Argument(help="The library.")],
    file: Annotated[Path, typer.Argument(help="To write, such as mine.gz.")],
    vectors: Annotated[
        bool,
        typer.Option("--vectors", help="With its vectors: larger, and quick to be restored."),
    ] = False,
) -> None:
    """Write a whole library, its vectors only if asked for, to one file; others may read meanwhile."""
    with exit_on_error(), opened(name) as library:
        from tools.library.library_snapshot import take_snapshot

        typer.echo(f"{file}: {take_snapshot(library, file, vectors=vectors):,} bytes")


def restore(
    file: Annotated[Path, typer.Argument(help="A snapshot.")],
    library: Annotated[
        str | None, typer.Option("--library", "-l", help="Its name; as it was, if left out.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a library of that name.")] = False,
) -> None:
    """Make a library what it was in a snapshot, checked before anything changes, and index it."""
    with exit_on_error():
        from citeloom.cli.progress import Progress
        from tools.library.library_snapshot import restore_snapshot

        name = restore_snapshot(file, process_settings(), name=library, force=force)
        with opened(name) as restored, Progress(quiet=False, often=True) as progress:
            papers, passages = restored.stats().papers, restored.texts.count()
            made = restored.index(progress=progress.counted("make_vectors"), reembed=True)
        typer.echo(
            f"library '{name}' is restored: {counted(papers, 'paper')}, {counted(passages, 'passage')}, "
            f"{counted(made, 'vector')} made"
        )
