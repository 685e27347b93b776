"""How the scripted LLM answers the tasks of `ask`, from the inputs it is shown and nothing else."""

import re
from collections.abc import Callable
from typing import Any

_SENTENCE = re.compile(r"[^.!?]+[.!?]")
_SMALL = frozenset(
    [
        "what",
        "which",
        "where",
        "when",
        "does",
        "with",
        "from",
        "that",
        "this",
        "have",
        "been",
        "about",
        "between",
        "their",
        "there",
    ]
)


def _sentences(text: str) -> list[str]:
    return [found.strip() for found in _SENTENCE.findall(text)] or [text]


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{4,}", text.lower())) - _SMALL


def _shared(text: str, question: str) -> int:
    return len(_words(text) & _words(question))


def _rewrite(inputs: dict[str, Any]) -> dict[str, Any]:
    first = inputs["conversation"][0]["question"]
    return {"question": f"{inputs['question'].rstrip('?')} (asked of: {first.rstrip('?')})?"}


def _plan_search(inputs: dict[str, Any]) -> dict[str, Any]:
    words = [word.strip("?,.()") for word in inputs["question"].split()]
    kept = [inputs["spellings"].get(word, word) for word in words if _words(word)]
    return {"query": " ".join(kept) or inputs["question"], "aspects": [inputs["question"]]}


def _keywords(inputs: dict[str, Any]) -> dict[str, Any]:
    named = [
        {"id": item["id"], "keywords": sorted(_words(item["text"]))} for item in inputs["passages"]
    ]
    return {"passages": named}


def _at_once(inputs: dict[str, Any]) -> dict[str, Any]:
    told = [
        {"quotes": [{"passage": item["id"], "words": span}], "text": span}
        for item in inputs["passages"]
        for span in _sentences(item["text"])
        if _shared(span, inputs["question"]) > 1
    ]
    return {"sentences": told[:3], "missing": [] if told else [inputs["question"]]}


def _draw(inputs: dict[str, Any]) -> dict[str, Any]:
    ranked = sorted(inputs["passages"], key=lambda item: -_shared(item["text"], inputs["question"]))
    claims = []
    for item in ranked[: inputs["most_passages"]]:
        helps = [span for span in _sentences(item["text"]) if _shared(span, inputs["question"])]
        claims += [
            {"passage": item["id"], "quote": span, "claim": span, "tells": [1]}
            for span in helps[: inputs["most_of_each"]]
        ]
    return {
        "claims": claims,
        "reasoning": f"There are {len(claims)} claims.",
        "missing": [] if claims else [inputs["question"]],
        "query": f"{inputs['queries'][-1]} findings" if "queries" in inputs and not claims else "",
    }


def _compose(inputs: dict[str, Any]) -> dict[str, Any]:
    return {
        "sentences": [
            {"claims": [item["number"]], "text": item["claim"]} for item in inputs["claims"]
        ],
        "missing": [],
    }


ANSWERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "rewrite_question": _rewrite,
    "plan_search": _plan_search,
    "name_keywords": _keywords,
    "answer_in_one_call": _at_once,
    "extract_claims": _draw,
    "compose_answer": _compose,
}
