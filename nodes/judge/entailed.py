"""The verdicts of a model of inference, in the words of an LLM's answer.

A source says what a sentence says of it where words of it entail the sentence; those words are the quote. What an
abstract says over several sentences is found where the whole entails it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tools.llm.entailment import Entailment
from tools.text.sentences import split_sentences

SURE = 0.5
"""Probability from which a model is believed: neither other label can be as probable. Fitted to nothing."""


@dataclass(frozen=True, slots=True)
class Entailed:
    """What a model makes of a claim and some texts."""

    verdict: Literal["supported", "contradicted", "not_in_source"]
    quote: str
    """The sentence that decides; empty where there is none."""
    reason: str


def entailed(model: Entailment, claim: str, texts: Sequence[str]) -> Entailed:
    """Return whether some sentence of these texts, or one of them as a whole, entails a claim."""
    split = [[span.text for span in split_sentences(text)] for text in texts]
    words = [sentence for sentences in split for sentence in sentences]
    whole = [text for text, of in zip(texts, split, strict=True) if len(of) > 1]
    if not words:
        return Entailed("not_in_source", "", "It has no words.")
    rows = model.judge([(text, claim) for text in (*words, *whole)])
    best = max(range(len(words)), key=lambda at: rows[at][0])
    worst = max(range(len(words)), key=lambda at: rows[at][1])
    entails = max(entail for entail, _ in rows)
    if entails > SURE:
        return Entailed("supported", words[best], f"they entail it ({entails:.2f})")
    if rows[worst][1] > SURE:
        return Entailed("contradicted", words[worst], f"they contradict it ({rows[worst][1]:.2f})")
    return Entailed("not_in_source", words[best], f"they hardly entail it ({entails:.2f})")
