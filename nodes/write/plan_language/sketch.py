"""A plan while it is being read: what is asked of the whole, of a paragraph, of a line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nodes.write.plan_language.measures import Count
from state.writing import LineRole, Plan, PlanLine
from tools.errors import InputError

MAX_LINES = 60
MIN_WORDS = 3
"""Fewest words of a sentence that names a paper and says something of it."""
_MIN_TOTAL = 10


@dataclass
class Scope:
    """What is asked of the whole plan, or of one paragraph."""

    paragraph: int | None = None
    theme: str = ""
    notes: list[str] = field(default_factory=list)
    asked: dict[str, Count] = field(default_factory=dict)
    """By unit, with what each of it is for: 'sentence', 'word each sentence'."""

    def take(self, count: Count) -> None:
        """Note a count.

        Raises:
            InputError: It is a range, contradicts another one, or makes no sense here.
        """
        if count.vague:
            raise InputError(f"the plan asks for '{count.words}': give one number of {count.unit}s")
        if count.unit == "paragraph" and self.paragraph is not None:
            raise InputError(
                f"the plan asks for '{count.words}' inside paragraph {self.paragraph}: say before the "
                "first paragraph how many there are"
            )
        name = f"{count.unit} each {count.each}" if count.each else count.unit
        other = self.asked.setdefault(name, count)
        if other.number != count.number:
            where = f"in paragraph {self.paragraph}" if self.paragraph else "for the whole"
            raise InputError(
                f"the plan asks for '{other.words}' and for '{count.words}' {where}: say one of them, or "
                "to which paragraph each belongs ('Paragraph 1: 3 sentences ...')"
            )

    def number(self, name: str) -> int | None:
        """Return the number asked for under a name, if there is one."""
        return self.asked[name].number if name in self.asked else None


@dataclass
class Sketch:
    """A line to be: what is known of it so far."""

    paragraph: int = 1
    theme: str = ""
    keys: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    words: int | None = None
    role: LineRole | None = None


def default_role(line: PlanLine | Sketch, before: PlanLine | Sketch | None) -> LineRole:
    """Return a line's role where none is said: the first of a paragraph or theme opens it."""
    if before is None or line.paragraph != before.paragraph:
        return "open"
    return "open" if line.theme and line.theme != before.theme else "develop"


def finish(sketches: Sequence[Sketch], scopes: Mapping[int | None, Scope]) -> Plan:
    """Make the plan.

    Raises:
        InputError: It has no line, too many lines, or asks for impossible numbers of words.
    """
    check_size(len(sketches))
    whole = scopes.get(None, Scope())
    _share_words(sketches, scopes)
    words = whole.number("word")
    _check_words(sketches, words)
    lines: list[PlanLine] = []
    for number, sketch in enumerate(sketches, start=1):
        before = sketches[number - 2] if number > 1 else None
        lines.append(
            PlanLine(
                number=number, keys=tuple(dict.fromkeys(sketch.keys)), theme=sketch.theme,
                role=sketch.role or default_role(sketch, before),
                note="; ".join(dict.fromkeys(sketch.notes)),
                paragraph=sketch.paragraph, words=sketch.words,
            )
        )  # fmt: skip
    return Plan(lines=tuple(lines), words=words, origin="user")


def check_size(lines: int) -> None:
    """Refuse a plan without lines or with too many.

    Raises:
        InputError: It is one.
    """
    if not 1 <= lines <= MAX_LINES:
        raise InputError(
            f"the plan has {lines} lines: ask for 1 to {MAX_LINES} sentences, or give one line for each"
        )


def sentences(count: int) -> str:
    """Return a number of sentences in words."""
    return "1 sentence" if count == 1 else f"{count} sentences"


def share(total: int, among: int) -> list[int]:
    """Share a number out evenly; the first ones take what is left over."""
    return [total // among + (place < total % among) for place in range(among)]


def _share_words(sketches: Sequence[Sketch], scopes: Mapping[int | None, Scope]) -> None:
    """Give each line its words: those said of it, of each sentence, or its part of the paragraph's."""
    whole = scopes.get(None, Scope())
    for number in dict.fromkeys(item.paragraph for item in sketches):
        lines = [item for item in sketches if item.paragraph == number]
        scope = scopes.get(number, Scope())
        each = scope.number("word each sentence") or whole.number("word each sentence")
        for line in lines:
            line.words = line.words if line.words is not None else each
        asked = scope.number("word")
        asked = whole.number("word each paragraph") if asked is None else asked
        if asked is None:
            continue
        free = [line for line in lines if line.words is None]
        left = asked - sum(line.words or 0 for line in lines)
        if left < 0 or (left and not free) or (free and left < MIN_WORDS * len(free)):
            raise InputError(
                f"the plan asks for {asked} words in paragraph {number} of {sentences(len(lines))}, which "
                f"does not fit its lines: a sentence takes at least {MIN_WORDS} words, and the words "
                "said of single lines must add up"
            )
        for line, words in zip(free, share(left, len(free)) if free else [], strict=True):
            line.words = words


def _check_words(sketches: Sequence[Sketch], words: int | None) -> None:
    low = next(
        (item for item in sketches if item.words is not None and item.words < MIN_WORDS), None
    )
    if low is not None:
        raise InputError(
            f"the plan asks for a sentence of {low.words} words: it takes at least {MIN_WORDS} to name a "
            "paper and say something of it"
        )
    if words is None:
        return
    if words < max(MIN_WORDS * len(sketches), _MIN_TOTAL):
        raise InputError(
            f"the plan asks for {words} words in {sentences(len(sketches))}: that needs at least "
            f"{max(MIN_WORDS * len(sketches), _MIN_TOTAL)} words, or fewer sentences"
        )
    said = [item.words for item in sketches if item.words is not None]
    left, free = words - sum(said), len(sketches) - len(said)
    if left < MIN_WORDS * free or (left and not free):
        raise InputError(
            f"the plan asks for {words} words in all, but the lines' own words add up to {sum(said)}"
            + (f" with {free} more sentences to come" if free else "")
            + ": change one of them"
        )
