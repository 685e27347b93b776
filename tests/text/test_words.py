"""tools/text/words.py: tokens, stems, coverage, resemblance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.text.words import content_stems, coverage, topic_stems


def test_stems_leave_out_what_carries_no_meaning() -> None:
    assert content_stems("The author's citation-ranking of papers") == ["citat", "rank", "paper"]
    assert topic_stems("We propose a novel state-of-the-art method to rank citations") == [
        "rank",
        "citat",
    ]


@pytest.mark.parametrize(
    ("claim", "source", "share", "why"),
    [
        ("ranks citations", "Citation ranking is hard.", 1.0, "other forms of the same words"),
        ("ranks citations", "Citations are hard.", 0.5, "half of them"),
        ("ranks citations", "Screening of reviews.", 0.0, "none of them"),
        ("ranks, ranked, ranking", "It ranks.", 1.0, "each stem counts once"),
        ("the of and", "The of and.", 0.0, "no content is not supported by anything"),
        ("", "Citations.", 0.0, "an empty claim neither"),
    ],
)
def test_coverage_is_the_share_of_the_claims_words(
    claim: str, source: str, share: float, why: str
) -> None:
    assert coverage(claim, source) == share, why


@given(st.text(), st.text())
def test_coverage_is_a_share_and_more_source_never_lowers_it(claim: str, source: str) -> None:
    share = coverage(claim, source)
    assert 0 <= share <= 1
    assert coverage(claim, f"{source} {claim}") in {0.0, 1.0}
    assert coverage(claim, f"{source} and more") >= share
