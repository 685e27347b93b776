"""How much of an answer an update of it has kept."""

from tools.text.sentences import split_sentences
from tools.text.words import coverage, distinct_content_stems

_LONG_WORDS = 12
"""Characters a word, on average, from which a text is in a script without spaces between words."""


def kept(former: str, text: str) -> float:
    """Return the share of the former text's content words that a text has, 0..1; 1 where it had none.

    In scripts without spaces pairs of characters stand for words.
    """
    if len(former) > _LONG_WORDS * len(former.split()):
        wanted = _pairs(former)
        return len(wanted & _pairs(text)) / len(wanted) if wanted else 1.0
    return coverage(former, text) if distinct_content_stems(former) else 1.0


def dropped(former: str, text: str, least: float) -> list[str]:
    """Return the sentences of the former text of which a text has less than this share."""
    spans = (span.text for part in former.split("\n\n") for span in split_sentences(part))
    return [sentence for sentence in spans if kept(sentence, text) < least]


def _pairs(text: str) -> set[str]:
    solid = "".join(char for char in text if char.isalnum())
    return {solid[place : place + 2] for place in range(len(solid) - 1)}
