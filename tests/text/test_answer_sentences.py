"""tools/text/answer_sentences.py: the sentence that answers, what it leans on, or none."""

import pytest

from tools.embed.open_embedder import embedder
from tools.text.answer_sentences import Source, rate_sentences

HEARING = (
    "Barn owls hunt voles in complete darkness. Their ears stand at different heights. "
    "We trained 14 owls for eleven weeks in a dark barn. In nine of ten nights the owls struck "
    "within two degrees of the sound. Table 2 0.91 0.93 0.95 1.2 voles."
)
SOURCES = [
    Source("Maize yields fell in dry summers. Farmers changed their seeds.", "On maize"),
    Source(HEARING, "Owls in the dark", ("2 Hearing",)),
]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
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
    cited = Source("As in [8] the owls hunt voles at night. Tawny owls hunt mice at night [3].")
    rated = rate_sentences(embedder(), "What do owls hunt at night?", [cited])
    assert [item.text for item in rated] == ["Tawny owls hunt mice at night [3]."]


OWLS = Source("NORLA was trained on barns with the Adam optimizer for owls.", "On NORLA")
BATS = Source("HOBY is a sonar model of bats. HOBY was trained for three nights.", "Bats at night")
MICE = Source("The mice of the field were trained with a bell.", "Mice")


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("Which optimizer was used to train NORLA?", 0),
        ("Which optimizer was used to train HOBY?", None),
        ("Which optimizer was used to train hoby?", None),
        ("Which optimizer was used to train LINNET?", None),
        ("Which learning rate was used to train NORLA?", None),
        ("What is HOBY?", 1),
        ("What is NORLA?", None),
    ],
)
def test_rare_name_and_what_is_asked_for_stand_where_the_answer_does(
    question: str, source: int | None
) -> None:
    rated = rate_sentences(embedder(), question, [OWLS, BATS, MICE])
    assert [item.source for item in rated if item.answers][:1] == [source] * (source is not None)


def test_caption_and_run_in_heading_are_no_part_of_an_answer() -> None:
    text = "Figure 1: Overview of the owl ear with SPECTRA.\n\nTraining Owls Owls were trained with SPECTRA in a barn."
    source = Source(text, "Owls", ("3 Method", "Figure 1: Overview"))
    rated = rate_sentences(embedder(), "How were owls trained with SPECTRA?", [source])
    assert not any(item.text.startswith("Figure") and item.fits for item in rated)
    headed = Source(
        "Training Owls Owls were trained with SPECTRA in a barn.", "", ("Training Owls",)
    )
    rated = rate_sentences(embedder(), "How were owls trained with SPECTRA?", [headed])
    assert [item.text for item in rated] == ["Owls were trained with SPECTRA in a barn."]
