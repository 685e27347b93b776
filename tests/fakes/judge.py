"""How the scripted LLM judges claims, from the question and nothing else.

What a text cites is always borne out, by the sentence with most of its words; an answer to a question is borne out
where two sentences of its sources have all of its words.
"""

import re
from collections.abc import Callable
from typing import Any

_SENTENCE = re.compile(r"[^.!?]+[.!?]+[”’\"]?")


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{4,}", text.lower()))


def sentences(text: str) -> list[str]:
    """Return the sentences of a plain text."""
    return [found.strip() for found in _SENTENCE.findall(text)] or [text]


def texts_of(source: dict[str, Any]) -> list[str]:
    """Return what is shown of a source: its abstract, or its title, and its passages."""
    passages = [item["text"] for item in source.get("passages") or ()]
    abstract = source.get("abstract")
    return [*([abstract] if abstract else [] if passages else [source["title"]]), *passages]


def _nearest(claim: str, texts: list[str], most: int) -> list[str]:
    told = [one for text in texts for one in sentences(text)]
    near = sorted(told, key=lambda one: -len(_words(one) & _words(claim)))
    return near[:most]


def _judge(inputs: dict[str, Any]) -> dict[str, Any]:
    told = {source["key"]: texts_of(source) for source in inputs["sources"]}
    told["input"] = [inputs["input"]]
    numbered = {item["number"]: item["text"] for item in inputs["sentences"]}
    findings = []
    for item in inputs["asked"]:
        claim, verdict = numbered[item["sentence"]], "supported"
        quotes = [quote for key in item["sources"] for quote in _nearest(claim, told[key], 1)]
        if inputs.get("question"):
            quotes = _nearest(claim, [text for key in item["sources"] for text in told[key]], 2)
            near = [
                one for one in quotes if len(_words(one) & _words(claim)) * 2 >= len(_words(claim))
            ]
            quotes = near or quotes[:1]
            said = set[str]().union(*map(_words, quotes))
            verdict = "supported" if _words(claim) <= said else "not_in_source"
        findings.append(
            {"id": item["id"], "quotes": quotes, "reasoning": "It says so.", "verdict": verdict}
        )
    return {"findings": findings}


def _again(inputs: dict[str, Any]) -> dict[str, Any]:
    return {
        "findings": [
            {"id": item["id"], "reasoning": "It is the same.", "verdict": "supported"}
            for item in inputs["asked"]
        ]
    }


ANSWERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "judge_claims": _judge,
    "judge_again": _again,
}
