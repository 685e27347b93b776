"""Write references as RIS (https://en.wikipedia.org/wiki/RIS_(file_format)), for reference managers."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from state.paper import Paper
from state.results import Reference
from tools.bibliography.fields import FIELDS, FROM_CSL, JOINED, PEOPLE
from tools.bibliography.names import in_parts, is_organisation
from tools.bibliography.read_csl import INCOMPLETE
from tools.bibliography.read_record import is_retracted_note
from tools.bibliography.text_runs import clean
from tools.bibliography.write_csl import address, csl_item
from tools.text.markup import plain, retracted_title

_SAME = (
    {"AU", "A1", "A2", "ED"},
    {"TI", "T1", "CT", "BT"},
    {"PY", "Y1", "DA"},
    {"DO", "UR"},
    {"T2", "JO", "JF", "JA", "J2", "J1", "BT", "PB"},
)
"""Tags of which one says what another would."""


def to_ris(references: Sequence[Reference]) -> str:
    """Return one record for each reference, in the order of their numbers; lines end in CR LF."""
    lines = [line for item in references for line in (*map(_line, _fields(item)), "ER  - ")]
    return "".join(f"{line}\r\n" for line in lines if line)


def _line(field: tuple[str, str | None]) -> str:
    return f"{field[0]}  - {clean(field[1])}".rstrip() if field[1] else ""


def _fields(reference: Reference) -> Iterator[tuple[str, str | None]]:
    paper, record = reference.paper, reference.paper.record
    if not record or record.format != "ris":
        yield from _made(paper, reference.key)
        return
    own = [pair for pair in record.fields if pair[0].isalnum() and len(pair[0]) == 2]
    have = {tag for tag, _ in own}
    yield "TY", record.type
    yield from own
    for tag, value in _made(paper, reference.key):
        said = any(tag in one and one & have for one in _SAME) or tag in have
        if tag not in ("TY", "N1", "AN", "L1") and not (said or (tag == "ID" and not record.key)):
            yield tag, value
    yield from _notes(paper, "\n".join(value for tag, value in own if tag == "N1"))


def _made(paper: Paper, key: str) -> Iterator[tuple[str, str | None]]:
    """Yield what a paper says, and its record of another format."""
    item = csl_item(paper, key)
    yield "TY", FROM_CSL["ris"].get(str(item["type"]), "GEN")
    yield "ID", key
    for people in PEOPLE:
        names = item.get(people.csl)
        for name in names if isinstance(names, list) else ():
            if isinstance(name, Mapping) and name.get("literal") != "et al.":
                yield people.ris.split()[0], _name(name)
    yield "TI", paper.title
    yield (
        "JO" if item["type"] == "article-journal" else "T2",
        plain(str(item.get("container-title") or "")),
    )
    yield "PY", str(paper.year or "")
    yield "DA", f"{paper.published:%Y/%m/%d}" if paper.published else None
    yield "DO", paper.doi
    yield "AN", f"arXiv:{paper.arxiv}" if paper.arxiv else None
    yield "UR", address(paper)
    yield "L1", paper.pdf if paper.pdf != address(paper) else None
    yield from _more(item, None if paper.record else ("volume", "issue", "page"))
    yield from _notes(paper, str(item.get("note") or "") if paper.record else "")


def _more(item: Mapping[str, Any], only: Collection[str] | None) -> Iterator[tuple[str, str]]:
    """Yield what a record of another format says that RIS has a tag for, or `only` this."""
    for field in FIELDS:
        value = item.get(field.csl)
        if (
            field.csl in ("title", "container-title", "DOI", "URL")
            or not isinstance(value, str | int)
            or (only is not None and field.csl not in only)
        ):
            continue
        if field.csl == "page":
            first, _, last = str(value).partition("-")
            yield from (("SP", first), ("EP", last))
        elif field.ris or field.csl == "ISBN":
            parts = str(value).split(JOINED.get(field.csl, "\n"))
            yield from (((field.ris or "SN").split()[0], plain(part)) for part in parts)


def _notes(paper: Paper, said: str) -> Iterator[tuple[str, str | None]]:
    more = paper.authors and not paper.authors_complete and INCOMPLETE not in said
    yield "N1", INCOMPLETE if more else None
    told = is_retracted_note(said) or (retracted_title(paper.title) and paper.record)
    yield "N1", "Retracted." if paper.retracted and not told else None


def _name(name: Mapping[str, str]) -> str:
    # In RIS a comma parts family and given name, except in what is plainly the name of a body.
    literal = name.get("literal", "")
    return (literal if is_organisation(literal) else literal.replace(",", "")) or ", ".join(
        filter(None, in_parts(name))
    )
