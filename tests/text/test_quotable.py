"""tools/text/quotable.py: what can be shown by itself, and how it is shown."""

import pytest

from tools.text.quotable import is_whole, quote_with_names

PLAIN = "Moss cools the flat roofs of hot cities in summer."


@pytest.mark.parametrize(
    ("text", "whole", "why"),
    [
        (PLAIN, True, "a plain sentence"),
        (f"{PLAIN} This makes the rooms below them cool as well.", True, "two"),
        ("The roofs are listed in Table 3 of the appendix.", False, "points to a table"),
        ("As in [8] the roofs of hot cities are cooled.", False, "needs its citation"),
        ("Let x = 3 for the roofs of all hot cities.", False, "a formula"),
        ("Giv en the exibilit y of moss the roofs sta y co ol.", False, "garbled"),
        ("Moss cools the flat roofs of", False, "cut off"),
        ("仓鸮在完全黑暗中仅凭听觉就能找到田鼠。", True, "no spaces between words"),
    ],
)
def test_what_can_be_quoted_is_whole_and_points_nowhere(text: str, whole: bool, why: str) -> None:
    assert is_whole(text) == whole, why


@pytest.mark.parametrize(
    ("passage", "name", "told"),
    [
        (PLAIN, "Marsh and Weir", f"Marsh and Weir: “{PLAIN}”"),
        (PLAIN, "", f"“{PLAIN}”"),
        ("We measure the roofs of Ghent.", "Iver", "Iver measures the roofs of Ghent."),
        (
            "They say “moss” and no more of it.",
            "Iver",
            'Iver: “They say "moss" and no more of it.”',
        ),
    ],
)
def test_words_are_those_of_the_source(passage: str, name: str, told: str) -> None:
    assert quote_with_names(passage, name) == told
