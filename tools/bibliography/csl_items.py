"""Papers as the citation processor wants them: titles, names and dates in its own types."""

import re
from dataclasses import dataclass
from typing import Any

from citeproc.source import Date, LiteralDate, Name, Reference
from citeproc.string import MixedString, NoCase, String

from state.paper import Author, Paper
from tools.bibliography.citation_style import CitationStyle
from tools.bibliography.names import csl_name
from tools.bibliography.publication_kinds import KINDS, kind_of_work
from tools.bibliography.text_runs import OTHERS, RUN_MARKER, on_one_line, sealed
from tools.bibliography.write_records import address, short_title

_MARKS = " .,;:'’‘`´\"“”()[]{}*†‡_"
_DIGITS = 3
"""Fewest digits of pages of which styles leave some out."""
_INNER_CAPITAL = re.compile(r"\w[^\W\d_a-zà-öø-ÿ]|\d|[$\\{}_^]")


@dataclass(frozen=True)
class Letter:
    """Tells apart works of one year and author, such as the 'a' of 2020a."""

    text: str = ""
    explicit: bool = True
    """Whether the style asks for the letter itself; else it is a part of the year."""


def csl_reference(
    paper: Paper, key: str, letter: Letter, style: CitationStyle, *, no_date: str, for_text: bool
) -> Reference:
    """Return a paper as the processor's reference, for the text or for the list.

    `no_date` is printed where there is no date. In a style by author a title stands for missing authors.
    """
    preprint = kind_of_work(paper) == "preprint"
    on_arxiv = preprint and paper.arxiv
    nameless = style.by_author and not paper.authors
    authors = _names(paper, initials=b"initialize-with" in style.xml, short=for_text)
    if nameless:
        authors = [_literal(f"“{short_title(paper.title)}”" if for_text else paper.title)]
    fields: dict[str, Any] = {
        "title": None if nameless else _title(paper.title),
        "title_short": _text(short_title(paper.title)),
        "author": authors,
        "container_title": _text(paper.venue) if paper.venue and not preprint else None,
        **({} if preprint else _place(paper)),
        "publisher": _fixed("arXiv") if on_arxiv else None,
        "number": _fixed(f"arXiv:{paper.arxiv}") if on_arxiv else None,
        "DOI": _fixed(paper.doi) if paper.doi else None,
        "URL": None if paper.doi else _fixed(address(paper) or ""),
        "issued": _issued(paper, "" if letter.explicit else letter.text, no_date),
        "year_suffix": _fixed(letter.text) if letter.explicit else None,
        "keyword": _fixed("-") if letter.text else None,  # see style._prepared
    }
    # Not every paper without a venue is a preprint, which is what styles print for an 'article'.
    kind = "article-journal" if preprint and not on_arxiv else KINDS[kind_of_work(paper)]
    return Reference(key, kind, **{name: value for name, value in fields.items() if value})


def _place(paper: Paper) -> dict[str, Any]:
    """Return volume, issue and pages, as far as they are known.

    The processor shortens last pages as if both pages had as many digits, and at least three: '7-15' to '7-5'.
    Where they have not, it is to find nothing that they share.
    """
    pages = paper.pages and sealed(paper.pages)
    first, dash, last = (pages or "").partition("-")
    if dash and (len(first) != len(last) or len(first) < _DIGITS):
        pages = f"{RUN_MARKER}{pages}"
    known = {
        "volume": paper.volume and sealed(paper.volume),
        "issue": paper.issue and sealed(paper.issue),
    }
    return {
        name: MixedString([NoCase(text)])
        for name, text in {**known, "page": pages}.items()
        if text and on_one_line(text)
    }


def _title(title: str) -> MixedString:
    """Return a title in which a change of case leaves acronyms and formulas alone.

    A title that is already written like a sentence is left alone as a whole.
    """
    text = on_one_line(title)
    if len(text) > 1 and text.endswith(".") and not text.endswith(".."):
        text = text[:-1]  # styles put their own
    text = sealed(text)
    words = [word for word in text.split(" ") if word[:1].isalpha()]
    capital = sum(word[0].isupper() for word in words[1:])
    if not words or capital * 2 < len(words) - 1:
        return MixedString([NoCase(text)])
    parts = re.split(r"(\S+)", text)
    return MixedString(
        NoCase(part) if _INNER_CAPITAL.search(part) else String(part) for part in parts if part
    )


def _text(text: str) -> MixedString:
    return MixedString([String(sealed(text))])


def _fixed(text: str) -> MixedString | None:
    return MixedString([NoCase(sealed(text))]) if on_one_line(text) else None


def _issued(paper: Paper, letter: str, no_date: str) -> Any:
    if paper.year is None and paper.published is None:
        return LiteralDate(no_date + (f"-{letter}" if letter else "")) if no_date else None
    day = paper.published
    if letter:
        return LiteralDate(f"{paper.year or (day and day.year)}{letter}")
    if day and paper.year in {None, day.year}:
        return Date(year=day.year, month=day.month, day=day.day)
    return Date(year=paper.year)


def _names(paper: Paper, *, initials: bool, short: bool) -> list[Name]:
    names = [_name(author, initials, short) for author in paper.authors]
    if names and not paper.authors_complete:
        names.append(Name(literal=OTHERS))
    return names


def _literal(text: str) -> Name:
    return Name(literal=sealed(text))


def _name(author: Author, initials: bool, short: bool) -> Name:
    parts = csl_name(author)
    given = on_one_line(parts.get("given", ""))
    if initials:
        given = " ".join(map(_initialled, given.split())).strip()
    if not given:
        return _literal(parts["family"] if short and "family" in parts else author.name)
    others = {key: sealed(part) for key, part in parts.items() if key != "given"}
    return Name(given=given, **others)


def _initialled(word: str) -> str:
    """Return a given name that the processor can shorten: it takes what has no capital as a particle.

    A name of a script without capitals gives an empty text, as it cannot be shortened.
    """
    parts = [part.lstrip(_MARKS) for part in word.split("-")]
    raised = [part[0].upper() + part[1:] for part in parts if part]
    return "-".join(part for part in raised if part[0].isupper())
