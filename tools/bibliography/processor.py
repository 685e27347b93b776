"""Papers printed in a citation style: entries of the list, and how the text cites each.

What the processor leaves open is settled here: letters for works of one year and author, which agree
between text and list; authors and dates that are missing; preprints that a style has no place for.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from state.paper import Paper
from tools.bibliography.csl_items import Letter
from tools.bibliography.engine import Engine
from tools.bibliography.keys import letters
from tools.bibliography.kinds import kind_of_work
from tools.bibliography.runs import Run, plain, to_runs
from tools.bibliography.style import CitationStyle
from tools.bibliography.write_csl import reference_line
from tools.errors import InputError, kind_of
from tools.program import logger_of

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
    entry: tuple[Run, ...]
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
        logger.info("the style %s is used without changes of case: %s", style.name, kind_of(error))
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
        sorts_citations=engine.sorts_citations, before=before or "(",
        between=between or ("; " if by_author else ", "), after=after or ")",
    )  # fmt: skip


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
        re.search(rf"[\d-]{engine.letters[place].text}\b", plain(entries[place]))
        for place in places
    )


def _cites(engine: Engine) -> list[Cite]:
    if not engine.style.by_author:
        return [Cite()] * len(engine.papers)
    no_dates = "|".join(re.escape(term) for term in engine.no_dates)
    year = re.compile(rf"[\s,(\[]*((?:\d{{4}}|{no_dates})-?[a-z]{{0,2}})[)\]]?$")
    found = [(text, year.search(text)) for text in engine.in_text()]
    return [Cite(text, text[: at.start()], at[1]) if at else Cite(text) for text, at in found]


def _entries(engine: Engine) -> list[tuple[Run, ...]]:
    """Return the entries; the number of a preprint is added where the style does not print it."""
    entries = [to_runs(text) for text in engine.entries()] if engine.lists else []
    whole: list[tuple[Run, ...]] = []
    for place, paper in enumerate(engine.papers):
        entry = (entries and entries[place]) or (Run(reference_line(paper)),)
        number = "" if paper.doi or kind_of_work(paper) != "preprint" else paper.arxiv or ""
        if number not in plain(entry):
            entry = (*entry, Run(f" arXiv preprint arXiv:{number}."))
        whole.append(entry)
    return whole
