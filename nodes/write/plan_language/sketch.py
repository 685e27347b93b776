"""A plan while it is being read: its lines so far, and what is asked of the whole and of paragraphs."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from nodes.write.plan_language.reading import agree
from state.writing import LineRole, Plan, PlanLine
from tools.errors import InputError

MAX_LINES = 60
MIN_WORDS = 3
"""Fewest words of a sentence that names a paper and says something of it."""
_MIN_TOTAL = 10


@dataclass
class Sketch:
    """A line to be: what is known of it so far."""

    paragraph: int = 1
    theme: str = ""
    keys: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    words: int | None = None
    role: LineRole | None = None


@dataclass
class Sketches:
    """The lines so far, and the counts asked for."""

    lines: list[Sketch] = field(default_factory=list)
    scopes: dict[int, dict[str, int]] = field(default_factory=dict)
    """By paragraph, 0 for the whole: such as {'sentence': 5, 'word each sentence': 20}."""

    def asked(self, paragraph: int) -> dict[str, int]:
        """Return the counts asked for in a paragraph, or of the whole (0)."""
        return self.scopes.get(paragraph, {})

    def take(self, counts: dict[str, int], paragraph: int) -> None:
        """Note counts; errors as `agree`."""
        if counts:
            where = f"in paragraph {paragraph}" if paragraph else "in all"
            agree(self.scopes.setdefault(paragraph, {}), counts, where)

    def compare(self, name: str, given: int, what: str) -> None:
        """Hold a count of the whole against what is there.

        Raises:
            InputError: They differ.
        """
        asked = self.asked(0).get(name, given)
        if asked != given:
            raise InputError(
                f"the plan asks for {asked} {name}s, but gives {given} {what}: give one line for "
                "each sentence, or change the number"
            )

    def plan(self) -> Plan:
        """Return the plan.

        Raises:
            InputError: It has no line, too many lines, or asks for impossible numbers of words.
        """
        check_size(len(self.lines))
        for number in dict.fromkeys(item.paragraph for item in self.lines):
            self._share_words(number)
        words = self.asked(0).get("word")
        if words is not None:
            _check_words(words, self.lines, "")
        lines: list[PlanLine] = []
        for item in self.lines:
            opens = not lines or lines[-1].paragraph != item.paragraph
            lines.append(
                PlanLine(
                    number=len(lines) + 1, keys=tuple(dict.fromkeys(item.keys)), theme=item.theme,
                    role=item.role or ("open" if opens else "develop"),
                    note="; ".join(dict.fromkeys(item.notes)), paragraph=item.paragraph,
                    words=item.words,
                )
            )  # fmt: skip
        return Plan(lines=tuple(lines), words=words, origin="user")

    def _share_words(self, number: int) -> None:
        """Give each line of a paragraph its words: those said of each sentence, or its share."""
        lines = [item for item in self.lines if item.paragraph == number]
        asked = self.asked(0) | self.asked(number)
        for line in lines:
            line.words = line.words or asked.get("word each sentence")
        whole = self.asked(number).get("word", asked.get("word each paragraph"))
        free = [line for line in lines if line.words is None]
        if whole is not None:
            _check_words(whole, lines, f" in paragraph {number}")
            left = whole - sum(line.words or 0 for line in lines)
            for line, words in zip(free, share(left, max(len(free), 1)), strict=False):
                line.words = words
        if any((line.words or MIN_WORDS) < MIN_WORDS for line in lines):
            raise InputError(
                f"the plan asks for a sentence of fewer than {MIN_WORDS} words: it takes as many to name a "
                "paper and say something of it"
            )


def _check_words(words: int, lines: Sequence[Sketch], where: str) -> None:
    """Raise InputError where the words asked for do not fit the lines."""
    said = [line.words for line in lines if line.words is not None]
    left, free = words - sum(said), len(lines) - len(said)
    if left < MIN_WORDS * free or (left and not free) or (not where and words < _MIN_TOTAL):
        raise InputError(
            f"the plan asks for {words} words{where} in {sentences(len(lines))}, of which the lines' own "
            f"words add up to {sum(said)}: a sentence takes at least {MIN_WORDS} words, a section "
            f"{_MIN_TOTAL}; change one of the numbers"
        )


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
