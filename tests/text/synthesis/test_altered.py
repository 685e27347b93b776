"""Tests of what a line may not do with what it copies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.text.synthesis.altered import altered, copies, grafted, misnamed
from tools.text.words import distinct_content_stems

COOL = "Moss gardens cool flat roofs by 9.4 degrees on summer afternoons."
LICHEN = "Earlier work on lichen crusts found no cooling at all."
COST = "A square metre of moss costs less than a square metre of gravel."
HEDGED = "Watering the moss twice a day may double the effect on the rooms below."
BERT = "With BERT as its reader the model answers half of the questions, and GPT answers a third."
KNOWN = distinct_content_stems(" ".join((COOL, LICHEN, COST, HEDGED, BERT)))


@pytest.mark.parametrize(
    ("line", "source"),
    [
        ("Moss gardens cool flat roofs by 4.9 degrees on summer afternoons.", COOL),
        ("Moss gardens cool flat roofs by 9.4 percent on summer afternoons.", COOL),
        ("Moss gardens always cool flat roofs by 9.4 degrees on summer afternoons.", COOL),
        ("Moss gardens never cool flat roofs by 9.4 degrees on summer afternoons.", COOL),
        ("Lichen crusts cool flat roofs by 9.4 degrees on summer afternoons.", COOL),
        ("Earlier work on lichen crusts found cooling.", LICHEN),
        ("A square metre of gravel costs less than a square metre of moss.", COST),
        ("Gravel costs less than moss.", COST),
        ("Watering the moss twice a day doubles the effect on the rooms below for certain.", HEDGED),
        ("Watering the moss twice a day will double the effect on the rooms below.", HEDGED),
        ("Watering the moss three times a day may double the effect on the rooms below.", HEDGED),
        ("With GPT-5 as its reader the model answers half of the questions.", BERT),
        ("With BERT as its reader the model answers all of the questions.", BERT),
    ],
)  # fmt: skip
def test_line_that_alters_what_it_copies(line: str, source: str) -> None:
    assert altered(line, [source], KNOWN)


@pytest.mark.parametrize(
    ("line", "source"),
    [
        (COOL, COOL),
        ("Flat roofs are cooled by 9.4 degrees on summer afternoons by moss gardens.", COOL),
        ("Moss gardens cool flat roofs on summer afternoons.", COOL),
        ("Green roofs with moss are 9.4 degrees cooler on summer afternoons.", COOL),
        ("No cooling at all was found in earlier work on lichen crusts.", LICHEN),
        ("Moss costs less than gravel.", COST),
        ("Compared with gravel, moss costs less.", COST),
        ("Gravel costs more than moss.", COST),
        ("Watering the moss 2 times a day may double the effect on the rooms below.", HEDGED),
        ("The authors found that the moss gardens cool flat roofs by 9.4 degrees.",
         "They cool flat roofs by 9.4 degrees."),
        ("The model, with BERT as its reader, answers half of the questions.", BERT),
        ("The model improves recall on all data sets.",
         "The model, which does not use any labels at all, improves recall on all data sets."),
    ],
)  # fmt: skip
def test_line_that_says_the_same(line: str, source: str) -> None:
    assert not altered(line, [source], KNOWN)


def test_numbers_of_a_second_source_line_count() -> None:
    line = "Moss gardens cool flat roofs by 9.4 degrees on 12 summer afternoons."
    assert altered(line, [COOL], KNOWN)
    assert not altered(line, [COOL, "All this was measured on 12 days."], KNOWN)


@given(st.text(max_size=200))
def test_text_never_alters_itself(text: str) -> None:
    assert not altered(text, [text], frozenset())
    assert not misnamed(text, text)


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_texts_can_be_compared(first: str, second: str) -> None:
    altered(first, [second], frozenset())
    copies(first, second)
    misnamed(first, second)
    grafted(first, second, lambda clause: 0.0)


@pytest.mark.parametrize(
    ("line", "bad"),
    [
        ("Lee et al. show that moss cools roofs.", True),
        ("Marsh et al. show that moss cools roofs.", False),
        ("Marsh and Lee found that moss cools roofs.", True),
        ("Marsh and Weir found that moss cools roofs.", False),
        ("Iver proves that moss cools roofs.", True),
        ("We show that moss cools roofs.", False),
        ("Moss cools roofs well¹².", True),
        ("Moss cools roofs of 9 m².", False),
        ("Moss cools roofs (12).", True),
        ("Moss cools <b>roofs</b>.", True),
        ("Moss cools roofs where a < b and c > d.", False),
    ],
)
def test_names_and_marks_from_nowhere(line: str, bad: bool) -> None:
    assert misnamed(line, "Moss cools roofs, as Ida Marsh and Tom Weir found.") == bad


def test_clause_that_was_put_on() -> None:
    line = "Moss gardens cool flat roofs, and vaccines were banned from school kitchens."
    assert grafted(line, COOL, lambda clause: 0.1)
    assert not grafted(line, COOL, lambda clause: 0.5)  # it means what stands there
    assert not grafted(
        "Moss gardens cool flat roofs, and they do so in summer.", COOL, lambda _: 0.0
    )
