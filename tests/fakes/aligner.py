"""How the scripted LLM answers the tasks that align lines, from the inputs it is shown and nothing else."""

import re
from collections.abc import Callable
from typing import Any


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{4,}", text.lower()))


def _share(line: str, source: str) -> float:
    return len(_words(line) & _words(source)) / max(len(_words(line)), 1)


def _align(inputs: dict[str, Any]) -> dict[str, Any]:
    lines = []
    for line in inputs["lines"]:
        near = [item for item in inputs["sources"] if _share(line["text"], item["text"]) >= 0.5]
        near.sort(key=lambda item: -_share(line["text"], item["text"]))
        sources = [
            {"id": item["id"], "words": " ".join(item["text"].split()[:8])} for item in near[:2]
        ]
        said = " ".join(item["text"] for item in near[:2])
        says = "yes" if near and _share(line["text"], said) == 1 else "no"
        lines.append({"number": line["number"], "sources": sources, "says": says})
    return {"lines": lines}


ANSWERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "align_lines": _align,
}
