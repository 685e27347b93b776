"""What was made so far, in the file that is asked for; what was left out stands with its reason in one beside it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from evals.json_lines import json_lines
from evals.questions.material import Material
from tools.errors import InputError

Kind = Literal["answerable", "unanswerable"]
UNANSWERABLE = "Unanswerable"
Stack = list[str]
"""The ids of documents that are asked together."""


class Book:
    """The rows of a file of papers with questions (evals.asking.papers)."""

    def __init__(self, out: Path, materials: Sequence[Material]) -> None:
        """Go on with what is there.

        Raises:
            InputError: The file has another text of one of the documents, or is of another kind.
        """
        self._out = out
        self.log = out.with_suffix(".left-out.jsonl")
        self.rows = {_checked(row, out)["doc_id"]: row for row in _rows(out)}
        self.left = _rows(self.log)
        for one in materials:
            new = {"doc_id": one.id, "title": one.title, "full_text": one.text, "qa": []}
            if self.rows.setdefault(one.id, new)["full_text"] != one.text:
                raise InputError(f"'{out}' has another text of {one.id}: name another file")

    def asked(
        self, kind: Kind | None = None, *, size: int | None = None, of: Stack | None = None
    ) -> list[dict[str, Any]]:
        """Return the questions, perhaps only those of a kind, of stacks of a size, of one stack."""
        return [
            item
            for row in self.rows.values()
            for item in row["qa"]
            if kind in (None, "unanswerable" if item["answer"] == UNANSWERABLE else "answerable")
            and size in (None, len(item["papers"]))
            and of in (None, item["papers"])
        ]

    def about(self, stack: Stack) -> list[str]:
        """Return all questions that concern a document of a stack."""
        return [item["question"] for item in self.asked() if {*item["papers"]} & {*stack}]

    def exhausted(self, stack: Stack, kind: Kind) -> bool:
        """Whether the last that was asked for on a stack gave nothing."""
        return any(
            not one["question"] and one["kind"] == kind and one["papers"] == stack
            for one in self.left
        )

    def keep(self, items: Sequence[dict[str, Any]]) -> None:
        """Write questions down, with the first of their papers."""
        for item in items:
            self.rows[item["papers"][0]]["qa"].append(item)
        temporary = self._out.with_name(f"{self._out.name}.part")
        lines = (json.dumps(row, ensure_ascii=False) for row in self.rows.values())
        temporary.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        temporary.replace(self._out)

    def leave(self, stack: Stack, kind: Kind, question: str, why: str) -> None:
        """Write down why a question was left out; without a question, that there is no other."""
        self.left.append({"papers": stack, "kind": kind, "question": question, "why": why})
        with self.log.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(self.left[-1], ensure_ascii=False) + "\n")


def _checked(row: Any, path: Path) -> dict[str, Any]:
    if not (
        isinstance(row, dict) and row.get("full_text") and "doc_id" in row and "qa" in row
    ) or not all({"question", "answer", "papers"} <= item.keys() for item in row["qa"]):
        raise InputError(f"'{path}' was not made by this command: name another file")
    return row


def _rows(path: Path) -> list[Any]:
    return [row for _, row in json_lines(path)] if path.exists() else []
