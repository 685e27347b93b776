"""Write references as BibTeX: pylatexenc escapes the text, bibtexparser lays out the entries."""

import re
from collections.abc import Sequence

from state.paper import Author, Paper
from state.results import Reference
from tools.bibliography.kinds import kind_of_work

# As in pandoc: '$5 and $10' is no formula.
_MATH = re.compile(r"(\$(?! )[^$]*[^$ ]\$(?!\d))")
_IN_FORMULA = re.compile(r"(?:[^%#&]|\\[%#&])*")  # others would break it, or the line
_UNSAFE = str.maketrans({"{": "%7B", "}": "%7D", "\\": "%5C"})
_KEEP_CASE = re.compile(r"(?<![\\\w{])(\w*[a-z0-9][A-Z]\w*|[A-Z]{2,}[\w-]*|[A-Z]\d[\w-]*)(?![\w}])")


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
    return _escaped(text, keep_case=False)


def _escaped(text: str, *, keep_case: bool) -> str:
    from pylatexenc.latexencode import UnicodeToLatexEncoder

    encoder = UnicodeToLatexEncoder(
        replacement_latex_protection="braces-all",
        unknown_char_policy="keep",
        unknown_char_warning=False,
    )
    parts: list[str] = _MATH.split(text)
    for place, part in enumerate(parts):
        formula = (
            place % 2 == 1 and _IN_FORMULA.fullmatch(part) and part.count("{") == part.count("}")
        )
        if not formula:
            plain = str(encoder.unicode_to_latex(part))
            parts[place] = _KEEP_CASE.sub(r"{\1}", plain) if keep_case else plain
    return "".join(parts)


def _fields(paper: Paper) -> list[tuple[str, str]]:
    fields: list[tuple[str, str | None]] = [
        ("author", _authors(paper)),
        ("title", _escaped(paper.title, keep_case=True)),
        (
            "booktitle" if kind_of_work(paper) == "proceedings" else "journal",
            paper.venue and escape(paper.venue),
        ),
        ("year", str(paper.year) if paper.year else None),
        ("doi", paper.doi and paper.doi.translate(_UNSAFE)),
        ("eprint", paper.arxiv),
        ("archiveprefix", "arXiv" if paper.arxiv else None),
        ("url", paper.url and paper.url.translate(_UNSAFE)),
    ]
    return [(name, value) for name, value in fields if value]


_KINDS = {"preprint": "misc", "journal": "article", "proceedings": "inproceedings"}


def _authors(paper: Paper) -> str | None:
    names = [_name(author) for author in paper.authors]
    if names and not paper.authors_complete:
        names.append("others")
    return " and ".join(names) or None


def _name(author: Author) -> str:
    if re.search(r"\band\b", author.name, re.IGNORECASE):
        return "{" + escape(author.name) + "}"
    return escape(f"{author.family}, {author.given}" if author.given else author.name)
