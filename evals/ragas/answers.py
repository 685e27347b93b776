"""The answers to be judged: of `eval synthesis`, or of any other system as lines."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.json_lines import json_lines
from tools.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Answered:
    """One answer of one system to one question."""

    case: str
    arm: str
    question: str
    answer: str
    contexts: tuple[str, ...]
    """The texts that it was made from, the best first."""
    truth: str
    """What people answered."""
    model: str = ""
    """What wrote the answer, where the file says it."""


def read_answers(path: Path) -> list[Answered]:
    """Return the answers of a file.

    The file is what `eval synthesis --json` wrote, or JSON lines with `case`, `arm`, `question`, `answer`,
    `contexts` (texts, the best first), `truth` and perhaps `model`.

    Raises:
        InputError: It cannot be read, or holds none.
    """
    rows = _of_figures(path) if path.suffix == ".json" else [row for _, row in json_lines(path)]
    found = [_answered(row, path) for row in rows]
    if not found:
        raise InputError(f"'{path}' holds no answer")
    return found


def _answered(row: Any, path: Path) -> Answered:
    try:
        contexts = tuple(str(text) for text in row["contexts"])
        texts = {name: str(row[name]) for name in ("case", "arm", "question", "answer", "truth")}
    except (KeyError, TypeError) as error:
        raise InputError(
            f"'{path}' has a line without case, arm, question, answer, contexts and truth: {str(row)[:80]}"
        ) from error
    if not texts["question"].strip() or not texts["truth"].strip():
        raise InputError(
            f"'{path}' has a line without a question or what people answered: {texts['case']}"
        )
    return Answered(contexts=contexts, model=str(row.get("model") or ""), **texts)


def _of_figures(path: Path) -> list[Any]:
    try:
        figures = json.loads(path.read_text(encoding="utf-8"))
        model = figures.get("settings", {}).get("model", "")
        return [
            {
                "case": row["case"],
                "arm": f"{row['arm']}, stack of {row['stack']}",
                "answer": row["answer"],
                "question": row["told"]["question"],
                "contexts": row["told"]["contexts"],
                "truth": " ".join(row["told"]["golds"][0]),
                "model": model,
            }
            for row in figures["arms"]["rows"]
        ]
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise InputError(
            f"'{path}' is not what `eval synthesis --json` writes: {error!r}"
        ) from error
