"""The texts to be judged: of `eval writing`, or of any other system as published lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from string import ascii_uppercase
from typing import Any

from evals.json_lines import json_lines
from evals.writing.cases import Case
from tools.errors import InputError

MOST = len(ascii_uppercase)


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One text of one system for one case."""

    arm: str
    text: str
    references: tuple[str, ...] = ()
    """Titles, as the text numbers them; empty where it is not known what its numbers stand for."""


@dataclass(frozen=True, kw_only=True)
class Lineup:
    """The texts of one case, as a judge sees them: labelled A, B, ... in an order of chance."""

    case: Case
    labelled: Mapping[str, Candidate]

    def arm(self, label: str) -> str:
        """Return whose text has this label."""
        return self.labelled[label].arm


def read_candidates(path: Path) -> dict[str, list[Candidate]]:
    """Return the texts of a file by the id of their case.

    The file is what `eval writing --json` wrote, or JSON lines with `case`, `arm`, `text` and perhaps
    `references` (titles, as the text numbers them).

    Raises:
        InputError: It cannot be read, or holds no text.
    """
    rows = [row for _, row in json_lines(path)] if path.suffix != ".json" else _of_figures(path)
    found: dict[str, list[Candidate]] = {}
    for row in rows:
        if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in _KEYS):
            raise InputError(
                f"'{path}' has a line without {', '.join(_KEYS)} as texts: {str(row)[:80]}"
            )
        if row["text"].strip():
            listed = tuple(map(str, row.get("references") or ()))
            candidate = Candidate(arm=row["arm"], text=row["text"].strip(), references=listed)
            found.setdefault(row["case"], []).append(candidate)
    if not found:
        raise InputError(
            f"'{path}' holds no text: give what `eval writing --json` wrote, or JSON lines"
        )
    return found


_KEYS = ("case", "arm", "text")


def _of_figures(path: Path) -> list[dict[str, Any]]:
    import json

    try:
        figures = json.loads(path.read_text(encoding="utf-8"))
        return [
            {"case": case["id"], "arm": arm, **printed}
            for case in figures["cases"]
            for arm, printed in case["printed"].items()
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"'{path}' is not what `eval writing --json` writes: {error!r}") from error


def lineup(case: Case, candidates: Sequence[Candidate], seed: str) -> Lineup:
    """Return the texts of a case in an order that the seed decides, whatever theirs was."""
    ordered = sorted(candidates, key=lambda item: item.arm)[:MOST]
    Random(f"{seed} {case.id}").shuffle(ordered)
    return Lineup(case=case, labelled=dict(zip(ascii_uppercase, ordered, strict=False)))
