"""nodes.synthesize.kept_statements.py: what an update of an answer has lost is seen."""

from hypothesis import given
from hypothesis import strategies as st

from nodes.synthesize.kept_statements import dropped, kept

FORMER = "Quince stocks keep pears small.\n\nWax keeps the cut from drying."


def test_answer_that_was_added_to_is_kept_whole() -> None:
    assert kept(FORMER, f"Growers say more. {FORMER}") == 1.0
    assert dropped(FORMER, f"Growers say more. {FORMER}", 0.5) == []


def test_sentences_that_went_are_named() -> None:
    assert dropped(FORMER, "Quince stocks keep pears small.", 0.5) == [
        "Wax keeps the cut from drying."
    ]
    assert kept(FORMER, "Snails creep.") == 0.0


def test_scripts_without_spaces_are_compared_by_characters() -> None:
    former = "蜜蜂依靠路径整合返回蜂巢，并用地标纠正误差。"
    assert kept(former, "为了返回蜂巢，蜜蜂依靠路径整合，并用地标纠正误差和偏移。") > 0.7
    assert kept(former, "蜗牛爬得很慢。") < 0.1


def test_nothing_to_keep_is_kept() -> None:
    assert kept("", "Anything.") == 1.0
    assert kept("It is so.", "Anything.") == 1.0


@given(st.text(max_size=80), st.text(max_size=80))
def test_a_share_is_a_share(former: str, text: str) -> None:
    assert 0.0 <= kept(former, text) <= 1.0
    assert kept(former, former) == 1.0
