"""Questions: what they ask for, what they follow up, and the sentences that answer them."""

import pytest

from state.ask import CitedPaper, ConversationTurn
from tools.embed.open_embedder import embedder
from tools.text.answer_sentences import AnswerSource, rate_sentences
from tools.text.follow_up import absent, resolve_follow_up
from tools.text.questions import keywords, question_parts, read_question, without_papers


@pytest.mark.parametrize(
    ("question", "for_record"),
    [
        ("Who wrote the paper on voles?", True),
        ("Could you tell me when it was published?", True),
        ("Who?", True),
        ("Who annotated the voles?", False),
        ("How many voles were caught?", False),
    ],
)
def test_authors_and_years_are_asked_of_a_record(question: str, *, for_record: bool) -> None:
    assert read_question(question).for_record is for_record


def test_terms_are_what_the_question_is_about_without_the_paper_it_is_put_to() -> None:
    asked = read_question("In “A map of the barn”: how many labelled voles were used?")
    assert asked.terms == ("label", "vole")


def test_keywords_are_spelt_as_the_library_spells_them() -> None:
    assert (
        keywords("Please tell me how owls hunt wolves?", {"wolves": "voles"}) == "owls hunt voles"
    )
    assert keywords("Why?", {}) == "Why"


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


CITED = (CitedPaper(id="a", title="Owls"), CitedPaper(id="b", title="Voles"))
ASKED = "How do owls hunt?"
LAST = [ConversationTurn(question=ASKED, answer="At night [1]. In barns [2].", papers=CITED)]


@pytest.mark.parametrize(
    ("question", "stands_alone", "papers"),
    [
        ("And the second?", "In “Voles”: how do owls hunt?", ("b",)),
        ("What about the last one?", "In “Voles”: how do owls hunt?", ("b",)),
        (
            "What does the latter say of bats?",
            "In “Voles”: what does the latter say of bats?",
            ("b",),
        ),
        ("Who wrote the second paper?", "In “Voles”: who wrote the second paper?", ("b",)),
        ("Who wrote it?", "In “Owls”: who wrote it?", ("a",)),
        ("When was that paper published?", "In “Owls”: when was that paper published?", ("a",)),
        ("Why?", "In “Owls”: how do owls hunt: Why?", ("a",)),
        ("And its limits?", "In “Owls”: and its limits?", ("a",)),
        ("Do they agree?", "In “Owls” and “Voles”: do they agree?", ("a", "b")),
        ("And in winter?", "How do owls hunt: And in winter?", ()),
        ("What about bats?", "How do owls hunt: What about bats?", ()),
        ("And how do bees measure distance?", "And how do bees measure distance?", ()),
        ("How large is the barn of Smith?", "How large is the barn of Smith?", ()),
    ],
)
def test_follow_up_stands_alone(question: str, stands_alone: str, papers: tuple[str, ...]) -> None:
    found = resolve_follow_up(question, LAST)
    assert (found.question, found.papers) == (stands_alone, papers)


def test_what_was_not_cited_is_not_made_up() -> None:
    assert resolve_follow_up("Who wrote it?", []).question == "Who wrote it?"
    unknown = resolve_follow_up("What are its limits?", [ConversationTurn(question=ASKED)])
    assert (unknown.question, unknown.papers) == ("What are its limits (How do owls hunt)?", ())


def test_paper_that_was_not_cited_is_told_to_be_absent() -> None:
    assert absent("And the second?", CITED[:1]) == "second"
    assert absent("What about the third paper?", CITED) == "third"
    assert not absent("And the second?", CITED)
    assert not absent("And the second?", ())
    assert not absent("Who is the second author?", CITED[:1])
    assert not absent("What did the second experiment show?", CITED[:1])


def test_question_before_is_the_last_that_has_a_matter_of_its_own() -> None:
    turns = [*LAST, ConversationTurn(question="And the second?", papers=CITED[1:])]
    found = resolve_follow_up("Why?", turns)
    assert found.question == "In “Voles”: how do owls hunt: Why?"
    assert without_papers(found.question) == "how do owls hunt: Why?"


HEARING = (
    "Barn owls hunt voles in complete darkness. Their ears stand at different heights. "
    "We trained 14 owls for eleven weeks in a dark barn. In nine of ten nights the owls struck "
    "within two degrees of the sound. Table 2 0.91 0.93 0.95 1.2 voles."
)
SOURCES = [
    AnswerSource("Maize yields fell in dry summers. Farmers changed their seeds.", "On maize"),
    AnswerSource(HEARING, "Owls in the dark", ("2 Hearing",)),
]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How long were owls trained?", "We trained 14 owls for eleven weeks in a dark barn."),
        ("How many owls were trained?", "We trained 14 owls for eleven weeks in a dark barn."),
        ("What do barn owls hunt?", "Barn owls hunt voles in complete darkness."),
        (
            "At which heights do the ears of owls stand?",
            "Barn owls hunt voles in complete darkness. Their ears stand at different heights.",
        ),
    ],
)
def test_best_sentence_answers_and_brings_what_it_leans_on(question: str, answer: str) -> None:
    best = rate_sentences(embedder(), question, SOURCES)[0]
    assert best.answers
    assert (best.source, best.text) == (1, answer)


@pytest.mark.parametrize(
    "question",
    [
        "How much does the radio transmitter of an owl weigh?",
        "Which GPU trained the neural network of owls?",
        "How do penguins find fish under ice?",
    ],
)
def test_question_on_the_subject_that_nothing_answers_is_not_answered(question: str) -> None:
    assert not any(item.answers for item in rate_sentences(embedder(), question, SOURCES))


def test_everything_shown_stands_in_its_source_and_is_a_sentence() -> None:
    rated = rate_sentences(embedder(), "How do owls hunt voles?", SOURCES)
    assert all(item.text in SOURCES[item.source].text for item in rated)
    assert not any(item.text.startswith(("Their", "Table")) and item.answers for item in rated)
    assert rate_sentences(embedder(), "Why?", []) == []


def test_sentence_that_needs_its_number_of_a_reference_is_not_shown() -> None:
    cited = AnswerSource(
        "As in [8] the owls hunt voles at night. Tawny owls hunt mice at night [3]."
    )
    rated = rate_sentences(embedder(), "What do owls hunt at night?", [cited])
    assert [item.text for item in rated] == ["Tawny owls hunt mice at night [3]."]


OWLS = AnswerSource("NORLA was trained on barns with the Adam optimizer for owls.", "On NORLA")
BATS = AnswerSource(
    "HOBY is a sonar model of bats. HOBY was trained for three nights.", "Bats at night"
)
MICE = AnswerSource("The mice of the field were trained with a bell.", "Mice")


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("Which optimizer was used to train NORLA?", 0),
        ("Which optimizer was used to train LINNET?", None),
        ("What is HOBY?", 1),
    ],
)
def test_name_that_is_asked_about_stands_where_the_answer_does(
    question: str, source: int | None
) -> None:
    rated = rate_sentences(embedder(), question, [OWLS, BATS, MICE])
    assert [item.source for item in rated if item.answers][:1] == [source] * (source is not None)


def test_caption_and_run_in_heading_are_no_part_of_an_answer() -> None:
    text = "Figure 1: Overview of the owl ear with SPECTRA.\n\nTraining Owls Owls were trained with SPECTRA in a barn."
    source = AnswerSource(text, "Owls", ("3 Method", "Figure 1: Overview"))
    rated = rate_sentences(embedder(), "How were owls trained with SPECTRA?", [source])
    assert not any(item.text.startswith("Figure") and item.fits for item in rated)
    headed = AnswerSource(
        "Training Owls Owls were trained with SPECTRA in a barn.", "", ("Training Owls",)
    )
    rated = rate_sentences(embedder(), "How were owls trained with SPECTRA?", [headed])
    assert [item.text for item in rated] == ["Owls were trained with SPECTRA in a barn."]
