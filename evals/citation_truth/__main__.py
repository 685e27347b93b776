"""Run: `python -m evals.citation_truth --data DIR [--each 40] [--half tuning|held_out|both]`."""

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from evals.citation_truth.falsify import KINDS
from evals.citation_truth.pairs import Case, load
from evals.citation_truth.paths import PATHS
from state.writing import Support

OTHERS = 4
"""Other papers at hand beside the cited one."""
GROUPS = ("own", "paraphrase", *KINDS)


def judged(cases: Sequence[Case], path: str) -> list[tuple[Case, Support]]:
    """Return each case with the verdict of one path."""
    papers = list({case.paper.id: case.paper for case in cases}.values())
    found = []
    for number, case in enumerate(cases):
        others = random.Random(number).sample(papers, OTHERS + 1)
        beside = [item for item in others if item.id != case.paper.id][:OTHERS]
        found.append((case, PATHS[path](case, beside)))
    return found


def table(found: Sequence[tuple[Case, Support]]) -> Iterator[str]:
    """Yield lines: what each kind of sentence was called, and how many falsehoods passed."""
    names = get_args(Support)
    yield f"| {'sentences':<12} | {'n':>4} | {' | '.join(names)} |"
    yield f"|---|---|{'---|' * len(names)}"
    for group in GROUPS:
        verdicts = Counter(verdict for case, verdict in found if case.kind == group)
        told = " | ".join(f"{verdicts[name]}" for name in names)
        yield f"| {group:<12} | {verdicts.total():>4} | {told} |"
    false = [verdict for case, verdict in found if not case.true]
    accepted = sum(verdict in {"supported", "partly"} for verdict in false)
    yield f"False accepts: {accepted} of {len(false)}, of them {false.count('supported')} as supported."
    for kind in ("own", "paraphrase"):
        true = [verdict for case, verdict in found if case.kind == kind]
        refused = sum(verdict in {"contradicted", "not_in_source"} for verdict in true)
        unsaid = true.count("not_checked")
        yield f"False alarms, {kind}: {refused} of {len(true)} refused, {unsaid} not checked."


def main() -> None:
    """Print a table for each path."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--each", type=int, default=40, help="pairs of each of the nine kinds")
    parser.add_argument("--half", choices=("tuning", "held_out", "both"), default="tuning")
    parser.add_argument("--path", choices=tuple(PATHS), action="append")
    given = parser.parse_args()
    cases = load(given.data, given.each)
    if given.half != "both":
        cases = [case for case in cases if case.held_out == (given.half == "held_out")]
    for path in given.path or PATHS:
        print(f"\n{path} ({given.half}, {len(cases)} sentences)\n")
        print("\n".join(table(judged(cases, path))), flush=True)


if __name__ == "__main__":
    main()
