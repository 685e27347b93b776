"""What a plan counts and where it points: '5 sentences', '120 words in all', 'on lines 1 and 3'.

The patterns expect text in which white space is single spaces and papers are markers, so each of
them looks at a character a bounded number of times.
"""

import re
from dataclasses import dataclass
from typing import Literal

from state.writing import MARKER
from tools.errors import InputError

Unit = Literal["paragraph", "sentence", "word"]
Each = Literal["", "paragraph", "sentence"]

_NUMBERS = {
    name: number
    for number, name in enumerate(
        (
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ),
        start=2,
    )
}
ORDINALS = {
    name: number
    for number, name in enumerate(
        ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
        start=1,
    )
}  # fmt: skip
_NUM = rf"(?:\d{{1,9}}|{'|'.join(_NUMBERS)})"
_EACH = r"each(?: (?:paragraph|sentence|line))?"
_COUNT = re.compile(
    rf"(?<![\w.,–—-])(?:(?P<before>{_EACH})(?: has| with| of| in| takes|:)? )?"
    rf"(?P<range>{_NUM} ?(?:-|–|—|to|or) ?)?"
    rf"(?P<number>\d{{1,3}}(?:,\d{{3}})+|{_NUM}) (?P<unit>paragraphs?|(?:sentences?|lines?)(?! of [^\d])|words?)\b"
    rf"(?: (?P<after>{_EACH}(?! (?:has|with|of|in|takes) \d)|(?:in|for) {_EACH}"
    r"|(?:per|an?|every) (?:paragraph|sentence|line)))?"
    r"(?: (?P<all>in all|in total|altogether|overall))?",
    re.IGNORECASE,
)
_WORK = r"(?! of (?!(?:the )?(?:\w+ )?paragraph))"
_N = r"\d{1,9}(?!\d)(?! (?:words?|sentences?|lines?|paragraphs?)\b)(?!,\d{3} words)"
_PLACE = re.compile(
    r"(?:\b(?:on|in|at|to|for) )?(?:\bthe )?\b(?:"
    rf"(?:lines?|sentences?) (?P<list>{_N}(?: ?(?:, ?and |, ?& ?|,|\band\b|&|-|–|—|\bto\b) ?{_N})*)"
    rf"|(?P<every>(?:all|each|every)(?: of)?(?: the)? (?:lines?|sentences?))\b{_WORK}"
    rf"|(?P<ordinal>{'|'.join(ORDINALS)}|last|\d{{1,2}}(?:st|nd|rd|th)) (?:line|sentence)\b{_WORK})"
    rf"(?:,? (?:of|in) (?:the )?(?:paragraph (?P<paragraph>\d{{1,3}})|(?P<nth>{'|'.join(ORDINALS)}) paragraph))?"
    r"(?: ?\(=(?P<words>\d{1,6})\))?",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"(\b(?:lines?|sentences?)(?: [\d ,and&–-]*\d)?(?:,? (?:of|in) paragraph \d{1,3})?) ?\((\d{1,6}) words?\)",
    re.IGNORECASE,
)
_FILLER = frozenset(
    """please generate produce write give make output text section related work review in using use
    with and by cite cites cited citing citation citations mention mentions refer refers referring to
    references reference should must is are a an of for on at as paper papers then also it all have
    has total words sentences lines about around approximately roughly most least up exactly long
    within the be plan following this that overall or so per each contains contain consisting
    everything whole altogether here now where paragraph paragraphs""".split()  # noqa: SIM905
)
# An order, not a report such as '[2] does not cite [1]'.
_DENIES = re.compile(
    r"(?:^|[.,;:] |\b(?:and|but|please) )(?:do not|don['’]t|never|avoid|not|without) "
    r"(?:cit(?:e|ing)|mention(?:ing)?|nam(?:e|ing)|refer(?:ring)? to|us(?:e|ing))(?: \w+){0,2} \{P\d",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class Count:
    """A number of paragraphs, sentences or words that is asked for."""

    number: int
    unit: Unit
    each: Each
    """What it is asked of: each paragraph, each sentence, or the whole ('')."""
    words: str
    """As the plan has it."""
    for_all: bool
    """Whether it says 'in all' or the like."""
    vague: bool = False
    """Whether it is a range, such as '3-5 sentences'."""


@dataclass(frozen=True, slots=True)
class Place:
    """Lines that papers or words are put on."""

    ranges: tuple[tuple[int, int], ...]
    """First and last line of each range; empty for every line, (-1, -1) for the last."""
    paragraph: int | None
    words: int | None
    shown: str
    start: int
    end: int


def take_counts(text: str) -> tuple[list[Count], str]:
    """Return what the text asks for, and the text without it."""
    counts: list[Count] = []
    rest: list[str] = []
    end = 0
    before: Unit | None = None
    for found in _COUNT.finditer(text):
        between = text[end : found.start()]
        linked = between.strip().lower() in {"of", "with", "having", "of exactly"}
        count = _count(found, before if linked and counts else None)
        counts.append(count)
        rest.append("" if linked and len(counts) > 1 else between)
        end, before = found.end(), count.unit
    return counts, " ".join("".join([*rest, text[end:]]).split())


def _count(found: re.Match[str], of: Unit | None) -> Count:
    unit = _unit(found["unit"])
    word = (found["before"] or found["after"] or "").lower()
    each: Each = ""
    if word:
        named = "paragraph" if "paragraph" in word else "sentence"
        bare = word.endswith("each")
        each = "paragraph" if named == "paragraph" or (bare and unit == "sentence") else "sentence"
    elif of == "paragraph":
        each = "paragraph"
    elif of == "sentence" and unit == "word":
        each = "sentence"
    return Count(
        number_of(found["number"]), unit, each, found[0].strip(), bool(found["all"]),
        vague=bool(found["range"]),
    )  # fmt: skip


def _unit(word: str) -> Unit:
    return (
        "paragraph" if word.lower().startswith("p") else "word" if word[0] in "wW" else "sentence"
    )


def number_of(word: str) -> int:
    """Return the number that digits or a word stand for."""
    return _NUMBERS.get(word.lower()) or int(word.replace(",", ""))


def bind_words(text: str) -> str:
    """Mark the words of single lines, 'line 1 (20 words)', so that they are not counted as the plan's."""
    return _BOUND.sub(r"\1 (=\2)", text)


def places(text: str) -> list[Place]:
    """Return the lines that the text points to, in its order."""
    return [_place(found) for found in _PLACE.finditer(text)]


def _place(found: re.Match[str]) -> Place:
    ranges: list[tuple[int, int]] = []
    for part in re.split(r",|\band\b|&", found["list"] or "", flags=re.IGNORECASE):
        ends = sorted(int(item) for item in re.findall(r"\d+", part))
        ranges += [(ends[0], ends[-1])] if ends else []
    if nth := found["ordinal"]:
        place = -1 if nth.lower() == "last" else ordinal(nth)
        ranges = [(place, place)]
    paragraph = int(found["paragraph"]) if found["paragraph"] else None
    if found["nth"]:
        paragraph = ordinal(found["nth"])
    words = int(found["words"]) if found["words"] else None
    text = found[0].split("(=")[0].strip()
    return Place(tuple(ranges), paragraph, words, text, found.start(), found.end())


def ordinal(word: str) -> int:
    """Return the number that 'first' or '3rd' stands for.

    Raises:
        InputError: It stands for none.
    """
    if word.lower() in ORDINALS:
        return ORDINALS[word.lower()]
    if digits := re.match(r"\d+", word):
        return int(digits[0])
    raise InputError(f"the plan says '{word} paragraph': write 'paragraph 1'")


def says_something(text: str) -> bool:
    """Whether a text holds more than papers and words such as 'please write' or 'cite'."""
    return any(word.lower() not in _FILLER for word in _WORD.findall(MARKER.sub(" ", text)))


def denies(text: str) -> bool:
    """Whether a text says 'do not cite [1]' or the like."""
    return bool(_DENIES.search(text))


def refuse_denial(text: str) -> None:
    """Refuse 'do not cite [1]': a paper that a line names is cited there.

    Raises:
        InputError: The text says so.
    """
    if found := _DENIES.search(text):
        raise InputError(
            f"the plan says '{text[found.start() :][:60]}': a paper that is named is cited, so leave out of a "
            "line what it is not to cite"
        )


def refuse_numbers(text: str) -> None:
    """Refuse a rest of a plan in which a number is left that was not understood; years may stand.

    Raises:
        InputError: There is one.
    """
    bare = MARKER.sub(" ", text)
    odd = [word for word in _WORD.findall(bare) if word.isdecimal() and not _YEAR.fullmatch(word)]
    if odd:
        raise InputError(
            f"the plan says '{text[:80]}', and what '{odd[0][:20]}' counts is not clear: write "
            "such as '5 sentences', '120 words' or 'on line 2'"
        )
