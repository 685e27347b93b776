"""tools/text/source_lines.py: the sentences of a paragraph, and what they cite."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from state.synthesis import Paragraph, ParagraphCitation
from tests.fakes.made_stack import (
    COOL,
    CRUST,
    ENTRIES,
    LOOSE,
    MOSS,
    PAPERS,
    SHADE,
    paragraph,
)
from tools.text.source_lines import source_lines, works_cited

COPIED = "Moss gardens cool flat roofs by 9.4 degrees on summer afternoons."


def test_source_lines_are_slices_and_plain_without_citations() -> None:
    lines = source_lines(COOL)
    assert [COOL.text[line.start : line.end] for line in lines] == [line.text for line in lines]
    assert lines[0].plain == COPIED
    assert "[1]" in lines[0].text
    assert lines[1].plain == "Earlier work on lichen crusts found no cooling at all."


@pytest.mark.parametrize(
    "text",
    ["As in <<[8]|0>> moss cools.", "Roofs are hot. <<[1]|0>> show moss.", "Lee <<[1]|0>>, moss."],
)
def test_citation_that_a_sentence_needs_stays(text: str) -> None:
    plain = source_lines(paragraph(MOSS, 9, text))[-1].plain
    assert ("[" in plain) == ("Lee" not in text)


@pytest.mark.parametrize(
    ("text", "works", "why"),
    [
        ("Roofs are hot <<[1]|0>>. Moss is wet <<[2]|1>>.", [[SHADE], [CRUST]], "before the stop"),
        ("Roofs are hot.<<[1]|0>> Moss is wet.<<[2]|1>>", [[SHADE], [CRUST]], "behind the stop"),
        (
            "Roofs are hot.<<1|0>> Moss is wet.<<2|1>>",
            [[SHADE], [CRUST]],
            "raised, behind the stop",
        ),
        ("Roofs are hot. <<[1]|0>> Moss is wet.", [[SHADE], []], "behind the stop and a space"),
        ("Roofs are hot. <<[1]|0>> show moss.", [[], [SHADE]], "the subject of its sentence"),
        ("Roofs <<[1]|0>> are hot, says <<[2]|1>> of moss.", [[SHADE, CRUST]], "behind a clause"),
        ("<<Okoro et al. (2019)|0>> cool roofs. Moss is wet.", [[SHADE], []], "named in the text"),
        ("Roofs are hot <<[1-3]|0,1,2>>.", [[SHADE, CRUST, LOOSE]], "several in one bracket"),
        ("Roofs are hot <<[1]|0>><<[1]|0>>.", [[SHADE]], "twice"),
        (
            "Roofs are hot. As Lee et al. <<[1]|0>> show, moss is wet.",
            [[], [SHADE]],
            "an abbreviation",
        ),
        ("Roofs are hot (cf. <<Lee et al. 2019|0>>). Moss.", [[SHADE], []], "full stops inside"),
        ("Roofs are hot. <<[1]|0>><<[2]|1>>", [[SHADE, CRUST]], "two behind the last stop"),
        ("Roofs are hot <<[9]|8>>.", [[]], "an entry that the list has not"),
    ],
)
def test_citations_belong_to_their_sentence(text: str, works: list[list[object]], why: str) -> None:
    item = paragraph(MOSS, 9, text)
    found = [
        [PAPERS[work] for work in works_cited(item, line.start, line.end, ENTRIES)]
        for line in source_lines(item)
    ]
    assert found == works, why


def test_part_of_a_paragraph_gives_the_lines_that_it_touches() -> None:
    second = source_lines(COOL)[1]
    found = source_lines(COOL, [(second.start + 5, second.end - 5)])
    assert [line.start for line in found] == [second.start]


@settings(max_examples=60)
@given(st.text(alphabet="ab. [1]\n,A\"'é²", min_size=1, max_size=80), st.data())
def test_lines_of_any_text_are_slices_in_order(text: str, data: st.DataObject) -> None:
    offsets = st.integers(0, len(text))
    marks = data.draw(st.lists(st.tuples(offsets, offsets), max_size=4))
    citations = tuple(
        ParagraphCitation(start=min(mark), end=max(mark), entries=(0,)) for mark in marks
    )
    item = Paragraph(id="p", paper=MOSS.id, number=1, text=text, citations=citations)
    lines = source_lines(item)
    assert all(text[line.start : line.end] == line.text != "" for line in lines)
    assert all(one.end <= two.start for one, two in pairwise(lines))
    assert set("".join(text.split())) >= set("".join("".join(line.text for line in lines).split()))
