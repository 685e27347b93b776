"""tools/evidence/support.py, changes.py: an alarm may refuse or lower a verdict, and never raise it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.evidence.changes import changes
from tools.evidence.support import BAD, ORDER, judge, verdict_named

SAID = "Bright lamps may raise the catch of some moths by 40 % within 30 minutes, more than dim lamps draw owls."


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (("may raise", "may lower"), "direction"),
        (("may raise", "may never raise"), "negation"),
        (("40 %", "45 %"), "number"),
        (("30 minutes", "30 seconds"), "unit"),
        (("some moths", "all moths"), "scope"),
        (("some moths", "moths"), "scope"),
        (("may raise", "raise"), "hedge"),
        (("40 % within 30 minutes", "30 % within 40 minutes"), "unit"),
    ],
)
def test_one_thing_changed_in_a_near_copy_is_told(change: tuple[str, str], kind: str) -> None:
    assert kind in {item.kind for item in changes(SAID.replace(*change), SAID)}


def test_numbers_that_changed_places_are_told() -> None:
    said = "Trained with 30 lamps the detector counts 12 kinds of moths in 400 gardens."
    swapped = said.replace("30", "x").replace("400", "30").replace("x", "400")
    assert {item.kind for item in changes(swapped, said)} == {"number"}


def test_comparison_turned_round_is_told() -> None:
    said = "Dense retrieval finds more papers than keyword search in small libraries."
    turned = "Keyword search finds more papers than dense retrieval in small libraries."
    assert {item.kind for item in changes(turned, said)} == {"comparison"}


@pytest.mark.parametrize(
    "claim",
    [
        SAID,
        "Bright lamps may raise the catch of some moths by 40 %",
        "Within 30 minutes bright lamps may raise the catch of some moths by 40 percent",
        "Interest rates follow the price of barley, and never raise it.",
        "",
    ],
)
def test_clause_left_out_or_moved_or_other_words_are_no_change(claim: str) -> None:
    assert changes(claim, SAID) == []


CLAIM = "Bright lamps may raise the catch of some moths by 40 %"


def test_support_is_by_construction_or_an_llm_s_verdict_on_words_that_were_found() -> None:
    assert judge(CLAIM, [SAID], SAID, "Supported.").verdict == "supported"
    unshown = judge(CLAIM, [], SAID, "supported")
    assert (unshown.verdict, unshown.cause) == ("not_in_source", "no_verified_quote")
    unasked = judge(CLAIM, [SAID], SAID, None)
    assert (unasked.verdict, unasked.cause) == ("not_checked", "not_verbatim")
    assert unasked.alarms == ()


@pytest.mark.parametrize(
    ("claim", "verdict", "told"),
    [
        (CLAIM.replace("raise", "lower"), "contradicted", "lower"),
        (CLAIM.replace("40", "45"), "not_in_source", "45"),
        (CLAIM.replace("moths", "moths of LampNet"), "not_in_source", "LampNet"),
        (f"{CLAIM} (Smith, 2020)", "not_in_source", "Smith"),
        (CLAIM.replace("some", "all"), "not_in_source", "all"),
        (CLAIM.replace("some ", ""), "partly", "some"),
    ],
)
def test_alarm_overrules_an_llm_and_decides_nothing_without_one(
    claim: str, verdict: str, told: str
) -> None:
    judged = judge(claim, [SAID], SAID, "supported")
    assert judged.verdict == verdict
    assert any(told in alarm for alarm in judged.alarms)
    alone = judge(claim, [SAID], SAID, None)
    assert (alone.verdict, alone.alarms) == ("not_checked", judged.alarms)


@given(st.text(max_size=80), st.text(max_size=80), st.sampled_from([*ORDER, "maybe", ""]))
def test_no_words_raise_a_verdict(claim: str, quote: str, said: str) -> None:
    judged = judge(claim, [quote], quote, said)
    assert ORDER.index(judged.verdict) >= ORDER.index(verdict_named(said))
    assert judge(claim, [quote], quote, None).verdict == "not_checked"


@pytest.mark.parametrize("said", ["surely", "", "not checked", "not in source", "NOT_IN_SOURCE."])
def test_verdict_of_no_known_name_supports_nothing(said: str) -> None:
    assert verdict_named(said) in BAD
