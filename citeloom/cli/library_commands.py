"""`citeloom library`: fill, search and look after libraries."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.cli.commands import Commands
from citeloom.cli.console import Progress
from citeloom.cli.library_add import add
from citeloom.cli.library_search import (
    ENGINE,
    NAMED,
    citations,
    opened,
    papers,
    process_settings,
    search,
    show,
    tag,
)
from tools.errors import PROGRAM, LibraryError, counted

if TYPE_CHECKING:
    from tools.library.library import Library

app = Commands()


for command in (add, papers, search, show, citations, tag):
    app.command()(command)


@app.command()
def verify(
    name: Annotated[str, typer.Argument(help="The library.")],
    repair: Annotated[bool, typer.Option("--repair", help="Repair what can be rebuilt.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per fault.")] = False,
) -> int:
    """Check that a library is intact (catalog, texts, vectors); exit with 1 if it is not."""
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
        typer.echo(f"library '{name}' is intact")
    return 1 if faults else 0


@app.command()
def export(
    name: Annotated[str, typer.Argument(help="The library.")],
    file: Annotated[Path, typer.Argument(help="Output file: .jsonl, .bib, .json (CSL) or .ris.")],
    passages: Annotated[
        bool, typer.Option("--passages", help="Export passages instead, as .jsonl.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
) -> None:
    """Write a library's records, or its passages, to a file."""
    with opened(name) as library:
        from tools.library.library_snapshot import export_passages, export_records

        write = export_passages if passages else export_records
        count = write(library, file, force=force)
        typer.echo(f"{counted(count, 'passage' if passages else 'record')} written to {file}")


@app.command()
def compact(name: Annotated[str, typer.Argument(help="The library.")]) -> None:
    """Free disk space: leftovers of stopped work, deleted rows and vectors."""
    with opened(name) as library:
        from tools.library.library_care import compact as compacted

        done = compacted(library)
        typer.echo(
            f"{name}: {done.before:,} bytes before, {done.after:,} after, "
            f"{counted(done.leftovers, 'leftover')} deleted"
        )


@app.command()
def snapshot(
    name: Annotated[str, typer.Argument(help="The library.")],
    file: Annotated[Path, typer.Argument(help="Output file, such as mine.gz.")],
    vectors: Annotated[
        bool,
        typer.Option("--vectors", help="Include vectors: a larger file that restores faster."),
    ] = False,
) -> None:
    """Save a whole library in one file; others can read it meanwhile."""
    with opened(name) as library:
        from tools.library.library_snapshot import take_snapshot

        typer.echo(f"{file}: {take_snapshot(library, file, vectors=vectors):,} bytes")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="Snapshot file.")],
    library: Annotated[
        str | None,
        typer.Option(
            "--library", "-l", help="Name of the restored library; the original name by default."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing library of that name.")
    ] = False,
) -> None:
    """Restore a library from a snapshot and index it; CiteLoom checks the snapshot first."""
    from tools.library.library_snapshot import restore_snapshot

    name = restore_snapshot(file, process_settings(), name=library, force=force)
    with opened(name) as restored, Progress(quiet=False, often=True) as progress:
        found = restored.stats()
        made = restored.index(progress=progress.counted("make_vectors"), reembed=True)
    typer.echo(
        f"library '{name}' is restored: {counted(found.papers, 'paper')}, {counted(found.passages, 'passage')}, "
        f"{counted(made, 'vector')} made"
    )


@app.command("list")
def list_() -> None:
    """List the libraries by name."""
    from tools.library.open_library import library_names

    for name in library_names(process_settings()):
        typer.echo(name)


@app.command()
def stats(
    name: Annotated[str | None, typer.Argument(help="One library; all by default.")] = None,
    library: NAMED = None,
) -> None:
    """Count what is in a library."""
    from tools.library.open_library import library_names

    one = library or name
    for each in [one] if one else library_names(process_settings()):
        with opened(each) as shown:
            typer.echo(_counts(shown))


@app.command()
def index(
    name: Annotated[str, typer.Argument(help="The library.")],
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, max=4096, help="Batches embedded at once, on a cluster.", show_default="all CPUs"
        ),
    ] = None,
    engine: ENGINE = "local",
) -> None:
    """Compute missing vectors and keywords of a library; all of them after a change of the embedding model.

    After CITELOOM_QDRANT_URL was set it moves the vectors to the server. Until all are there, the old
    ones are searched; run again, it goes on where it was stopped.
    """
    from tools.ingest.ray_workers import encode_on_ray, start_ray
    from tools.retrieve.keywords import fill_missing_keywords

    encoder = None
    if engine == "ray":
        start_ray(workers)
        encoder = partial(encode_on_ray, process_settings())
    with opened(name) as library, Progress(quiet=False, often=True) as progress:
        told = progress.counted("make_vectors")
        moves = library.embedded() and not library.vector_index.indexes.in_place()
        made = library.index(progress=told, reembed=True, encoder=encoder)
        fill_missing_keywords(library, progress.counted("index_keywords"))
        where = f"; all are {_place(library)} now" if moves else ""
    typer.echo(f"{name}: {counted(made, 'vector')} made{where}")


@app.command()
def remove(
    name: Annotated[str, typer.Argument(help="The library.")],
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            help="Papers to remove, or documents by the first characters of their hash (at least "
            "8); the whole library by default."
        ),
    ] = None,
    texts: Annotated[
        bool, typer.Option("--texts", help="Remove only the documents of these papers.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
) -> None:
    """Remove papers or documents with their passages from a library, or the library itself."""
    if not ids:
        _remove_library(name, yes=yes)
        return
    with opened(name) as library:
        papers = list(library.get(ids))
        documents = _documents(library, [key for key in ids if key not in papers])
        unknown = [key for key in ids if key not in papers and key not in documents]
        for missing in unknown:
            typer.echo(f"not in '{name}': {missing}", err=True)
        if len(unknown) == len(ids):
            raise typer.Exit(1)
        if not yes:
            what = f"{counted(len(documents), 'document')} and {'texts of ' if texts else ''}{len(papers)}"
            of = f"{counted(library.stats().papers, 'paper')} of library '{name}'"
            typer.confirm(f"Remove {what} of {of}?", abort=True)
        count = library.texts.remove_documents(set(documents.values()))
        count += library.texts.remove(papers) if texts else 0
        _removed(count, "document", name)
        _removed(0 if texts else library.remove(papers), "paper", name)


def _remove_library(name: str, *, yes: bool) -> None:
    from tools.embed.open_embedder import embedder
    from tools.library.open_library import delete_library

    if not yes:
        with opened(name) as library:
            papers = library.stats().papers
        typer.confirm(f"Remove library '{name}' with {counted(papers, 'paper')}?", abort=True)
    delete_library(name, process_settings(), embedder())
    typer.echo(f"library '{name}' is removed")


def _documents(library: "Library", keys: list[str]) -> dict[str, str]:
    """Return the hash of each document that one of these keys, a part of a hash, begins."""
    hashes = [entry.sha256 for entry in library.texts.documents()] if keys else []
    found = {key: [one for one in hashes if one.startswith(key.lower())] for key in keys}
    return {key: ones[0] for key, ones in found.items() if len(ones) == 1 and len(key) >= 8}


def _removed(count: int, what: str, name: str) -> None:
    if count:
        typer.echo(f"{counted(count, what)} removed from '{name}'")


def _place(library: "Library") -> str:
    from tools.library.index_registry import FOLDER, index_location

    there = library.meta().get("place") or index_location(process_settings())
    return "in its folder" if there == FOLDER else "on the Qdrant server"


def _counts(library: "Library") -> str:
    found = library.stats()
    tags = ", ".join(f"{tag} ({count})" for tag, count in library.texts.tags().items())
    years = f"{found.first_year} to {found.last_year}" if found.first_year else "none known"
    lines = [
        f"{found.name}",
        f"  papers      {found.papers}, {found.abstracts} with abstract or annotation",
        f"  years       {years}",
        f"  references  {found.links} among them; {found.entries} in the lists of documents",
        f"  vectors     {found.papers - found.waiting} of {found.embedder} ({found.size} numbers), {_place(library)}",
        f"  documents   {found.documents}",
        f"  passages    {found.passages}, {found.passages_waiting} without a vector",
        f"  tags        {tags or 'none'}",
        f"  on disk     {found.bytes / 1e6:.1f} MB in {library.folder}",
    ]
    if missing := found.waiting + found.passages_waiting:
        waiting = counted(missing, "vector")
        lines.append(f"  missing     {waiting}: run `{PROGRAM} library index {found.name}`")
    return "\n".join(lines)
