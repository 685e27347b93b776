"""Which part of a sentence speaks of which cited paper."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from state.paper import Paper, title_key
from state.writing import MARKER
from tools.text.words import content_stems

_BREAK = re.compile(
    r"(?:, |; |: )(?:and,? )?(?:while|whereas|and|but|in contrast|by contrast|by comparison|in a similar spirit|"
    r"likewise|similarly)?\b(?:, )?|(?: while | whereas )"
)
_LEAD = re.compile(
    r"^(?:similarly|in the same vein|along similar lines|in a related effort|by contrast|in contrast|taking a "
    r"different route|from another angle|in later work|subsequently|more recently|while|whereas|likewise|by comparison|and|in a "
    r"similar spirit|in the words of|also of relevance is(?: the work of)?|the subject of|a further study,? (?:by|is)|(?:most closely related is work on|closest to the present work are studies of|a \w+ line "
    r"of work concerns|another strand of research is concerned with|turning to) [^:,]+)\b[,:]?\s*",
    re.IGNORECASE,
)
_REPORT = re.compile(
    r"^(?:they |the work |also |further )*(?:introduces?|proposes?|presents?|describes?|develops?|reviews?|surveys?|"
    r"examines?|investigates?|stud(?:y|ies)|shows?|finds?|reports?(?: on)?|demonstrates?|notes?|observes?|"
    r"explains?|points? out|puts? forward|puts? it as follows|builds?|devises?|writes? under the title|writes?|"
    r"states?|address(?:es)?|contributes?)(?: that|:)?\s+",
    re.IGNORECASE,
)
_TRAILING = re.compile(r"(?:[ ,;]+(?:and|or|as well as))+$")
_OWN = re.compile(
    r"[\s,;:]*(?:(?:and|but|yet|while|whereas|so|in contrast)[\s,]+)*(?:we|ours?)\b", re.IGNORECASE
)
_NAME = (
    r"(?:(?:van|von|de|der|den|del|della|di|da|dos|la|le|ter|ten)\s+){0,3}[A-Z][\w'’-]+"
    r"(?:\s+(?:and\s+[A-Z][\w'’-]+|et al\.))?\s*"
)
_JOINED = re.compile(
    rf"[\s,;()]*(?:(?:as well as|and|or|&)\s*)?|\s*,\s*{_NAME}|\s*(?:and|or|&|as well as)\s+{_NAME}"
)
_JOINED_LAST = re.compile(rf"\s*,\s*(?:and|or)\s+{_NAME}")


def claim_of(sentence: str, key: str, name: str) -> str:
    """Return what a sentence says of the paper under `key`, without names, markers and connectives.

    The sentence is cut between two citations at the last comma, semicolon, colon, 'while' or
    'whereas' before the next paper's name; a part without a citation belongs to the one before it.
    Citations with nothing but names between them ('{P1}, {P2}', 'Lee {P1} and Kim {P2}') share
    one part.
    """
    marks = _groups(sentence)
    place = next((index for index, mark in enumerate(marks) if key in mark.keys), None)
    if place is None:
        return ""
    start = _cut(sentence, marks[place - 1].end, marks[place].start) if place else 0
    end = (
        _cut(sentence, marks[place].end, marks[place + 1].start)
        if place + 1 < len(marks)
        else len(sentence)
    )
    part = MARKER.sub(" ", sentence[start:end])
    while found := _LEAD.match(part.strip(" ,;:.")):
        if not found.group():
            break
        part = part.strip(" ,;:.")[found.end() :]
    part = " ".join(part.replace(name, " ").split()).strip(" ,;:.")
    return _REPORT.sub("", _TRAILING.sub("", part).strip(" ,;:."))


def of_others(part: str) -> str:
    """Leave out clauses whose subject is the text's own authors, which no cited paper has to bear out."""
    starts = [0, *(found.start() for found in _BREAK.finditer(part)), len(part)]
    clauses = [part[at:to] for at, to in pairwise(starts)]
    return "".join(clause for clause in clauses if not _OWN.match(clause))


@dataclass(frozen=True, slots=True)
class _Group:
    keys: tuple[str, ...]
    start: int
    end: int


def _groups(sentence: str) -> list[_Group]:
    groups: list[_Group] = []
    for mark in MARKER.finditer(sentence):
        last = groups[-1] if groups else None
        if last and _joined(sentence, last, mark.start()):
            groups[-1] = _Group((*last.keys, mark[1]), last.start, mark.end())
        else:
            groups.append(_Group((mark[1],), mark.start(), mark.end()))
    return groups


def _joined(sentence: str, last: _Group, start: int) -> bool:
    # ', and Kim' may begin a clause of Kim's own, but not behind 'Lee {P1}, Park {P2}'.
    listed = len(last.keys) > 1 and _JOINED_LAST.fullmatch(sentence, last.end, start)
    return bool(listed or _JOINED.fullmatch(sentence, last.end, start))


def _cut(sentence: str, start: int, end: int) -> int:
    """Return where the clause before a citation ends: the last break, or the citation's own start."""
    breaks = [found.start() for found in _BREAK.finditer(sentence, start, end)]
    return breaks[-1] if breaks else end


def claims_of(sentence: str, papers: Mapping[str, Paper]) -> dict[str, str]:
    """Return what a sentence says of each of these papers that it cites.

    Where too little stands beside a citation to be checked, the whole sentence is the claim.
    """
    claims: dict[str, str] = {}
    for key in dict.fromkeys(MARKER.findall(sentence)):
        if key in papers:
            claim = claim_of(sentence, key, papers[key].citation)
            if len(set(content_stems(claim))) < _LEAST:
                claim = " ".join(MARKER.sub(" ", sentence).split())
            claims[key] = claim
    return claims


_LEAST = 2
"""Distinct content words of a claim that can be checked."""
_STRONG_BREAK = re.compile(r"[;:]|, (?:but|and) |\b(?:while|whereas)\b")
_FAMILY = (
    r"(?:(?:van|von|de|der|den|del|della|di|da|dos|la|le|ter|ten)\s+){0,3}"
    r"[^\W\d_a-z][^\W\d_]*(?:[-'’][^\W\d_]{2,}){0,3}"
)
_ET_AL = re.compile(rf"\b({_FAMILY})(?:,| and [A-Z][\w'’-]+,?)? et al\b")
_TWO = re.compile(rf"\b({_FAMILY}) (?:and|&) ({_FAMILY})(?:['’]s?)?\s*$")
_ONE = re.compile(rf"\b({_FAMILY})(?:['’]s?)?\s*$")


def name_fault(sentence: str, key: str, paper: Paper, others: Iterable[Paper] = ()) -> str | None:
    """Return what is wrong with the authors named before a paper's marker, or None.

    'Lewis et al. {P3}' must be by a Lewis. Two names, or a single one, may as well be of systems
    ('BERT and RoBERTa {P3}'): they count as authors where another paper at hand is by them, two
    also where a verb of reporting follows the marker and the paper's text does not have them.

    Args:
        sentence: The sentence with markers.
        key: The paper's key.
        paper: The paper; nothing can be said of one whose authors are unknown.
        others: Papers at hand, whose authors are known for authors.
    """
    own = _families([paper])
    if not own:
        return None
    theirs = _families(others) - own
    start = 0
    for mark in MARKER.finditer(sentence):
        if mark[1] == key:
            before = _STRONG_BREAK.split(sentence[start : mark.start()])[-1]
            named = _misnamed(before, sentence[mark.end() :], own, theirs, title_key(paper.text))
            if named:
                return f"it names {named} before {{{key}}}, which is by {paper.citation}"
        start = mark.end()
    return None


def _misnamed(before: str, after: str, own: set[str], theirs: set[str], text: str) -> str | None:
    found = _ET_AL.findall(before)
    if any(_parts(word) & own for word in re.findall(_FAMILY, before)):
        return None
    if found:
        return f"{found[-1]} et al."
    if two := _TWO.search(before):
        known = _parts(two[1]) & theirs and _parts(two[2]) & theirs
        reporting = _REPORT.match(f"{after.strip()} ")
        foreign = not any(title_key(two[place]) in text for place in (1, 2))
        return f"{two[1]} and {two[2]}" if known or (reporting and foreign) else None
    one = _ONE.search(before)
    return one[1] if one and _parts(one[1]) & theirs and title_key(one[1]) not in text else None


def _families(papers: Iterable[Paper]) -> set[str]:
    return {part for paper in papers for author in paper.authors for part in _parts(author.family)}


def _parts(name: str) -> set[str]:
    """The words of a family name but its particles, for comparison: 'de la Cruz-Diaz' is 'cruzdiaz'."""
    words = [title_key(word) for word in name.split() if not word[:1].islower()]
    return {word for word in (*words, "".join(words)) if len(word) > 1}
