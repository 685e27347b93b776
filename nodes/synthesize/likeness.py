"""How well paragraphs fit a question, by meaning and by words, and which of them are clear cases.

A paragraph's likeness is `(meaning + WORDS * words) / (1 + WORDS)`, 0..1: the cosine of question and
paragraph, and the share of the question's words that the paragraph has.
The thresholds were set on 54 questions on eleven papers in full text and on 54 questions with the
contexts that an expert's answer cites, among contexts of other questions.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from tools.embed.calibration import calibrated
from tools.embed.embedder import Embedder
from tools.text.words import coverage, topic_stems

WORDS = 0.35
"""Weight of the share of words beside the closeness in meaning."""
CLEAR_OUT = 0.06
"""Below it a paragraph is not relevant: one in seven of the question's own paper, and half of those on
other matters. Of the paragraphs that hold the answer 1.5 % lie there; of the cited contexts 10 %, most
of which share neither word nor meaning with the question."""
CLEAR_IN = 0.52
"""From it on a paragraph is relevant: 94 % of such contexts are cited. A wrong yes cannot be mended, and
a question to the mind about thirty paragraphs costs little, so few are clear: 2 to 4 %."""
BAR = 0.41
"""From it on a paragraph counts as relevant where nobody else judges the unclear ones."""
FLOOR, NEAR_BEST = 0.3, 0.6
"""Where nobody else judges: from FLOOR on those count, too, that have this share of the best."""
_LONG = 180
"""Words of a paragraph whose end lies beyond what a small model of meaning reads: its summary is
compared, too. Comparing all summaries took twice as long and ranked no better."""


def likenesses(
    embedder: Embedder, question: str, texts: Sequence[str], summaries: Sequence[str]
) -> list[float]:
    """Return how well each paragraph fits the question, 0..1; synchronous, it embeds.

    Args:
        embedder: Whose vectors are compared.
        question: In English; see CLEAR_OUT for what is known of the scale.
        texts: The paragraphs.
        summaries: Theirs, in the same order; empty where there is none.
    """
    if not texts:
        return []
    long = [
        place
        for place, (text, summary) in enumerate(zip(texts, summaries, strict=True))
        if summary and len(text.split()) > _LONG
    ]
    asked = " ".join(topic_stems(question)) or question
    rows = embedder.embed([question, *texts, *(summaries[place] for place in long)])
    near = calibrated(embedder, rows[1:] @ rows[0])
    best = near[: len(texts)].copy()
    best[long] = np.maximum(best[long], near[len(texts) :])
    return [
        round(min(max((float(cosine) + WORDS * coverage(asked, text)) / (1 + WORDS), 0.0), 1.0), 4)
        for cosine, text in zip(best, texts, strict=True)
    ]


def relevant_alone(scores: Mapping[str, float]) -> set[str]:
    """Return the paragraphs that count as relevant where their likeness is all that is known.

    Those above BAR, and those not far below the best: a question in other words than its papers'
    is near to none. Where none reaches FLOOR the papers do not tell.
    """
    bar = min(BAR, max(FLOOR, NEAR_BEST * max(scores.values(), default=0.0)))
    return {key for key, score in scores.items() if score >= bar}
