"""tools/text/compose.py: sentences made of clauses that the papers' own words support."""

import re

import pytest

from state.writing import MARKER
from tools.text.compose import Cited, Composed, Composer, fluency, resemblance

LEE = Cited(
    "P1", "Lee et al.", True, 2020,
    {
        "contribution": "We propose a neural model for citation recommendation.",
        "findings": "Experiments on three corpora show that our method outperforms keyword search.",
        "problem": "However, keyword search misses many relevant articles.",
        "limitations": "It cannot read tables.",
    },
)  # fmt: skip
COHEN = Cited(
    "P2", "Cohen", False, 2022,
    {
        "contribution": "In this paper, I propose a taxonomy of screening methods.",
        "findings": "The taxonomy shows where evaluation data are missing for screening.",
    },
    cites=frozenset({"P1"}),
)  # fmt: skip
MUTE = Cited("P3", "Park", False, 2021, {"contribution": "It is so.", "data": "Is it available?"})


def written(composed: Composed | None) -> Composed:
    assert composed is not None
    return composed


def everything(composer: Composer, variant: int) -> list[Composed | None]:
    return [
        composer.opening(LEE, "citation search", variant == 0, variant),
        composer.developing(COHEN, LEE, variant % 2 == 0, variant),
        composer.developing(LEE, None, False, variant),
        composer.contrasting(LEE, COHEN, variant % 2 == 1, variant),
        composer.plain(COHEN),
    ]


@pytest.mark.parametrize("variant", range(5))
def test_sentence_is_whole_and_quotes_the_papers_own_words(variant: int) -> None:
    papers = {"P1": LEE, "P2": COHEN}
    for composed in everything(Composer([LEE, COHEN], []), variant):
        sentence = written(composed)
        assert re.fullmatch(r"[A-Z].*[^ .;,:]\.", sentence.text)
        assert "we " not in sentence.text.lower().replace("where ", "")
        assert set(MARKER.findall(sentence.text)) == set(sentence.quotes)
        for key, quote in sentence.quotes.items():
            assert quote in papers[key].sentences.values()


def test_markers_are_those_of_the_papers_asked_for() -> None:
    composer = Composer([LEE, COHEN], [])
    assert list(written(composer.opening(LEE, "search", True, 0)).quotes) == ["P1"]
    assert list(written(composer.developing(COHEN, LEE, True, 1)).quotes) == ["P2"]
    assert list(written(composer.contrasting(COHEN, LEE, True, 0)).quotes) == ["P2", "P1"]


def test_nothing_is_said_twice_until_all_is_said() -> None:
    so_far: list[str] = []
    heard: set[str] = set()
    for variant in range(12):
        for composed in everything(Composer([LEE, COHEN], so_far), variant):
            if composed is None:
                continue
            fresh = set(composed.quotes.values()) - heard
            assert fresh or len(composed.quotes) > 1, composed.text
            so_far.append(composed.text)
            heard |= set(composed.quotes.values())
            break
    assert Composer([LEE, COHEN], so_far).plain(COHEN) is None
    assert len(so_far) == len(set(so_far))


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("Lee et al. {P1} propose a neural model for citation recommendation.", "word for word"),
        ("Lee et al. {P1} introduce a neural model for citation recommendation.", "another verb"),
        ("Similarly, Lee et al. {P1} propose a neural model for citation recommendation, while x.",
         "inside another sentence"),
    ],
)  # fmt: skip
def test_clause_is_known_again_in_other_clothes(said: str, why: str) -> None:
    again = written(Composer([LEE, COHEN], [said]).plain(LEE))
    assert "neural model" not in again.text, why


def test_paper_with_nothing_to_say_gives_no_sentence() -> None:
    composer = Composer([LEE, MUTE], [])
    assert composer.clauses(MUTE) == []
    assert composer.opening(MUTE, "x", True, 0) is None
    assert composer.developing(MUTE, LEE, True, 0) is None
    assert composer.contrasting(LEE, MUTE, True, 0) is None
    assert composer.plain(MUTE) is None


def test_what_the_paper_says_of_itself_comes_first() -> None:
    clauses = Composer([LEE], []).clauses(LEE)
    assert [clause.direct for clause in clauses] == [True, True, False]
    assert clauses[0].source == LEE.sentences["contribution"]


def test_later_paper_that_cites_the_one_before_is_called_later() -> None:
    text = written(Composer([LEE, COHEN], []).developing(COHEN, LEE, True, 0)).text
    assert text.startswith(("In later work, ", "Subsequently, ", "More recently, "))


def test_link_that_was_used_is_not_used_again() -> None:
    said = ["In later work, it was so.", "Subsequently, it was not."]
    text = written(Composer([LEE, COHEN], said).developing(COHEN, LEE, True, 0)).text
    assert text.startswith("More recently, ")


def test_contrast_varies_the_verb_that_both_papers_use() -> None:
    text = written(Composer([LEE, COHEN], []).contrasting(LEE, COHEN, False, 0)).text
    assert "Lee et al. {P1} propose" in text
    assert "Cohen {P2} introduces" in text


def test_closing_turns_to_the_present_work() -> None:
    own = ["It is hard to read all papers.", "In this paper, we present CiteX, a tool for reviews."]
    closed = Composer([], []).closing(own, 0)
    assert closed == (
        "Against this background, we present CiteX, a tool for reviews.",
        own[1],
    )
    assert Composer([], []).closing(own[:1], 0) is None


def test_fluency_prefers_linked_sentences_to_repeated_ones() -> None:
    first = "Lee et al. {P1} propose a neural model for the recommendation of citations in papers."
    linked = "By contrast, Cohen {P2} reviews how automatic screening saves the work of librarians."
    assert fluency([first, linked]) > fluency([first, first])
    assert fluency([]) == 0.0


def test_resemblance_is_the_share_of_common_words() -> None:
    assert resemblance("ranks citations", "Citation ranking.") == 1.0
    assert resemblance("ranks citations", "Screening reviews.") == 0.0
    assert resemblance("", "x") == 0.0
