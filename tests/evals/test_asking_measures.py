"""Tests of what is measured of an answer, on answers that are honest and on some that are not."""

import pytest

from evals.asking.cases import Answer, Case, Point
from evals.asking.measures import Told, covered, measures, stands
from state.ask import Claim
from state.paper import Author, Paper
from state.quote import Quote
from tests.evals.answers import claim, passage_of, sources_of

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
