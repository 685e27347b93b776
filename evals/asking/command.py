"""`citeloom eval asking`: ask each question in each way and tell what came of it."""

import tempfile
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from evals.asking.cases import ARMS, REGULAR, USUAL, choose_cases, read_papers, read_questions
from evals.asking.measures import as_in_kar, summarise
from evals.asking.trial import Built, Setting, build_papers, build_starter, forget, try_arm
from evals.figures import RESAMPLES, sums
from evals.report import INTERVALS, Report, left_out
from evals.runner import Options, Suite, choose, say
from evals.trials import Row, results_of
from tools.settings import settings


@dataclass(frozen=True, kw_only=True)
class AskingOptions(Options):
    """The command as given; `n` counts the questions of each group."""

    data: Annotated[
        Path | None,
        typer.Option(help="Papers with questions; the packaged questions if left out."),
    ] = None
    groups: Annotated[str, typer.Option(metavar="A,B", help="Which groups.")] = ""
    arms: Annotated[
        str,
        typer.Option(metavar="A,B", help="What to compare; 'hybrid-2' always is. All if left out."),
    ] = ""


class Asking(Suite[AskingOptions]):
    """Ask questions with known answers: coverage, quotes that stand, refusals, time and cost."""

    def prepare(self) -> None:
        """Read the questions."""
        options = self.options
        self.arms = [ARMS[name] for name in choose(options.arms, ARMS, "arm", [USUAL])]
        self.data = read_papers(options.data) if options.data else None
        known = self.data.cases if self.data else read_questions()
        self.cases = choose_cases(known, options.groups, options.n)

    def rows(self) -> Generator[Row]:
        """Ask in each way, one question after the other.

        Each question begins with another arm: what one has split or embedded, the next has at hand.
        """
        count = len(self.arms)
        tasks = [
            (case, self.arms[(place + turn) % count])
            for place, case in enumerate(self.cases)
            for turn in range(count)
        ]
        self.runs = len(tasks)
        with tempfile.TemporaryDirectory(
            prefix="citeloom-asking-", ignore_cleanup_errors=True
        ) as folder:
            home = Path(folder) / "shared"
            try:
                self.built = self._build(home)
                setting = self._setting(home)
                run = partial(try_arm, setting=setting)
                with closing(results_of(run, tasks, self.options.workers)) as done:
                    yield from done
            finally:
                forget()

    def _build(self, home: Path) -> Built:
        if self.data is None:
            say("making the starter library")
            return build_starter(home)
        needed = {paper for case in self.cases for paper in case.within}
        sources = [item for item in self.data.sources if item.paper.id in needed]
        say(f"making a library of {len(sources)} documents")
        return build_papers(home, sources)

    def _setting(self, home: Path) -> Setting:
        texts = {key: paper.abstract or "" for key, paper in self.built.records.items()}
        if self.data:
            texts |= {item.paper.id: item.text for item in self.data.sources}
        return Setting(
            mind=self.options.mind,
            library=self.built.name,
            home=home,
            texts=texts,
            records=self.built.records,
        )

    def outcome(self, row: Row) -> str:
        """Say how long it took and how much of the answer is there, or why it broke."""
        if row.get("error"):
            return f"{row['case']} {row['arm']}: {row['error']}"
        told = f"{row['cost']['seconds']:.1f} s, {row['counts']['sentences']:.0f} sentences"
        covered = row["counts"].get("coverage")
        told += "" if covered is None else f", coverage {100 * covered:.0f} %"
        return f"{row['case']} {row['arm']}: {told}"

    def failed(self, row: Row) -> bool:
        """Whether nothing was answered."""
        return not row["sentences"]

    def found(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the figures."""
        options = self.options
        return {
            "settings": {
                "data": options.data.name if options.data else "questions over the starter library",
                "n": len(self.cases),
                "mind": options.mind,
                "seed": options.seed,
                "model": settings().strong_model if options.mind == "llm" else None,
                "resamples": RESAMPLES,
                "arms": {arm.name: dict(arm.settings) for arm in self.arms},
            },
            "preparation": {
                key: getattr(self.built, key)
                for key in ("passages", "vector_seconds", "keyword_seconds")
            },
            "left_out": self.data.left_out if self.data else {},
            **summarise(self.cases, rows, seed=options.seed),
        }

    def markdown(self, found: dict[str, Any]) -> str:
        """Return the figures of the ways of asking."""
        groups, whole = found["groups"], found["answerable"]
        coverage = {
            arm: {
                name: group["arms"].get(arm, {}).get("coverage") for name, group in groups.items()
            }
            for arm in whole["arms"]
        }
        totals = {
            arm: sums(group["totals"].get(arm, {}) for group in groups.values())
            for arm in found["refusals"]
        }
        tables = {
            f"Answerable questions ({whole['n']})": whole["arms"],
            "Coverage by group": coverage,
            f"Minus {USUAL}": whole["minus_usual"],
            "Two hops minus one": whole["hop_2_minus_1"],
            "Two hops minus one, two papers": groups.get("two_papers", {}).get("hop_2_minus_1", {}),
            f"Beside {REGULAR}, as in Keyword Augmented Retrieval's Table 1": as_in_kar(
                whole["arms"]
            )
            if REGULAR in whole["arms"]
            else {},
            "Over all runs": totals,
            "Refused": found["refusals"],
            "Preparation": {"": found["preparation"]},
        }
        notes = left_out(found, found["cases"])
        notes.append(
            f"{INTERVALS} A question that was not answered has no factual accuracy and covers nothing."
        )
        return Report(tables, notes).markdown()
