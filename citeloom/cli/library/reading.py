"""`citeloom library search`, `show` and `tag`: what a library has to say."""

import json
import re
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from citeloom.cli.library.opening import opened, told_errors
from tools.errors import InputError

if TYPE_CHECKING:
    from state.passage import Passage, PassageHit
    from tools.library.library import Library
    from tools.retrieve.port import PassageFilter

Mode = Literal["hybrid", "dense", "keyword"]
Retriever = Literal["hybrid", "vectors", "keywords"]
_YEARS = re.compile(r"(\d{4})?(-)?(\d{4})?")


def search(
    name: Annotated[str, typer.Argument(help="The library.")],
    query: Annotated[str, typer.Argument(help="What to look for.")],
    mode: Annotated[
        Mode, typer.Option(help="By meaning ('dense'), by words ('keyword'), or both.")
    ] = "hybrid",
    retriever: Annotated[
        Retriever | None, typer.Option(help="As `ask` finds passages, instead of by mode.")
    ] = None,
    paper: Annotated[
        list[str] | None, typer.Option("--paper", "-p", help="Only of this paper; may be repeated.")
    ] = None,
    year: Annotated[
        str | None, typer.Option(help="Only of these years: 2019, 2019-2023, 2019- or -2023.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option(help="Only of papers with this tag; may be repeated.")
    ] = None,
    section: Annotated[
        list[str] | None, typer.Option(help="Only below this heading; may be repeated.")
    ] = None,
    venue: Annotated[
        list[str] | None,
        typer.Option(help="Only of this venue, as records spell it; may be repeated."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many at most.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Find passages of a library's papers."""
    with told_errors():
        wanted = _filter(paper, year, tag, section, venue)
        with opened(name) as library:
            hits = _hits(library, query, mode, retriever, limit, wanted)
            passages = library.texts.get([hit.passage for hit in hits])
        for hit in hits:
            if hit.passage in passages:
                typer.echo(_line(hit, passages[hit.passage], as_json=as_json))
        if not hits and not as_json:
            typer.echo("nothing found", err=True)
    raise typer.Exit(0 if hits else 1)


def show(
    name: Annotated[str, typer.Argument(help="The library.")],
    paper: Annotated[str, typer.Argument(help="Id of a paper, in any form.")],
    as_json: Annotated[bool, typer.Option("--json", help="All of it as one JSON object.")] = False,
) -> None:
    """Show what a library has of one paper: record, documents, sections, passages."""
    with told_errors(), opened(name) as library:
        record = library.get([paper]).get(paper)
        if record is None:
            raise InputError(f"'{name}' has no paper {paper}: `citeloom library search {name} ...`")
        documents = library.texts.documents(paper)
        passages = library.texts.of_paper(paper)
        if as_json:
            whole = {
                "record": record.model_dump(mode="json", exclude_defaults=True),
                "documents": [one.model_dump(mode="json") for one in documents],
                "passages": [one.model_dump(mode="json") for one in passages],
            }
            typer.echo(json.dumps(whole, ensure_ascii=False))
            return
        names = ", ".join(author.name for author in record.authors)
        for label, value in (
            ("id", record.id), ("title", record.title), ("authors", names), ("year", record.year),
            ("venue", record.venue), ("also", ", ".join(record.aliases)),
            ("tags", ", ".join(library.texts.tags_of(paper))),
        ):  # fmt: skip
            if value:
                typer.echo(f"{label:<8} {value}")
        for one in documents:
            pages = f", {one.pages} pages" if one.pages else ""
            typer.echo(
                f"file     {one.name} ({one.kind}{pages}, {one.passages} passages, {one.sha256[:12]})"
            )
            for part in one.unread:
                typer.echo(f"         not read: {part.where}: {part.cause}")
        _show_passages(passages)


def tag(
    name: Annotated[str, typer.Argument(help="The library.")],
    paper: Annotated[str, typer.Argument(help="Id of a paper, in any form.")],
    tags: Annotated[list[str], typer.Argument(help="One or more tags.")],
    remove: Annotated[bool, typer.Option("--remove", help="Take them away.")] = False,
) -> None:
    """Give a paper tags, by which searches and questions can be narrowed."""
    with told_errors(), opened(name) as library:
        library.texts.tag(paper, tags, remove=remove)
        left = ", ".join(library.texts.tags_of(paper))
        typer.echo(f"{paper}: {left or 'no tags'}")


def _hits(
    library: "Library",
    query: str,
    mode: Mode,
    retriever: Retriever | None,
    limit: int,
    wanted: "PassageFilter",
) -> "list[PassageHit]":
    if retriever is None:
        return library.texts.search(query, mode=mode, limit=limit, wanted=wanted)
    from tools.retrieve.open import open_retriever

    return open_retriever(retriever, library).retrieve(query, limit=limit, wanted=wanted)


def _filter(
    paper: list[str] | None,
    year: str | None,
    tag: list[str] | None,
    section: list[str] | None,
    venue: list[str] | None,
) -> "PassageFilter":
    from tools.retrieve.port import PassageFilter

    first, last = _years(year)
    return PassageFilter(
        papers=frozenset(paper or ()),
        first_year=first,
        last_year=last,
        tags=frozenset(tag or ()),
        sections=frozenset(section or ()),
        venues=frozenset(venue or ()),
    )


def _years(text: str | None) -> tuple[int | None, int | None]:
    if text is None:
        return None, None
    found = _YEARS.fullmatch(text.replace(" ", ""))
    if not found or not (found[1] or found[3]):
        raise InputError(f"the years cannot be '{text}': give 2019, 2019-2023, 2019- or -2023")
    first = int(found[1]) if found[1] else None
    last = int(found[3]) if found[3] else None
    return first, last if found[2] else first


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
