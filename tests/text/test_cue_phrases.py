"""tools/text/cue_phrases.py: a phrase types the citation that it stands near before, and no other."""

import pytest

from tools.text.cue_phrases import CUES, stance_by_cues

FAR = "in the wide valleys of the north where nobody has ever dug before"


@pytest.mark.parametrize(
    ("sentence", "stance"),
    [
        ("Unlike Lee (2020), we dig at night.", "contrasts"),
        ("Our counts are consistent with those of Lee (2020).", "supports"),
        ("We use the spades of Lee (2020).", "uses"),
        ("Unlike others, we use the spades of Lee (2020).", "uses"),
        ("Lee (2020) dug, unlike others, at night.", None),
        (f"We use spades {FAR}; see Lee (2020).", None),
        ("Spades are old (Lee (2020)).", None),
        ("Lee (2020)", None),
    ],
)
def test_nearest_phrase_before_a_citation_counts(sentence: str, stance: str | None) -> None:
    assert stance_by_cues(sentence, "Lee (2020)") == stance


def test_phrases_are_few_and_none_says_background() -> None:
    assert sum(map(len, CUES.values())) <= 25
    assert "background" not in CUES
