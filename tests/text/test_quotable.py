"""tools/text/quotable.py: what can be shown by itself, and how it is shown."""

import pytest

from tools.text.quotable import passages, shown

PLAIN = "Moss cools the flat roofs of hot cities in summer."


@pytest.mark.parametrize(
    ("sentences", "found", "why"),
    [
        ([PLAIN, PLAIN], [(0, 1), (1, 2)], "two plain sentences"),
        ([PLAIN, "This makes the rooms below them cool as well."], [(0, 1), (0, 2)], "leans: with the one before"),
        (["This makes the rooms below them cool as well."], [], "leans on what is not there"),
        (["The roofs are listed in Table 3 of the appendix."], [], "points to a table"),
        (["In the next section we tell how the roofs were cooled."], [], "points to a section"),
        (["Entity–entity relations."], [], "a heading"),
        (["As in [8] the roofs of hot cities are cooled."], [], "needs its citation"),
        (["Let x = 3 for the roofs of all hot cities."], [], "a formula"),
        (["Giv en the exibilit y of moss the roofs sta y co ol."], [], "garbled"),
        (["What cools the flat roofs of hot cities?"], [], "a question"),
        (["Moss cools the flat roofs of"], [], "cut off"),
        (["Moss cools roofs."], [], "too short to say anything by itself"),
        (["仓鸮在完全黑暗中仅凭听觉就能找到田鼠。"], [(0, 1)], "no spaces between words"),
    ],
)  # fmt: skip
def test_passages_stand_by_themselves(sentences: list[str], found: list[object], why: str) -> None:
    assert passages(sentences) == found, why


@pytest.mark.parametrize(
    ("passage", "name", "told"),
    [
        (PLAIN, "Marsh and Weir", f"Marsh and Weir: “{PLAIN}”"),
        (PLAIN, "", f"“{PLAIN}”"),
        ("We measure the roofs of Ghent.", "Iver", "Iver measures the roofs of Ghent."),
        ("They say “moss” and no more of it.", "Iver", 'Iver: “They say "moss" and no more of it.”'),
    ],
)  # fmt: skip
def test_words_are_those_of_the_source(passage: str, name: str, told: str) -> None:
    assert shown(passage, name) == told
