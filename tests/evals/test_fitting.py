"""evals/references/checked.py: the weights of `p_valid`, and how well they foretell."""

import random
from math import exp

import pytest

from evals.references.checked import Case, fitted, measure_fit
from state.audit import ReferenceCheck, ReferenceOutcome

TRUTH = {"": 2.0, "wrong": -3.0, "not_found": -1.0}
WORDS = (
    "amber",
    "basalt",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "glade",
    "heron",
    "islet",
    "juniper",
    "kelp",
    "lichen",
)


def made(many: int) -> list[Case]:
    """Return cases of which the true weights are known."""
    draw = random.Random(7)
    outcomes: tuple[ReferenceOutcome, ...] = ("confirmed", "wrong", "not_found")
    cases: list[Case] = []
    for at in range(many):
        outcome = outcomes[at % 3]
        signs = {"": 1.0} | ({outcome: 1.0} if outcome != "confirmed" else {})
        odds = sum(TRUTH[name] * value for name, value in signs.items())
        right = draw.random() < 1 / (1 + exp(-odds))
        check = ReferenceCheck(key=str(at), outcome=outcome)
        cases.append(Case(f"On {WORDS[at % 12]} {at}", check, signs, right))
    return cases


def test_weights_that_made_the_truth_are_found_again() -> None:
    found = fitted(made(6000))
    assert found == pytest.approx(TRUTH, abs=0.2)


def test_halves_share_no_title_and_the_measure_is_of_the_half_held_out() -> None:
    cases = made(1200)
    again = [Case(case.title.upper(), case.check, case.signs, case.right) for case in cases]
    assert [case.held_out for case in again] == [case.held_out for case in cases]
    weights, told = measure_fit(cases)
    assert weights.keys() == TRUTH.keys()
    assert {figures["n"] for figures in told.values()} == {sum(case.held_out for case in cases)}
    assert told["fitted now"]["Brier score"] < told["share right of all"]["Brier score"]
