"""What the authors' own section gives: its plain words, and the plan that it follows."""

import re
from dataclasses import dataclass

from evals.writing.cases import Case, GoldSentence
from state.writing import MARKER
from tools.text.sentences import split_sentences

MOST_LINES = 60
"""As many as a plan may have."""
LEAST_WORDS = 10
"""As few as a plan may ask for."""
_NUMBERS = re.compile(r"\[(\d+(?:\s*[,;–-]\s*\d+)*)\]")
_OPENING = r"(?:e\.g\.,?\s*|i\.e\.,?\s*|see(?: also)?\s+|cf\.\s*)?"
_WORK = (
    rf"{_OPENING}(?:(?:de|del|den|der|di|la|le|van|von)\s+)*[A-Z][^;()\[\]]*?(?:,|et al\.?,?)\s*"
)
_YEAR = r"(?:1[89]|20)\d\d[a-z]?"
_NAMED = re.compile(
    rf"[(\[]{_WORK}{_YEAR}(?:,\s*{_YEAR})*(?:\s*;\s*(?:{_WORK})?{_YEAR}(?:,\s*{_YEAR})*)*[)\]]"
)
_AFTER_NAME = re.compile(rf"(?<=[\w.’'])\s*[(\[]{_YEAR}(?:\s*[,;]\s*{_YEAR})*[)\]]")
_BEFORE_STOP = re.compile(r"\s+(?=[.,;:!?)])")


def without_marks(text: str) -> str:
    """Return a text without its citation marks: `[3, 4]`, `(Ng, 2016; Wu et al., 2018)`, `Ng (2016)`.

    The names that are part of a sentence stay, as they do in what CiteLoom writes.
    """
    for marks in (_NUMBERS, _NAMED, _AFTER_NAME):
        text = marks.sub("", text)
    return _BEFORE_STOP.sub("", " ".join(text.split()))


def without_markers(text: str) -> str:
    """Return a text of CiteLoom's without the markers of its citations, such as {P3}."""
    return _BEFORE_STOP.sub("", " ".join(MARKER.sub("", text).split()))


@dataclass(frozen=True, kw_only=True)
class ForcedPlan:
    """The plan that the gold follows: as many sentences and words, the papers in their places."""

    text: str
    """As a user would write it."""
    cites: tuple[frozenset[str], ...]
    """Ids of the papers to be cited, sentence by sentence."""
    words: int
    left_out: int
    """Places in which the gold cites a paper without an abstract, or one that the data lacks."""


def forced_plan(case: Case) -> ForcedPlan | str:
    """Return the plan of the gold, or why there is none.

    Papers without an abstract have no place in it: nothing that is said of them could be checked.
    """
    sentences = case.sentences or _divided(case)
    if not sentences:
        return "the data does not say which sentence cites which paper"
    if len(sentences) > MOST_LINES:
        return f"the gold has {len(sentences)} sentences; a plan has at most {MOST_LINES}"
    lines: dict[int, list[int]] = {}
    cites: list[frozenset[str]] = []
    left_out = 0
    for number, sentence in enumerate(sentences, 1):
        places = {case.places[key] for key in sentence.cites if key in case.places}
        places = {place for place in places if case.papers[place].abstract}
        left_out += len(sentence.cites) - len(places)
        cites.append(frozenset(case.papers[place].id for place in places))
        for place in places:
            lines.setdefault(place, []).append(number)
    if not lines:
        return "the gold cites no paper that has an abstract"
    words = max(sum(_length(sentence) for sentence in sentences), LEAST_WORDS)
    text = f"{len(sentences)} sentences in {words} words.\n" + "\n".join(
        f"Cite [{place + 1}] on {_on(lines[place])}." for place in sorted(lines)
    )
    return ForcedPlan(text=text, cites=tuple(cites), words=words, left_out=left_out)


def _divided(case: Case) -> tuple[GoldSentence, ...]:
    """Divide the gold itself, where it cites by the numbers that the data knows papers by."""
    found = tuple(
        GoldSentence(
            text=span.text, cites=tuple(key for key in _keys(span.text) if key in case.places)
        )
        for paragraph in case.gold.split("\n")
        for span in split_sentences(paragraph)
    )
    return found if any(sentence.cites for sentence in found) else ()


def _keys(text: str) -> list[str]:
    keys: list[str] = []
    for group in _NUMBERS.findall(text):
        for part in re.split(r"\s*[,;]\s*", group):
            ends = [int(end) for end in re.findall(r"\d+", part)]
            keys += map(str, range(ends[0], ends[-1] + 1))
    return list(dict.fromkeys(keys))


def _length(sentence: GoldSentence) -> int:
    return len(without_marks(sentence.text).split())


def _on(numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    return f"lines {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
