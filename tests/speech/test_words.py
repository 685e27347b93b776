"""The measure of the evaluation."""

import pytest

from evals.speech import QUESTIONS, Turn, distance, word_error_rate, words
from tools.speech.results import Seconds, Speech, Transcript

SECONDS = Seconds(load=0, run=1, audio=1)


@pytest.mark.parametrize(
    ("left", "right", "errors"),
    [
        ("one two three", "One, two; three!", 0),
        ("one two three", "one three", 1),
        ("one two three", "one too three", 1),
        ("one two", "one and two and", 2),
        ("one two", "", 2),
        ("don't", "don’t", 0),
        ("a b c d", "b c d a", 2),
    ],
)
def test_words_wrong_missing_and_added_are_counted(left: str, right: str, errors: int) -> None:
    assert distance(words(left), words(right)) == errors
    assert distance(words(right), words(left)) == errors


def test_rate_is_over_all_words_and_what_was_not_heard_is_all_wrong() -> None:
    speech = Speech(b"", 16_000, SECONDS, "engine")
    heard = Transcript("one two tree", SECONDS, "en", "engine")
    turns = [Turn("one two three", speech, heard), Turn("four", speech, None)]
    assert word_error_rate(turns) == 0.5


def test_there_are_ten_questions() -> None:
    assert len(set(QUESTIONS)) == 10
