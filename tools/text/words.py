"""Words: tokens, stop words, stems."""

import re
from collections.abc import Sequence
from functools import lru_cache

_TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")

STOP_WORDS = frozenset(
    """a about above after again against all also although am among an and another any are as at be
    because been before being below between both but by can cannot could did do does doing done down
    due during each either etc even every few for from further furthermore get give given had has
    have having he hence her here hers him his how however i if in instead into is it its itself just
    least less let like made make many may me might more moreover most much must my near need needs
    neither no nor not now of off often on once one only onto or other others our ours out over own
    per quite rather same several shall she should since so some such than that the their theirs them
    themselves then there thereby therefore these they this those though through thus to together too
    toward towards under until unlike up upon us use used using usually very via was we well were what
    when where whereas whether which while who whom whose why will with within without would yet you
    your first second third finally e g i.e e.g et al two three""".split()  # noqa: SIM905
)

# Words every paper uses of itself: no sign of what it is about.
ACADEMIC_WORDS = frozenset(
    """abstract achieve achieved achieves aim aims analyse analysis analyze approach approaches
    article author authors based better case compare compared consider contribution contributions
    current demonstrate demonstrates describe describes different discuss effective effectiveness
    efficient enable enables evaluate evaluated evaluation evidence existing experiment experimental
    experiments explore find findings finds focus framework goal help high identify important improve
    improved improves include including indicate indicates introduce introduces investigate key large
    limitation limitations main major method methods multiple new novel number obtain offer offers
    outperform outperforms paper papers perform performance possible potential present presented
    presents previous problem problems propose proposed proposes provide provides range recent
    recently require requires research result results review show shown shows significant
    significantly simple small state-of-the-art strong studies study suggest suggests support survey
    system systems task tasks technique techniques term terms time toward traditional type types
    various way ways work works""".split()  # noqa: SIM905
)


def written_words(text: str) -> list[str]:
    """Return the words of a text as they are written, hyphenated ones whole."""
    return _TOKEN.findall(text)


def tokens(text: str) -> list[str]:
    """Return the words of a text in lower case, hyphenated ones whole."""
    return [word.lower() for word in written_words(text)]


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the Snowball (English) stem of a word, which must be in lower case."""
    import snowballstemmer

    return str(snowballstemmer.stemmer("english").stemWord(word))


def content_stems(text: str) -> list[str]:
    """Return the stems of the words that carry meaning, hyphenated words in their parts."""
    return [
        stem(part)
        for word in tokens(text)
        for part in word.replace("’", "'").split("-")
        if len(part) > 1 and part not in STOP_WORDS and not part.endswith("'s")
    ]


@lru_cache(maxsize=16384)
def distinct_content_stems(text: str) -> frozenset[str]:
    """Return the distinct content stems of a text, which is compared with many others."""
    return frozenset(content_stems(text))


def topic_stems(text: str) -> list[str]:
    """Return the content stems that are not common to all academic prose."""
    academic = _academic_stems()
    return [item for item in content_stems(text) if item not in academic]


@lru_cache(maxsize=16384)
def distinct_topic_stems(text: str) -> frozenset[str]:
    """Return the distinct topic stems of a text, which a run asks for again in every round."""
    return frozenset(topic_stems(text))


@lru_cache(maxsize=1)
def _academic_stems() -> frozenset[str]:
    return frozenset(stem(part) for word in ACADEMIC_WORDS for part in word.split("-"))


def coverage(claim: str, source: str) -> float:
    """Return the share of the claim's distinct content stems that the source has, 0..1."""
    wanted = distinct_content_stems(claim)
    return len(wanted & distinct_content_stems(source)) / len(wanted) if wanted else 0.0


SAME = 0.9
"""Resemblance from which two sentences count as one said twice."""


def resemblance(first: str, second: str) -> float:
    """Return the share of content stems that two texts have in common (Dice), 0..1."""
    left, right = distinct_content_stems(first), distinct_content_stems(second)
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0


def lower_case_words(texts: Sequence[str]) -> frozenset[str]:
    """Return the words that some text writes in lower case."""
    return frozenset(word for text in texts for word in written_words(text) if word.islower())
