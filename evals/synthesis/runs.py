"""Runs of the real `synthesize` graph on files or texts, each with a home that the benchmark gives it."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.trials import run_graph
from state.synthesis import Line, Origin
from tools.clients import Clients
from tools.errors import InputError

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
    choices: Mapping[str, Any],
    graph: Any = "synthesize",
) -> Synthesis:
    """Answer a question from papers; `choices` are fields of RunSettings.

    Raises:
        InputError: The run was stopped.
    """
    inputs = {"question": question, "uploads": [dict(item) for item in uploads]}
    result = run_graph(graph, inputs, clients, choices)
    if result["stop"]:
        raise InputError(f"'{question}' was stopped: {result['stop'].cause}")
    return Synthesis(result, result["took"])
