"""state/quote.py: what may call itself verified."""

import pytest
from pydantic import ValidationError

from state.quote import Argument, Quote


@pytest.mark.parametrize(
    ("start", "end", "why"),
    [
        (None, None, "no offsets"),
        (0, None, "no end"),
        (None, 5, "no start"),
        (5, 0, "the end before the start"),
        (0, 4, "too short for its text"),
        (0, 6, "too long for its text"),
    ],
)
def test_verified_quote_needs_the_offsets_of_its_words(
    start: int | None, end: int | None, why: str
) -> None:
    with pytest.raises(ValidationError, match="verified quote"):
        Quote(text="words", paper="local:x", start=start, end=end, verified=True)
    assert not Quote(text="words", paper="local:x", start=start, end=end).verified, why


def test_offsets_are_never_negative() -> None:
    with pytest.raises(ValidationError):
        Quote(text="words", paper="local:x", start=-5, end=0)


def test_only_a_verified_quote_supports_an_argument() -> None:
    checked = Quote(text="words", paper="local:x", start=3, end=8, verified=True)
    unchecked = Quote(text="words", paper="local:x")
    assert Argument(claim="c", quote=checked).supported
    assert not Argument(claim="c", quote=unchecked).supported
    assert not Argument(claim="c").supported
