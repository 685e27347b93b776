"""How much a text has to do with a question: by meaning, by words, by names.

A text bears on a question when `meaning + WORDS * words` reaches BAR: a question most of whose words
are nowhere in a text needs a text very close in meaning, and one that has all its words a fair one.
The bar was set on questions inside and outside the starter library; see docs/asking.md.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tools.embed.port import Embedder
from tools.text.asking.facets import Facet, asked
from tools.text.asking.naming import hints, is_strong, kinds, mentions, names, spelled_out
from tools.text.asking.vectors import vectors
from tools.text.prose import COMMON_NOUNS, is_prose
from tools.text.words import content_stems, stem, tokens, topic_stems

WORDS = 0.35
"""Weight of the share of the question's words beside the closeness in meaning."""
BAR = 0.75
TITLED = 0.57
"""The bar for a text in whose title, or authors, a name stands that is asked for."""
_KIND = 0.5
"""Weight of a kind of thing among words: half the field speaks of language models."""
NAMED = 0.15
"""What a text gains that has the name asked for: models of meaning know few names."""

_BRITISH = (
    (re.compile(r"(?<=\w{3})is(e|ed|es|er|ers|ing|ation|ations)\b", re.IGNORECASE), r"iz\1"),
    (re.compile(r"(?<=\w{3})yse(d|s|r|rs)?\b", re.IGNORECASE), r"yze\1"),
    (re.compile(r"(?<=\w{3})our(s|ed|ing|able|hood|hoods)?\b", re.IGNORECASE), r"or\1"),
)
_QUESTION_ONLY = frozenset(
    stem(word)
    for word in """answer ask compare comparison describe difference differ explain paper question tell
    thing exist work explain mean know list example advantage disadvantage benefit drawback shortcoming
    weakness reason purpose motivation author year size write wrote written versus vs hold say tell strength pros cons criticise criticize fix solve cover stop put benchmark dataset corpus corpora metric collection data""".split()  # noqa: SIM905
)


@dataclass(frozen=True)
class Wanted:
    """A question, or one aspect of it, as it is held against texts."""

    text: str
    stems: frozenset[str]
    """Of the words that say what it is about, beside the names."""
    names: tuple[str, ...]
    kinds: tuple[frozenset[str], ...]
    """The stems of each kind of thing in it, such as language models: together they are one word."""
    facets: tuple[Facet, ...]

    @property
    def strong(self) -> tuple[str, ...]:
        """The names that cannot be words."""
        return tuple(name for name in self.names if is_strong(name))

    def words(self, text: str) -> float:
        """Return the share of its words and names that a text has, 0..1."""
        said = all_stems(text)
        telling = self.stems.difference(*self.kinds)
        sorts = self.kinds if telling or self.names else ()
        telling = telling if sorts else self.stems
        there = float(len(telling & said) + sum(mentions(text, name) for name in self.names))
        there += _KIND * sum(stems <= said for stems in sorts)
        whole = len(telling) + len(self.names) + _KIND * len(sorts)
        return there / whole if whole else 0.0

    def owns(self, name: str) -> bool:
        """Whether a name, in whatever case, is what it asks about: 'abstrackr' for 'Abstrackr'."""
        if not name:
            return False
        small = name.casefold()
        if any(mentions(name, own) for own in self.names):
            return True
        if " " in small:
            return mentions(self.text, name)
        return small in tokens(self.text) and not is_prose(small) and small not in COMMON_NOUNS

    def is_named(self, text: str) -> bool:
        """Whether a text has one of its names."""
        return any(mentions(text, name) for name in self.names)


@lru_cache(maxsize=512)
def wanted(text: str) -> Wanted:
    """Read a question or an aspect."""
    spelled = spelled_out(text)
    found = names(text)
    about = topic(spelled) - _QUESTION_ONLY
    own = frozenset(item for name in found for item in all_stems(name))
    about = (about - own) if about or own else all_stems(spelled)
    sorts = tuple(all_stems(form) for form in kinds(spelled))
    return Wanted(spelled, about, tuple(found), sorts, tuple(asked(text)))


def each_name(question: str) -> list[Wanted]:
    """Return a wish for each of several names that a question has: a whole answer speaks of all."""
    found = wanted(question).strong
    return [wanted(name) for name in found] if len(found) > 1 else []


def american(text: str) -> str:
    """Return a text with American endings, so that 'summarise' and 'summarize' are one word."""
    for pattern, ending in _BRITISH:
        text = pattern.sub(ending, text)
    return text


@lru_cache(maxsize=16384)
def all_stems(text: str) -> frozenset[str]:
    """Return the stems of the content words of a text, in one spelling."""
    return frozenset(content_stems(american(text)))


@lru_cache(maxsize=4096)
def topic(text: str) -> frozenset[str]:
    """Return the stems that are not common to all academic prose, in one spelling."""
    return frozenset(topic_stems(american(text)))


def meaning(
    embedder: Embedder, wishes: Sequence[Wanted], texts: Sequence[str]
) -> NDArray[np.float32]:
    """Return the closeness in meaning of each text (row) to each wish (column)."""
    rows = vectors(embedder, [*(wish.text for wish in wishes), *texts])
    found: NDArray[np.float32] = rows[len(wishes) :] @ rows[: len(wishes)].T
    return found


def mentions_foreign(wish: Wanted, text: str) -> bool:
    """Whether a wish is about a thing with a name and the text has none of these names."""
    return bool(wish.strong) and not any(hints(text, name) for name in wish.strong)


def is_vague(text: str) -> bool:
    """Whether a question has no words that say what it is about: 'How was the dataset collected?'."""
    wish = wanted(text)
    return not wish.names and not topic(wish.text) - _QUESTION_ONLY - _VAGUE


_VAGUE = frozenset(
    stem(word)
    for word in """model language train use evaluate architecture domain topic layer parameter accuracy baseline tweet collect
    annotate annotator annotation built size feature additional incorporated previous metric human experiment score english
    available public publicly input output source text sentence example participant user""".split()  # noqa: SIM905
)
