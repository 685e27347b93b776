"""The rows of a plan: its text cut into them, the papers that it names, and directions such as '5 sentences'.

The patterns expect text in which white space is single spaces and papers are markers, so each of
them looks at a character a bounded number of times.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from state.paper import canonical_id
from state.writing import MARKER, LineRole
from tools.errors import InputError, counted

MOST_PLAN_CHARACTERS = 20_000
_SHOWN = 60
_LONGEST_NAME = 300
_NAMED = re.compile(r"\[([^\[\]]*)\]|(@cite[._-]?\d{1,9})\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?:@cite[._-]?)?(\d{1,9})", re.IGNORECASE)
_RANGE = re.compile(r"(\d{1,6}) ?(?:-|–|—|to) ?(\d{1,6})")
_LOST_BRACKET = re.compile(r".{0,20}[\[\]].{0,20}")


def names_to_markers(
    plan: str, papers: Sequence[str], aliases: Mapping[str, str], *, what: str = "plan"
) -> str:
    """Return the plan, or a text, with a marker for each paper that it names: `{P2}` for the second of `papers`.

    Raises:
        InputError: It is too long, a bracket is not closed or not opened, `{P1}` stands where `[1]`
            should, or papers are named that are not there; all such names are listed.
    """
    if len(plan) > MOST_PLAN_CHARACTERS:
        raise InputError(
            f"the {what} has {len(plan):,} characters; the maximum is {MOST_PLAN_CHARACTERS:,}: "
            "give one short line per sentence"
        )
    if marker := MARKER.search(plan):
        raise InputError(f"the {what} says '{marker[0]}': name a paper by its number, such as [1]")
    unknown: list[str] = []

    def mark(found: re.Match[str]) -> str:
        places, lost = _places(found[2] or found[1], papers, aliases)
        unknown.extend(lost)
        return ", ".join(f"{{P{place}}}" for place in places)

    text = _NAMED.sub(mark, plan)
    if lost := _LOST_BRACKET.search(text):
        raise InputError(
            f"the {what} has a bracket that is never closed, or was not opened: '{lost[0].strip()}'; write "
            "[1] or [1, 2]"
        )
    if unknown:
        raise unknown_papers(unknown, len(papers), what=what)
    return text


def unknown_papers(names: Iterable[str], count: int, *, what: str = "plan") -> InputError:
    """Return the error that says which names lead to no paper."""
    listed = ", ".join(dict.fromkeys(f"[{' '.join(name.split())[:_SHOWN]}]" for name in names))
    there = f"{'is' if count == 1 else 'are'} {counted(count, 'paper')}"
    return InputError(
        f"the {what} names {listed}, but there {there} to cite: use [1] to [{count}], or ids of papers "
        "that were found"
    )


def _places(
    names: str, papers: Sequence[str], aliases: Mapping[str, str]
) -> tuple[list[int], list[str]]:
    """Return the places of the papers that a bracket names, each once, and the names that lead to none."""
    if place := _place_named(names, papers, aliases):  # a DOI may hold a comma or a semicolon
        return [place], []
    places: list[int] = []
    unknown: list[str] = []
    for name in (part.strip() for part in re.split(r"[,;]", names)):
        ends = _RANGE.fullmatch(name)
        first, last = sorted((int(ends[1]), int(ends[2]))) if ends else (0, 0)
        if place := _place_named(name, papers, aliases):
            places.append(place)
        elif first >= 1 and last <= len(papers):
            places += range(first, last + 1)
        else:
            unknown.append(name)
    return list(dict.fromkeys(places)), unknown


def _place_named(name: str, papers: Sequence[str], aliases: Mapping[str, str]) -> int:
    """Return the place of a paper, from 1, or 0 where there is none of this name."""
    if number := _NUMBER.fullmatch(name.strip()):
        return int(number[1]) if int(number[1]) <= len(papers) else 0
    key = name.strip().removeprefix("@").strip()
    if not key or len(key) > _LONGEST_NAME:
        return 0
    key = canonical_id(key)
    key = aliases.get(key, key)
    return papers.index(key) + 1 if key in papers else 0


_SMALL = "one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
_COUNT = re.compile(
    rf"(?<![\w.,–—-])(?P<number>\d{{1,3}}(?:,\d{{3}})+|\d{{1,9}}|{'|'.join(_SMALL[1:])}) "
    r"(?P<unit>paragraph|sentence|line|word)s?\b(?! of [a-z])"
    r"(?P<each>,? each\b|(?<=words) per (?:line|sentence)\b|(?<!words) per paragraph\b)?"
    r"(?P<all> (?:in all|in total|overall))?",
    re.IGNORECASE,
)
_N = r"\d{1,9}(?![\d])(?!,\d{3})(?! (?:word|sentence|line|paragraph)s?\b)"
_PLACE = re.compile(
    r"(?:\b(?:on|in|at|to|for) )?(?:\bthe )?\b(?:"
    rf"(?:lines?|sentences?) (?P<list>{_N}(?: ?(?:, ?and|,|and|&|-|–|—|to) ?(?:(?:on )?lines? )?{_N})*)"
    r"|(?:all|each|every) (?:lines?|sentences?)\b(?! of work))"
    r"(?: ?\((?P<words>\d{1,6}) words?\))?",
    re.IGNORECASE,
)
_TAG = rf"\d{{1,6}} words?|{'|'.join(get_args(LineRole))}"
TAGS = re.compile(rf" ?\(((?:{_TAG})(?:, (?:{_TAG}))*)\)", re.IGNORECASE)
FIRM = re.compile(
    r"((?:\{P\d+\}(?:, )?)*)"
    rf" ?\(((?:\d{{1,6}} words?, )?(?:{'|'.join(get_args(LineRole))}))\)(?:: (.*))?",
    re.IGNORECASE,
)
"""'[1], [2] (20 words, contrast): note': what follows the role and a colon is the note as it stands."""
_FILLER = frozenset(
    """please generate produce write give make output text section related work review in using use
    with and by cite cites cited citing citation citations mention mentions refer refers to reference
    references should must is are a an of for on at as paper papers then also it all have has words
    sentences lines about the be plan this that so here now paragraph paragraphs""".split()  # noqa: SIM905
)
# An order, not a report such as '[2] does not cite [1]'.
_DENIES = re.compile(
    r"(?:^|[.,;:] |\b(?:and|but|please) )(?:do not|don['’]t|never|avoid|not|without) "
    r"(?:cit|mention|nam|refer|us)\w*(?: \w+){0,2} \{P\d",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
_ODD = re.compile(r"\d+|paragraphs?|line|sentence", re.IGNORECASE)
_HEADING = re.compile(r"#{1,6}(?: (.*))?")
_PARAGRAPH = re.compile(r"(?:in )?paragraph (\d{1,9})\b ?[:.,–-]? ?(.*)", re.IGNORECASE)
_NUMBERING = re.compile(
    r"(?:\d{1,3}[.):]|[-*+•]|(?:line|sentence) (\d{1,3}) ?[:.)])(?: |$)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One line of the plan's text."""

    kind: Literal["heading", "counts", "item", "text"]
    """Counts say nothing else; an item stands for one sentence."""
    text: str
    blank_before: bool = False
    number: int = 0
    """That of 'Paragraph 2:' or 'Line 2: ...', if any."""
    theme: str = ""

    @property
    def directs(self) -> bool:
        """Whether it counts sentences or paragraphs, or points to a line."""
        counts = take_counts(without_places(self.text))[0]
        return bool(_PLACE.search(self.text)) or any(not name.startswith("word") for name in counts)


@dataclass(frozen=True, slots=True)
class Place:
    """Lines that papers or words are put on."""

    ranges: tuple[tuple[int, int], ...]
    """First and last line of each range; empty for every line."""
    words: int | None
    shown: str


def rows_of(text: str) -> Iterator[PlanRow]:
    """Yield the rows of a plan in which papers are markers.

    Raises:
        InputError: A heading names a paper, or counts contradict each other.
    """
    blank = False
    for raw in text.splitlines():
        flat = " ".join(raw.split())
        if flat:
            yield _row(flat, blank=blank)
        blank = not flat


def _row(text: str, *, blank: bool) -> PlanRow:
    if numbering := _NUMBERING.match(text):
        return PlanRow("item", text[numbering.end() :], blank, int(numbering[1] or 0))
    if FIRM.fullmatch(text):
        return PlanRow("item", text, blank)
    counts, left = take_counts(without_places(text))
    speaks = bool(counts or MARKER.search(text) or _PLACE.search(text))
    if paragraph := _PARAGRAPH.fullmatch(text):
        if speaks:
            raise InputError(
                f"the plan says '{text[:80]}': give a line of its own for each sentence under 'Paragraph "
                f"{paragraph[1]}:'"
            )
        return PlanRow("heading", text, blank, int(paragraph[1]) or -1, paragraph[2].rstrip(" .:"))
    if heading := _HEADING.fullmatch(text):
        if MARKER.search(text):
            raise InputError(
                f"the plan's heading '{text[:80]}' names a paper: name papers on the lines that cite them"
            )
        return PlanRow("heading", text, blank, theme=(heading[1] or "").strip())
    if text.endswith(":") and not speaks:
        return PlanRow("heading", text, blank, theme=text.rstrip(": "))
    more = MARKER.search(left) or note_of(left) or _PLACE.search(text)
    return PlanRow("counts" if counts and not more else "text", text, blank)


def take_counts(text: str) -> tuple[dict[str, int], str]:
    """Return what a text asks for, such as {'sentence': 5, 'word each': 20}, and the rest.

    Raises:
        InputError: It asks for two numbers of one thing, or says 'each' in a way that is not known.
    """
    counts: dict[str, int] = {}
    rest: list[str] = []
    end, before = 0, ""
    for found in _COUNT.finditer(text):
        between = text[end : found.start()]
        unit = "sentence" if found["unit"].lower() == "line" else found["unit"].lower()
        # '2 paragraphs of 3 sentences' and '3 sentences of 20 words' speak of each.
        of = between.strip().lower() in {"of", "with"} and not found["all"]
        each = found["each"] or (
            of and (before, unit) in {("paragraph", "sentence"), ("sentence", "word")}
        )
        number = found["number"].lower()
        size = _SMALL.index(number) + 1 if number in _SMALL else int(number.replace(",", ""))
        agree(counts, {f"{unit} each" if each else unit: size})
        rest.append("" if of else between)
        end, before = found.end(), unit
    left = " ".join("".join([*rest, text[end:]]).split())
    if counts and (odd := re.search(r"\b(?:each|every|per)\b", left, re.IGNORECASE)):
        raise InputError(
            f"the plan says '{text[:80]}', and of what '{odd[0]}' speaks is not clear: write for example '2 "
            "sentences each' (paragraph) or '20 words each' (line)"
        )
    return counts, left


def agree(known: dict[str, int], new: dict[str, int]) -> None:
    """Add counts to those known.

    Raises:
        InputError: They contradict one another.
    """
    for name, number in new.items():
        if known.setdefault(name, number) != number:
            raise InputError(
                f"the plan asks for {known[name]} and for {number} ({name}): say one of them, or give a line "
                "for each sentence"
            )


def without_places(text: str) -> str:
    """Return a text without the lines that it points to, and without tags such as (20 words)."""
    return TAGS.sub("", _PLACE.sub("", text))


def placed_texts(clause: str) -> Iterator[tuple[Place | None, str]]:
    """Cut a clause into places and what is said of each before it: 'Cite [1] on line 1, [2] on line 2'.

    What follows the last place belongs to it. A clause without a place stays whole.

    Raises:
        InputError: A paper stands behind the last place.
    """
    found = list(_PLACE.finditer(clause))
    after = clause[found[-1].end() :] if found else clause
    if found and MARKER.search(after):
        raise InputError(
            f"the plan says '{clause[:120]}', and it is not clear on which line the last of it stands: "
            "write the papers before their line, 'Cite [1] on line 1'"
        )
    start = 0
    for item in found:
        text = clause[start : item.start()] + (after if item is found[-1] else "")
        start = item.end()
        yield _place(item), text
    if not found:
        yield None, clause


def _place(found: re.Match[str]) -> Place:
    ranges: list[tuple[int, int]] = []
    for part in re.split(r",|and|&", found["list"] or "", flags=re.IGNORECASE):
        ends = sorted(int(item) for item in re.findall(r"\d+", part))
        ranges += [(ends[0], ends[-1])] if ends else []
    return Place(tuple(ranges), int(found["words"]) if found["words"] else None, found[0].strip())


def note_of(text: str) -> str:
    """Return a text if it holds more than papers and words such as 'please write' or 'cite'."""
    if all(word.lower() in _FILLER for word in _WORD.findall(MARKER.sub(" ", text))):
        return ""
    return re.sub(r"^(?:[\s,;:.&]|and\b)+|(?:[\s,;:.&]|\band)+$", "", " ".join(text.split()))


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


def refuse_unread(text: str) -> None:
    """Refuse a rest of a direction in which a number or a place was not understood; years may stand.

    Raises:
        InputError: There is one.
    """
    words = _WORD.findall(MARKER.sub(" ", text))
    years = {word for word in words if len(word) == 4 and word.startswith(("19", "20"))}
    odd = [word for word in words if _ODD.fullmatch(word) and word not in years]
    if odd:
        raise InputError(
            f"the plan says '{text[:80]}', and what '{odd[0][:20]}' means is not clear: write for example '5 "
            "sentences', '120 words', 'on line 2' or 'Paragraph 1:'"
        )
