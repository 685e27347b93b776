"""The fit of `p_valid`: the chance that a reference is right, of what its check found, and how well it foretells."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from zlib import crc32

import numpy as np

from evals.references.checked import ARMS, Fabricated, check, load_hallmark
from evals.references.ten_styles import Work, print_works
from nodes.verify.check_reference import WEIGHTS, p_valid
from state.audit import ReferenceCheck
from state.paper import Paper, title_key
from tools.references.reference_list import read_reference
from tools.references.works import paper_of

_OF_IDS = frozenset({"fabricated_doi", "nonexistent_doi"})
"""Kinds of fabrication that a reference printed without a DOI does not show."""
_RIDGE = 1.0
"""Penalty of squared weights: few references have some of the signs."""
_STEPS = 50
_BINS = (0.0, 0.05, 0.5, 0.9, 1.0)


@dataclass(frozen=True)
class Case:
    """A checked reference of which the truth is known."""

    title: str
    check: ReferenceCheck
    signs: Mapping[str, float]
    right: bool

    @property
    def held_out(self) -> bool:
        """Whether it is in the half that measures; all references of one title are in one half."""
        return bool(crc32(title_key(self.title).encode()) % 2)


async def cases_of(path: Path) -> list[Case]:
    """Return HALLMARK's references, checked as records with each arm's sources, and printed in ten styles with two."""
    entries, works, _ = load_hallmark(path)
    cases: list[Case] = []
    for make in ARMS.values():
        sources = make(works)
        for one in entries:
            found = await check(one.stated, sources)
            cases.append(Case(one.stated.title, found.check, found.signs, not one.kind))
    return [*cases, *await _printed(entries, works)]


async def _printed(entries: Sequence[Fabricated], works: Sequence[Paper]) -> list[Case]:
    whole = [
        (one, Work(paper.title, paper.authors, paper.year, paper.venue))
        for one in entries
        if (paper := one.stated).authors and paper.year and paper.venue and one.kind not in _OF_IDS
    ]
    styles = list(print_works([work for _, work in whole]).values())
    sources = next(iter(ARMS.values()))(works)
    cases: list[Case] = []
    for place, (one, _) in enumerate(whole):
        read = read_reference(styles[place % len(styles)][place].text)
        found = await check(paper_of(read), sources, read)
        cases.append(Case(one.stated.title, found.check, found.signs, not one.kind))
    return cases


def fitted(cases: Sequence[Case]) -> dict[str, float]:
    """Return the weight of each sign that a case has, by Newton's method with a ridge."""
    names = sorted({name for case in cases for name in case.signs})
    signs = np.array([[case.signs.get(name, 0.0) for name in names] for case in cases])
    right = np.array([float(case.right) for case in cases])
    weights = np.zeros(len(names))
    ridge = np.diag([0.0 if not name else _RIDGE for name in names])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-signs @ weights))
        slope = signs.T @ (chance - right) + ridge @ weights
        bend = (signs.T * (chance * (1 - chance))) @ signs + ridge
        weights -= np.linalg.solve(bend, slope)
    return dict(zip(names, map(float, weights.round(2)), strict=True))


def brier(cases: Sequence[Case], chances: Sequence[float]) -> float:
    """Return the mean square of what the chances are off: 0 is best, 0.25 what a coin gives."""
    return float(np.mean([(p - case.right) ** 2 for case, p in zip(cases, chances, strict=True)]))


def measure_fit(cases: Sequence[Case]) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Return the weights fitted on one half, and on the other half Brier scores and calibration, by way."""
    seen = [case for case in cases if not case.held_out]
    kept = [case for case in cases if case.held_out]
    weights = fitted(seen)
    of: defaultdict[str, list[float]] = defaultdict(list)
    for case in seen:
        of[case.check.outcome].append(float(case.right))
    mean = float(np.mean([case.right for case in seen]))
    ways = {
        "fitted now": [p_valid(one.check, one.signs, weights) or 0.0 for one in kept],
        "as it comes with CiteLoom": [
            p_valid(one.check, one.signs, WEIGHTS) or 0.0 for one in kept
        ],
        "share right of each outcome": [
            float(np.mean(of.get(one.check.outcome) or [mean])) for one in kept
        ],
        "share right of all": [mean] * len(kept),
    }
    return weights, {
        way: {
            "n": float(len(kept)),
            "Brier score": brier(kept, chances),
            **_calibration(kept, chances),
        }
        for way, chances in ways.items()
    }


def _calibration(cases: Sequence[Case], chances: Sequence[float]) -> dict[str, float]:
    told: dict[str, float] = {}
    for low, high in pairwise(_BINS):
        of = [
            (p, case.right)
            for case, p in zip(cases, chances, strict=True)
            if low <= p < high or p == high == 1
        ]
        if of:
            name = f"{low} to {high}"
            told |= {
                f"{name}: n": float(len(of)),
                f"{name}: foretold, %": 100 * float(np.mean([p for p, _ in of])),
                f"{name}: right, %": 100 * float(np.mean([right for _, right in of])),
            }
    return told
