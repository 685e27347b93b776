"""Text as it is to be said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.speech.speakable import MAX_PIECE, pieces, speakable

SAID = [
    ("Tang et al. [1] test LLMs.", "Tang et al., source 1, test LLMs."),
    ("They invent references [2, 3].", "They invent references, sources 2 and 3."),
    ("It helps [1][2] much.", "It helps, sources 1 and 2, much."),
    ("It helps [4–6].", "It helps, sources 4 to 6."),
    ("It helps [4]–[6].", "It helps, sources 4 to 6."),
    (
        "Both [1] and [2] agree; [3] does not.",
        "Both source 1 and source 2 agree; source 3 does not.",
    ),
    ("A tale (see [3]).", "A tale (see source 3)."),
    ("He said [sic] so", "He said (sic) so"),
    ("words [...] left out […] here", "words left out here"),
    ("# Results\n\n**Bold** and _soft_ `code`", "Results.\nBold and soft code"),
    ("- first\n- second.\n", "first.\nsecond."),
    ("> quoted\n> text", "quoted text"),
    ("| a | b |\n|---|:-:|\n| 1 | 2 |", "a, b.\n1, 2."),
    ("before\n```py\nx = [1]\n```\nafter", "before\nafter"),
    ("one\n\n---\n\ntwo", "one\ntwo"),
    ("See [the page](https://x.org/a_(b)).", "See the page."),
    ("At https://www.arxiv.org/abs/1?a=b, too.", "At a link to arxiv dot org, too."),
    ("<https://x.org/y>", "a link to x dot org"),
    ("In doi:10.1145/3292500.3330701.", "In a D O I."),
    ("33% to 90 %, 10–20%", "33 percent to 90 percent, 10 to 20 percent"),
    ("p < 0.05, α = 0.3 ± 0.1", "p less than 0.05, alpha equals 0.3 plus or minus 0.1"),
    ("at −5 and pre-1990, 2019-2020", "at minus 5 and pre-1990, 2019 to 2020"),
    ("state-of-the-art gpt-4", "state-of-the-art gpt-4"),
    ("costs $5 and $\\alpha_{1} \\le 3$", "costs 5 dollars and alpha 1 at most 3"),
    ("e.g. this, i.e. that vs. Fig. 3", "for example this, that is that versus figure 3"),
    ("<b>bold</b> &amp; a<b", "bold and a less than b"),
    ("<script>alert(1)</script>safe<!-- no -->", "safe"),
    ("“Nothing” — I don’t know…", "Nothing, I don't know"),
    ("snake_case_name 2*3*4", "snake case name 2 3 4"),
    ("Müller's naïve 😀 text\x00\u200b", "Müller's naïve text"),
    ("pre-\ntraining of\nmodels", "pretraining of models"),
    ("[12]", "source 12"),
    ("**\n\n—\n\n😀", ""),
]


@pytest.mark.parametrize(("text", "said"), SAID, ids=[text[:20] for text, _ in SAID])
def test_text_is_made_speakable(text: str, said: str) -> None:
    assert speakable(text) == said


def test_citations_can_be_left_out() -> None:
    text = "Tang et al. [1] test it [2, 3]. All agree (see [4]). [5]"
    assert speakable(text, sources=False) == "Tang et al. test it. All agree."


def test_what_is_speakable_stays_as_it_is() -> None:
    text = "Tang et al., source 1, find it; others, sources 2 and 3, do not."
    assert speakable(text) == text


@given(st.text(max_size=300))
def test_any_text_becomes_clean_lines(text: str) -> None:
    said = speakable(text)
    assert "  " not in said
    assert not set("*`|\\<>{}$#%") & set(said)
    for line in said.split("\n"):
        assert line == line.strip()


def test_pieces_are_whole_sentences_and_hold_every_word() -> None:
    text = "\n".join("This sentence says a little. And so does this one, too." for _ in range(20))
    found = pieces(text, limit=100)
    assert all(len(piece) <= 100 and piece.endswith(".") for piece in found)
    assert " ".join(found).split() == text.split()


def test_sentence_longer_than_a_piece_is_cut_at_a_comma_or_space_or_anywhere() -> None:
    sentence = "one two three, " * 10 + "word " * 40 + "x" * 200
    found = pieces(sentence, limit=60)
    assert all(len(piece) <= 60 for piece in found)
    assert found[0].endswith("three,")
    assert "".join("".join(found).split()) == "".join(sentence.split())


@given(st.text(max_size=300), st.integers(min_value=10, max_value=60))
def test_pieces_of_any_text_keep_the_limit(text: str, limit: int) -> None:
    assert all(len(piece) <= limit for piece in pieces(speakable(text), limit))


@pytest.mark.parametrize(
    "start", ["[1, ", "*a ", "_a ", "<b ", "[a](", "\n ", "```\n", "<!--", "$a"]
)
def test_text_of_open_marks_is_read_to_its_end(start: str) -> None:
    # Patterns that try each pair of marks would take minutes here.
    assert all(len(piece) <= MAX_PIECE for piece in pieces(speakable(start * 4000)))
