"""A note for each paper of a result, as Obsidian reads them: properties, checked quotes, links among the papers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any
from zipfile import ZipFile, ZipInfo

from citeloom.report.escaping import literal, paragraph
from citeloom.report.result_report import ResultReport
from state.paper import index_by_ids
from state.quote import Quote
from state.results import RankedPaper, Reference
from tools.bibliography.keys import letters, numbered
from tools.bibliography.text_runs import on_one_line
from tools.bibliography.write_records import reference_line, web_address

YOURS = "%% CiteLoom writes above this line only: what you write below it stays. %%"
"""What parts a note: an export changes nothing that stands behind it."""
_UNSAFE = str.maketrans(dict.fromkeys('<>:"/\\|?*#^[]% ', "-"))
_RESERVED = {"con", "prn", "aux", "nul"} | {
    f"{name}{at}" for name in ("com", "lpt") for at in range(10)
}


@dataclass(frozen=True)
class PaperNote:
    """A note of one paper."""

    name: str
    """The file's name without its ending: safe on every system, and unlike the others in more than case."""
    properties: Mapping[str, Any]
    body: str

    def text(self, before: str = "") -> str:
        """Return the note; of the one that stood there `before`, own properties and what stands behind `YOURS` stay."""
        import yaml

        old, rest = split_note(before)
        tags = old.get("tags") if isinstance(old.get("tags"), list) else []
        given = {**old, **self.properties}
        given["tags"] = list(dict.fromkeys([*self.properties["tags"], *map(str, tags or [])]))
        head = yaml.safe_dump(given, allow_unicode=True, sort_keys=False, width=10_000)
        kept = rest.partition(YOURS)[2] if YOURS in rest else f"\n\n{rest}".rstrip() + "\n"
        return f"---\n{head}---\n{self.body}\n{YOURS}{kept}"


def split_note(text: str) -> tuple[dict[str, Any], str]:
    """Return the properties of a note and the text behind them; a head that is no YAML is text."""
    import yaml

    head, _, rest = text.removeprefix("---\n").partition("\n---\n")
    try:
        properties = yaml.safe_load(head) if text.startswith("---\n") else None
    except yaml.YAMLError:
        properties = None
    return (properties, rest) if isinstance(properties, dict) else ({}, text)


def notes(report: ResultReport, names: Mapping[str, str] = {}) -> list[PaperNote]:
    """Return a note for each reference of a section, or else for each paper kept.

    Args:
        report: A section, or papers found.
        names: The names of the files that stand there already: of notes by the ids of their papers, of others by
            their names.
    """
    kept = [item.paper for item in report.values.get("papers") or () if item.selected]
    listed = report.references or numbered(kept)
    named = _names(listed, names)
    known = index_by_ids(item.paper for item in listed)
    links = {(one.citing, one.cited) for one in report.values.get("links") or ()} | {
        (item.paper.id, known[cited])
        for item in listed
        for cited in item.paper.references
        if cited in known
    }
    quoted = {item.paper.id: dict.fromkeys(_quotes(item.paper.id, report)) for item in listed}

    def linked(heading: str, ids: set[str], own: str) -> str:
        lines = (f"- [[{named[item.paper.id]}]]" for item in listed if item.paper.id in ids - {own})
        told = "\n".join(lines)
        return told and f"## {heading}\n\n{told}"

    def body(item: Reference) -> str:
        own = item.paper.id
        blocks = (
            f"# {literal(on_one_line(item.paper.title))}",
            paragraph(literal(on_one_line(item.entry or reference_line(item.paper)))),
            "## Quotes" if quoted[own] else "",
            *quoted[own],
            linked("Cites", {cited for citing, cited in links if citing == own}, own),
            linked("Cited by", {citing for citing, cited in links if cited == own}, own),
        )
        return "\n\n".join(filter(None, blocks)) + "\n"

    return [PaperNote(named[item.paper.id], _properties(item), body(item)) for item in listed]


def notes_zip(report: ResultReport) -> bytes:
    """Return the notes as they are where none stood before, in one file that is the same each time."""
    packed = BytesIO()
    with ZipFile(packed, "w") as folder:
        for note in notes(report):
            folder.writestr(ZipInfo(f"papers/{note.name}.md"), note.text())
    return packed.getvalue()


def _names(listed: Sequence[Reference], there: Mapping[str, str]) -> dict[str, str]:
    taken = {name.lower() for name in there.values()}
    named: dict[str, str] = {}
    for item in listed:
        ids = (item.paper.id, *item.paper.aliases)
        found = next((there[one] for one in ids if one in there), "")
        if not found:
            stem = on_one_line(item.key).translate(_UNSAFE).strip(".-")[:80] or "paper"
            stem = f"paper-{stem}" if stem.partition(".")[0].lower() in _RESERVED else stem
            tries = (stem, *(f"{stem}-{letters(at)}" for at in range(len(taken) + 1)))
            found = next(name for name in tries if name.lower() not in taken)
        taken.add(found.lower())
        named[item.paper.id] = found
    return named


def _properties(item: Reference) -> dict[str, Any]:
    paper = item.paper
    given: dict[str, Any] = {
        "title": on_one_line(paper.title),
        "authors": [on_one_line(author.name) for author in paper.authors],
        "year": paper.year,
        "venue": paper.venue and on_one_line(paper.venue),
        "doi": paper.doi,
        "arxiv": paper.arxiv,
        "url": web_address(paper),
        "citekey": item.key,
        "aliases": [on_one_line(paper.title)],
        "tags": ["paper", *(["retracted"] if paper.retracted else [])],
        "citeloom": paper.id,
    }
    return {name: value for name, value in given.items() if value}


def _quotes(paper: str, report: ResultReport) -> Iterator[str]:
    """Yield the words of a paper that a section rests on, or those for and against it, with what is said."""
    for sentence in report.values.get("sentences") or ():
        for found in sentence.citations:
            if found.paper == paper:
                told = f"{found.verdict.replace('_', ' ').capitalize()}: {found.claim or sentence.text}"
                yield from (_quote(one, told) for one in (found.quote, *found.further) if one)
    ranked: RankedPaper | None = next(
        (item for item in report.values.get("papers") or () if item.paper.id == paper), None
    )
    if ranked and ranked.debate and not report.paragraphs:
        for sign, arguments in (
            ("For", ranked.debate.arguments_for),
            ("Against", ranked.debate.arguments_against),
        ):
            yield from (_quote(one.quote, f"{sign}: {one.claim}") for one in arguments if one.quote)


def _quote(quote: Quote, told: str) -> str:
    place = f" ({literal(on_one_line(quote.place))})" if quote.place else ""
    return f"> “{literal(on_one_line(quote.text))}”{quote.whose}{place}\n\n{literal(on_one_line(told))}"
