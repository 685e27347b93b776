"""Papers written for other programs: as CSL JSON and as RIS.

The formats: https://citeproc-js.readthedocs.io/en/latest/csl-json/markup.html and
https://en.wikipedia.org/wiki/RIS_(file_format).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from string import ascii_lowercase, digits
from typing import Any

from state.paper import Author, Paper
from state.results import Reference
from tools.bibliography.fields import FIELDS, FROM_CSL, JOINED, PEOPLE
from tools.bibliography.names import csl_name, in_parts, is_organisation
from tools.bibliography.publication_kinds import KINDS, kind_of_work
from tools.bibliography.read_csl import INCOMPLETE, csl_of
from tools.bibliography.read_record import is_retracted_note
from tools.bibliography.text_runs import on_one_line
from tools.text.markup import retracted_title, without_markup

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
    return f"{field[0]}  - {on_one_line(field[1])}".rstrip() if field[1] else ""


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
        without_markup(str(item.get("container-title") or "")),
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
            yield from (((field.ris or "SN").split()[0], without_markup(part)) for part in parts)


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


def to_csl(references: Sequence[Reference]) -> list[dict[str, Any]]:
    """Return one CSL item for each reference, in the order of their numbers."""
    return [csl_item(item.paper, item.key) for item in references]


def csl_item(paper: Paper, key: str) -> dict[str, Any]:
    """Return a paper as a CSL item: what its record says, and what of the paper that lacks."""
    own = _own(paper)
    if not paper.record:
        return {"id": key, "citation-key": key} | own
    said = csl_of(paper.record)
    if {"author", "editor"} & said.keys():
        own.pop("author", None)
    if {"publisher", "collection-title", "event-title"} & said.keys():
        own.pop("container-title", None)
    if {"archive_location", "number"} & said.keys():
        for name in ("number", "archive", "archive_location"):
            own.pop(name, None)
    if not paper.url or paper.record.format == "csl":
        own.pop("URL", None)
    own.pop("publisher", None)
    note = own.pop("note", None)
    told = is_retracted_note(said.get("note")) or retracted_title(str(said.get("title")))
    if note and not told:
        said["note"] = "\n".join(filter(None, (str(said.get("note") or ""), note)))
    if not said.get("type"):
        said.pop("type")
    return own | said | {"id": key}


def _own(paper: Paper) -> dict[str, Any]:
    kind, day = kind_of_work(paper), paper.published
    names = [csl_name(author) for author in paper.authors]
    if names and not paper.authors_complete:
        names.append({"literal": "et al."})  # CSL has no other way to say so
    dated = [day.year, day.month, day.day] if day else [paper.year]
    item: dict[str, Any] = {
        "type": KINDS[kind],
        "title": paper.title,
        "author": names,
        "container-title": paper.venue,
        "volume": paper.volume,
        "issue": paper.issue,
        "page": paper.pages,
        "DOI": paper.doi,
        "publisher": "arXiv" if paper.arxiv and kind == "preprint" else None,
        "number": f"arXiv:{paper.arxiv}" if paper.arxiv and not paper.doi else None,
        "archive": "arXiv" if paper.arxiv and paper.doi else None,
        "archive_location": paper.arxiv if paper.doi else None,
        "URL": web_address(paper) or address(paper),
        "note": "Retracted" if paper.retracted else None,
        "issued": {"date-parts": [dated]} if dated[0] else None,
    }
    return {name: value for name, value in item.items() if value}


_SHORT = 60  # characters of a title that stands for the authors


def address(paper: Paper) -> str | None:
    """Return a resolvable address of a paper, where an identifier gives one."""
    if paper.doi:
        return f"https://doi.org/{paper.doi}"
    if paper.arxiv:
        return f"https://arxiv.org/abs/{paper.arxiv}"
    return web_address(paper)


def web_address(paper: Paper) -> str | None:
    """Return the address in a paper's record, unless following it could do more than show a page."""
    scheme, colon, _ = (paper.url or "").strip().partition(":")
    name = scheme.lower()
    named = colon and name[:1].isalpha() and set(name) <= {*ascii_lowercase, *digits, *"+.-"}
    return None if named and name not in {"http", "https", "ftp"} else paper.url


def short_title(title: str) -> str:
    """Return a title as it stands for missing authors: its main part, cut between words."""
    main = on_one_line(title)
    head = main.partition(": ")[0] if len(main) > _SHORT else main
    if len(head) <= _SHORT:
        return head
    return head[:_SHORT].rsplit(" ", 1)[0].rstrip(" ,;:-–—") + "…"


def reference_line(paper: Paper) -> str:
    """Return a reference as one line of plain text: authors, year, title, venue, address."""
    names = [_in_order(author) for author in paper.authors]
    if len(names) > 6:
        names = [*names[:5], "et al."]
    elif names and not paper.authors_complete:
        names.append("et al.")
    elif len(names) > 1:
        names[-2:] = [f"{names[-2]} and {names[-1]}"]
    parts = (", ".join(names), str(paper.year or "n.d."), paper.title, paper.venue or "")
    closed = (
        part if part.endswith(("?", "!")) else part.rstrip(".") + "." for part in parts if part
    )
    return f"{' '.join(closed)} {address(paper) or ''}".strip()


def _in_order(author: Author) -> str:
    return f"{author.given} {author.family}" if "," in author.name and author.given else author.name
