"""`citeloom eval relevance`: which papers of the starter library `find` judges, and puts first.

The inputs were written before the ranking was last worked on. Constants are chosen by the odd ones;
the even ones say what that is worth.
"""

from collections.abc import Generator, Sequence
from importlib.resources import files
from typing import Any

from pydantic import BaseModel

from evals.figures import RESAMPLES, means
from evals.runner import Options, Suite
from evals.trials import Row, attempted, fresh_home, run_graph
from tools.clients import Clients

FIRST = 10
HALVES = ("odd", "even")


class Case(BaseModel):
    """An input, and the papers that it is about."""

    id: str
    kind: str
    text: str
    first: list[str]
    """Those that must be among the first ten."""
    judged: list[str]
    """Those that must be read at all, the first ones among them."""


def read_inputs() -> list[Case]:
    """Return the packaged inputs."""
    lines = (files("evals.retrieval") / "relevance.jsonl").read_text(encoding="utf-8").splitlines()
    return [Case.model_validate_json(line) for line in lines]


class Relevance(Suite[Options]):
    """Measure which papers of the starter library `find` judges and ranks first, for short inputs."""

    def prepare(self) -> None:
        """Read the inputs."""
        self.cases = read_inputs()[: self.options.n]

    def rows(self) -> Generator[Row]:
        """Find for each input, one after the other."""
        with fresh_home() as here:
            clients = Clients(here)
            for case in self.cases:
                yield _row(case, attempted(lambda: self._found(case, clients)))  # noqa: B023 - at once

    def _found(self, case: Case, clients: Clients) -> dict[str, Any]:
        return run_graph("find", {"text": case.text}, clients, {"mind": self.options.mind})

    def outcome(self, row: Row) -> str:
        """Say which papers were missed."""
        return f"{row['case']}: {row['error'] or row['missed'] or 'all found'}"

    def found(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the figures of both halves."""
        told = [
            {**row, "id": row["case"], "arms": {HALVES[(int(row["case"]) + 1) % 2]: row["figures"]}}
            for row in rows
        ]
        return {
            "settings": {"mind": self.options.mind, "seed": self.options.seed},
            "resamples": RESAMPLES,
            "left_out": {},
            "cases": told,
            "halves": means(told, HALVES, seed=self.options.seed),
        }


def _row(case: Case, result: dict[str, Any]) -> Row:
    ranks = {item.paper.id: item.rank for item in result.get("papers", ())}
    stop = result.get("stop")
    unread = [key for key in case.judged if key not in ranks]
    late = [f"{key} ({ranks[key]})" for key in case.first if ranks.get(key, 0) > FIRST]
    return {
        "case": case.id,
        "ranks": {key: ranks.get(key) for key in case.judged},
        "missed": ", ".join([*(f"{key} (not judged)" for key in unread), *late]),
        "figures": {
            "judged": 1 - len(unread) / len(case.judged),
            "first_ten": sum(ranks.get(key, FIRST + 1) <= FIRST for key in case.first)
            / len(case.first),
            "seconds": result.get("took"),
        },
        "error": result.get("error") or (stop.cause if stop else ""),
    }
