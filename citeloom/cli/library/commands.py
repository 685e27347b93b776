"""`citeloom library`: fill, search and look after libraries."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.cli.library.add import add
from citeloom.cli.library.care import compact, export, restore, snapshot, verify
from citeloom.cli.library.opening import ENGINE, NAMED, opened, process_settings
from citeloom.cli.library.reading import papers, search, show, tag
from citeloom.cli.telling import exit_on_error
from tools.counting import counted
from tools.program import PROGRAM

if TYPE_CHECKING:
    from tools.library.library import Library

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


for command in (add, papers, search, show, tag, verify, export, compact, snapshot, restore):
    app.command()(command)


@app.command("list")
def list_() -> None:
    """List the libraries by name."""
    with exit_on_error():
        from tools.library.open_library import library_names

        for name in library_names(process_settings()):
            typer.echo(name)


@app.command()
def stats(
    name: Annotated[str | None, typer.Argument(help="One library; all if left out.")] = None,
    library: NAMED = None,
) -> None:
    """Count what is in a library."""
    with exit_on_error():
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
    """Make the vectors and keywords that a library lacks, all anew after a change of the embedder.

    After CITELOOM_QDRANT_URL was set it moves the vectors to the server. Until all are there, the old
    ones are searched; run again, it goes on where it was stopped.
    """
    with exit_on_error():
        from citeloom.cli.progress import Progress
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
            help="Papers, or documents by the first characters of their hash (8 at least), to remove; "
            "the whole library if left out."
        ),
    ] = None,
    texts: Annotated[
        bool, typer.Option("--texts", help="Of papers remove the documents only.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove papers or documents with their passages from a library, or the library itself."""
    with exit_on_error():
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
    texts = library.texts
    tags = ", ".join(f"{tag} ({count})" for tag, count in texts.tags().items())
    years = f"{found.first_year} to {found.last_year}" if found.first_year else "none known"
    lines = [
        f"{found.name}",
        f"  papers      {found.papers}, {found.abstracts} with abstract or annotation",
        f"  years       {years}",
        f"  references  {found.links} among them; {found.entries} in the lists of documents",
        f"  vectors     {found.papers - found.waiting} of {found.embedder} ({found.size} numbers), {_place(library)}",
        f"  documents   {texts.document_count()}",
        f"  passages    {texts.count()}, {texts.waiting()} without a vector",
        f"  tags        {tags or 'none'}",
        f"  on disk     {found.bytes / 1e6:.1f} MB in {library.folder}",
    ]
    if found.waiting or texts.waiting():
        waiting = counted(found.waiting + texts.waiting(), "vector")
        lines.append(f"  missing     {waiting}: run `{PROGRAM} library index {found.name}`")
    return "\n".join(lines)
