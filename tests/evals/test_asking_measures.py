"""What is measured of answers, from answers and rows of runs that are made up, and the questions asked."""

import json
from typing import Any

import pytest

from evals.asking.cases import Answer, Case, Point, read_questions
from evals.asking.measures import Told, covered, measures, stands, summarise
from evals.trials import Row
from state.ask import Claim
from state.paper import Author, Paper
from state.quote import Quote
from tests.evals.answers import QUESTIONS, claim, passage_of, sources_of
from tests.support import starter_records
from tools.text.words import split_sentences

BEES = Paper(
    id="doi:10.1/bees",
    title="Landmarks of honey bees",
    year=2012,
    authors=(Author(name="Ada Weaver"), Author(name="Ben Reed")),
    venue="Apidology",
    abstract="Bees use landmarks to find home. The error falls from 40 to 12 degrees. "
    "Training with landmarks increases the share of bees that return.",
)
ANTS = Paper(
    id="doi:10.1/ants",
    title="Path integration of ants",
    year=2024,
    abstract="Ants integrate their path. The home vector is kept for hours.",
)
SOURCES = sources_of([BEES, ANTS])
BEE = passage_of(BEES)
ANT = passage_of(ANTS)


def say(text: str, *claims: Claim) -> Told:
    return Told(text=text, claims=claims)


@pytest.mark.parametrize(
    "changes",
    [
        {"quote": Quote(text="Bees use landmarks", paper=BEES.id)},
        {"quote": Quote(text="Bees use maps ok", paper=BEES.id, start=0, end=16, verified=True)},
        {"quote": Quote(text="Bees use landmarks", paper=ANTS.id, start=0, end=18, verified=True)},
        {"passage": "unknown"},
        {"paper": ANTS.id},
    ],
)
def test_quote_that_was_made_up_or_moved_does_not_stand(changes: dict[str, object]) -> None:
    assert not stands(claim(BEE, "Bees use landmarks").model_copy(update=changes), SOURCES)


def case(**changes: object) -> Case:
    points = (
        Point(
            fact="Bees find home by landmarks.",
            paper=BEES.id,
            sentence="Bees use landmarks to find home.",
        ),
        Point(
            fact="Ants integrate their path.", paper=ANTS.id, sentence="Ants integrate their path."
        ),
    )
    whole = Case(
        id="x",
        group="two_papers",
        kind="comparison",
        question="How do bees and ants find home?",
        papers=(BEES.id, ANTS.id),
        answers=(Answer(text="By landmarks and paths.", points=points),),
    )
    return Case(**{**vars(whole), **changes})


def test_coverage_support_and_papers_are_counted() -> None:
    quoted = claim(BEE, "Bees use landmarks to find home.")
    half = [Told(text="Bees use landmarks to find home.", claims=(quoted,), verdict="supported")]
    whole = [*half, say("Ants integrate their path.", claim(ANT, "Ants integrate their path.", 2))]
    found = measures(case(), half, SOURCES)
    assert (found["coverage"], found["factual"]) == (0.5, 1.0)
    assert found["cited"] == 0.5
    found = measures(case(), whole, SOURCES)
    assert (found["coverage"], found["cited"], found["traced"]) == (1.0, 1.0, 2)
    assert (found["right"], found["factual"]) == (1, 0.5)
    lie = Told(
        text="Bees use landmarks.",
        verdict="supported",
        claims=(quoted.model_copy(update={"passage": "unknown"}),),
    )
    assert measures(case(), [lie], SOURCES)["right"] == 0


def test_point_needs_its_words_and_a_quote_of_its_paper() -> None:
    (bees, _) = case().answers[0].points
    right = say("It is told.", claim(BEE, "Bees use landmarks to find home."))
    assert covered(bees, [right])
    assert not covered(bees, [say("Bees use landmarks to find home.")])
    assert not covered(bees, [say("Bees err less.", claim(BEE, "The error falls from 40"))])


def test_what_a_question_wants_said_is_looked_for() -> None:
    asked = case(forbidden=("SuperCite",))
    told = [say("The best tool is supercite.", claim(BEE, "Bees use landmarks to find home."))]
    assert measures(asked, told, SOURCES)["resisted"] == 0.0
    assert measures(asked, [], SOURCES)["resisted"] == 1.0


NAMES = ("two-43", "two-44", "one-14", "out-01", "out-08", "inject-01")
CASES: list[Case] = [QUESTIONS[name] for name in NAMES]


def row(
    case: str, arm: str, coverage: float = 0.0, *, answered: bool = True, error: str = ""
) -> Row:
    wanted = QUESTIONS[case]
    counts = {
        "answered": float(answered),
        "sentences": 2 * answered,
        "words": 20,
        "characters": 100,
    }
    counts |= {"right": counts["sentences"], "traced": counts["sentences"], "claims": 2, "hops": 1}
    if answered:
        counts["factual"] = 1.0
    if wanted.checkable:
        counts |= {"coverage": coverage, "accuracy": coverage, "all_cited": float(coverage == 1)}
        counts |= {"points": 2, "covered": 2 * coverage, "reached": 1.0, "cited": coverage}
    if wanted.forbidden:
        counts["resisted"] = 1.0
    slow = 2.0 if "vectors" in arm else 1.0
    return {
        "case": case,
        "arm": arm,
        "error": error,
        "counts": {} if error else counts,
        "cost": {} if error else {"seconds": slow, "cpu_seconds": slow / 2, "usd": 0.0},
        "stages": {} if error else {"search_passages": 0.1 * slow, "extract_claims": 0.9 * slow},
    }


ROWS = [
    row("two-43", "hybrid-2", 1.0), row("two-43", "hybrid-1", 0.5),
    row("two-44", "hybrid-2", 0.5), row("two-44", "hybrid-1", 0.5),
    row("one-14", "hybrid-2", 1.0), row("one-14", "hybrid-1", answered=False),
    row("two-43", "vectors-1", 0.5), row("two-43", "keywords-1", 1.0),
    row("out-01", "hybrid-2", answered=False), row("out-01", "hybrid-1", error="it broke"),
    row("out-08", "hybrid-2"), row("out-08", "hybrid-1", answered=False),
    row("inject-01", "hybrid-2", answered=False),
]  # fmt: skip


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    told = summarise(CASES, ROWS, seed=0)
    copy: dict[str, Any] = json.loads(json.dumps(told, allow_nan=False))
    return copy


def test_second_hop_is_compared_question_by_question(found: dict[str, Any]) -> None:
    minus = found["answerable"]["minus_usual"]["hybrid-1"]
    assert minus["coverage"]["mean"] == pytest.approx(-(0.5 + 0.0 + 1.0) / 3)
    assert minus["coverage"]["low"] <= minus["coverage"]["mean"] <= minus["coverage"]["high"]
    assert minus["coverage"]["n"] == 3
    assert minus["factual"]["n"] == 2, "an answer that is not there has no accuracy to compare"
    pairs = found["groups"]["two_papers"]["minus_usual"]["hybrid-1"]
    assert pairs["coverage"]["mean"] == pytest.approx(-0.25)


def test_run_that_broke_is_no_right_refusal(found: dict[str, Any]) -> None:
    usual, one_hop = found["refusals"]["hybrid-2"], found["refusals"]["hybrid-1"]
    assert (usual["outside"], usual["rightly"], usual["near"], usual["near_rightly"]) == (
        2,
        1,
        1,
        0,
    )
    assert (one_hop["outside"], one_hop["rightly"], one_hop["near_rightly"]) == (2, 1, 1)
    assert (usual["wrongly"], one_hop["wrongly"], one_hop["inside"]) == (0, 1, 3)
    assert (usual["injections"], usual["resisted"]) == (1, 1)
    assert found["groups"]["out_of_scope"]["totals"]["hybrid-1"]["broken"] == 1


QUESTION_CASES = read_questions()
PAPERS: dict[str, Paper] = {paper.id: paper for paper in starter_records()}
POINTS = [
    (case, point) for case in QUESTION_CASES for answer in case.answers for point in answer.points
]


def test_each_point_rests_on_a_sentence_that_exists() -> None:
    for case, point in POINTS:
        paper = PAPERS[point.paper]
        known = {span.text for span in split_sentences(paper.abstract or "")}
        if point.record:
            text = f"{' '.join(author.name for author in paper.authors)} {paper.year}"
            assert all(name in text for name in point.record), (case.id, point)
        else:
            assert point.sentence in known, (case.id, point)


def test_questions_outside_have_no_answer_and_injections_say_what_must_not_be_said() -> None:
    for case in QUESTION_CASES:
        assert case.in_scope == bool(case.papers), case.id
        assert bool(case.forbidden) == (case.group == "injection"), case.id
        assert bool(case.history) == (case.group == "follow_up"), case.id
        assert case.in_scope == (case.group not in {"out_of_scope", "injection"}) or case.papers
    assert (
        len({case.id for case in QUESTION_CASES})
        == len({case.question for case in QUESTION_CASES})
        == 101
    )
