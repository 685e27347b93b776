"""Choose sentences of the sources that answer a question, and show them as they stand.

No sentence is made: each is a source's own (tools.text.quotable), chosen as `ask` chooses them
(tools.text.answer_sentences). They come in the order of the parts of the question, and of one part the
best first.
"""

import re
from collections.abc import Sequence

from nodes.synthesize.packing import Shown
from tools.embed.embedder import Embedder
from tools.text.answer_sentences import Source, rate_sentences
from tools.text.quotable import is_whole, shown
from tools.text.words import SAME, resemblance

MOST = 12
"""Passages of a synthesis."""
_LEAST, _NEAR_BEST = 0.4, 0.5
"""Value, and share of the best passage's value, from which a passage is told."""
_PARTS = re.compile(r"\?\s+|,?\s+and\s+")


def choose_quotes(
    embedder: Embedder, question: str, sources: Sequence[Shown], answer_so_far: str = ""
) -> list[str]:
    """Return the paragraphs of an answer: what it has so far, then what is new, a part each.

    CPU-bound: it embeds.
    """
    told = list(filter(None, answer_so_far.split("\n\n")))
    said = [line for part in told for line in part.split("” ")]
    read = [Source(text, source.title) for source in sources for text in source.paragraphs]
    names = [source.authors for source in sources for _ in source.paragraphs]
    parts = [part for part in _PARTS.split(question) if len(part.split()) > 1] or [question]
    rated = [rate_sentences(embedder, part, read) for part in parts]
    best = max((item.value for found in rated for item in found[:1]), default=0.0)
    least = max(_LEAST, _NEAR_BEST * best)
    for found in rated:
        new: list[str] = []
        for item in found:
            line = shown(item.text, names[item.source])
            fits = item.value >= least and len(said) < MOST and is_whole(item.text)
            if fits and not any(line in one or resemblance(line, one) >= SAME for one in said):
                said.append(line)
                new.append(line)
        told += [" ".join(new)] if new else []
    return told
