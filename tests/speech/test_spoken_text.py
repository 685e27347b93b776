"""Text as it is to be said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.speech.spoken_text import MAX_PIECE, pieces, speakable

SAID = [
    ("Tang et al. [1] test LLMs.", "Tang et al (source 1) test LLMs."),
    ("It helps [1][2] much [4–6], [7]–[9].", "It helps (sources 1 and 2) much (sources 4 to 6 and 7 to 9)."),
    ("words [...] left out […] here [sic]", "words left out here (sic)."),
    ("# Results\n\n**Bold** and _soft_ `code`\n\n> quoted\n> text",
     "Results.\nBold and soft code.\nquoted text."),
    ("- first\n- second.\n", "first.\nsecond."),
    ("| a | b |\n|---|:-:|\n| 1 | 2 |", "a.\nb.\n1.\n2."),
    ("before\n```py\nx = [1]\n```\nafter", "before.\nafter."),
    ("See [the page](https://x.org/a_(b)) at https://www.arxiv.org/abs/1?a=b, too.",
     "See the page at a link to arxiv dot org, too."),
    ("In doi:10.1145/3292500.3330701.", "In a D O I."),
    ("33% to 90 %, 10–20%", "33 percent to 90 percent, 10 to 20 percent."),
    ("p < 0.05, α = 0.3 ± 0.1", "p less than 0.05, alpha equals 0.3 plus or minus 0.1."),
    ("at −5 and pre-1990, 2019-2020", "at minus 5 and pre-1990, 2019 to 2020."),
    ("costs $5 and $\\alpha_{1} \\le 3$", "costs 5 dollars and alpha 1 at most 3."),
    ("e.g. this, i.e. that vs. Fig. 3", "for example this, that is that versus figure 3."),
    ("<b>bold</b> &amp; a<b <!-- no -->", "bold and a less than b."),
    ("“Nothing” — I don’t know…", "Nothing, I don't know."),
    ("Müller's naïve 😀 text\x00\u200b", "Müller's naïve text."),
    ("**\n\n—\n\n😀", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), SAID, ids=[text[:20] for text, _ in SAID])
def test_text_is_made_speakable(text: str, said: str) -> None:
    assert speakable(text) == said


@given(st.text(max_size=300), st.integers(min_value=10, max_value=60))
def test_any_text_becomes_clean_lines_and_pieces_that_keep_the_limit(text: str, limit: int) -> None:
    said = speakable(text)
    assert "  " not in said
    assert not set("*`|\\<>{}$#%") & set(said)
    assert all(len(piece) <= limit for piece in pieces(said, limit))


def test_pieces_are_sentences_and_hold_every_word() -> None:
    text = "This sentence says a little. And so does this one, too.\n" + "one two three, " * 20
    found = pieces(text, limit=100)
    assert found[:2] == text.splitlines()[0].replace(". ", ".\n").splitlines()
    assert all(len(piece) <= 100 for piece in found)
    assert " ".join(found).split() == text.split()


@pytest.mark.parametrize(
    "start", ["[1, ", "*a ", "_a ", "<b ", "[a](", "\n ", "```\n", "<!--", "$a"]
)
def test_text_of_open_marks_is_read_to_its_end(start: str) -> None:
    # Patterns that try each pair of marks would take minutes here.
    assert all(len(piece) <= MAX_PIECE for piece in pieces(speakable(start * 4000)))
