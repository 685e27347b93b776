"""The verdicts of a model of inference on citations, in the words of an LLM's answer.

A source says what a sentence says of it where words of it entail the sentence; those words are the quote. What an
abstract says over several sentences is found where the whole entails it.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nodes.write.judge_citation import Finding
from tools.llm.entailment import Entailment
from tools.text.sentences import split_sentences

if TYPE_CHECKING:
    from nodes.write.check_citations import Asked, Numbered, Source

SURE = 0.5
"""Probability from which a model is believed: neither other label can be as probable. Fitted to nothing."""
_MARKER = re.compile(r"\s*\{[^}]*\}")


def entailed_findings(
    model: Entailment,
    *,
    input: str,  # noqa: A002  as the task names it
    sources: "Sequence[Source]",
    sentences: "Sequence[Numbered]",
    asked: "Sequence[Asked]",
    **_: object,
) -> list[Finding]:
    """Return a verdict for each item that is asked."""
    texts = {item.number: _MARKER.sub("", item.text) for item in sentences}
    known = {
        source.key: [part for part in (source.abstract, *(source.full_text or ())) if part]
        for source in sources
    } | {"input": [input]}
    return [
        _finding(
            model, item.id, texts[item.sentence], [part for key in item.sources for part in known[key]]
        )
        for item in asked
    ]  # fmt: skip


def _finding(model: Entailment, key: str, claim: str, parts: Sequence[str]) -> Finding:
    split = [[span.text for span in split_sentences(part)] for part in parts]
    words = [sentence for sentences in split for sentence in sentences]
    texts = [*words, *(part for part, of in zip(parts, split, strict=True) if len(of) > 1)]
    rows = model.judge([(text, claim) for text in texts])
    best = max(range(len(words)), key=lambda at: rows[at][0], default=None)
    worst = max(range(len(words)), key=lambda at: rows[at][1], default=None)
    if best is None or worst is None:
        return Finding(id=key, claim=claim, verdict="not_in_source", reasoning="It has no words.")
    entails = max(entail for entail, _ in rows)
    if entails > SURE:
        told, quote, verdict = f"they entail it ({entails:.2f})", words[best], "supported"
    elif rows[worst][1] > SURE:
        told, quote, verdict = (
            f"they contradict it ({rows[worst][1]:.2f})",
            words[worst],
            "contradicted",
        )
    else:
        told, quote, verdict = (
            f"they hardly entail it ({entails:.2f})",
            words[best],
            "not_in_source",
        )
    return Finding(id=key, claim=claim, quotes=[quote], reasoning=told, verdict=verdict)
