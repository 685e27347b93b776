"""How the scripted LLM answers the tasks that align lines, from the inputs it is shown and nothing else."""

import re
from collections.abc import Callable
from typing import Any


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{4,}", text.lower()))


def _share(line: str, source: str) -> float:
    return len(_words(line) & _words(source)) / max(len(_words(line)), 1)


def sources_of(inputs: dict[str, Any]) -> list[dict[str, str]]:
    """The sentences shown, each with its id: '[S1] Owls hear. [S2] Voles hide.' holds two."""
    shown = " ".join(text for source in inputs["sources"] for text in source["paragraphs"])
    pieces = re.split(r"(?:^|\s)\[(S\d+)\]\s", shown)[1:]
    return [{"id": key, "text": text} for key, text in zip(pieces[::2], pieces[1::2], strict=True)]


def _align(inputs: dict[str, Any]) -> dict[str, Any]:
    lines = []
    for line in inputs["lines"]:
        near = [item for item in sources_of(inputs) if _share(line["text"], item["text"]) >= 0.5]
        near.sort(key=lambda item: -_share(line["text"], item["text"]))
        sources = [
            {"id": item["id"], "words": " ".join(item["text"].split()[:8])} for item in near[:2]
        ]
        said = " ".join(item["text"] for item in near[:2])
        says = "yes" if near and _share(line["text"], said) == 1 else "no"
        lines.append({"number": line["number"], "sources": sources, "check": "Held.", "says": says})
    return {"lines": lines}


ANSWERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "align_lines": _align,
}
