"""Is this text, which a user pasted, the title or abstract of a paper that is here?"""

import re
import unicodedata
from collections.abc import Sequence

from rapidfuzz import fuzz

from state.paper import Paper, title_key

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
    new = _introduced(abstract)
    return next((paper.id for paper in candidates if _system(paper) in new), None)


def _introduced(text: str) -> set[str]:
    """The names of systems that a text says it introduces: 'we present PaperQA'."""
    return {found[1].casefold() for found in _INTRODUCES.finditer(text)}


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
    letters = "".join(char for char in folded if not unicodedata.combining(char))
    return " ".join(re.findall(r"\w+", letters))
