"""`citeloom eval claims`: answers judged claim by claim by an LLM, factual share and coverage (arXivBot's Table 1)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from evals.asking.cases import NEAR, USUAL
from evals.asking.claim_judge import judged, questions_of, read_answers, read_material
from evals.asking.measures import age_of
from evals.figures import RESAMPLES, grouped, means, minus, noted
from evals.judge import JudgedSuite, JudgeOptions, check_each_once
from evals.trials import Row
from tools.clients import open_clients
from tools.llm.task import TaskModel
from tools.settings import settings


@dataclass(frozen=True, kw_only=True)
class ClaimsOptions(JudgeOptions):
    """The command as given; `n` counts questions."""

    answers: Annotated[
        list[Path],
        typer.Option(
            help="What `asking --json` wrote, or JSON lines with case, arm, answer; may be repeated."
        ),
    ]
    data: Annotated[
        Path | None,
        typer.Option(
            help="The papers with questions that were asked; the packaged ones if left out."
        ),
    ] = None


class Claims(JudgedSuite[ClaimsOptions]):
    """Have the claims of answers held against the papers, and the points of people's answers (arXivBot)."""

    def prepare(self) -> None:
        """Read the answers, tell what judging them costs, and ask whether it is worth that."""
        options = self.options
        self.material = read_material(options.data, open_clients(settings()).embedder)
        found = [
            item for path in options.answers for item in read_answers(path, self.material.cases)
        ]
        check_each_once((item.case.id, item.arm) for item in found)
        cases = list(dict.fromkeys(item.case.id for item in found))[: options.n]
        answers = [item for item in found if item.case.id in cases]
        self.arms = list(dict.fromkeys(item.arm for item in answers))
        self.base = USUAL if USUAL in self.arms else self.arms[0]
        self.judge(answers, (one for item in answers for one in questions_of(item, self.material)))

    async def judged(self, mind: TaskModel, item: Any) -> Row:
        """Judge an answer."""
        return await judged(mind, item, material=self.material)

    def outcome(self, row: Row) -> str:
        """Say how much of it is borne out, and how much it covers."""
        told = [
            f"{name} {100 * row['figures'][name]:.0f} %"
            for name in ("factual", "coverage")
            if name in row["figures"]
        ]
        return f"{row['case']}, {row['arm']}: {'; '.join([*told, *row['errors']]) or 'refused'}"

    def failed(self, row: Row) -> bool:
        """Whether the judge said nothing of it that can be used."""
        return not row["figures"]

    def found(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the figures of each arm, and what the judge said nothing usable of."""
        options, years = self.options, self.material.years
        told = [
            {
                "id": case.id,
                "question": case.question,
                "kind": case.kind,
                "in_scope": case.in_scope,
                "age": age_of(case, years),
                "arms": {arm: row["figures"] for arm, row in mine.items()},
                **noted(mine, ("claims", "missed", "errors", "error")),
            }
            for case, mine in grouped(self.material.cases, rows)
        ]
        inside = [one for one in told if one["in_scope"]]
        return {
            "settings": {
                "answers": [path.name for path in options.answers],
                "judge": settings().strong_model,
                "data": options.data.name if options.data else "questions over the starter library",
                "base": self.base,
                "seed": options.seed,
                "resamples": RESAMPLES,
            },
            "answerable": self._group(inside),
            "ages": {
                age: self._group(mine)
                for age in ("old", "recent")
                if (mine := [one for one in inside if one["age"] == age])
            },
            "refusals": {name: _refusals(told, name) for name in self.arms},
            "totals": {
                name: dict(
                    Counter(
                        one["verdict"]
                        for row in rows
                        if row["arm"] == name
                        for one in row["claims"]
                    )
                )
                for name in self.arms
            },
            "nonsense": sum(len(row["errors"]) for row in rows),
            "cases": told,
        }

    def _group(self, told: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        seed = self.options.seed
        return {
            "n": len(told),
            "arms": means(told, self.arms, seed=seed),
            "minus": minus(told, self.arms, self.base, seed=seed),
        }


def _refusals(told: Sequence[Mapping[str, Any]], arm: str) -> dict[str, float]:
    """Return how often an arm refused what has no answer, off the subject and on it, and what has one.

    A run that broke has refused nothing; an answer of which the judge told nothing usable is not counted.
    """
    refused = [
        (one, 1 - one["arms"][arm]["answered"] if arm not in one.get("error", {}) else 0.0)
        for one in told
        if "answered" in one["arms"].get(arm, {})
    ]
    kinds = {
        "off the subject": [
            share for one, share in refused if not (one["in_scope"] or one["kind"] in NEAR)
        ],
        "on the subject": [share for one, share in refused if one["kind"] in NEAR],
        "answerable": [share for one, share in refused if one["in_scope"]],
    }
    return {
        key: value
        for name, shares in kinds.items()
        for key, value in ((name, len(shares)), (f"{name}, refused", sum(shares)))
    }
