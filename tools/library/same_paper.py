"""Whether a pasted text, or an entry of a list, is a paper of the library: rather none than a wrong one."""

import re
import unicodedata
from collections.abc import Sequence

from rapidfuzz import fuzz

from state.bibliography import ReferenceEntry
from state.paper import Paper, canonical_id, title_key

_TELLING = 15  # characters of a title key below which a title alone says little
_WHOLE = 90.0  # similarity in percent of two abstracts that differ by small edits
_PART = 95.0  # of a shortened abstract, or of one pasted with its title, to the part it matches
_PART_LENGTH = 200  # characters below which a part may be a common phrase
_RELATED = 60.0  # of the abstracts, where the titles differ a little ("Part I", "Part II")
_TITLE = 95.0
# A made-up name has a capital or digit after its first letter, or a hyphen.
_INTRODUCES = re.compile(
    r"\b(?:[Ww]e|[Tt]his (?:paper|work|article)) (?:\w+ly )?(?:introduces?|presents?|proposes?|develops?) "
    r"(?:[\w-]+ ){0,3}?([A-Za-z][\w-]*[A-Z0-9][\w-]*)"
)


def find_same_work(title: str, abstract: str, candidates: Sequence[Paper]) -> str | None:
    """Return the id of the first candidate with the same abstract, else with the same title.

    The thresholds hold for letters and digits only, without case, accents and punctuation.
    """
    given = _normal(abstract)
    for paper in candidates:
        if _same_abstract(given, _abstract_of(paper)):
            return paper.id
    # A user may paste a title where an abstract is expected.
    for named in (title, abstract):
        for paper in candidates:
            if _same_title(named, given, paper):
                return paper.id
    # Systems that the text says it introduces: 'we present PaperQA'.
    new = {found[1].casefold() for found in _INTRODUCES.finditer(abstract)}
    return next((paper.id for paper in candidates if _system(paper) in new), None)


def _system(paper: Paper) -> str:
    """The name before the colon of a title such as 'PaperQA: Retrieval-Augmented ...'."""
    name, colon, _ = paper.title.partition(":")
    return name.strip().casefold() if colon and " " not in name.strip() else "\0"


def _same_abstract(given: str, known: str) -> bool:
    if len(given) < _TELLING or len(known) < _TELLING:
        return False
    # With a cut-off, what cannot reach it is given up early: a tenth of the time.
    if fuzz.ratio(given, known, score_cutoff=_WHOLE) >= _WHOLE:
        return True
    if min(len(given), len(known)) < _PART_LENGTH:
        return False
    return fuzz.partial_ratio(given, known, score_cutoff=_PART) >= _PART


def _same_title(title: str, abstract: str, paper: Paper) -> bool:
    key, known = title_key(title), title_key(paper.title)
    if len(key) < _TELLING:
        return False
    if key == known:
        return True
    theirs = _abstract_of(paper)
    return bool(
        abstract
        and theirs
        and fuzz.ratio(key, known) >= _TITLE
        and fuzz.ratio(abstract, theirs) >= _RELATED
    )


def _abstract_of(paper: Paper) -> str:
    return _normal(paper.abstract or "") if paper.abstract_kind == "abstract" else ""


def _normal(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text).casefold()
    letters = (char for char in folded if not unicodedata.combining(char))
    return " ".join("".join(char if char.isalnum() else " " for char in letters).split())


_TELLING_TITLE, _ALONE = 15, 30
"""Letters of a title that names a work together with its first author or year, and by itself."""
_SPELT = 96.0
"""Percent of equal letters from which a title is that of the paper whose id is printed."""


def keys_of(entry: ReferenceEntry) -> tuple[str | None, str | None]:
    """Return under which id, and which title's key, an entry's work may be found."""
    given = f"doi:{entry.doi}" if entry.doi else f"arxiv:{entry.arxiv}" if entry.arxiv else None
    title = title_key(entry.title or "")
    return given and canonical_id(given), title if len(title) >= _TELLING_TITLE else None


def entry_is_paper(printed: str, record: str) -> bool:
    """Whether an entry names a paper, both in JSON; as an SQL function it chooses among candidates.

    An id may be printed or read wrongly, so that the title must be the paper's, too. Without a shared
    id titles are equal, first author and year do not differ (a year apart is allowed, for preprints
    two), and no two DOIs of publications do.
    """
    entry = ReferenceEntry.model_validate_json(printed)
    paper = Paper.model_validate_json(record)
    title, own = title_key(entry.title or entry.text), title_key(paper.title)
    if keys_of(entry)[0] in (paper.id, *paper.aliases):
        one, other = sorted((title, own), key=len)
        return fuzz.ratio(title, own) >= _SPELT or (len(one) >= _TELLING_TITLE and one in other)
    families = [_family(work) for work in (entry, paper)]
    years = [year for year in (entry.year, paper.year) if year is not None]
    apart = max(years, default=0) - min(years, default=0)
    preprint = bool(entry.arxiv or paper.arxiv)
    dois = entry.doi and paper.doi and not preprint
    known = all(families) or len(years) == 2 or len(own) >= _ALONE
    return (
        title == own
        and known
        and not dois
        and apart <= 1 + preprint
        and (families[0] == families[1] or not all(families))
    )


def _family(work: ReferenceEntry | Paper) -> str:
    """Return the last word of the first author's family name, without particles."""
    words = work.authors[0].family.split() if work.authors else []
    return title_key("".join(words[-1:]))
