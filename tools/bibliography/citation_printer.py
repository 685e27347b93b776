"""Papers printed in a citation style by citeproc-py, called here alone: entries of the list, and citations.

What the processor leaves open is settled here: letters for works of one year and author, which agree
between text and list; authors and dates that are missing; preprints that a style has no place for.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from io import BytesIO
from itertools import count
from typing import Any

from state.paper import Paper
from tools.bibliography.citation_style import CitationStyle
from tools.bibliography.csl_items import Letter, csl_reference
from tools.bibliography.keys import letters
from tools.bibliography.publication_kinds import kind_of_work
from tools.bibliography.text_runs import NUMBER, Mark, TextRun, characters_of, marked, tidy, to_runs
from tools.bibliography.write_records import reference_line
from tools.errors import InputError, loggable_kind, logger_of

_BEFORE = "0123456789-"
"""What stands before the letter of a year, or of 'n.d.-a'."""
_LEADING_NUMBER = re.compile(rf"^([\ue001-\ue00c]*)[\[(]?{NUMBER}[\])]?[\ue001-\ue00c]*[.:]?\s*")


class _Forms:
    """What the processor takes for an output format: letter forms become single characters."""

    @staticmethod
    def preformat(text: Any) -> Any:
        return text

    @staticmethod
    def _form(mark: Mark) -> Callable[[Any], str]:
        return lambda text: marked(str(text), mark)

    Italic = Oblique = staticmethod(_form("italic"))
    Bold = staticmethod(_form("bold"))
    Light = staticmethod(str)
    Underline = staticmethod(_form("underline"))
    Superscript = staticmethod(_form("sup"))
    Subscript = staticmethod(_form("sub"))
    SmallCaps = staticmethod(_form("small_caps"))


class Engine:
    """A style at work on papers. The processor's trees change while it prints: none is shared."""

    def __init__(self, style: CitationStyle, xml: bytes, papers: Sequence[Paper]) -> None:
        from citeproc import CitationStylesStyle

        self.style = style
        self.papers = papers
        self.letters = [Letter() for _ in papers]
        self._csl = CitationStylesStyle(BytesIO(xml), validate=False)
        self._root = self._csl.root
        self._root.formatter = _Forms
        self._citation = self._found("cs:citation")
        self._layout = self._found("cs:citation/cs:layout")
        self._entry_layout = self._found("cs:bibliography/cs:layout")
        self._printed: dict[tuple[int, Letter, bool], str] = {}

    @property
    def lists(self) -> bool:
        """Whether the style has a reference list."""
        return self._entry_layout is not None

    @property
    def around(self) -> tuple[str, str, str]:
        """What the style puts before, between and behind citations; empty where it is silent."""
        before, between, after = (
            str(self._layout.get(name) or "") for name in ("prefix", "delimiter", "suffix")
        )
        return before, between, after

    @cached_property
    def no_dates(self) -> tuple[str, ...]:
        """What the style's language has for a missing date, such as 'n.d.', short form first."""
        terms = (self._term("no date", "short"), self._term("no date"), "n.d.")
        return tuple(dict.fromkeys(term for term in terms if term))

    def in_text(self) -> list[str]:
        """Return each paper as the text cites it, without brackets; numbers are left open."""
        self._citation.cites = []  # all are cited for the first time

        def render(item: Any) -> Any:
            self._layout.repressed = {}
            return self._layout.render_children(item)

        return [characters_of(to_runs(text)) for text in self._each(render, for_text=True)]

    def entries(self) -> list[str]:
        """Return each paper's entry, marked, without its number; only for a style that `lists`."""

        def render(item: Any) -> Any:
            printed = self._entry_layout.render_bibliography([item])
            return printed[0] if printed else None

        return [
            _LEADING_NUMBER.sub(r"\1", text).replace(NUMBER, "")
            for text in self._each(render, for_text=False)
        ]

    def list_order(self) -> tuple[int, ...]:
        """Return the papers' places in the order of the style's reference list."""
        items = self._items(for_text=False, number=None)
        sort = self._found("cs:bibliography/cs:sort")
        for place, item in enumerate(items):
            item["place"] = place
        ordered = items if sort is None else sort.sort(items, self._entry_layout)
        return tuple(item["place"] for item in ordered)

    @property
    def sorts_citations(self) -> bool:
        """Whether the style has an order for papers that are cited together."""
        return self._found("cs:citation/cs:sort") is not None

    def _each(self, render: Callable[[Any], Any], *, for_text: bool) -> list[str]:
        """Print each paper that has not been printed in this way yet: it takes milliseconds."""
        wanted = [(place, letter, for_text) for place, letter in enumerate(self.letters)]
        if any(key not in self._printed for key in wanted):
            items = self._items(for_text=for_text, number=NUMBER)
            for key, item in zip(wanted, items, strict=True):
                if key not in self._printed:
                    self._printed[key] = self._tidy(render(item))
        return [self._printed[key] for key in wanted]

    def _items(self, *, for_text: bool, number: str | None) -> list[Any]:
        """Hand all papers to the processor; `number` stands for each one's number."""
        from citeproc import Citation, CitationItem, CitationStylesBibliography
        from citeproc.source import BibliographySource

        class Numbered(CitationItem):  # type: ignore[misc]
            pass

        if number:
            Numbered.number = number
        style, source = self.style, BibliographySource()
        silent = style.by_author and b'"no date"' not in style.xml
        for place, (paper, letter) in enumerate(zip(self.papers, self.letters, strict=True)):
            # A missing date is printed where the style leaves that open or would drop the letter.
            no_date = self.no_dates[0] if silent or not letter.explicit else ""
            source.add(
                csl_reference(paper, f"p{place}", letter, style, no_date=no_date, for_text=for_text)
            )
        items = [Numbered(f"p{place}") for place in range(len(self.papers))]
        bibliography = CitationStylesBibliography(self._csl, source, _Forms)
        for item in items:
            bibliography.register(Citation([item]))
        return items

    def _tidy(self, text: Any) -> str:
        return tidy(
            "" if text is None else str(text),
            inside=str(self._root.get_locale_option("punctuation-in-quote")).lower() == "true",
            et_al=self._term("et-al") or "et al.",
            conjunctions=frozenset({self._term("and"), "&", "and"} - {""}),
        )

    def _term(self, name: str, form: str | None = None) -> str:
        return str(self._root.get_single_term(name=name, form=form)).strip()

    def _found(self, path: str) -> Any:
        return self._root.find(path, self._root.nsmap)


logger = logger_of(__name__)


@dataclass(frozen=True, slots=True)
class Cite:
    """How the text cites one paper, without the brackets."""

    text: str = ""
    """Such as 'Lewis et al., 2020'; empty where a number is printed."""
    author: str = ""
    """Empty where there is no year."""
    year: str = ""


@dataclass(frozen=True, slots=True)
class StyledPaper:
    """One paper of the list."""

    place: int
    """Where it stood among the papers given."""
    entry: tuple[TextRun, ...]
    """Its entry, without its number."""
    cite: Cite


@dataclass(frozen=True, slots=True)
class StyledList:
    """Papers as a style prints them."""

    papers: tuple[StyledPaper, ...]
    """In the order of the reference list."""
    sorts_citations: bool
    """Whether several papers in one citation stand in the order of the list, not of the text."""
    before: str
    """What a citation in the text begins with, such as '('."""
    between: str
    after: str


def style_papers(style: CitationStyle, papers: Sequence[Paper]) -> StyledList:
    """Return papers, given in the order of their first citation, as the style prints them.

    Raises:
        InputError: The processor cannot work with this style.
    """
    try:
        return _styled(style, papers)
    except Exception as error:
        raise InputError(
            f"the citation style '{style.name}' cannot be used: its processor fails with "
            f"{type(error).__name__}: {error}; take another style, such as ieee, apa or acl"
        ) from error


def _styled(style: CitationStyle, papers: Sequence[Paper]) -> StyledList:
    """Print in the style, or without its changes of case, over which the processor stumbles most."""
    try:
        return _print(Engine(style, style.xml, papers))
    except (AttributeError, TypeError, LookupError, ValueError, RuntimeError) as error:
        logger.info(
            "the style %s is used without changes of case: %s", style.name, loggable_kind(error)
        )
        return _print(Engine(style, re.sub(rb' text-case="[a-z-]*"', b"", style.xml), papers))


def _print(engine: Engine) -> StyledList:
    by_author = engine.style.by_author
    order = engine.list_order()
    if by_author:
        _tell_apart(engine, order)
    before, between, after = engine.around
    if not by_author and not (before and after):  # raised numbers and footnotes
        before, after = "[", "]"
    entries, cites = _entries(engine), _cites(engine)
    return StyledList(
        papers=tuple(StyledPaper(place, entries[place], cites[place]) for place in order),
        sorts_citations=engine.sorts_citations,
        before=before or "(",
        between=between or ("; " if by_author else ", "),
        after=after or ")",
    )


def _tell_apart(engine: Engine, order: Sequence[int]) -> None:
    """Give letters to papers that the text would cite alike, in the order of the list.

    Also where the style does not ask for letters: a reader must know which paper is meant.
    """
    inner = engine.in_text()
    twice = {text for text, times in Counter(inner).items() if times > 1}
    places = [place for place in order if inner[place] in twice]
    given = {text: map(letters, count()) for text in twice}
    for place in places:
        engine.letters[place] = Letter(next(given[inner[place]]))
    if not _apart(engine, places):
        for place in places:
            engine.letters[place] = replace(engine.letters[place], explicit=False)


def _apart(engine: Engine, places: Sequence[int]) -> bool:
    """Whether the letters show in the text and in the list, as the style prints them."""
    now = engine.in_text()
    entries = _entries(engine) if places else []
    return len({now[place] for place in places}) == len(places) and all(
        any(
            f"{before}{engine.letters[place].text}" in characters_of(entries[place])
            for before in _BEFORE
        )
        for place in places
    )


def _cites(engine: Engine) -> list[Cite]:
    if not engine.style.by_author:
        return [Cite()] * len(engine.papers)
    no_dates = "|".join(re.escape(term) for term in engine.no_dates)
    year = re.compile(rf"[\s,(\[]*((?:\d{{4}}|{no_dates})-?[a-z]{{0,2}})[)\]]?$")
    found = [(text, year.search(text)) for text in engine.in_text()]
    return [Cite(text, text[: at.start()], at[1]) if at else Cite(text) for text, at in found]


def _entries(engine: Engine) -> list[tuple[TextRun, ...]]:
    """Return the entries; the number of a preprint is added where the style does not print it."""
    entries = [to_runs(text) for text in engine.entries()] if engine.lists else []
    whole: list[tuple[TextRun, ...]] = []
    for place, paper in enumerate(engine.papers):
        entry = (entries and entries[place]) or (TextRun(reference_line(paper)),)
        number = "" if paper.doi or kind_of_work(paper) != "preprint" else paper.arxiv or ""
        if number not in characters_of(entry):
            entry = (*entry, TextRun(f" arXiv preprint arXiv:{number}."))
        whole.append(entry)
    return whole
