"""tools/citation_graph/prior.py: text, words, links and age as log-odds."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.citation_graph.relevance_prior import (
    BEYOND,
    LINKS_RANGE,
    TYPICAL_MEANING,
    Features,
    ages,
    as_score,
    beyond_text,
    link_odds,
    log_odds,
    meaning_odds,
    priors,
    shared_words,
)
from tools.citation_graph.walk import Floats, citation_graph

NAMES = [f"p{number}" for number in range(30)]


def features(*text: float, years: list[float] | None = None) -> Features:
    size = len(text)
    return Features(
        text=np.array(text), words=np.zeros(size),
        ages=np.array(years if years is not None else [np.nan] * size),
    )  # fmt: skip


def test_scores_and_log_odds_are_one_another_and_certainty_is_bounded() -> None:
    scores = np.array([2.0, 35.0, 50.0, 98.0])
    assert as_score(log_odds(scores)) == pytest.approx(scores)
    assert as_score(log_odds(np.array([0.0, 100.0]))) == pytest.approx([2.0, 98.0])


def test_typical_similarity_is_neither_for_nor_against() -> None:
    low, typical, high = meaning_odds(np.array([0.2, TYPICAL_MEANING, 0.7]))
    assert low < typical == 0 < high


def test_judge_who_is_sure_is_not_overruled_link_odds() -> None:
    # 10 of 100 stays below the bar of 35, and 90 above it, whatever else is known.
    bounded = log_odds(np.array([10.0, 90.0])) + np.array([BEYOND, -BEYOND])
    assert as_score(bounded)[0] < 35 < as_score(bounded)[1]


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=20), st.integers(1, 200))
def test_all_evidence_beside_the_text_is_bounded(links: list[float], years: int) -> None:
    papers = features(*[0.0] * len(links), years=[float(years)] * len(links))
    found = beyond_text(papers, np.array(links))
    assert np.all(np.abs(found) <= BEYOND)


def test_new_paper_stands_better_than_an_old_one_and_an_unknown_year_is_neutral() -> None:
    papers = features(0.0, 0.0, 0.0, years=[1.0, 40.0, np.nan])
    new, old, unknown = beyond_text(papers, np.zeros(3))
    assert new > unknown > old


def test_paper_that_the_best_cite_stands_better_than_its_equal() -> None:
    text = [2.0] * 10 + [0.0] * 20
    links = [(NAMES[number], "p15") for number in range(10)]
    odds, _ = priors(features(*text), citation_graph(NAMES, links))
    assert odds[15] > odds[16] == pytest.approx(odds[17])


def test_shared_words_speak_for_a_paper() -> None:
    papers = Features(np.zeros(2), words=np.array([2.0, -1.0]), ages=np.full(2, np.nan))
    many, few = beyond_text(papers, np.zeros(2))
    assert many > 0 > few


MANY = [f"p{number:03}" for number in range(100)]
FALLING = np.linspace(4, -4, 100)


def links_of(*links: tuple[str, str]) -> dict[str, float]:
    """What links say of each of a hundred papers, of which the first are the best."""
    found, _ = link_odds(FALLING, citation_graph(MANY, links))
    return dict(zip(MANY, found.tolist(), strict=True))


def test_link_with_the_best_paper_says_more_than_one_with_a_poorer_start() -> None:
    found = links_of(("p050", "p000"), ("p051", "p019"))
    assert found["p050"] > found["p051"]


def test_walk_starts_from_several_of_the_best_and_from_no_others() -> None:
    graph = citation_graph(MANY, [("second", "p001"), ("first", "p000"), ("poor", "p020")])
    _, visits = link_odds(FALLING, graph)
    assert visits[graph.place["first"]] > visits[graph.place["second"]] > 0
    assert visits[graph.place["poor"]] == 0


def test_citation_by_a_good_paper_says_more_than_one_by_a_poor_paper() -> None:
    # Both are visited alike, as both cite the best paper.
    near = [("p050", "p000"), ("p051", "p000")]
    found = links_of(*near, ("p025", "p050"), ("p095", "p051"))
    assert found["p050"] > found["p051"] + 0.3


def test_what_links_say_is_bounded_in_both_directions() -> None:
    found = links_of(*[(paper, "p000") for paper in MANY[1:99]])
    low, high = LINKS_RANGE
    assert found["p099"] == low < found["p050"] < found["p000"] == high


def test_no_link_moves_a_merit_by_more_than_the_bound() -> None:
    links = [(paper, "p000") for paper in MANY[1:99]]
    papers = Features(FALLING, words=np.zeros(100), ages=np.full(100, np.nan))
    odds, _ = priors(papers, citation_graph(MANY, links))
    assert np.abs(odds - FALLING).max() == pytest.approx(BEYOND)


def test_where_no_link_is_known_links_say_nothing() -> None:
    links, visits = link_odds(np.zeros(3), citation_graph(NAMES[:3], []))
    assert links.tolist() == [0, 0, 0]
    assert visits.tolist() == [0, 0, 0]


def test_walk_visits_papers_of_which_nothing_is_known() -> None:
    graph = citation_graph(NAMES[:2], [("p0", "unknown"), ("p1", "unknown"), ("p1", "less")])
    _, visits = priors(features(1.0, 1.0), graph)
    assert visits[graph.place["unknown"]] > visits[graph.place["less"]] > 0


@pytest.mark.parametrize("size", [0, 1])
def test_no_paper_or_a_single_one_is_weighed(size: int) -> None:
    odds, _ = priors(features(*[0.3] * size), citation_graph(NAMES[:size], []))
    assert odds.shape == (size,)
    assert np.isfinite(odds).all()


@given(
    st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=80),
    st.permutations(range(30)),
)
def test_order_of_papers_and_links_does_not_matter(
    links: list[tuple[str, str]], order: list[int]
) -> None:
    text = np.linspace(-3, 3, 30)
    one, _ = priors(features(*text), citation_graph(NAMES, links))
    mixed: Floats = text[order]
    other, _ = priors(
        features(*mixed), citation_graph([NAMES[place] for place in order], links[::-1])
    )
    assert other == pytest.approx(one[order])


def test_rare_word_in_common_says_more_than_one_that_all_papers_have() -> None:
    papers = [{"pear", "graft"}, {"pear", "plum"}, {"pear", "prune"}]
    rare, common, other = shared_words({"pear", "graft"}, papers)
    assert rare > common == other
    assert float(np.mean([rare, common, other])) == pytest.approx(0)


def test_long_paper_shares_words_by_chance() -> None:
    long = {"graft", *map(str, range(200))}
    first, second, _ = shared_words({"graft"}, [{"graft", "a"}, long, {"b"}])
    assert first > second


@pytest.mark.parametrize("papers", [[], [set()], [{"a"}, {"a"}]])
def test_words_say_nothing_where_papers_do_not_differ(papers: list[set[str]]) -> None:
    assert shared_words({"a"}, papers).tolist() == [0.0] * len(papers)


@pytest.mark.parametrize("count", [3, 7, 10, 40])
def test_words_say_nothing_where_many_papers_share_the_same(count: int) -> None:
    # The mean of equal numbers may differ from them in the last digit.
    assert shared_words({"a", "b"}, [{"a", "x", "y"}] * count).tolist() == [0.0] * count


def test_years_count_from_one_and_unknown_ones_stay_unknown() -> None:
    years = ages([2020, 2030, None, 2000], 2021)
    assert years[[0, 1, 3]].tolist() == [1, 1, 21]
    assert math.isnan(years[2])
