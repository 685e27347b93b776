"""`citeloom library papers`, `search`, `show` and `tag`: what a library has to say."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tools.errors import InputError, counted

if TYPE_CHECKING:
    from state.citing import LibraryCitations
    from state.passage import Passage, PassageHit
    from tools.library.library import Library
    from tools.settings import Settings

NAMED = Annotated[
    str | None,
    typer.Option(
        "--library", "-l", help="The library; you can also give its name first.", metavar="NAME"
    ),
]


ENGINE = Annotated[
    Literal["local", "ray"],
    typer.Option(
        help="Where to read and embed: in this process, or on a Ray cluster (RAY_ADDRESS, or "
        "one started here; needs the extra ray)."
    ),
]


def named(library: str | None, given: Sequence[str], what: str = "") -> tuple[str, str]:
    """Return the library of a command, from its option or its first argument, and the other words.

    Raises:
        InputError: There is none, or nothing else where `what` says that there must be.
    """
    name, *rest = ([library] if library else []) + list(given) or [""]
    if not name or (what and not rest):
        raise InputError(f"give {what or 'a library'} and the library's name: --library NAME")
    return name, " ".join(rest)


def process_settings() -> "Settings":
    """Return the settings of the process; what loads them is loaded on use, so that help comes at once."""
    from tools.settings import settings

    return settings()


@contextmanager
def opened(name: str) -> "Iterator[Library]":
    """Open a library whose vectors may be of another embedder, which only searches mind."""
    from tools.embed.open_embedder import embedder
    from tools.library.open_library import open_library

    library = open_library(name, process_settings(), embedder(), any_embedder=True)
    try:
        yield library
    finally:
        library.close()


RetrieverName = Literal["hybrid", "vectors", "keywords"]


def search(
    words: Annotated[
        list[str], typer.Argument(help="What to look for.", metavar="[NAME] WORDS...")
    ],
    library: NAMED = None,
    retriever: Annotated[
        RetrieverName, typer.Option(help="How to find passages, as in `ask`.")
    ] = "hybrid",
    paper: Annotated[
        list[str] | None, typer.Option("--paper", "-p", help="Only this paper; may be repeated.")
    ] = None,
    year: Annotated[
        str | None, typer.Option(help="Only these years: 2019, 2019-2023, 2019- or -2023.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option(help="Only papers with this tag; may be repeated.")
    ] = None,
    section: Annotated[
        list[str] | None, typer.Option(help="Only below this heading; may be repeated.")
    ] = None,
    venue: Annotated[
        list[str] | None,
        typer.Option(help="Only this venue, spelled as in the records; may be repeated."),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, help="Maximum number to show.")
    ] = 10,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per line.")
    ] = False,
) -> int:
    """Find passages of a library's papers."""
    from citeloom.cli.option_values import years_of
    from tools.library.search_types import PassageFilter
    from tools.retrieve.retriever import Retriever

    wanted = PassageFilter(
        papers=frozenset(paper or ()),
        tags=frozenset(tag or ()),
        **years_of(year),
        sections=frozenset(section or ()),
        venues=frozenset(venue or ()),
    )
    name, query = named(library, words, "what to look for")
    with opened(name) as searched:
        hits = Retriever(retriever, searched).retrieve(query, limit=limit, wanted=wanted)
        passages = searched.texts.get([hit.passage for hit in hits])
    for hit in hits:
        if hit.passage in passages:
            typer.echo(_line(hit, passages[hit.passage], as_json=as_json))
    if not hits and not as_json:
        typer.echo("no results", err=True)
    return 0 if hits else 1


def show(
    words: Annotated[
        list[str],
        typer.Argument(help="Id, title or part of the title.", metavar="[NAME] PAPER..."),
    ],
    library: NAMED = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print everything as one JSON object.")
    ] = False,
) -> None:
    """Show one paper of a library: record, documents, sections, passages."""
    name, paper = named(library, words, "the id or title of a paper")
    with opened(name) as shown:
        _show(shown, paper, as_json=as_json)


def papers(
    name: Annotated[str | None, typer.Argument(help="The library.")] = None,
    library: NAMED = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per line.")
    ] = False,
) -> None:
    """List the papers of a library: id, year, title."""
    from tools.library.library_snapshot import all_papers

    with opened(named(library, [name] if name else [])[0]) as listed:
        for paper in all_papers(listed):
            line = f"{paper.id}  {paper.year or 'n.d.'}  {paper.title}"
            typer.echo(paper.model_dump_json(exclude_defaults=True) if as_json else line)


def _show(library: "Library", paper: str, *, as_json: bool) -> None:
    record = library.called(paper)
    documents = library.texts.documents(record.id)
    passages = library.texts.of_paper(record.id)
    if as_json:
        whole = {
            "record": record.model_dump(mode="json", exclude_defaults=True),
            "documents": [one.model_dump(mode="json") for one in documents],
            "references": [
                one.model_dump(mode="json", exclude_defaults=True)
                for one in library.texts.references(record.id)
            ],
            "passages": [one.model_dump(mode="json") for one in passages],
        }
        typer.echo(json.dumps(whole, ensure_ascii=False))
        return
    shown = {
        "id": record.id,
        "title": record.title,
        "authors": ", ".join(author.name for author in record.authors),
        "year": record.year,
        "venue": record.venue,
        "also": ", ".join(record.aliases),
        "tags": ", ".join(library.texts.tags_of(record.id)),
    }
    typer.echo("\n".join(f"{label:<8} {value}" for label, value in shown.items() if value))
    for one in documents:
        pages = f", {counted(one.pages, 'page')}" if one.pages else ""
        typer.echo(
            f"file     {one.name} ({one.kind}{pages}, {counted(one.passages, 'passage')}, {one.sha256[:12]})"
        )
        for part in one.unread:
            typer.echo(f"         not read: {part.where}: {part.cause}")
    _show_passages(passages)


def tag(
    name: Annotated[str, typer.Argument(help="The library.")],
    paper: Annotated[str, typer.Argument(help="Id of a paper.")],
    tags: Annotated[list[str], typer.Argument(help="One or more tags.")],
    remove: Annotated[bool, typer.Option("--remove", help="Remove the tags.")] = False,
) -> None:
    """Tag a paper; searches and questions can be limited to a tag."""
    with opened(name) as library:
        library.texts.tag(paper, tags, remove=remove)
        left = ", ".join(library.texts.tags_of(paper))
        typer.echo(f"{paper}: {left or 'no tags'}")


def citations(
    name: Annotated[str, typer.Argument(help="The library.")],
    paper: Annotated[
        list[str] | None,
        typer.Argument(help="Id, title or part of the title; all papers by default."),
    ] = None,
    mind: Annotated[
        Literal["auto", "llm", "extractive"],
        typer.Option(
            help="Who types sentences: your model, if one is configured, or only cue words ('extractive')."
        ),
    ] = "auto",
    max_usd: Annotated[
        float | None, typer.Option(min=0, help="Maximum cost of the model's calls, USD.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, one sentence a row.")] = False,
) -> int:
    """Show what a library's papers say of one another: who supports, contrasts or uses whom, in their own sentences.

    Run it again to continue where it stopped; CiteLoom asks the model about no sentence twice.
    """
    from citeloom.api import acitations
    from citeloom.cli.console import Progress, cancelled_by_signals
    from citeloom.report import library_citations as report
    from tools.ingest.reader_processes import close_workers
    from tools.library.open_library import close_libraries

    if as_json and as_csv:
        raise InputError("both --json and --csv: choose one")

    async def read() -> "LibraryCitations":
        with cancelled_by_signals():
            watch = progress.counted("type_citations")
            return await acitations(
                name, " ".join(paper or ()), max_usd=max_usd, mind=mind, watch=watch
            )

    try:
        with Progress(quiet=as_json or as_csv, often=True) as progress:
            told = asyncio.run(read())
    finally:
        close_workers()
        close_libraries()
    for one in told.failures:
        typer.echo(f"note: {one.subject}: {one.cause} ({one.remedy})", err=True)
    if as_json:
        whole = told.model_dump(mode="json", include={"library", "paper", "papers"})
        typer.echo(json.dumps({**whole, "sentences": report.as_rows(told)}, ensure_ascii=False))
    else:
        typer.echo(report.as_csv(told) if as_csv else report.as_text(told), nl=not as_csv)
    return 1 if told.failures else 0


def _line(hit: "PassageHit", passage: "Passage", *, as_json: bool) -> str:
    if as_json:
        whole = {"rank": hit.rank, "score": hit.score, **passage.model_dump(mode="json")}
        return json.dumps(whole, ensure_ascii=False)
    place = f" ({passage.place})" if passage.place else ""
    return f"{hit.rank}. {passage.title}{place} [{passage.paper}]\n   {passage.text}\n"


def _show_passages(passages: "list[Passage]") -> None:
    section: tuple[str, ...] | None = None
    for passage in passages:
        if passage.section != section:
            section = passage.section
            typer.echo(f"\n{' > '.join(section) or '(no heading)'}")
        page = f"p. {passage.page}, " if passage.page else ""
        typer.echo(f"  {passage.id} ({page}{passage.words} words) {passage.text}")
