"""tools/ranking/relevance_prior.py: text, words, links and age as log-odds."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.ranking.citation_walk import Floats, citation_graph
from tools.ranking.relevance_prior import (
    BEYOND,
    LINKS_RANGE,
    OUTSIDE,
    Features,
    ages,
    as_score,
    beyond_text,
    link_odds,
    log_odds,
    priors,
    shared_words,
)

NAMES = [f"p{number}" for number in range(30)]


def features(*text: float, years: list[float] | None = None) -> Features:
    size = len(text)
    return Features(
        text=np.array(text),
        words=np.zeros(size),
        read=np.zeros(size, dtype=bool),
        ages=np.array(years if years is not None else [np.nan] * size),
    )


def test_judge_who_is_sure_is_not_overruled_link_odds() -> None:
    # 10 of 100 stays below the bar of 35, and 90 above it, whatever else is known.
    bounded = log_odds(np.array([10.0, 90.0])) + np.array([BEYOND, -BEYOND])
    assert as_score(bounded)[0] < 35 < as_score(bounded)[1]


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=20), st.integers(1, 200), st.floats(-9, 9))
def test_what_moves_a_judged_paper_is_bounded(links: list[float], years: int, words: float) -> None:
    size = len(links)
    papers = features(*[0.0] * size, years=[float(years)] * size)
    read = replace(papers, words=np.full(size, words), read=np.ones(size, dtype=bool))
    assert np.all(np.abs(beyond_text(read, np.array(links))) <= BEYOND)
    unread = replace(read, read=np.zeros(size, dtype=bool))
    apart = beyond_text(unread, np.array(links)) - beyond_text(unread, np.zeros(size))
    assert np.all(np.abs(apart) <= 2 * OUTSIDE + 1e-9), "links and age never outvote the words"


def test_paper_that_the_best_cite_stands_better_than_its_equal() -> None:
    text = [2.0] * 10 + [0.0] * 20
    links = [(NAMES[number], "p15") for number in range(10)]
    odds, _ = priors(features(*text), citation_graph(NAMES, links))
    assert odds[15] > odds[16] == pytest.approx(odds[17])


def test_shared_words_speak_for_a_paper() -> None:
    papers = replace(features(0.0, 0.0), words=np.array([2.0, -1.0]))
    many, few = beyond_text(papers, np.zeros(2))
    assert many > 0 > few


MANY = [f"p{number:03}" for number in range(100)]
FALLING = np.linspace(4, -4, 100)


def links_of(*links: tuple[str, str]) -> dict[str, float]:
    """What links say of each of a hundred papers, of which the first are the best."""
    found, _ = link_odds(FALLING, citation_graph(MANY, links))
    return dict(zip(MANY, found.tolist(), strict=True))


def test_what_links_say_is_bounded_in_both_directions() -> None:
    found = links_of(*[(paper, "p000") for paper in MANY[1:98]], ("p098", "p099"))
    low, high = LINKS_RANGE
    assert found["p099"] == low < found["p050"] < found["p000"] == high


def test_links_say_nothing_of_a_paper_whose_links_nobody_knows() -> None:
    found = links_of(*[(paper, "p000") for paper in MANY[1:98]], ("p098", "other"))
    assert found["p099"] == 0 > found["p098"]


def test_where_no_link_is_known_links_say_nothing() -> None:
    links, visits = link_odds(np.zeros(3), citation_graph(NAMES[:3], []))
    assert links.tolist() == [0, 0, 0]
    assert visits.tolist() == [0, 0, 0]


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


def test_years_count_from_one_and_unknown_ones_stay_unknown() -> None:
    years = ages([2020, 2030, None, 2000], 2021)
    assert years[[0, 1, 3]].tolist() == [1, 1, 21]
    assert math.isnan(years[2])
