"""evals/references/checked.py: the weights of `p_valid`, and how well they foretell."""

import json
import random
from math import exp
from pathlib import Path

import pytest

from evals.references.checked import Case, brier, cases_of, fitted, measure_fit
from state.audit import ReferenceCheck, ReferenceOutcome
from tests.evals.calls import evaluated

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


def test_brier_score_is_the_mean_square_of_what_chances_are_off() -> None:
    cases = made(2)
    sure = [float(case.right) for case in cases]
    assert brier(cases, sure) == 0
    assert brier(cases, [0.5, 0.5]) == 0.25
    assert brier(cases, [1 - p for p in sure]) == 1


def test_halves_share_no_title_and_the_measure_is_of_the_half_held_out() -> None:
    cases = made(1200)
    again = [Case(case.title.upper(), case.check, case.signs, case.right) for case in cases]
    assert [case.held_out for case in again] == [case.held_out for case in cases]
    weights, told = measure_fit(cases)
    assert weights.keys() == TRUTH.keys()
    assert {figures["n"] for figures in told.values()} == {sum(case.held_out for case in cases)}
    assert told["fitted now"]["Brier score"] < told["share right of all"]["Brier score"]


@pytest.fixture
def hallmark(tmp_path: Path) -> Path:
    """Twelve references of made-up works: each valid, and with another's authors."""
    rows = []
    for at in range(12):
        names = f"Lee{WORDS[at % 12].title()}, Ann and Kim, Bo"
        title = f"How {WORDS[at % 12]} and {WORDS[(at * 5 + 1) % 12]} weave looms of the north, part {at // 2}"
        fields = {"title": title, "author": names, "year": "2019", "journal": "Loom Letters"}
        row = {"fields": fields, "label": "VALID", "hallucination_type": None}
        rows.append(row)
        wrong = {**fields, "author": "Stranger, Zoe and Nobody, Max", "year": "2019"}
        made_up = {"label": "HALLUCINATED", "hallucination_type": "swapped_authors"}
        rows.append({"fields": wrong, **made_up})
    path = tmp_path / "hallmark.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


async def test_each_reference_is_a_case_in_each_arm_and_in_print(hallmark: Path) -> None:
    cases = await cases_of(hallmark)
    assert len(cases) == 4 * 24
    whole = cases[:24]
    assert {case.check.outcome for case in whole if case.right} == {"confirmed"}
    assert {case.check.outcome for case in whole if not case.right} == {"wrong"}
    assert all(case.signs["other authors"] == 1 for case in whole if not case.right)


def test_command_prints_the_weights_and_how_they_foretell(hallmark: Path) -> None:
    done = evaluated("references", "fit", "--hallmark", str(hallmark))
    assert done.exit_code == 0, done.output
    assert "'other authors': -" in done.stdout
    assert "Brier score" in done.stdout
