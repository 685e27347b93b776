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
    return {"keywords": sorted(_words(inputs["question"]))}


def _at_once(inputs: dict[str, Any]) -> dict[str, Any]:
    told = [
        {"quotes": [{"passage": item["id"], "words": span}], "text": span}
        for item in inputs["passages"]
        for span in _sentences(item["text"])
        if _shared(span, inputs["question"]) > 1
    ]
    return {"sentences": told[:3], "missing": [] if told else [inputs["question"]]}


def _choose(inputs: dict[str, Any]) -> dict[str, Any]:
    ranked = sorted(inputs["passages"], key=lambda item: -_shared(item["text"], inputs["question"]))
    helps = [item["id"] for item in ranked if _shared(item["text"], inputs["question"])]
    return {"ids": helps[: inputs["most"]]}


def _draw(inputs: dict[str, Any]) -> dict[str, Any]:
    claims = []
    for item in inputs["passages"]:
        helps = [span for span in _sentences(item["text"]) if _shared(span, inputs["question"])]
        claims += [
            {"passage": item["id"], "quote": span, "claim": span}
            for span in helps[: inputs["most"]]
        ]
    return {"claims": claims}


def _judge(inputs: dict[str, Any]) -> dict[str, Any]:
    enough = bool(inputs["claims"])
    return {
        "found": [
            {"aspect": aspect, "words": item.get("quote", item["claim"])}
            for aspect, item in zip(inputs["aspects"], inputs["claims"], strict=False)
        ],
        "reasoning": f"There are {len(inputs['claims'])} claims.",
        "sufficient": enough,
        "missing": [] if enough else [inputs["question"]],
        "query": "" if enough else f"{inputs['queries'][-1]} findings",
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
    "question_keywords": _keywords,
    "answer_in_one_call": _at_once,
    "choose_passages": _choose,
    "extract_claims": _draw,
    "judge_sufficiency": _judge,
    "compose_answer": _compose,
}
