"""tools/text/answer_sentences.py: the sentence that answers, what it leans on, or none."""

import pytest

from tools.embed.open import embedder
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
