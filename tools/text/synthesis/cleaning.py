"""Take the citation marks out of a text so that its sentences stay sentences.

'Prior works [8, 20] have studied' loses the mark, 'Lee et al. (2021) propose' the year; a mark that
the grammar needs becomes words: 'as in [8]' is 'as in earlier work', 'by (Lee et al., 2021)' is 'by
Lee et al.' References are found again by aligning lines with their sources, so nothing is lost.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.evidence.prompt_injection import without_injections
from tools.references.in_text import find_mentions
from tools.text.verbs import common_forms, is_past

_YEAR = r"(?:1[6-9]|20)\d\d[a-z]?"
_FAMILY = r"[^\W\d_a-z][\w'’.-]+(?: [^\W\d_a-z][\w'’.-]+){0,2}"
_NAMED = rf"{_FAMILY}(?:,? et al\.?|(?:, {_FAMILY}){{0,4}},? (?:and|&) {_FAMILY})?"
_SQUARE = re.compile(rf"\[(?:{_NAMED},? {_YEAR}(?:; ?)?){{1,9}}\]")
_KEYED = re.compile(r"\[[A-Z][A-Za-z+]{1,6}\d{2}[a-z]?(?:, ?[A-Z][A-Za-z+]{1,6}\d{2}[a-z]?){0,9}\]")
_UNCLOSED = re.compile(rf"(?<=al\.)\s+{_YEAR}(?=[\s,.;])")
_LOOSE = re.compile(rf"\([^()\[\]]{{0,80}}\bet al\.?,? {_YEAR}[^()\[\]]{{0,200}}\)")
_YEARS_ONLY = re.compile(
    rf"[\s(\[]*{_YEAR}(?:\s*[,;]\s*(?:{_YEAR}|[a-z]))*(?:,\s*p[^()\[\]]{{0,40}})?[\s)\]]*"
)
_PART_NAMES = re.compile(rf"({_NAMED}),?\s+\(?{_YEAR}(?:,\s*(?:{_YEAR}|[a-z]))*\)?$")
_LEAD_IN = re.compile(r"^(?:see|see also|also|e\.\s?g\.|cf\.|i\.\s?e\.|for example|as in|in),?\s+")
_TRAILING_YEAR = re.compile(rf"\s*[(\[]\s*{_YEAR}[^()\[\]]{{0,60}}[)\]]$|,?\s*{_YEAR}$")
_ONE = r"\x01\d+\x01"
_PLACE = re.compile(r"\x01(\d+)\x01")
_NEAR = 60
"""Characters around a mark that tell whether the sentence needs it."""
_OWN_SIGNS = {0: " ", 1: " "}
"""Signs that stand for marks while these are taken out."""
_MARK = re.compile(r"\x00(\d+)\x00")
_GROUP = re.compile(r"\x00\d+\x00(?:(?:\s*[,;]?\s*(?:and|or|&|as well as)?\s*)\x00\d+\x00)*")
_ASIDE = re.compile(
    rf"\s*[(\[](?:(?:see|also|e\.\s?g\.|i\.\s?e\.|cf\.?|for example|among others|such as|inter alia|in|and)[,:;]?\s*"
    rf"|[,;]\s*)*{_ONE}(?:[\s,;]|and others|among others|inter alia|{_ONE}|for (?:details|a survey|an overview))*[)\]]",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    rf",\s*(?:e\.\s?g\.,?|see(?: also)?,?)\s*{_ONE}\s*,"
    rf"|[,;]?\s*\b(?:e\.\s?g\.,?|cf\.|see(?: also| e\.\s?g\.,?)?,?)\s*{_ONE}(?=[\s,.;)])"
)
_NEEDED = re.compile(
    r"\b(?:by|of|in|from|to|with|following|like|unlike|as|than|on|and|or|for|against|via|both|that|while|"
    r"whereas|between|see|per|over|under|using|extend|extends|use|uses|follow|follows|adopt|adopts)\s*$",
    re.IGNORECASE,
)  # fmt: skip
_BEGINS = re.compile(r"(?:^|[.!?]['\"”’)]*\s)\s*$")
_SUBJECT_VERBS = frozenset(
    """is are was were has have had can could may might will do does did""".split()  # noqa: SIM905
)
_TIDY = (
    (re.compile(r"[(\[]\s*[,;]?\s*[)\]]"), ""),
    (re.compile(r"([(\[])\s*[,;]\s*"), r"\1"),
    (re.compile(r"\s*[,;]\s*([)\]])"), r"\1"),
    (re.compile(r",(?:\s*,)+"), ","),
    (re.compile(r"(?<=\w)\s+([,.;:!?)\]])(?=[\s)\]]|$)"), r"\1"),
    (re.compile(r"(?<=[)\]”\"%])\s+([,.;:!?])(?=\s|$)"), r"\1"),
    (re.compile(r",\s*([.;:!?])(?=\s|$)"), r"\1"),
    (re.compile(r"[ \t]{2,}"), " "),
)
_MARKUP = re.compile(r"^(?:#{1,6}\s+.*$|[-*•–]\s+|\d{1,2}[.)]\s+)", re.MULTILINE)
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    names: tuple[str, ...] = ()
    """Who is cited, where the mark names them and no words before it do."""
    kept: str = ""
    """Words between the same brackets that are no citation."""
    spoken: bool = False
    """The words before name who is cited."""


def without_marks(text: str, marks: Sequence[tuple[int, int]] = ()) -> str:
    """Return a text without its citation marks.

    Args:
        text: Of a paper, or of an answer.
        marks: Offsets of citations that are known; those that the text itself shows are found.
    """
    text = text.translate(_OWN_SIGNS)
    found = _found(text, marks)
    if not found:
        return text
    pieces, last = [], 0
    for number, mark in enumerate(found):
        kept = f" ({mark.kept})" if mark.kept else ""
        pieces += [text[last : mark.start].rstrip() if kept else text[last : mark.start], kept]
        pieces += [f" \x00{number}\x00" if kept else f"\x00{number}\x00"]
        last = mark.end
    marked = "".join([*pieces, text[last:]])
    made = _resolved(" ".join(marked.split()), found)
    for pattern, replacement in _TIDY:
        made = pattern.sub(replacement, made)
    return made.strip()


def plain_prose(paragraphs: Sequence[str]) -> str:
    """Return paragraphs by a mind as plain prose, an empty line between two.

    Headings, bullets, emphasis, citation marks and sentences that command a machine are left out.
    """
    kept = []
    for paragraph in paragraphs:
        for part in re.split(r"\n\s*\n", paragraph):
            words = _EMPHASIS.sub(r"\2", _MARKUP.sub("", part))
            text, _ = without_injections(without_marks(" ".join(words.split())))
            if text:
                kept.append(text)
    return "\n\n".join(kept)


def _found(text: str, marks: Sequence[tuple[int, int]]) -> list[_Found]:
    """Return the marks in order, none in another."""
    spans = [(item.start, item.end) for item in find_mentions(text)]
    for pattern in (_SQUARE, _KEYED, _UNCLOSED, _LOOSE):
        spans += [found.span() for found in pattern.finditer(text)]
    spans += [(start, end) for start, end in marks if 0 <= start < end <= len(text)]
    made: list[_Found] = []
    for start, end in sorted(set(spans), key=lambda span: (span[0], -span[1])):
        if (mark := _read(text, start, end)) and (not made or mark.start >= made[-1].end):
            made.append(mark)
    return made


def _read(text: str, start: int, end: int) -> _Found | None:
    """Read one mark; of 'Lee et al. (2021)' only the year is one."""
    words = text[start:end]
    if words[0].isalpha():
        year = _TRAILING_YEAR.search(words)
        narrative = year and text[start - 1 : start] not in {"(", "[", ";"}
        if year and narrative:
            return _Found(start + year.start(), end, spoken=True)
        return _Found(start, end)
    if _YEARS_ONLY.fullmatch(words):
        return _Found(start, end, spoken=True)
    if words[0] not in "([" or words[-1] not in ")]":
        return _Found(start, end)
    names: list[str] = []
    kept: list[str] = []
    for part in re.split(r"\s*;\s*", words[1:-1]):
        named = _PART_NAMES.search(_LEAD_IN.sub("", part))
        if named:
            names.append(" ".join(named[1].split()))
        elif words[0] == "(" and not re.search(rf"\d|{_YEAR}|et al|@", part):
            kept.append(part)
    return _Found(start, end, tuple(names), "; ".join(kept) if names else "")


def _resolved(marked: str, found: Sequence[_Found]) -> str:
    """Drop the marks, or put words in their place where the sentence needs some."""
    groups: list[list[_Found]] = []

    def grouped(match: re.Match[str]) -> str:
        groups.append([found[int(number)] for number in _MARK.findall(match[0])])
        return f"\x01{len(groups) - 1}\x01"

    text = _GROUP.sub(grouped, marked)
    text = _EXAMPLE.sub("", _ASIDE.sub("", text))
    made: list[str] = []
    before, last = "", 0
    for place in _PLACE.finditer(text):
        segment, last = text[last : place.start()], place.end()
        before = (before + segment)[-_NEAR:]
        words = _instead(before, text[last : last + _NEAR], groups[int(place[1])])
        made.append(segment.rstrip())
        if words:
            made.append(f" {words}" if before.strip() else words)
            made.append(" " if text[last : last + 1].isalnum() else "")
            before = (before + words)[-_NEAR:]
    return "".join([*made, text[last:]])


def _instead(before: str, after: str, group: Sequence[_Found]) -> str:
    """Return the words that stand for a mark; empty where none are needed."""
    if all(mark.spoken for mark in group):
        return ""
    following = re.match(r"\s*(\w+)", after)
    verb = following[1] if following else ""
    begins = bool(_BEGINS.search(before)) and verb[:1].islower()
    subject = bool(re.search(r",\s*$", before)) and _is_verb(verb)
    if not (begins or subject or _NEEDED.search(before)):
        return ""
    names = list(dict.fromkeys(name for mark in group for name in mark.names))
    words = _listed(names) or ("earlier studies" if _is_plural(verb) else "earlier work")
    return words[0].upper() + words[1:] if begins else words


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def _is_verb(word: str) -> bool:
    return word in _SUBJECT_VERBS or word in common_forms() or (word.islower() and is_past(word))


def _is_plural(word: str) -> bool:
    """Whether a form goes with a plural subject only."""
    if word in {"are", "were", "have", "do"}:
        return True
    return word in common_forms() and not word.endswith("s") and not is_past(word)
