"""How likely a reference is of a real work and right as printed: a logistic regression over what its check found.

`citeloom eval references fit` makes the weights, of one half of HALLMARK's references, and measures them on the other.
About half of these are right, so that is the chance before anything is known; a list of which nearly all are right
deserves more. The sources were made of the right ones, so that of works which no source holds they tell little.
"""

from collections.abc import Mapping
from math import exp

from state.audit import ReferenceCheck

_OPEN = frozenset({"incomplete", "not_asked"})
"""Outcomes that say nothing: nobody who could know has answered."""
WEIGHTS: Mapping[str, float] = {
    "": 2.92,
    "wrong": -5.29,
    "not_found": -1.43,
    "likely_invented": -5.08,
    "other title": -1.46,
    "other authors": -1.35,
    "other year": -0.17,
    "other venue": -2.32,
    "other doi": -1.05,
    "a source lacks it": -1.31,
    "and would hold it": -3.46,
    "misread, confirmed": -0.7,
    "misread, not_found": 0.92,
}
"""By sign; of '', which is always there, the log odds of a confirmed reference."""


def signs_of(check: ReferenceCheck, lacking: int, confidence: float) -> dict[str, float]:
    """Return what of a check speaks for or against a reference, by name; what is not there is 0.

    Args:
        check: Its outcome, the fields that differ, and who answered.
        lacking: How many sources answered without it that would hold such a work.
        confidence: How surely it was read, from 0 to 1.
    """
    fields = {one.field for one in check.wrong}
    signs = {
        "": 1.0,
        **({} if check.outcome == "confirmed" else {check.outcome: 1.0}),
        **{f"other {name}": 1.0 for name in fields},
        f"misread, {check.outcome}": 1 - confidence,
    }
    if check.outcome == "not_found":
        signs |= {
            "a source lacks it": float(len(check.missing_in)),
            "and would hold it": float(lacking),
        }
    return signs


def p_valid(
    check: ReferenceCheck,
    signs: Mapping[str, float],
    weights: Mapping[str, float] = WEIGHTS,
) -> float | None:
    """Return the probability, from 0 to 1 with three digits; None where nobody who could know has answered."""
    if check.outcome in _OPEN:
        return None
    odds = sum(weights.get(name, 0.0) * value for name, value in signs.items())
    return round(1 / (1 + exp(-odds)), 3)
