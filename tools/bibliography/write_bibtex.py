"""Write references as BibTeX: pylatexenc escapes the text, bibtexparser lays out the entries."""

import re
from collections.abc import Mapping, Sequence

from state.paper import Author, Paper
from state.results import Reference
from tools.bibliography.csl_items import short_title
from tools.bibliography.kinds import KINDS, kind_of_work
from tools.bibliography.latex import escape
from tools.bibliography.names import name_parts
from tools.bibliography.write_csl import web_address

_UNSAFE = str.maketrans({"{": "%7B", "}": "%7D", "\\": "%5C"})


def to_bibtex(references: Sequence[Reference], keywords: Mapping[str, str] | None = None) -> str:
    """Return one entry for each reference, escaped for LaTeX, in the order of their numbers.

    Args:
        references: What to write.
        keywords: By key: what to put into the entry's `keywords`, plain words.
    """
    from bibtexparser.entrypoint import write_string
    from bibtexparser.library import Library
    from bibtexparser.model import Block, Entry, Field

    entries: list[Block] = []
    for item in references:
        fields = _fields(item.paper) | {"keywords": (keywords or {}).get(item.key)}
        kept = [Field(name, value) for name, value in fields.items() if value]
        entries.append(Entry(KINDS[kind_of_work(item.paper)].bibtex, item.key, kept))
    return str(write_string(Library(entries)))


def _fields(paper: Paper) -> dict[str, str | None]:
    names = [_name(author) for author in paper.authors]
    if names and not paper.authors_complete:
        names.append("others")
    day = paper.published
    on_arxiv = f"https://arxiv.org/abs/{paper.arxiv}" if paper.arxiv and not paper.doi else ""
    proceedings = kind_of_work(paper) == "proceedings"
    return {
        "author": " and ".join(names),
        "key": None if names else escape(short_title(paper.title)),
        "title": escape(paper.title, keep_case=True),
        "booktitle" if proceedings else "journal": paper.venue and escape(paper.venue),
        "year": str(paper.year) if paper.year else "n.d.",
        "month": str(day.month) if day and paper.year in {None, day.year} else None,
        "doi": paper.doi and paper.doi.translate(_UNSAFE),
        "eprint": paper.arxiv,
        "archiveprefix": "arXiv" if paper.arxiv else None,
        "url": (web_address(paper) or on_arxiv).translate(_UNSAFE),
        "note": "Retracted" if paper.retracted else None,
    }


def _name(author: Author) -> str:
    parts = name_parts(author)
    if parts.literal:
        whole = escape(parts.literal)
        return f"{{{whole}}}" if re.search(r"[\s,]", parts.literal) else whole
    return escape(", ".join(part for part in (parts.family, parts.suffix, parts.given) if part))
