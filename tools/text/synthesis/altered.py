"""Whether a line alters what it was taken from, told by code from the words alone.

A line that is nearly a copy of a source line may drop a clause and take another word for the same
thing; what it may not do is count otherwise, claim more, or turn a comparison round. Nobody may be
named who is not named there, and what was put on to a true line must stand somewhere, too.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from tools.evidence.unsupported_numbers import unsupported_numbers
from tools.text.words import content_stems, distinct_content_stems, stem, tokens

NEARLY = 0.7
"""Share of a line's words, in order, that make a source line the one that it nearly copies."""
_FEWEST = 5
"""Words in common below which nothing is a copy."""
_CLAUSE = 3
"""Content words from which a clause says something by itself."""
_STRANGE = 0.2
"""Share of a clause's content words in the sources below which its meaning is asked for."""
_MEANS = 0.3
"""Cosine with the sources from which such a clause is other words for what they say."""

_MARKS = re.compile(
    r"(?:(?<=[^\W\d_]{4})|(?<=[.,;:)]))[⁰¹²³⁴-⁹]+"  # afternoons¹²
    r"|\(\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\)(?=[\s.,;:]|$)"  # afternoons (12).
    r"|</?[A-Za-z!][^<>]{0,500}>"
)
_NAME = r"[^\W\d_a-z][\w'’-]+"
_REPORTS = (
    r"(?:(?:have|has|had) )?(?:shows?|showed|shown|finds?|found|reports?|reported|proves?|proved|argues?|argued|"
    r"claims?|claimed|demonstrates?|demonstrated|concludes?|concluded|observes?|observed|suggests?|suggested|"
    r"proposes?|proposed|introduces?|introduced)\b"
)
_SPEAKERS = re.compile(
    rf"\b({_NAME})(?:(?:, {_NAME})*,? (?:and|&) ({_NAME}))?(?= et al\b|['’]s? et al\b)"
    rf"|^({_NAME}),? (?:and|&) ({_NAME})(?= {_REPORTS})"
    rf"|^({_NAME})(?= {_REPORTS})"
)
_NO_NAMES = frozenset(
    """we they it he she this that these those some many several others most all both each one authors results
    experiments studies researchers evidence work papers analyses analysis data two three""".split()  # noqa: SIM905
)
_COUNTS = {
    word: meant
    for meant, words in {
        "0.5": "half halve halves halved halving",
        "2x": "twice double doubles doubled doubling twofold",
        "3x": "thrice triple triples tripled threefold",
        "1/3": "third thirds", "1/4": "quarter quarters", "1/5": "fifth fifths", "1/10": "tenth tenths",
        "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight",
        "9": "nine", "10": "ten", "11": "eleven", "12": "twelve", "20": "twenty", "once": "once",
        "6th": "sixth sixths", "7th": "seventh", "8th": "eighth eighths", "9th": "ninth", "11th": "eleventh",
        "12th": "twelfth",
        "hundred": "hundred hundreds", "thousand": "thousand thousands", "million": "million millions",
        "billion": "billion billions", "%": "percent percentage", "degrees": "degree degrees",
        "all": "all every everyone everything always",
        "no": "no not none never nobody nothing neither nor cannot without",
        "sure": "certainly definitely undoubtedly proven proves proved guaranteed guarantees",
    }.items()
    for word in words.split()
}  # fmt: skip
"""Words that say how many, how much and how surely; those of one meaning stand for each other."""
_TWICE, _THRICE = re.compile(r"\b(?:2|two) times\b"), re.compile(r"\b(?:3|three) times\b")
_ONE = re.compile(r"\bone[- ](?=third|quarter|fifth|tenth|half|hundred|thousand|million|percent)")
_HEDGES = frozenset(["may", "might", "perhaps", "possibly", "likely", "unlikely"])
_NEGATIONS = frozenset(["no", "not", "none", "never", "neither", "nor", "cannot", "without"])
_TIGHT = 3
"""Words left out between two that stay; a clause is longer."""
_PIVOTS = frozenset(
    stem(word) for word in ("than", "outperforms", "beats", "exceeds", "surpasses", "precedes")
)
_WORD = re.compile(r"[^\W_]+")
_NAMELIKE = re.compile(r"(?<![^\W_])[^\W\d_a-z][^\W_]*")
_STANDS = frozenset(
    """a an the this that these those it they we our its their such both one here he she his her another other all
    most many some several each in on at for with by to from as of when while if after before""".split()  # noqa: SIM905
)
"""Words of a start that stands for something else, or is no subject."""
_DIGITS = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w])")


def altered(text: str, lines: Sequence[str], known: Collection[str]) -> bool:
    """Whether a line nearly copies one of these source lines, and alters what it says.

    Args:
        text: The line.
        lines: The source lines that it rests on, without citations.
        known: The stems of all that the text was made from.
    """
    said = "\n".join(lines)
    for line in lines:
        if _turned(text, line):
            return True
        if not copies(text, line):
            continue
        if _counts(text) - _counts(said) or unsupported_numbers(text, said):
            return True
        if _dropped(text, line, _HEDGES) or _dropped(text, line, _NEGATIONS):
            return True
        if _swapped_names(text, line, said) or _other_subject(text, line, known):
            return True
    return False


def misnamed(text: str, around: str) -> bool:
    """Whether a line has somebody speak, or shows a mark, that is nowhere in these texts."""
    there = {word.removesuffix("'s") for word in tokens(around.replace("’", "'"))}
    for found in _SPEAKERS.finditer(text):
        names = [
            name.lower().replace("’", "'").removesuffix("'s") for name in found.groups() if name
        ]
        if any(name not in there and name not in _NO_NAMES for name in names):
            return True
    return any(found.group() not in around for found in _MARKS.finditer(text))


def grafted(text: str, around: str, near: Callable[[str], float]) -> bool:
    """Whether a clause of a line has neither words nor meaning of these texts.

    Args:
        text: The line.
        around: The texts.
        near: Returns the cosine of a clause with what the line rests on.
    """
    there = distinct_content_stems(around)
    for clause in _clauses(text):
        stems = distinct_content_stems(clause)
        strange = len(stems) >= _CLAUSE and len(stems & there) <= _STRANGE * len(stems)
        if strange and near(clause) < _MEANS:
            return True
    return False


def _clauses(text: str) -> Iterator[str]:
    parts = re.split(r"[,;:–—()]\s*|\s(?:and|but|while|whereas|because|which|who|so that)\s", text)
    if len(parts) > 1:
        yield from filter(None, parts)


def copies(text: str, line: str) -> bool:
    """Whether a line nearly is a source line, or a part of it."""
    from rapidfuzz.distance import LCSseq

    wanted = tokens(text)
    same = LCSseq.similarity(wanted, tokens(line))
    return bool(same >= _FEWEST and same >= NEARLY * len(wanted))


def _counts(text: str) -> set[str]:
    folded = text.lower().replace("%", " percent ").replace("-", " ")
    folded = _THRICE.sub("thrice", _TWICE.sub("twice", folded))
    found = {_COUNTS[word] for word in tokens(folded) if word in _COUNTS}
    digits = {item.replace(",", "") for item in _DIGITS.findall(folded)}
    found |= {item for item in digits if item.isdigit() and int(item) <= 12}
    return found | {f"1 {word.group()}" for word in _ONE.finditer(folded.replace("-", " "))}


def _dropped(text: str, line: str, signs: Collection[str]) -> bool:
    """Whether a line leaves out one of these words from amid words that it keeps."""
    wanted, there = tokens(text), tokens(line)
    if any(word in signs for word in wanted) or not any(word in signs for word in there):
        return False
    blocks = SequenceMatcher(None, there, wanted, autojunk=False).get_matching_blocks()[:-1]
    gaps = (there[one.a + one.size : other.a] for one, other in pairwise(blocks))
    return any(len(gap) <= _TIGHT and any(word in signs for word in gap) for gap in gaps)


def _swapped_names(text: str, line: str, said: str) -> bool:
    """Whether a name of the source line has given way to one that the line rests on nowhere."""
    there, here = set(_WORD.findall(said.lower())), set(_WORD.findall(text.lower()))
    strange = [name for name in _names(text) if name.lower() not in there]
    return bool(strange) and any(name.lower() not in here for name in _names(line))


def _names(text: str) -> list[str]:
    """Return words written like names, the first of the sentence only where it is like 'BERT'."""
    return [
        found.group()
        for found in _NAMELIKE.finditer(text)
        if found.group()[0].isupper()
        and (found.start() or sum(map(str.isupper, found.group())) > 1)
    ]


def _other_subject(text: str, line: str, known: Collection[str]) -> bool:
    """Whether a line says of one thing of the sources what the source line says of another.

    A subject that stands for one named before ('it', 'the method') may be given its name.
    """
    here, there = _lead(text, line)
    if not here or not there or (set(here) | set(there)) & _STANDS:
        return False
    new, old = distinct_content_stems(" ".join(here)), distinct_content_stems(" ".join(there))
    if (
        not new
        or not old
        or new & distinct_content_stems(line)
        or old & distinct_content_stems(text)
    ):
        return False
    return all(item in known for item in new)


def _lead(text: str, line: str) -> tuple[list[str], list[str]]:
    """Return the words of each that stand before the first that they have in common."""
    here, there = tokens(text), tokens(line)
    shared = set(here) & set(there)
    starts = [
        next((at for at, word in enumerate(words) if word in shared), 0) for words in (here, there)
    ]
    return here[: starts[0]], there[: starts[1]]


def _turned(text: str, line: str) -> bool:
    """Whether what a comparison sets against each other has changed places."""
    here, there = _sides(text), _sides(line)
    if here is None or there is None or here[0] != there[0]:
        return False
    (left, right), (first, last) = here[1:], there[1:]
    both = first & last
    return bool(left & (last - both)) and bool(right & (first - both))


def _sides(text: str) -> tuple[str, set[str], set[str]] | None:
    """Return the comparison that a line makes, and the content words on each side of it."""
    words = tokens(text)
    places = [place for place, word in enumerate(words) if stem(word) in _PIVOTS]
    if len(places) != 1:
        return None
    at = places[0]
    way = f"{words[at - 1] if at and words[at] == 'than' else ''} {stem(words[at])}"
    left, right = " ".join(words[:at]), " ".join(words[at + 1 :])
    return way, set(content_stems(left)), set(content_stems(right))
