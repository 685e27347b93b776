"""Draw claims from a passage: its sentences that bear on a question, one thing each."""

from collections.abc import Sequence

from tools.embed.port import Embedder
from tools.evidence.quotes import MIN_LENGTH, find_quote
from tools.text.asking.announcing import announces
from tools.text.asking.facets import is_aside, limits, tells
from tools.text.asking.port import DraftClaim, Shown
from tools.text.asking.relevance import (
    BAR,
    NAMED,
    WORDS,
    Wanted,
    all_stems,
    each_name,
    is_vague,
    meaning,
    mentions_foreign,
    wanted,
)  # fmt: skip
from tools.text.asking.standing import Statement, named_subject, statements
from tools.text.words import coverage

_FACET = 0.3
"""What a sentence gains that tells the kind of thing asked for."""
_LEANS = 0.3
"""What a sentence loses that points to one before it."""
_CONTEXT = 0.4
"""Of what the passage around a sentence, or its title, has of the question's words, for the sentence."""
_BELOW_BEST = 0.5
"""How much less than the best sentence of the passage a further one may have."""
_FIRST = 0.1
"""How much less than the bar the first may have."""
_TITLED = 0.1
"""How much less they may have where the name asked for stands in the title."""
_VAGUE = 0.25
"""How much less all may have where the question has no words of its own."""
_SAID = 0.75
"""Share of a sentence's words from which another one has said it."""
_ASIDE = 0.2
"""What a sentence loses that tells how a work fared later, or what limits it, when nobody asks."""
_FAR = 0.5
"""Closeness below which a text that has none of the question's words, but a name, is about another matter."""
_LIMIT_STEMS = frozenset({"limit", "shortcom", "drawback", "weak", "fail", "failur"})


def draw_claims(
    embedder: Embedder, question: str, aspects: Sequence[str], passage: Shown, most: int
) -> list[DraftClaim]:
    """Return at most `most` claims, best first; none where nothing bears on the question.

    A sentence is rated by meaning and words, half of the latter lent by the passage around it, and
    by whether it tells what is asked for. Each aspect takes its best sentence before any takes a
    second. Where limitations are asked for, only what tells some is an answer.
    """
    said = [
        item for item in statements(passage.title, passage.text)
        if len(item.quote) >= MIN_LENGTH and find_quote(item.quote, passage.text)
        and not announces(item.quote) and not announces(item.text)
    ]  # fmt: skip
    wishes = [wanted(text) for text in dict.fromkeys([*aspects, question])]
    wishes += [wish for wish in each_name(question) if wish not in wishes]
    if not said:
        return []
    near = meaning(embedder, wishes, [item.text for item in said])
    reading = _Reading(passage)
    table = [
        [reading.score(wish, item, float(near[row, place])) for place, wish in enumerate(wishes)]
        for row, item in enumerate(said)
    ]
    titled = any(wish.is_named(f"{passage.title}\n{passage.citation}") for wish in wishes)
    bar = BAR - _VAGUE * is_vague(question) - _TITLED * titled
    chosen = _chosen(said, table, most, bar)
    return [DraftClaim(said[row].text, said[row].quote) for row in chosen]


def _chosen(
    said: Sequence[Statement], table: Sequence[Sequence[float]], most: int, bar: float
) -> list[int]:
    """Return the rows of the best statements, best first; each column has its best one first."""
    best = max(max(row) for row in table)
    chosen: list[int] = []
    columns = [*zip(*table, strict=True), *[[max(row) for row in table]] * len(said)]
    for values in columns:
        for row in sorted(range(len(said)), key=lambda row: -values[row]):
            # The passage was chosen for what it says as a whole, so its best sentence may say less.
            least = max(bar - _FIRST * (not chosen), best - _BELOW_BEST)
            if len(chosen) == most or values[row] < least:
                break
            if row not in chosen and not _repeats(said[row], [said[item] for item in chosen]):
                chosen.append(row)
                break
    return sorted(chosen, key=lambda row: -max(table[row]))


def _repeats(item: Statement, chosen: Sequence[Statement]) -> bool:
    return any(coverage(item.text, other.text) >= _SAID for other in chosen)


class _Reading:
    """One passage, held against wishes."""

    def __init__(self, passage: Shown) -> None:
        self._passage = passage
        self._around = f"{passage.title}\n{passage.citation}\n{passage.text}"
        self._own = named_subject(passage.title, passage.text)

    def score(self, wish: Wanted, item: Statement, near: float) -> float:
        """Rate a statement for one wish; 0 where it cannot be an answer."""
        if mentions_foreign(wish, self._around):
            return 0.0
        section = self._passage.section
        told = max((tells(one, item.text, item.place, section) for one in wish.facets), default=0.0)
        if any(one.strict for one in wish.facets) and not self._limits(wish, item):
            return 0.0
        here = wish.words(item.text)
        lent = wish.words(self._around)
        named = wish.is_named(item.text) or self._is_about(wish)
        value = near + WORDS * max(here, _CONTEXT * here + (1 - _CONTEXT) * lent)
        value += _FACET * told - _LEANS * item.leans - _ASIDE * is_aside(item.text, wish.facets)
        return value + NAMED * (named and not _is_other(wish, self._around, near))

    def _is_about(self, wish: Wanted) -> bool:
        titled = f"{self._passage.title}\n{self._passage.citation}"
        return wish.owns(self._own) or wish.is_named(titled) or wish.is_named(self._passage.text)

    def _limits(self, wish: Wanted, item: Statement) -> bool:
        headed = any("limitation" in heading.casefold() for heading in self._passage.section)
        start = " ".join(item.text.split()[:8])
        about = wish.is_named(start) or bool(all_stems(start) & (wish.stems - _LIMIT_STEMS))
        return headed or limits(item.text, about)


def _is_other(wish: Wanted, around: str, near: float) -> bool:
    """Whether a text has the name asked for, but nothing of what is asked of it."""
    return bool(wish.stems) and not wish.stems & all_stems(around) and near < _FAR
