"""Papers as the citation processor wants them: titles, names and dates in its own types."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from state.paper import Author, Paper
from tools.bibliography.kinds import kind_of_work
from tools.bibliography.names import name_parts
from tools.bibliography.runs import OTHERS, clean, sealed
from tools.bibliography.write_csl import address

if TYPE_CHECKING:
    from citeproc.source import Name, Reference
    from citeproc.string import MixedString

_KINDS = {"journal": "article-journal", "proceedings": "paper-conference"}
_SHORT = 60  # characters of a title that stands for the authors
_INNER_CAPITAL = re.compile(r"\w[^\W\d_a-zà-öø-ÿ]|\d|[$\\{}_^]")


class SuffixedYear(int):
    """A year that prints its letter: styles differ in where they ask for it, if they do."""

    letter: str

    def __new__(cls, year: int, letter: str) -> "SuffixedYear":
        """Return the year with the letter."""
        made = super().__new__(cls, year)
        made.letter = letter
        return made

    def __abs__(self) -> "SuffixedYear":
        """Return itself: the processor prints a year's absolute value."""
        return self

    def __str__(self) -> str:
        """Return such as '2020a'."""
        return f"{int(self)}{self.letter}"

    __repr__ = __str__


def short_title(title: str) -> str:
    """Return a title as it stands for missing authors: its main part, cut between words."""
    main = clean(title)
    head = re.split(r"(?<=\w): ", main, maxsplit=1)[0] if len(main) > _SHORT else main
    if len(head) <= _SHORT:
        return head
    return head[:_SHORT].rsplit(" ", 1)[0].rstrip(" ,;:-–—") + "…"


@dataclass(frozen=True)
class Asked:
    """How one paper is to be handed to the processor."""

    letter: str = ""
    """Tells apart works of one year and author."""
    explicit: bool = True
    """Whether the style asks for the letter itself; else it is a part of the year."""
    ambiguous: bool = False
    named: str = ""
    """Stands for missing authors, in the text."""
    in_journal: bool = False
    """Prints a preprint as if arXiv were a journal."""


def csl_reference(
    paper: Paper, key: str, asked: Asked, *, no_date: str, for_text: bool, initials: bool
) -> "Reference":
    """Return a paper as the processor's reference, for the text or for the list.

    `no_date` is printed where there is no date. `initials` says that the style shortens given names.
    """
    from citeproc.source import Reference

    preprint = kind_of_work(paper) == "preprint"
    on_arxiv = preprint and paper.arxiv and not asked.in_journal
    named = [_literal(asked.named)] if asked.named and for_text else None
    letter = asked.letter if asked.explicit else ""
    fields: dict[str, Any] = {
        "title": _title(paper.title),
        "title_short": _text(short_title(paper.title)),
        "author": _names(paper, initials, short=for_text) or named,
        "container_title": _text(paper.venue) if paper.venue and not preprint else None,
        "publisher": _fixed("arXiv") if on_arxiv else None,
        "number": _fixed(f"arXiv:{paper.arxiv}") if on_arxiv else None,
        "DOI": _fixed(paper.doi) if paper.doi else None,
        "URL": None if paper.doi else _fixed(address(paper) or ""),
        "issued": _issued(paper, "" if asked.explicit else asked.letter, no_date),
        "year_suffix": _fixed(letter) if letter else None,
        "keyword": _fixed("-") if asked.ambiguous else None,
        "citation_label": _fixed(citation_label(paper) + asked.letter),
    }
    if asked.in_journal:
        fields["container_title"] = _fixed(f"arXiv preprint arXiv:{paper.arxiv}")
    return Reference(
        key, _kind(paper, asked), **{name: value for name, value in fields.items() if value}
    )


def _kind(paper: Paper, asked: Asked) -> str:
    kind = kind_of_work(paper)
    if kind != "preprint":
        return _KINDS[kind]
    # Not every paper without a venue is a preprint, which is what styles print for an 'article'.
    return "article" if paper.arxiv and not asked.in_journal else "article-journal"


def citation_label(paper: Paper) -> str:
    """Return a label such as 'LPK20' or 'Lew20', for styles that cite by labels."""
    families = [re.sub(r"\W", "", author.family) for author in paper.authors]
    families = [family for family in families if family]
    year = f"{paper.year % 100:02}" if paper.year else ""
    if not families:
        return (re.sub(r"\W", "", paper.title)[:3] or "Anon") + year
    if len(families) == 1:
        return families[0][:3] + year
    more = "+" if len(families) > 4 or not paper.authors_complete else ""
    return "".join(family[0] for family in families[: 3 if more else 4]) + more + year


def _title(title: str) -> "MixedString":
    """Return a title in which a change of case leaves acronyms and formulas alone.

    A title that is already written like a sentence is left alone as a whole.
    """
    from citeproc.string import MixedString, NoCase, String

    text = clean(title)
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


def _text(text: str) -> "MixedString":
    from citeproc.string import MixedString, String

    return MixedString([String(sealed(text))])


def _fixed(text: str) -> "MixedString | None":
    from citeproc.string import MixedString, NoCase

    return MixedString([NoCase(sealed(text))]) if clean(text) else None


def _issued(paper: Paper, letter: str, no_date: str) -> Any:
    from citeproc.source import Date, LiteralDate

    if paper.year is None and paper.published is None:
        if not no_date:
            return None
        return LiteralDate(no_date + (f"-{letter}" if letter else ""))
    day = paper.published
    if day and paper.year in {None, day.year}:
        date = Date(year=day.year, month=day.month, day=day.day)
    else:
        date = Date(year=paper.year)
    if letter:
        date["year"] = SuffixedYear(date["year"], letter)
    return date


def _names(paper: Paper, initials: bool, *, short: bool) -> list["Name"]:
    from citeproc.source import Name

    names = [_name(author, initials, short) for author in paper.authors]
    if names and not paper.authors_complete:
        names.append(Name(literal=OTHERS))
    return names


def _literal(text: str) -> "Name":
    from citeproc.source import Name

    return Name(literal=sealed(text))


def _name(author: Author, initials: bool, short: bool) -> "Name":
    from citeproc.source import Name

    parts = name_parts(author)
    given = clean(parts.given)
    if initials and given:
        given = " ".join(_initialled(word) for word in given.split())
    if parts.literal:
        return _literal(author.name)
    if not given.strip():
        return _literal(parts.family if short else author.name)
    fields = {"family": sealed(parts.family), "given": given}
    return Name(**fields, **({"suffix": sealed(parts.suffix)} if parts.suffix else {}))


def _initialled(word: str) -> str:
    """Return a given name that the processor can shorten: it takes what has no capital as a particle.

    A name of a script without capitals gives an empty text, as it cannot be shortened.
    """
    parts = [re.sub(r"^[\W_]+", "", part) for part in word.split("-")]
    raised = [part[0].upper() + part[1:] for part in parts if part]
    return "-".join(part for part in raised if part[0].isupper())
