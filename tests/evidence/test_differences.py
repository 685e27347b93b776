"""tools/evidence/differences.py: in what a near copy differs, and nothing of words of one's own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.evidence.differences import differences

SAID = "Bright lamps may raise the catch of some moths by 40 % within 30 minutes, more than dim lamps draw owls."
PLAIN = "Dense retrieval finds more papers than keyword search in small libraries."


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("may raise", "may lower"), "“lower” where these words have “raise”"),
        (("may raise", "may never raise"), "“never”, which these words have not"),
        (("40 %", "45 %"), "“45” where these words have “40”"),
        (("30 minutes", "30 seconds"), "“seconds” where these words have “minutes”"),
        (("some moths", "all moths"), "“all” where these words have “some”"),
        (("some moths", "moths"), "without “some”"),
        (("may raise", "raise"), "without “may”"),
    ],
)
def test_one_thing_changed_in_a_near_copy_is_told(change: tuple[str, str], told: str) -> None:
    assert differences(SAID.replace(*change), SAID) == [told]


def test_same_words_in_another_order_are_told() -> None:
    turned = "Keyword search finds more papers than dense retrieval in small libraries."
    assert differences(turned, PLAIN)[0] == "it has the same words in another order"


@pytest.mark.parametrize(
    "sentence",
    [
        SAID,
        SAID.upper(),
        SAID.replace("40 %", "40%").replace("minutes,", "minutes –"),
        "Bright lamps may raise the catch of some moths by 40 %",
        "Interest rates follow the price of barley, and never raise it.",
        "In the dark, no owl comes where people light their gardens.",
        "",
    ],
)
def test_other_spelling_a_clause_left_out_and_words_of_ones_own_are_no_difference(
    sentence: str,
) -> None:
    assert differences(sentence, SAID) == []


def test_clause_more_and_as_many_denials_are_no_difference() -> None:
    beside = "The lamps were tried in one garden. We call for more trials."
    more = f"{SAID[:-1]}, but the lamps were tried in one garden."
    assert differences(more, f"{SAID} {beside}") == []
    assert differences(more, SAID) == []
    changed = more.replace("may raise", "may lower")
    assert "“lower” where these words have “raise”" in differences(changed, f"{SAID} {beside}")
    rules = "Rules of thumb give no guarantee about the owls that nobody has seen so far."
    turned = rules.replace("give no guarantee", "guarantee nothing")
    assert differences(turned, rules) == []
    assert differences(rules.replace("give no", "give a"), rules) != []


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_is_read_and_differs_in_nothing_from_itself(text: str, other: str) -> None:
    assert differences(text, text) == []
    assert isinstance(differences(text, other), list)
