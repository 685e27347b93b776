"""tools/bibliography/section_printer.py: markers become citations, none gets lost."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from state.results import CitedSentence
from tests.bibliography.made import paper
from tools.bibliography.citation_style import named_style
from tools.bibliography.section_printer import PrintedSection, in_paragraphs, running_text

PAPERS = {
    "P1": paper("One", "Patrick Lewis", "Ethan Perez", "Aleksandra Piktus"),
    "P2": paper("Two", "Ann Kim", year=2021),
    "P3": paper("Three", "Ann Kim", year=2021),
    "P4": paper("Four", "Raviv Cohen", "Derek Ruths", year=2013),
    "P5": paper("Nobody wrote this", year=None),
    "P6": paper("Six", "Bo Li", year=1999),
}


ALL = "{P1} {P2} {P3} {P4} {P5} {P6}."


@pytest.mark.parametrize(
    ("style", "marked", "expected", "why"),
    [
        ("ieee", "It works {P2}.", "It works [2].", "one"),
        ("ieee", "It works {P4}{P1}.", "It works [1, 4].", "neighbours are one citation, in order"),
        ("ieee", "It works {P3}, {P1}.", "It works [1, 3].", "a comma between them"),
        ("ieee", "It works {P2}{P3}.", "It works [2, 3].", "two do not make a range"),
        ("ieee", "It works {P2} {P3}, {P4}.", "It works [2-4].", "three do"),
        ("ieee", "It works {P6}{P1}{P2}{P3}{P5}.", "It works [1-3, 5, 6].", "a range and two"),
        ("ieee", "It works {P2}{P2}.", "It works [2].", "each once"),
        ("ieee", "{P1} and {P2}.", "[1] and [2].", "words between them"),
        ("ieee", "Lewis et al. {P1} show it.", "Lewis et al. [1] show it.", "a name stays"),
        ("ieee", "It works {P9}.", "It works.", "a marker of no paper"),
        ("ieee", "It works {P9}{P1}.", "It works [1].", "beside one that is"),
        ("ieee", "Nothing.", "Nothing.", "none"),
        ("apa", "It works {P1}.", "It works (Lewis et al., 2020).", "in brackets"),
        (
            "apa",
            "It works {P1}{P4}.",
            "It works (Cohen & Ruths, 2013; Lewis et al., 2020).",
            "sorted",
        ),
        ("apa", "It works {P2}{P3}.", "It works (Kim, 2021a, 2021b).", "one author is named once"),
        ("apa", "Lewis et al. {P1} show it.", "Lewis et al. (2020) show it.", "after the name"),
        ("apa", "Cohen and Ruths {P4} show.", "Cohen and Ruths (2013) show.", "two names"),
        ("apa", "Kim’s {P2} work.", "Kim’s (2021b) work.", "a possessive"),
        (
            "apa",
            "Lewis et al. {P1}{P6} show it.",
            "Lewis et al. (2020; Li, 1999) show it.",
            "and another",
        ),
        (
            "apa",
            "Blewis et al. {P1} show it.",
            "Blewis et al. (Lewis et al., 2020) show it.",
            "not the name",
        ),
        ("apa", "As Kim {P4} says.", "As Kim (Cohen & Ruths, 2013) says.", "another's name"),
        (
            "apa",
            "“Nobody wrote this” {P5} is.",
            "“Nobody wrote this” (n.d.) is.",
            "a title as the name",
        ),
        ("apa", "It works {P5}.", "It works (“Nobody wrote this”, n.d.).", "a title for authors"),
        ("apa", "McLi {P6} says.", "McLi (Li, 1999) says.", "the end of another name"),
        (
            "apa",
            "Kim, {P6}, {P2} says.",
            "Kim (2021b; Li, 1999) says.",
            "the one named stands first",
        ),
        (
            "ieee",
            "As Kim says, {P2} it is.",
            "As Kim says, [2] it is.",
            "numbers leave words alone",
        ),
        (
            "acl",
            "It works {P4}{P1}.",
            "It works (Cohen and Ruths, 2013; Lewis et al., 2020).",
            "the text's order",
        ),
    ],
)
def test_citations_are_printed_as_the_style_has_them(
    style: str, marked: str, expected: str, why: str
) -> None:
    texts = [ALL, marked]
    section = PrintedSection(texts, PAPERS, named_style(style))
    assert section.sentence(marked) == expected, why


def test_numbers_follow_the_text_and_lists_by_author_follow_the_alphabet() -> None:
    texts = ["{P6} then {P1}.", "{P4}."]
    ieee = PrintedSection(texts, PAPERS, named_style("ieee")).references
    apa = PrintedSection(texts, PAPERS, named_style("apa")).references
    assert [item.marker for item in ieee] == ["P6", "P1", "P4"]
    assert [(item.number, item.marker) for item in apa] == [(1, "P4"), (2, "P1"), (3, "P6")]
    assert {item.key for item in ieee} == {item.key for item in apa}


WORDS = st.text(alphabet="abc {}()[],.’“”é$%\\", max_size=12).filter(lambda text: "{P" not in text)
SENTENCE = st.lists(
    st.one_of(WORDS, st.sampled_from([f"{{{key}}}" for key in PAPERS])), min_size=1, max_size=8
).map("".join)


@settings(max_examples=15)
@given(st.lists(SENTENCE, min_size=1, max_size=4), st.sampled_from(["ieee", "apa"]))
def test_every_marked_paper_is_cited_and_no_marker_is_left(texts: list[str], style: str) -> None:
    section = PrintedSection(texts, PAPERS, named_style(style))
    wanted = {key for text in texts for key in re.findall(r"\{(P\d+)\}", text)}
    assert {item.marker for item in section.references} == wanted
    for text in texts:
        bare = re.sub(r"\{P\d+\}", "", text)
        pieces = section.pieces(text)
        shown = "".join(piece.text for piece in pieces)
        assert not re.search(r"\{P\d", shown)
        for opening, closing in ("()", "[]"):
            levels = [one.count(opening) - one.count(closing) for one in (shown, bare)]
            assert levels[0] == levels[1]
        keys = set(re.findall(r"\{(P\d+)\}", text))
        cited = {piece.marker for piece in pieces if piece.marker}
        assert cited <= keys
        if style == "apa":
            assert cited == keys
        else:
            numbers = {item.marker: item.number for item in section.references}
            told = set()
            for first, last in re.findall(r"(?<=[\[ ])(\d+)(?:-(\d+))?(?=[,\]])", shown):
                told |= set(range(int(first), int(last or first) + 1))
            assert told >= {numbers[key] for key in keys}


def test_paragraphs_are_those_of_the_sentences() -> None:
    sentences = [
        CitedSentence(number=number, text=f"S{number}.", paragraph=paragraph)
        for number, paragraph in ((1, 1), (2, 1), (3, 2))
    ]
    assert running_text(sentences) == "S1. S2.\n\nS3."
    assert [len(group) for group in in_paragraphs(sentences)] == [2, 1]
