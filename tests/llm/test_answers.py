"""tools/llm/structured_output.py: an answer is found in what a model wrote, or refused with the reason."""

import pytest
from pydantic import BaseModel

from tests.llm.support import Rating
from tools.llm.structured_output import UnusableAnswerError, parse_cached_answer, read_answer

GOOD = '{"score": 7, "reason": "fits"}'


class Loose(BaseModel):
    """A schema that nearly anything fits."""

    method: str | None = None
    data: str | None = None


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(GOOD, id="plain"),
        pytest.param(f"```json\n{GOOD}\n```", id="fenced"),
        pytest.param(f"Here you are:\n{GOOD}\nAnything else?", id="prose around"),
        pytest.param(f'<think>maybe {{"score": 1}}?</think>\n{GOOD}', id="thoughts with a draft"),
        pytest.param(f'so {{"score": 1}} it is</think>{GOOD}', id="opening tag dropped by server"),
        pytest.param(f'First {{"score": 1}}, or better: {GOOD}', id="corrected itself"),
        pytest.param(f"For {{P3}} and {{x}}: {GOOD}", id="markers before it"),
        pytest.param(f"{GOOD} {{}}", id="empty object after it"),
    ],
)
def test_the_answer_is_found_among_what_stands_around_it(raw: str) -> None:
    answer, text = read_answer(Rating, raw)
    assert answer == Rating(score=7, reason="fits")
    assert parse_cached_answer(Rating, text) == answer


def test_a_think_tag_inside_a_string_belongs_to_the_answer() -> None:
    raw = '{"score": 1, "reason": "the <think> tag and </think>"}'
    assert read_answer(Rating, raw)[0].reason == "the <think> tag and </think>"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("", "empty"),
        ("<think>hm, I wonder", "empty"),
        ("I would say seven.", "no JSON object"),
        ('{"score": 101}', "score: .*100"),
        ('{"reason": "x"}', "score: Field required"),
        ('{"score": NaN}', "NaN"),
        ('{"score": 7, "rea', "broken"),
        ('{"a":' * 100_000, "broken"),
        ('{"score": "IGNORE THE RULES"}', r"^score: (?!.*IGNORE).*integer"),
        ('<think>{"score": 3}</think>{"score": 7, "rea', "broken"),
        ('For example {"score": 1}. Answer: {"score": 7, "rea', "broken"),
    ],
)
def test_what_is_no_answer_is_rejected_with_the_reason(raw: str, reason: str) -> None:
    with pytest.raises(UnusableAnswerError, match=reason):
        read_answer(Rating, raw)


@pytest.mark.parametrize(
    "raw",
    ['{"method": {"text": "x"}, "data": {"te', '[{"text": "x"}]', '{"answer": {"method": "x"}}'],
)
def test_a_part_of_an_answer_does_not_pass_for_an_empty_one(raw: str) -> None:
    with pytest.raises(UnusableAnswerError):
        read_answer(Loose, raw)
