"""Papers printed in a citation style: entries of the list, and how the text cites each.

What the processor leaves open is settled here: letters for works of one year and author, which agree
between text and list; authors and dates that are missing; preprints that a style has no place for.
"""

import logging
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from state.paper import Paper
from tools.bibliography.csl_items import Asked, short_title
from tools.bibliography.engine import Engine
from tools.bibliography.keys import letters
from tools.bibliography.kinds import kind_of_work
from tools.bibliography.runs import NUMBER, Run, plain, to_runs
from tools.bibliography.style import CitationStyle
from tools.bibliography.write_csl import reference_line
from tools.errors import InputError

logger = logging.getLogger(f"citeloom.{__name__}")

_MARKS = "[\ue001-\ue00c]*"


@dataclass(frozen=True, slots=True)
class Cite:
    """How the text cites one paper, without the brackets."""

    text: str = ""
    """Such as 'Lewis et al., 2020' or a label; empty where a number is printed."""
    author: str = ""
    year: str = ""


@dataclass(frozen=True, slots=True)
class StyledList:
    """Papers as a style prints them."""

    style: CitationStyle
    order: tuple[int, ...]
    """The papers' places, in the order of the reference list."""
    entries: tuple[tuple[Run, ...], ...]
    """The entry of each paper, in the order given, without its number."""
    cites: tuple[Cite, ...]
    """How each paper is cited, in the order given."""
    ranks: tuple[int, ...]
    """Where each paper stands among others in one citation; 0 for all where the text decides."""
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
        logger.info("the style %s is used without changes of case: %s", style.name, error)
        return _print(Engine(style, re.sub(rb' text-case="[a-z-]*"', b"", style.xml), papers))


def _print(engine: Engine) -> StyledList:
    style = engine.style
    _name_the_nameless(engine)
    order = engine.list_order()
    _tell_apart(engine, order)
    before, between, after = engine.around
    if not style.by_author:
        before, after = _number_form(engine)
    turns = engine.citation_order(order) if style.by_author else ()
    return StyledList(
        style=style, order=order, entries=tuple(_entries(engine)), cites=_cites(engine),
        ranks=tuple(turns.index(place) if turns else 0 for place in range(len(order))),
        before=before or "(", between=between or ("; " if style.by_author else ", "),
        after=after or ")",
    )  # fmt: skip


def _name_the_nameless(engine: Engine) -> None:
    """Let a title stand for authors that are missing, where the style puts nothing there."""
    if not engine.style.by_author or all(paper.authors for paper in engine.papers):
        return
    for place, text in enumerate(engine.in_text()):
        paper = engine.papers[place]
        title = short_title(paper.title)
        if not paper.authors and title[:12].casefold() not in text.casefold():
            engine.asked[place] = Asked(named=f"“{title}”")


def _tell_apart(engine: Engine, order: Sequence[int]) -> None:
    """Give letters to papers that the text would cite alike, in the order of the list."""
    if engine.style.kind in {"numeric", "note"}:
        return
    inner = engine.in_text()
    twice = {text for text, times in Counter(inner).items() if times > 1}
    places = [place for place in order if inner[place] in twice]
    if not places:
        return
    # Also where the style does not ask for letters: a reader must know which paper is meant.
    with_letters = engine.style.kind != "author"
    given = {text: map(letters, count()) for text in twice}
    for place in places:
        letter = next(given[inner[place]]) if with_letters else ""
        engine.asked[place] = replace(engine.asked[place], ambiguous=True, letter=letter)
    if with_letters and not _apart(engine, places):
        for place in places:
            engine.asked[place] = replace(engine.asked[place], explicit=False)


def _apart(engine: Engine, places: Sequence[int]) -> bool:
    """Whether the letters show in the text and in the list, as the style prints them."""
    now = engine.in_text()
    if len({now[place] for place in places}) < len(places):
        return False
    if engine.style.kind == "label":
        return True
    entries = [plain(entry) for entry in _entries(engine)]
    return all(
        re.search(rf"[\d-]{engine.asked[place].letter}\b", entries[place]) for place in places
    )


def _cites(engine: Engine) -> tuple[Cite, ...]:
    if engine.style.kind in {"numeric", "note"}:
        return tuple(Cite() for _ in engine.papers)
    inner = engine.in_text()
    if engine.style.kind == "label":
        return tuple(Cite(text.strip("[]()")) for text in inner)
    no_dates = "|".join(re.escape(term) for term in engine.no_dates)
    year = re.compile(rf"[\s,(\[]*((?:\d{{4}}|{no_dates})-?[a-z]{{0,2}})[)\]]?$")
    found = [(text, year.search(text)) for text in inner]
    return tuple(
        Cite(text, text[: at.start()], at[1]) if at else Cite(text, text) for text, at in found
    )


def _entries(engine: Engine) -> list[tuple[Run, ...]]:
    """Return the entries; a preprint whose number the style does not print is printed as an article."""
    entries = _printed(engine)
    lost = [
        place
        for place, (paper, entry) in enumerate(zip(engine.papers, entries, strict=True))
        if paper.arxiv and not paper.doi and kind_of_work(paper) == "preprint"
        and paper.arxiv not in plain(entry) and not engine.asked[place].in_journal
    ]  # fmt: skip
    for place in lost:
        engine.asked[place] = replace(engine.asked[place], in_journal=True)
    return _printed(engine) if lost else entries


def _printed(engine: Engine) -> list[tuple[Run, ...]]:
    lines = [(Run(reference_line(paper)),) for paper in engine.papers]
    if not engine.lists:
        return list(lines)
    return [
        to_runs(_once(text, paper.title)) or line
        for text, paper, line in zip(engine.entries(), engine.papers, lines, strict=True)
    ]


def _number_form(engine: Engine) -> tuple[str, str]:
    """What stands before and behind numbers in the text: raised ones get brackets."""
    if engine.style.kind != "numeric" or not engine.papers:
        return "[", "]"
    before, found, after = plain(to_runs(engine.number())).partition(NUMBER)
    if not (found and before and after) or len(before) > 2 or len(after) > 2:
        return "[", "]"
    return before, after


def _once(text: str, title: str) -> str:
    """Return an entry whose title stands for its authors without the title's second place."""
    bare = re.sub(_MARKS, "", text)
    words = title.rstrip(".").casefold()
    if bare.casefold().count(words) < 2 or bare.casefold().find(words) > 3:
        return text
    pattern = _MARKS.join(map(re.escape, title.rstrip(".")))
    places = list(re.finditer(pattern, text, re.IGNORECASE))
    if len(places) < 2:
        return text
    rest = re.sub(rf"^({_MARKS})\.", r"\1", text[places[1].end() :])
    kept = re.sub(rf"“{_MARKS}[.,]?{_MARKS}” ?", "", text[: places[1].start()] + rest)
    return re.sub(rf"\s+({_MARKS})$", r"\1", re.sub(rf" ({_MARKS}) ", r"\1 ", kept))
