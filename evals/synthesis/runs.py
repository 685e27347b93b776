"""Runs of the real `synthesize` graph on files or texts, each with a home that the benchmark gives it."""

import asyncio
import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from citeloom.settings import Settings
from state.synthesis import Line, Origin
from tools.clients import Clients
from tools.context import RunContext

Upload = dict[str, str]


@dataclass(frozen=True)
class Synthesis:
    """What one run gave."""

    result: Mapping[str, Any]
    seconds: float

    @property
    def lines(self) -> list[Line]:
        """The lines of the text."""
        return list(self.result["lines"])

    @property
    def paragraphs(self) -> dict[str, Origin]:
        """The paragraphs that the text was made from, whole, by id."""
        return {item.paragraph: item for item in self.result["used"]}

    @property
    def stop(self) -> str:
        """Why it was stopped; empty where it was not."""
        return self.result["stop"].cause if self.result["stop"] else ""


def file_upload(path: Path) -> Upload:
    """Return a file as the graph takes it."""
    return {"name": path.name, "content": base64.b64encode(path.read_bytes()).decode()}


def text_upload(name: str, text: str) -> Upload:
    """Return a text as the graph takes it."""
    return {"name": f"{name}.txt", "content": text, "encoding": "text"}


def synthesize(
    question: str,
    uploads: Sequence[Upload],
    clients: Clients,
    options: Mapping[str, Any] | None = None,
) -> Synthesis:
    """Answer a question from papers, in an event loop of its own; `options` are fields of RunContext."""
    from graphs.synthesize import graph

    context = RunContext(**(options or {}))
    vars(context)["clients"] = clients  # where cached_property looks first
    inputs: Any = {"question": question, "uploads": [dict(item) for item in uploads]}
    config: Any = {"recursion_limit": 1000, "max_concurrency": 16}
    began = perf_counter()
    result = asyncio.run(graph.ainvoke(inputs, config, context=context))
    return Synthesis(dict(result), perf_counter() - began)


def home_at(folder: Path, **others: Any) -> Settings:
    """Return the defaults with that home, whatever the environment says."""
    folder.mkdir(parents=True, exist_ok=True)
    return Settings.model_construct(home=folder, **others)
