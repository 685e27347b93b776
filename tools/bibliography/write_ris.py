"""Write references as RIS (https://en.wikipedia.org/wiki/RIS_(file_format)), for reference managers."""

from collections.abc import Iterator, Sequence

from state.results import Reference
from tools.bibliography.kinds import KINDS, kind_of_work
from tools.bibliography.names import name_parts
from tools.bibliography.runs import clean
from tools.bibliography.write_csl import address


def to_ris(references: Sequence[Reference]) -> str:
    """Return one record for each reference, in the order of their numbers; lines end in CR LF."""
    lines = [line for item in references for line in (*map(_line, _fields(item)), "ER  - ")]
    return "".join(f"{line}\r\n" for line in lines if line)


def _line(field: tuple[str, str | None]) -> str:
    return f"{field[0]}  - {clean(field[1])}".rstrip() if field[1] else ""


def _fields(reference: Reference) -> Iterator[tuple[str, str | None]]:
    paper = reference.paper
    kind = kind_of_work(paper)
    yield "TY", KINDS[kind].ris
    yield "ID", reference.key
    for author in paper.authors:
        parts = name_parts(author)
        yield (
            "AU",
            parts.literal or ", ".join(filter(None, (parts.family, parts.given, parts.suffix))),
        )
    yield "TI", paper.title
    yield "JO" if kind == "journal" else "T2", paper.venue
    yield "PY", str(paper.year or "")
    yield "DA", f"{paper.published:%Y/%m/%d}" if paper.published else None
    yield "DO", paper.doi
    yield "AN", f"arXiv:{paper.arxiv}" if paper.arxiv else None
    yield "UR", address(paper)
    yield "L1", paper.pdf if paper.pdf != address(paper) else None
    more = paper.authors and not paper.authors_complete
    yield "N1", "The list of authors is not complete." if more else None
    yield "N1", "Retracted." if paper.retracted else None
