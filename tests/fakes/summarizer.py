"""How the scripted LLM summarises paragraphs and judges them, from the inputs it is shown alone."""

import re
from collections.abc import Callable
from typing import Any

_SENTENCE = re.compile(r"[^.!?]+[.!?]")
_SMALL = frozenset(
    ["what", "which", "where", "when", "does", "with", "from", "that", "this", "have"]
)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{4,}", text.lower())) - _SMALL


def _summarize(inputs: dict[str, Any]) -> dict[str, Any]:
    """The first sentence of each paragraph."""
    return {
        "summaries": [
            {"id": item["id"], "summary": (_SENTENCE.findall(item["text"]) or [item["text"]])[0]}
            for item in inputs["paragraphs"]
        ]
    }


def _judge(inputs: dict[str, Any]) -> dict[str, Any]:
    """Those whose summary shares a word with the question help."""
    wanted = _words(inputs["question"])
    return {
        "needed": ["an answer"],
        "ids": [item["id"] for item in inputs["paragraphs"] if _words(item["summary"]) & wanted],
    }


ANSWERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "summarize_paragraphs": _summarize,
    "judge_relevance": _judge,
}
