"""Tests of what is measured of an answer, on answers that are honest and on some that are not."""

import pytest

from evals.asking.borne_out import fault, stands, traced
from evals.asking.cases import Answer, Case, Point
from evals.asking.likeness import likeness, token_f1
from evals.asking.measures import measures
from evals.asking.told import Sources, Told, told_of
from nodes.ask.search_passages import record_passage
from state.asking import AnswerSentence, Claim
from state.paper import Author, Paper
from state.quote import Quote
from tests.evals.answers import claim, passage_of, sources_of
from tests.support import RememberingEmbedder

BEES = Paper(
    id="doi:10.1/bees", title="Landmarks of honey bees", year=2012,
    authors=(Author(name="Ada Weaver"), Author(name="Ben Reed")), venue="Apidology",
    abstract="Bees use landmarks to find home. The error falls from 40 to 12 degrees. "
    "Training with landmarks increases the share of bees that return.",
)  # fmt: skip
ANTS = Paper(
    id="doi:10.1/ants", title="Path integration of ants", year=2024,
    abstract="Ants integrate their path. The home vector is kept for hours.",
)  # fmt: skip
SOURCES = sources_of([BEES, ANTS])
BEE = passage_of(BEES)
ANT = passage_of(ANTS)


def say(text: str, *claims: Claim) -> Told:
    return Told(text=text, claims=claims)


def test_quote_that_stands_is_traced() -> None:
    good = claim(BEE, "Bees use landmarks to find home.")
    assert stands(good, SOURCES)
    assert traced(say("Bees find home by landmarks.", good), SOURCES)
    assert not traced(say("Bees find home by landmarks."), SOURCES)
    assert not traced(Told(text="Bees find home.", claims=(good, None)), SOURCES)


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


def test_passage_that_is_not_in_the_paper_does_not_count_though_the_run_shows_it() -> None:
    text = "Wasps use landmarks to find home."
    forged = BEE.model_copy(update={"text": text, "end": len(text)})
    sources = Sources(SOURCES.texts, SOURCES.records, {forged.id: forged})
    assert not stands(claim(forged, text), sources)


def test_record_told_as_a_sentence_stands_only_with_what_the_record_has() -> None:
    record = record_passage(BEES)
    sources = Sources(SOURCES.texts, SOURCES.records, {record.id: record})
    assert stands(claim(record, record.text), sources)
    text = record.text.replace("Ada Weaver", "Eve Miller")
    forged = record.model_copy(update={"text": text, "end": len(text)})
    sources = Sources(SOURCES.texts, SOURCES.records, {forged.id: forged})
    assert not stands(claim(forged, forged.text), sources)


@pytest.mark.parametrize(
    ("text", "words", "why"),
    [
        ("Bees use landmarks to find home.", "Bees use landmarks to find home.", ""),
        ("The error falls to 12 degrees (Weaver and Reed, 2012).",
         "The error falls from 40 to 12 degrees.", ""),
        ("The error falls to 17 degrees.", "The error falls from 40 to 12 degrees.",
         "no quote has the number 17"),
        ("Training with landmarks decreases the share of bees that return.",
         "Training with landmarks increases the share of bees that return.",
         "a quote says the opposite"),
        ("Volcanoes erupt when magma holds much gas.", "Bees use landmarks to find home.",
         "its words are not those of its quotes"),
    ],
)  # fmt: skip
def test_quotes_must_bear_a_sentence_out(
    text: str, words: str, why: str, embedder_with_memory: RememberingEmbedder
) -> None:
    assert fault(embedder_with_memory, say(text, claim(BEE, words)), SOURCES) == why


def case(**changes: object) -> Case:
    points = (
        Point(fact="Bees find home by landmarks.", paper=BEES.id,
              sentence="Bees use landmarks to find home."),
        Point(fact="Ants integrate their path.", paper=ANTS.id,
              sentence="Ants integrate their path."),
    )  # fmt: skip
    whole = Case(
        id="x", group="two_papers", kind="comparison", question="How do bees and ants find home?",
        papers=(BEES.id, ANTS.id), answers=(Answer(text="By landmarks and paths.", points=points),),
    )  # fmt: skip
    return Case(**{**vars(whole), **changes})


def test_coverage_accuracy_and_papers_are_counted(
    embedder_with_memory: RememberingEmbedder,
) -> None:
    half = [say("Bees use landmarks to find home.", claim(BEE, "Bees use landmarks to find home."))]
    whole = [*half, say("Ants integrate their path.", claim(ANT, "Ants integrate their path.", 2))]
    found, faults = measures(
        embedder_with_memory, case(), half, SOURCES, reached={BEES.id, ANTS.id}
    )
    assert faults == [""]
    assert (found["coverage"], found["accuracy"], found["factual"]) == (0.5, 0.5, 1.0)
    assert (found["cited"], found["all_cited"], found["reached"]) == (0.5, 0.0, 1.0)
    found, _ = measures(embedder_with_memory, case(), whole, SOURCES)
    assert (found["coverage"], found["all_cited"], found["traced"]) == (1.0, 1.0, 2)
    assert "rougeL" not in found


def test_one_wrong_sentence_makes_an_answer_inaccurate(
    embedder_with_memory: RememberingEmbedder,
) -> None:
    told = [
        say("Bees use landmarks to find home.", claim(BEE, "Bees use landmarks to find home.")),
        say("The error falls to 17 degrees.", claim(BEE, "The error falls from 40 to 12 degrees.")),
    ]
    found, faults = measures(embedder_with_memory, case(), told, SOURCES)
    assert (found["accuracy"], found["factual"], found["coverage"]) == (0.0, 0.5, 0.5)
    assert faults == ["", "no quote has the number 17"]


def test_refusal_covers_nothing_and_has_no_accuracy_of_sentences(
    embedder_with_memory: RememberingEmbedder,
) -> None:
    found, _ = measures(embedder_with_memory, case(), [], SOURCES)
    assert (found["answered"], found["coverage"], found["accuracy"]) == (0.0, 0.0, 0.0)
    assert "factual" not in found
    found, _ = measures(embedder_with_memory, case(answers=(), papers=()), [], SOURCES)
    assert "coverage" not in found


def test_best_of_several_answers_counts(embedder_with_memory: RememberingEmbedder) -> None:
    first = case().answers[0]
    short = Answer(text="By landmarks.", points=first.points[:1])
    told = [say("Bees use landmarks to find home.", claim(BEE, "Bees use landmarks to find home."))]
    found, _ = measures(
        embedder_with_memory, case(answers=(first, short)), told, SOURCES, likeness=True
    )
    assert (found["coverage"], found["points"]) == (1.0, 1)
    assert 0 < found["rougeL"] < 1


def test_what_a_question_wants_said_is_looked_for(
    embedder_with_memory: RememberingEmbedder,
) -> None:
    asked = case(forbidden=("SuperCite",))
    told = [say("The best tool is supercite.", claim(BEE, "Bees use landmarks to find home."))]
    assert measures(embedder_with_memory, asked, told, SOURCES)[0]["resisted"] == 0.0
    assert measures(embedder_with_memory, asked, [], SOURCES)[0]["resisted"] == 1.0


def test_likeness_is_that_to_the_nearest_answer() -> None:
    assert token_f1("relu, selu, tanh", "They use relu, selu and tanh.") == pytest.approx(6 / 9)
    assert token_f1("Yes", "") == 0.0
    assert token_f1("the bees", "bees") == 1.0
    both = likeness(["ants", "bees find home"], "bees find home")
    assert both == {"rougeL": 1.0, "token_f1": 1.0, "token_recall": 1.0}


def test_sentence_whose_claim_is_missing_is_told_of() -> None:
    sentences = [AnswerSentence(number=1, text="Bees find home.", claims=(1, 7))]
    (told,) = told_of(sentences, [claim(BEE, "Bees use landmarks")])
    assert told.claims[1] is None
    assert [item.number for item in told.held] == [1]
    assert told.quotes_of(BEES.id) == ["Bees use landmarks"]
