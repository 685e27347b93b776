"""nodes/verify/check_reference.py: how likely a reference is right, of what its check found."""

import pytest

from nodes.verify.check_reference import WEIGHTS, p_valid, signs_of
from state.audit import CheckedField, ReferenceCheck, ReferenceOutcome, WrongField


def chance(
    outcome: ReferenceOutcome,
    *wrong: CheckedField,
    missing: int = 0,
    lacking: int = 0,
    confidence: float = 1.0,
) -> float | None:
    check = ReferenceCheck(
        key="1",
        outcome=outcome,
        wrong=tuple(WrongField(field=name, stated="a", right="b") for name in wrong),
        missing_in=tuple(f"source {at}" for at in range(missing)),
    )
    return p_valid(check, signs_of(check, lacking, confidence))


def test_what_the_check_found_orders_references() -> None:
    ordered = [
        chance("confirmed"),
        chance("not_found", missing=1),
        chance("not_found", missing=1, lacking=1),
        chance("not_found", missing=2, lacking=2),
    ]
    assert None not in ordered
    assert ordered == sorted(ordered, key=lambda one: one or 0.0, reverse=True)
    assert len(set(ordered)) == len(ordered)


@pytest.mark.parametrize("name", ["title", "authors", "year", "venue", "doi"])
def test_each_field_that_differs_makes_it_less_likely(name: CheckedField) -> None:
    assert (chance("wrong", name) or 1) < (chance("wrong") or 0)


def test_misreading_speaks_against_what_was_confirmed_and_for_what_was_not_found() -> None:
    assert (chance("confirmed", confidence=0.3) or 1) < (chance("confirmed") or 0)
    assert (chance("not_found", missing=1, confidence=0.3) or 0) > (
        chance("not_found", missing=1) or 1
    )


@pytest.mark.parametrize("outcome", ["incomplete", "not_asked"])
def test_nothing_is_said_where_nobody_answered(outcome: ReferenceOutcome) -> None:
    assert chance(outcome) is None


def test_signs_are_weighed_as_in_a_logistic_regression() -> None:
    check = ReferenceCheck(key="1", outcome="confirmed")
    signs = signs_of(check, 0, 1.0)
    assert p_valid(check, signs, {"": 0.0}) == 0.5
    assert p_valid(check, signs, {"": 100.0}) == 1.0
    assert set(signs) <= {*WEIGHTS}
