"""The answers whose claims are judged: of `eval asking`, or of any other system as lines."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.asking.cases import Case
from evals.json_lines import json_lines
from tools.errors import InputError

APART = "injection"
"""A group of questions that are neither to be answered nor to be refused."""


@dataclass(frozen=True, kw_only=True)
class Answered:
    """One answer of one system to one question."""

    case: Case
    arm: str
    answer: str
    """Without numbers in brackets; empty where it was refused."""
    error: str = ""
    """Why the run broke."""


def read_answers(path: Path, cases: Sequence[Case]) -> list[Answered]:
    """Return the answers of a file.

    The file is what `eval asking --json` wrote, or JSON lines with `case` (the question's id), `arm`, `answer`.

    Raises:
        InputError: It cannot be read, holds none, or answers a question that is not among the cases.
    """
    known = {case.id: case for case in cases}
    rows = _of_figures(path) if path.suffix == ".json" else [row for _, row in json_lines(path)]
    found = [_answered(row, known, path) for row in rows]
    if not found:
        raise InputError(f"'{path}' holds no answer")
    return [item for item in found if item.case.group != APART]


def _answered(row: Any, known: Mapping[str, Case], path: Path) -> Answered:
    try:
        case, arm, answer = str(row["case"]), str(row["arm"]), str(row["answer"])
    except (KeyError, TypeError) as error:
        raise InputError(
            f"'{path}' has a line without case, arm and answer: {str(row)[:80]}"
        ) from error
    if case not in known:
        raise InputError(
            f"'{path}' answers '{case}', which is none of the questions: give the --data that was asked"
        )
    return Answered(case=known[case], arm=arm, answer=answer.strip(), error=row.get("error", ""))


def _of_figures(path: Path) -> list[dict[str, Any]]:
    try:
        cases = json.loads(path.read_text(encoding="utf-8"))["cases"]
        return [row for case in cases for row in _rows(case)]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"'{path}' is not what `eval asking --json` writes: {error!r}") from error


def _rows(case: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for arm in case["arms"]:
        told = case.get("sentences", {}).get(arm, [])
        yield {
            "case": case["id"],
            "arm": arm,
            "answer": " ".join(item["text"] for item in told),
            "error": case.get("error", {}).get(arm, ""),
        }
