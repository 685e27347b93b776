"""Tests of finding citations that are no markers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.evidence.unmarked_citations import invented_citations


@pytest.mark.parametrize(
    "made_up",
    [
        "(Smith, 2020)",
        "(see Smith, 2020)",
        "(Smith, Jones, and Lee, 2020)",
        "(e.g., Smith, 2020)",
        "(van der Berg, 2020)",
        "(Smith 2020, p. 3)",
        "(Smith, 2020a; 2020b)",
        "(Smith et al, 2020)",
        "(Smith,2020)",
        "Smith and Jones (2020)",
        "Smith et al. (2020)",
        "Smith (2020)",
        "(Smith, in press)",
        "(Smith, n.d.)",
        "[12]",
        "[1-3]",
        "[Smith20]",
        "[@smith2020]",
        "\\cite{smith}",
        "[P9]",
        "(P2)",
        "{P2, P3}",
        "10.1234/made.up",
        "doi:10.1234/x",
        "arXiv:2101.00001",
        "https://example.org/x",
    ],
)
def test_every_form_of_a_citation_is_seen_beside_a_marker(made_up: str) -> None:
    found = invented_citations(
        f"Lee {{P1}} show that bees dance, as {made_up} found.", ["Bees dance."]
    )
    assert any(item in made_up or made_up in item for item in found), made_up


def test_words_of_a_paper_are_no_invention() -> None:
    sentence = "Lee {P1} use the data of CoNLL (2003) and a P300 wave."
    assert (
        invented_citations(sentence, ["The data of CoNLL (2003) and a P300 wave are used."]) == []
    )
    assert invented_citations(sentence, []) == ["CoNLL (2003)", "P300"]


@given(st.text(max_size=3000))
def test_any_text_is_read(text: str) -> None:
    assert isinstance(invented_citations(text, [text]), list)


def test_hostile_text_is_read_at_once() -> None:
    for piece in ("(A", "Ab, ", "(Ab and ", "[1, ", "\\cite[", "@a", "P1, "):
        assert isinstance(invented_citations(piece * 5000, []), list)
