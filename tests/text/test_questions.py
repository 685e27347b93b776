"""tools/text/questions.py: what a question asks for, and which sentence is of that kind."""

import pytest

from tools.text.questions import keywords, question_parts, read_question


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many voles were caught?", "number"),
        ("Could you tell me what accuracy was reached?", "number"),
        ("Who wrote the paper on voles?", "record"),
        ("When was it published?", "record"),
        ("Who annotated the voles?", "other"),
        ("What is BABAR?", "definition"),
        ("Which corpus was used?", "other"),
        ("Do owls sleep?", "other"),
    ],
)
def test_kind_of_answer(question: str, kind: str) -> None:
    assert read_question(question).kind == kind


def test_terms_are_what_the_question_is_about_without_the_paper_it_is_put_to() -> None:
    asked = read_question("In “A map of the barn”: how many labelled voles were used?")
    assert asked.terms == ("label", "vole")
    assert asked.sought == ("label", "vole")


@pytest.mark.parametrize(
    ("question", "better", "worse"),
    [
        ("How many voles were caught?", "We caught 12 young voles.", "We caught all voles."),
        ("How many voles were caught?", "They met two owls.", "Voles are small [12] (2004)."),
        ("What is BABAR?", "BABAR is a resolver.", "We tested BABAR in two domains."),
    ],
)
def test_sentence_of_the_kind_that_is_asked_for_suits_better(
    question: str, better: str, worse: str
) -> None:
    asked = read_question(question)
    assert asked.suits(better) > asked.suits(worse)


def test_keywords_are_spelt_as_the_library_spells_them() -> None:
    assert (
        keywords("Please tell me how owls hunt wolves?", {"wolves": "voles"}) == "owls hunt voles"
    )
    assert keywords("Why?", {}) == "Why"


def test_only_a_question_for_a_meaning_wants_a_definition() -> None:
    assert read_question("What does SPECTRA stand for?").defined == "spectra"
    assert read_question("What does SPECTRA combine?").defined == ""


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "How large is Norla, and who may use it?",
            ["How large is Norla?", "who may use it (Norla)?"],
        ),
        (
            "What is Norla? Which corpora does Hoby need?",
            ["What is Norla?", "Which corpora does Hoby need?"],
        ),
        (
            "On which data was Norla trained, and is it free?",
            ["On which data was Norla trained?", "is it free (Norla)?"],
        ),
        ("How do owls and bats hunt?", ["How do owls and bats hunt?"]),
        ("Who won the cup, and who scored?", ["Who won the cup, and who scored?"]),
        ("Which owls hunt, sleep and breed?", ["Which owls hunt, sleep and breed?"]),
    ],
)
def test_two_questions_in_one_are_two_each_with_its_names(question: str, parts: list[str]) -> None:
    assert question_parts(question) == parts


@pytest.mark.parametrize(
    ("sentence", "defines"),
    [
        ("SPECTRA is a model of text.", True),
        ("We propose SPECTRA, a new method to embed papers.", True),
        ("We call our model SPECTRA.", True),
        ("Figure 1: Overview of SPECTRA.", False),
        ("Reading whole papers with SPECTRA is an item of future work.", False),
    ],
)
def test_definition_is_the_sentence_that_says_what_it_is(sentence: str, *, defines: bool) -> None:
    assert read_question("What is SPECTRA?").suits(sentence) is defines
