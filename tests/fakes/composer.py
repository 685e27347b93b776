"""How the scripted LLM answers the tasks that compose a synthesis, from the inputs it is shown."""

import re
from collections.abc import Callable
from typing import Any

_SENTENCE = re.compile(r"[^.!?]+[.!?]")


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{4,}", text.lower()))


def _synthesize(inputs: dict[str, Any]) -> dict[str, Any]:
    """Keep the answer so far, and add of each paragraph the sentence that has most of the question."""
    former = [part for part in str(inputs.get("answer_so_far", "")).split("\n\n") if part]
    asked = _words(str(inputs["question"]))
    told: list[str] = []
    for source in inputs["sources"]:
        for paragraph in source["paragraphs"]:
            spans = [span.strip() for span in _SENTENCE.findall(paragraph)] or [paragraph]
            best = max(spans, key=lambda span: len(_words(span) & asked))
            if best not in "\n".join([*former, *told]):
                told.append(best)
    return {"paragraphs": [*former, *([" ".join(told)] if told else [])]}


def retold(answer: dict[str, Any]) -> dict[str, Any]:
    """The same answer without the last clause of each sentence: no copy, so its sources are asked for."""
    return {"paragraphs": [re.sub(r",[^,.]*\.", ".", part) for part in answer["paragraphs"]]}


def _retell(inputs: dict[str, Any]) -> dict[str, Any]:
    return retold(_synthesize(inputs))


def _restore(inputs: dict[str, Any]) -> dict[str, Any]:
    return {"paragraphs": [inputs["text"], " ".join(inputs["lost"])]}


def _shorten(inputs: dict[str, Any]) -> dict[str, Any]:
    """Its first sentences, as many as may be."""
    kept: list[str] = []
    for sentence in _SENTENCE.findall(inputs["text"]):
        if len(" ".join([*kept, sentence]).split()) < inputs["most_words"] / 2:
            kept.append(sentence.strip())
    return {"paragraphs": [" ".join(kept)]}


WRITING = ("synthesize_answer", "update_answer")
RETELLING: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = dict.fromkeys(WRITING, _retell)
ANSWERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    **dict.fromkeys(WRITING, _synthesize),
    "restore_answer": _restore,
    "shorten_answer": _shorten,
}
