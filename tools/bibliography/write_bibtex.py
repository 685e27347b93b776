"""Write references as BibTeX: pylatexenc escapes the text, bibtexparser lays out the entries."""

import re
from collections.abc import Mapping, Sequence

from state.paper import Author, Paper
from state.results import Reference
from tools.bibliography.csl_items import short_title
from tools.bibliography.kinds import kind_of_work
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

    entries: list[Block] = [
        Entry(
            _KINDS[kind_of_work(item.paper)],
            item.key,
            [
                Field(name, value)
                for name, value in _fields(item.paper, (keywords or {}).get(item.key))
            ],
        )
        for item in references
    ]
    return str(write_string(Library(entries)))


def _fields(paper: Paper, keyword: str | None = None) -> list[tuple[str, str]]:
    fields: list[tuple[str, str | None]] = [
        ("author", _authors(paper)),
        ("key", None if paper.authors else escape(short_title(paper.title))),
        ("title", escape(paper.title, keep_case=True)),
        (
            "booktitle" if kind_of_work(paper) == "proceedings" else "journal",
            paper.venue and escape(paper.venue),
        ),
        ("year", str(paper.year) if paper.year else "n.d."),
        ("month", _month(paper)),
        ("doi", paper.doi and paper.doi.translate(_UNSAFE)),
        ("eprint", paper.arxiv),
        ("archiveprefix", "arXiv" if paper.arxiv else None),
        ("url", (web_address(paper) or _arxiv_address(paper)).translate(_UNSAFE)),
        ("note", "Retracted" if paper.retracted else None),
        ("keywords", keyword),
    ]
    return [(name, value) for name, value in fields if value]


_KINDS = {"preprint": "misc", "journal": "article", "proceedings": "inproceedings"}


def _month(paper: Paper) -> str | None:
    day = paper.published
    return str(day.month) if day and paper.year in {None, day.year} else None


def _arxiv_address(paper: Paper) -> str:
    return f"https://arxiv.org/abs/{paper.arxiv}" if paper.arxiv and not paper.doi else ""


def _authors(paper: Paper) -> str | None:
    names = [_name(author) for author in paper.authors]
    if names and not paper.authors_complete:
        names.append("others")
    return " and ".join(names) or None


def _name(author: Author) -> str:
    parts = name_parts(author)
    if parts.literal:
        whole = escape(parts.literal)
        return f"{{{whole}}}" if re.search(r"[\s,]", parts.literal) else whole
    return escape(", ".join(part for part in (parts.family, parts.suffix, parts.given) if part))
