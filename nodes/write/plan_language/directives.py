"""The directive form of a plan: '5 sentences in 120 words. Cite [1] on lines 1 and 3, [2] on line 2'."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nodes.write.plan_language.measures import (
    Place,
    bind_words,
    places,
    refuse_denial,
    refuse_numbers,
    says_something,
    take_counts,
)
from nodes.write.plan_language.reading import TextLine
from nodes.write.plan_language.sketch import Scope, Sketch, check_size, share
from state.writing import MARKER
from tools.errors import InputError

_CLAUSES = re.compile(r"(?<=[.;!?]) ")
_LIGHT = re.compile(r"^(?:[\s,;:.&]|(?:and|then)\b)+|(?:[\s,;:.&]|\b(?:and|then))+$", re.IGNORECASE)


@dataclass(frozen=True)
class Placed:
    """Papers, words or a note put on lines."""

    place: Place
    keys: tuple[str, ...]
    note: str
    paragraph: int | None
    """In which its lines are counted; None for the whole plan."""


class Directions:
    """Collects the directions of a plan; used once."""

    def __init__(self) -> None:
        self.lines: list[Sketch] = []
        self.scopes: dict[int | None, Scope] = {None: Scope()}
        self._placed: list[Placed] = []
        self._loose: list[str] = []
        """Papers that a clause names without a line."""

    def read(self, lines: Sequence[TextLine]) -> None:
        """Take the lines of the plan's text in turn, then lay out the sentences.

        Raises:
            InputError: What they say is contradictory, or is not clear.
        """
        number: int | None = None
        for line, text in _joined(lines):
            if line.kind == "heading":
                if line.same:
                    raise InputError(
                        f"the plan says '{line.text[:60]}': a theme inside a paragraph needs a plan with "
                        "one line for each sentence"
                    )
                known = [key for key in self.scopes if key is not None]
                number = line.paragraph or max(known, default=0) + 1
                self._scope(number).theme = line.theme
                continue
            for clause in _CLAUSES.split(text):
                self._clause(clause.strip(" .;"), number)
        placed = {key for item in self._placed for key in item.keys}
        lost = [key for key in dict.fromkeys(self._loose) if key not in placed]
        if lost:
            names = ", ".join(f"{{{key}}}" for key in lost)
            raise InputError(
                f"the plan names {names} but no line for it: write 'cite {{{lost[0]}}} on line 1', or "
                "give one line for each sentence and no count"
            )
        self._lay_out()

    def _scope(self, number: int) -> Scope:
        return self.scopes.setdefault(number, Scope(number))

    def _clause(self, clause: str, number: int | None) -> None:
        refuse_denial(clause)
        counts, rest = take_counts(bind_words(clause))
        scope = self.scopes[number]
        for count in counts:
            (self.scopes[None] if count.for_all or count.each == "paragraph" else scope).take(count)
        found = places(rest)
        if found:
            for place, text in _told(rest, found):
                self._put(place, text, number)
            return
        self._loose += MARKER.findall(rest)
        if says_something(rest):
            refuse_numbers(rest)
            if MARKER.search(rest):
                raise InputError(
                    f"the plan says '{rest[:80]}' without a line for it: add where it belongs, such as "
                    "'on line 1'"
                )
            scope.notes.append(_LIGHT.sub("", rest))

    def _put(self, place: Place, text: str, number: int | None) -> None:
        keys = tuple(dict.fromkeys(MARKER.findall(text)))
        note = _LIGHT.sub("", " ".join(text.split())) if says_something(text) else ""
        refuse_numbers(note)
        if not keys and not note and place.words is None:
            raise InputError(
                f"the plan says '{place.shown}', and not what stands there: write 'cite [1] "
                f"{place.shown}', one direction after the other"
            )
        inside = place.paragraph if place.paragraph is not None else number
        if any(first == 0 for first, _ in place.ranges):
            where = f" of paragraph {inside}" if inside is not None else ""
            raise InputError(f"the plan cites on line 0{where}: the first line is line 1")
        if inside is not None:
            self._scope(inside)
        self._placed.append(Placed(place, keys, note, inside))

    def _lay_out(self) -> None:
        counts = self._counts()
        check_size(sum(counts))
        for number, count in enumerate(counts, start=1):
            theme = self.scopes.get(number, Scope()).theme
            self.lines += [Sketch(paragraph=number, theme=theme) for _ in range(count)]
        for item in self._placed:
            for line in self._lines_at(item):
                line.keys += item.keys
                line.notes += [item.note] if item.note else []
                line.words = item.place.words if item.place.words is not None else line.words
        for line in self.lines:
            line.notes += self.scopes.get(line.paragraph, Scope()).notes
            line.notes += self.scopes[None].notes

    def _counts(self) -> list[int]:
        """Return how many sentences each paragraph has."""
        whole = self.scopes[None]
        sections = [number for number in self.scopes if number is not None]
        announced = whole.number("paragraph")
        paragraphs = announced if announced is not None else max(sections, default=1)
        if sections and (min(sections) < 1 or max(sections) > paragraphs):
            raise InputError(
                f"the plan has {paragraphs} paragraphs, but speaks of paragraph "
                f"{max(sections) if min(sections) else 0}: number them 1, 2, ... and announce them all"
            )
        check_size(paragraphs)
        each, total = whole.number("sentence each paragraph"), whole.number("sentence")
        known = {
            number: self.scopes.get(number, Scope()).number("sentence") for number in range(1, paragraphs + 1)
        }  # fmt: skip
        known = {number: each if count is None else count for number, count in known.items()}
        open_ = [number for number, count in known.items() if count is None]
        sure = sum(count or 0 for count in known.values())
        if total is None:
            known |= {number: self._highest(number, paragraphs) for number in open_}
        elif paragraphs == 1 and open_:
            known[1] = total
        elif total - sure < len(open_) or (total != sure and not open_):
            raise InputError(
                f"the plan asks for {total} sentences, but its {paragraphs} paragraphs have {sure}"
                + (f" and {len(open_)} of them none yet" if open_ else "")
                + ": change one of the numbers"
            )
        elif open_:
            check_size(total)
            known |= dict(zip(open_, share(total - sure, len(open_)), strict=True))
        return [known[number] or 0 for number in range(1, paragraphs + 1)]

    def _highest(self, number: int, paragraphs: int) -> int:
        """Return the last line that is named, where nothing says how many there are."""
        counted = {number, None} if paragraphs == 1 else {number}
        ends = [
            last
            for item in self._placed
            if item.paragraph in counted
            for _, last in item.place.ranges
        ]
        highest = max(ends, default=0)
        if highest <= 0 and (paragraphs > 1 or self._placed):
            raise InputError(
                f"the plan does not say how many sentences paragraph {number} has: write 'Paragraph "
                f"{number}: 3 sentences'"
            )
        return highest

    def _lines_at(self, item: Placed) -> Iterator[Sketch]:
        here = [line for line in self.lines if item.paragraph in {None, line.paragraph}]
        where = f" of paragraph {item.paragraph}" if item.paragraph is not None else ""
        for first, last in item.place.ranges or ((1, len(here)),):
            if last > len(here):
                raise InputError(
                    f"the plan cites on line {last}{where}, but asks for {len(here)} sentences"
                    + (" there; lines are counted from 1 in each paragraph" if where else "")
                )
            yield from here[-1:] if last < 0 else here[first - 1 : last]


def _joined(lines: Sequence[TextLine]) -> list[tuple[TextLine, str]]:
    """Return each line with its text; one that goes on in lower case belongs to the line before."""
    found: list[tuple[TextLine, str]] = []
    for line in lines:
        text = f"line {line.label}: {line.text}" if line.label is not None else line.text
        goes_on = line.kind == "content" and text[:1].islower() and line.label is None
        if goes_on and found and not line.blank_before and found[-1][0].kind == "content":
            found[-1] = (found[-1][0], f"{found[-1][1]} {text}")
        else:
            found.append((line, text))
    return found


def _told(text: str, found: Sequence[Place]) -> Iterator[tuple[Place, str]]:
    """Give each place the text that it is said of: what stands before it, or after where it leads.

    'Cite [1] on line 1, [2] on line 2' and 'On line 1 cite [1], on line 2 [2]'.
    """
    leads = not MARKER.search(text[: found[0].start]) and not says_something(text[: found[0].start])
    leads = leads and len(text[found[-1].end :].strip(" .,;:")) > 0
    if leads:
        ends = [*(place.start for place in found[1:]), len(text)]
        for place, end in zip(found, ends, strict=True):
            yield place, text[place.end : end]
        return
    begin, said = 0, ""
    for number, place in enumerate(found, start=1):
        after = text[place.end :] if number == len(found) else ""
        if MARKER.search(after):
            raise InputError(
                f"the plan says '{text[:120]}', and it is not clear on which line the last of it stands: "
                "write a direction for each line, such as 'Cite [1] on line 1'"
            )
        before = text[begin : place.start]
        said = said if number > 1 and not _LIGHT.sub("", before) else before
        yield place, f"{said} {after}"
        begin = place.end
