"""Write references as BibTeX: pylatexenc escapes the text, bibtexparser lays out the entries."""

import re
from collections.abc import Sequence

from state.paper import Author, Paper
from state.results import Reference
from tools.bibliography.kinds import kind_of_work

_MATH = re.compile(r"(\$[^$]+\$)")
_KEEP_CASE = re.compile(r"(?<![\\\w{])([A-Za-z]*[A-Z][\w-]*[A-Z][\w-]*|[A-Z]+\d[\w-]*)(?![\w}])")


def to_bibtex(references: Sequence[Reference]) -> str:
    """Return one entry for each reference, escaped for LaTeX, in the order of their numbers."""
    from bibtexparser.entrypoint import write_string
    from bibtexparser.library import Library
    from bibtexparser.model import Block, Entry, Field

    entries: list[Block] = [
        Entry(
            _KINDS[kind_of_work(item.paper)],
            item.key,
            [Field(name, value) for name, value in _fields(item.paper)],
        )
        for item in references
    ]
    return str(write_string(Library(entries)))


def escape(text: str) -> str:
    """Return text for LaTeX: special characters and accents escaped, `$...$` left alone."""
    from pylatexenc.latexencode import UnicodeToLatexEncoder

    encoder = UnicodeToLatexEncoder(
        replacement_latex_protection="braces-all",
        unknown_char_policy="keep",
        unknown_char_warning=False,
    )
    parts = _MATH.split(text)
    return "".join(
        part if place % 2 else str(encoder.unicode_to_latex(part))
        for place, part in enumerate(parts)
    )


def _fields(paper: Paper) -> list[tuple[str, str]]:
    fields: list[tuple[str, str | None]] = [
        ("author", _authors(paper)),
        ("title", _KEEP_CASE.sub(r"{\1}", escape(paper.title))),
        (
            "booktitle" if kind_of_work(paper) == "proceedings" else "journal",
            paper.venue and escape(paper.venue),
        ),
        ("year", str(paper.year) if paper.year else None),
        ("doi", paper.doi),
        ("eprint", paper.arxiv),
        ("archiveprefix", "arXiv" if paper.arxiv else None),
        ("url", paper.url),
    ]
    return [(name, value) for name, value in fields if value]


_KINDS = {"preprint": "misc", "journal": "article", "proceedings": "inproceedings"}


def _authors(paper: Paper) -> str | None:
    names = [_name(author) for author in paper.authors]
    if names and not paper.authors_complete:
        names.append("others")
    return " and ".join(names) or None


def _name(author: Author) -> str:
    return escape(f"{author.family}, {author.given}" if author.given else author.name)
