"""Write references as RIS (https://en.wikipedia.org/wiki/RIS_(file_format)), for reference managers."""

from collections.abc import Iterator, Sequence

from state.paper import Author, Paper
from state.results import Reference
from tools.bibliography.kinds import kind_of_work
from tools.bibliography.names import name_parts
from tools.bibliography.runs import clean
from tools.bibliography.write_csl import address

_TYPES = {"preprint": "UNPB", "journal": "JOUR", "proceedings": "CPAPER"}


def to_ris(references: Sequence[Reference]) -> str:
    """Return one record for each reference, in the order of their numbers; lines end in CR LF."""
    lines = [
        f"{tag}  - {clean(value)}".rstrip() if tag != "ER" else "ER  - "
        for item in references
        for tag, value in _fields(item)
    ]
    return "".join(f"{line}\r\n" for line in lines)


def _fields(reference: Reference) -> Iterator[tuple[str, str]]:
    paper = reference.paper
    kind = kind_of_work(paper)
    yield "TY", _TYPES[kind]
    yield "ID", reference.key
    for author in paper.authors:
        yield "AU", _name(author)
    yield "TI", paper.title
    if paper.venue:
        yield ("JO" if kind == "journal" else "T2"), paper.venue
    yield from _dates(paper)
    if paper.doi:
        yield "DO", paper.doi
    if paper.arxiv:
        yield "AN", f"arXiv:{paper.arxiv}"
    if where := address(paper):
        yield "UR", where
    if paper.pdf and paper.pdf != where:
        yield "L1", paper.pdf
    if paper.authors and not paper.authors_complete:
        yield "N1", "The list of authors is not complete."
    if paper.retracted:
        yield "N1", "Retracted."
    yield "ER", ""


def _dates(paper: Paper) -> Iterator[tuple[str, str]]:
    if paper.year:
        yield "PY", str(paper.year)
    if paper.published:
        yield "DA", f"{paper.published:%Y/%m/%d}"


def _name(author: Author) -> str:
    parts = name_parts(author)
    if parts.literal:
        return parts.literal
    return ", ".join(part for part in (parts.family, parts.given, parts.suffix) if part)
