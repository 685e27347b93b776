"""tools/text/compose.py: sentences made of clauses that the papers' own words support."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.writing import MARKER
from tools.evidence.claims import claim_of
from tools.text.compose import Composed, Composer, fluency, resemblance
from tools.text.sayings import Cited
from tools.text.words import coverage

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


ROE = Cited(
    "P4", "Roe et al.", True, 2018, {"method": "We sort references by their age."},
    title="Sorting references", rest=("It also sorts books by size.", "Is it fast?"),
)  # fmt: skip
BARE = Cited("P5", "Moth and Lamp", True, 2017, {}, title="A compass sense in beetles")


@pytest.mark.parametrize("variant", range(3))
def test_list_gives_each_paper_a_clause_of_its_own(variant: int) -> None:
    papers = [LEE, COHEN, ROE, BARE]
    composed = written(Composer(papers, []).listing(papers, variant))
    assert list(composed.quotes) == ["P1", "P2", "P4", "P5"]
    for paper in papers:
        claim = claim_of(composed.text, paper.key, paper.name)
        assert coverage(claim, composed.quotes[paper.key]) >= 0.6, claim
    assert Composer([], []).listing([], variant) is None


def test_ladder_leads_from_clauses_over_quotations_to_the_title() -> None:
    said: list[str] = []
    while composed := Composer([ROE], said).anything(ROE):
        assert len(said) < 20
        said.append(composed.text)
    assert said[0] == "Roe et al. {P4} sort references by their age."
    assert said[1] == "Roe et al. {P4} write: “It also sorts books by size”."
    assert len(said) >= 5
    assert all("“Sorting references”" in text for text in said[2:])
    assert len({text.casefold() for text in said}) == len(said)


def test_paper_without_abstract_is_named_by_its_title() -> None:
    text = written(Composer([BARE], []).plain(BARE))
    assert text.text == "Moth and Lamp {P5} address “A compass sense in beetles”."
    assert text.quotes == {"P5": BARE.title}
    pair = written(Composer([BARE, LEE], []).contrasting(BARE, LEE, False, 0)).text
    assert "whereas" not in pair, "nothing is known that could be set against the other"


def test_papers_of_one_team_or_one_title_are_told_apart() -> None:
    first = Cited(
        "P1", "Lee", False, 2020, {"method": "I sort papers by age."}, first_author="lee a"
    )
    second = Cited(
        "P2", "Lee", False, 2020, {"method": "I sort books by size."}, first_author="lee a"
    )
    namesake = Cited(
        "P3", "Lee", False, 2020, {"method": "I rank notes by hand."}, first_author="lee b"
    )
    composer = Composer([first, second, namesake], [])
    pair = written(composer.contrasting(first, second, False, 0)).text
    assert (
        pair
        == "Lee {P1} sorts papers by age, whereas in another study Lee {P2} sorts books by size."
    )
    assert "another study" not in written(composer.plain(namesake)).text
    untitled = [
        Cited(
            f"P{place}", "“Bees”", False, 2020, {"method": f"We count bees by {way}."}, title="Bees"
        )
        for place, way in enumerate(("radar", "hand"), start=1)
    ]
    pair = written(Composer(untitled, []).contrasting(untitled[0], untitled[1], False, 0)).text
    assert "under the same title, “Bees” {P2}" in pair


def test_foreign_abstract_is_quoted_and_not_turned_into_clauses() -> None:
    words = "Wir schlagen ein Modell der Navigation vor"
    paper = Cited("P1", "Uwe", False, 2020, {}, title="Bienen", rest=(f"{words}.",), english=False)
    assert written(Composer([paper], []).anything(paper)).text == f"Uwe {{P1}} writes: “{words}”."


def test_second_verb_agrees_with_the_subject_too() -> None:
    paper = Cited("P1", "Roe", False, 2020, {"method": "We rank papers and compare the ranks."})
    assert (
        "Roe {P1} ranks papers and compares the ranks"
        in written(Composer([paper], []).plain(paper)).text
    )


def test_openings_of_many_themes_differ() -> None:
    texts: list[str] = []
    for theme in range(9):
        paper = Cited(f"P{theme}", "Roe", False, 2018, {}, title=f"Title {theme}")
        opened = Composer([paper], texts).opening(paper, f"theme {theme}", not theme, 0)
        texts.append(written(opened).text)
    starts = [text.partition(" theme")[0] for text in texts]
    assert all(first != second for first, second in pairwise(starts))
    fifth = [Composer([LEE], [], themes_before=4).opening(LEE, "x", False, way) for way in range(3)]
    assert {written(made).text.partition(" x: ")[0] for made in fifth} == {
        "A fifth line of work concerns"
    }, "parts are written apart, so their place alone decides"


def test_own_sentences_are_used_once_each_until_none_is_left() -> None:
    own = [
        "Reviews are slow to write.", "Can we do better?", "We present CiteX, a tool for reviews.",
        "Our tests show that it helps.", "We test it with six people in a lab.",
    ]  # fmt: skip
    said: list[str] = []
    bases: list[str] = []
    while spoken := Composer([], said).stating(own) or Composer([], said).closing(own, 0):
        said.append(spoken[0])
        bases.append(spoken[1])
        assert len(said) < 9
    assert bases == [own[0], own[2], own[4], own[3]]
    assert len({text.split(",")[0] for text in said}) == len(said), "each lead is another"


NAMES = st.sampled_from(["Lee", "Lee et al.", "“Bees”"])
SENTENCES = st.one_of(
    st.text(max_size=120),
    st.text(alphabet=st.sampled_from("We show bees, it {P9} “” () $\\.:"), max_size=120),
)


@given(
    st.lists(st.tuples(NAMES, SENTENCES, SENTENCES, st.lists(SENTENCES, max_size=3)), min_size=3, max_size=3),
    st.lists(SENTENCES, max_size=2), st.integers(0, 3), st.booleans(),
)  # fmt: skip
def test_wild_texts_give_whole_sentences_with_the_markers_asked_for(
    rows: list[tuple[str, str, str, list[str]]], so_far: list[str], variant: int, english: bool
) -> None:
    papers = [
        Cited(f"P{place}", name, False, None, {"method": method}, title=title, rest=tuple(rest), english=english)
        for place, (name, title, method, rest) in enumerate(rows, start=1)
    ]  # fmt: skip
    composer = Composer(papers, so_far)
    first, second, _ = papers
    for composed, cited in [
        (composer.opening(first, "bees", False, variant), [first]),
        (composer.developing(first, second, True, variant), [first]),
        (composer.contrasting(first, second, False, variant), [first, second]),
        (composer.listing(papers, variant), papers),
        (composer.anything(second), [second]),
    ]:
        if composed is not None:
            assert set(MARKER.findall(composed.text)) == {paper.key for paper in cited}
            assert set(composed.quotes) == {paper.key for paper in cited}
            assert not set("{}") & set(MARKER.sub("", composed.text))
            assert composed.text.count("“") == composed.text.count("”")
            assert len(composed.text.split()) <= 75 * len(cited)


def test_fluency_prefers_linked_sentences_to_repeated_ones() -> None:
    first = "Lee et al. {P1} propose a neural model for the recommendation of citations in papers."
    linked = "By contrast, Cohen {P2} reviews how automatic screening saves the work of librarians."
    assert fluency([first, linked]) > fluency([first, first])
    assert fluency([]) == 0.0


def test_resemblance_is_the_share_of_common_words() -> None:
    assert resemblance("ranks citations", "Citation ranking.") == 1.0
    assert resemblance("ranks citations", "Screening reviews.") == 0.0
    assert resemblance("", "x") == 0.0
