"""How papers are ordered: the relevance prior, feedback, the walk along citations, channels and completeness."""

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.search import Hit
from tools.ranking.citation_walk import CitationGraph, Floats, citation_graph
from tools.ranking.completeness import SPREAD, CompletenessEstimate, estimate_total
from tools.ranking.discovery_channels import BY_INPUT, captures
from tools.ranking.relevance_feedback import feedback_odds
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


LIKE = np.array([[1.0, 0.0], [0.0, 1.0], [0.8, 0.6], [0.6, 0.8]], dtype=np.float32)


def test_paper_rises_as_it_is_like_what_was_scored_high() -> None:
    high, low, near_high, near_low = feedback_odds(LIKE, LIKE[:2], np.array([2.0, -2.0]))
    # A unit vector judged alone: half of what it says, which lies 2 from the mean.
    assert (high, low) == pytest.approx((1.0, -1.0))
    assert high > near_high > 0 > near_low > low


@given(st.floats(-4, 4), st.integers(1, 4))
def test_equal_scores_say_nothing(odds: float, count: int) -> None:
    assert feedback_odds(LIKE, LIKE[:count], np.full(count, odds)) == pytest.approx(0.0)


def start_at(graph: CitationGraph, *papers: str) -> Floats:
    start = np.zeros(len(graph.place))
    for paper in papers:
        start[graph.place[paper]] = 1 / len(papers)
    return start


def visits(graph: CitationGraph, *start: str) -> dict[str, float]:
    found = graph.walk(start_at(graph, *start))
    return {paper: float(found[place]) for paper, place in graph.place.items()}


def test_link_told_twice_counts_once_and_a_paper_has_no_link_with_itself() -> None:
    graph = citation_graph(["a"], [("a", "b"), ("a", "b"), ("a", "a"), ("b", "a")])
    assert graph.degree.tolist() == [2, 2]


def test_paper_that_cites_the_same_works_is_visited_and_an_unlinked_one_is_not() -> None:
    graph = citation_graph(["far"], [("a", "x"), ("coupled", "x"), ("p", "q")])
    found = visits(graph, "a")
    assert found["coupled"] > 0
    assert found["far"] == found["p"] == found["q"] == 0


def test_walker_returns_to_the_start_with_three_steps_of_ten() -> None:
    # Solved by hand: a = 0.3 + 0.7 b, b = 0.7 a.
    found = visits(citation_graph([], [("a", "b")]), "a")
    assert found["a"] == pytest.approx(0.3 / 0.51, abs=0.01)
    assert found["b"] == pytest.approx(0.21 / 0.51, abs=0.01)


LINKS = st.lists(st.tuples(*[st.sampled_from("abcdefgh")] * 2), min_size=1, max_size=40)


@given(LINKS)
def test_walker_is_always_somewhere_unless_it_started_where_no_link_leads(
    links: list[tuple[str, str]],
) -> None:
    graph = citation_graph(list("abcdefgh"), links)
    linked = [paper for paper, place in graph.place.items() if graph.degree[place]]
    if linked:
        assert sum(visits(graph, *linked).values()) == pytest.approx(1.0)


@given(LINKS)
def test_direction_and_order_of_links_do_not_matter_to_a_walker(
    links: list[tuple[str, str]],
) -> None:
    papers = list("abcdefgh")
    forward = citation_graph(papers, set(links) - {(b, a) for a, b in links})
    back = citation_graph(papers, [(b, a) for a, b in reversed(links) if (b, a) not in set(links)])
    assert visits(forward, "a") == pytest.approx(visits(back, "a"))


Via = Literal["query", "reference", "citation", "recommendation", "must_include"]


def hit(paper: str, via: Via = "query", by: str = "pears", **fields: Any) -> Hit:
    return Hit(paper=paper, via=via, by=by, source=fields.pop("source", "openalex"), **fields)


def test_all_queries_hops_and_sources_are_one_channel() -> None:
    hits = [hit("x", by="pears"), hit("x", by="apples", hop=2), hit("x", source="arxiv")]
    assert captures(hits, ["x"]) == {"x": {"keywords"}}
    assert captures([*hits, hit("x", by=BY_INPUT)], ["x"]) == {"x": {"keywords", "meaning"}}


def test_paper_that_the_caller_named_was_found_by_no_channel() -> None:
    assert captures([hit("x", "must_include")], ["x"]) == {"x": frozenset()}


def test_link_back_from_a_paper_that_was_reached_over_this_one_alone_proves_nothing() -> None:
    hits = [hit("x"), hit("y", "reference", "x"), hit("x", "citation", "y")]
    assert captures(hits, ["x", "y"]) == {"x": {"keywords"}, "y": {"references"}}
    hits.append(hit("y", "reference", "z"))
    assert captures(hits, ["x", "y"])["x"] == {"keywords", "citations"}


CHANNELS = ("keywords", "meaning", "references", "citations")
Found = tuple[frozenset[str], float, bool]
FOUND = st.lists(
    st.tuples(st.frozensets(st.sampled_from(CHANNELS)), st.floats(0.01, 1), st.booleans()),
    max_size=40,
)


def estimated(found: Sequence[Found]) -> CompletenessEstimate:
    return estimate_total(
        [channels for channels, _, _ in found],
        [chance for _, chance, _ in found],
        [kept for _, _, kept in found],
    )


def papers(chance: float = 1.0, kept: bool = True, **counts: int) -> list[Found]:
    """So many papers found by the channels of each name; `ab=3` is three found by a and by b."""
    return [(frozenset(name), chance, kept) for name, count in counts.items() for _ in range(count)]


@given(FOUND)
def test_numbers_are_finite_and_stand_in_their_order(found: list[Found]) -> None:
    estimate = estimated(found)
    assert 0 <= (estimate.kept or 0) <= (estimate.seen or 0) + 1e-9
    ends = (estimate.low, estimate.high, estimate.share, estimate.share_low, estimate.share_high)
    if estimate.total is None:
        assert ends == (None,) * 5
        assert estimate.reason
    else:
        low, high, share, share_low, share_high = ends
        assert None not in ends
        assert (estimate.seen or 0) <= estimate.total <= (high or 0)
        assert (low or 0) <= estimate.total < math.inf
        assert 0 <= (share_low or 0) <= (share or 0) <= (share_high or 0) <= 1 + 1e-9
        assert not estimate.reason


def test_worked_example_is_as_computed_by_hand() -> None:
    # z = 8, 6, 4; f2 = 12: pairs 8*6 + 8*4 + 6*4 = 104, so 8 are missing: 30 + 5 + 8 = 43.
    estimate = estimated(papers(a=8, b=6, c=4, ab=5, ac=4, bc=3, abc=5))
    assert estimate.total == pytest.approx(43)
    assert estimate.share == pytest.approx(35 / 43)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ([], "no search found a paper"),
        ([(frozenset(), 1.0, True)] * 2, "no search found a paper"),
        (papers(ab=5, a=5, b=5), "fewer than three ways"),
        (papers(a=5, b=7, c=3), "no paper came in two ways"),
        (papers(ab=5, a=5, b=5, c=5, kept=False), "no paper was kept"),
        (papers(ab=1, c=1), "likely to be cited"),
        (
            papers(0.3, kept=False, ab=3, a=4) + papers(0.3, ab=2, b=2, c=1),
            "nearly any share would fit",
        ),
    ],
)
def test_sample_that_says_nothing_of_the_rest_gives_no_estimate_and_says_why(
    found: list[Found], words: str
) -> None:
    estimate = estimated(found)
    assert estimate.total is None
    assert words in estimate.reason
    assert estimate.seen == pytest.approx(sum(chance for _, chance, _ in found))


def simulate(
    reach: Sequence[float], chance: float = 1.0, runs: int = 60, *, spread: float = 0.0
) -> list[tuple[int, int, CompletenessEstimate]]:
    """Search `runs` times for 60 papers, each relevant by `chance`, whose log-odds differ between inputs by `spread`.

    Returns how many are relevant, how many of these were found, and the estimate.
    """
    rng = random.Random(20240501)
    made = []
    for _ in range(runs):
        found: list[Found] = []
        relevant = hit = 0
        shift = math.exp(rng.gauss(0.0, spread))
        true = chance * shift / (1 - chance + chance * shift)
        for _ in range(round(60 / chance)):
            wanted = rng.random() < true
            channels = frozenset(str(at) for at, each in enumerate(reach) if rng.random() < each)
            relevant += wanted
            hit += wanted and bool(channels)
            if channels:
                found.append((channels, chance, True))
        made.append((relevant, hit, estimated(found)))
    return [item for item in made if item[2].total is not None]


@pytest.mark.parametrize(
    ("reach", "chance"),
    [((0.4, 0.4, 0.4, 0.4), 1.0), ((0.5, 0.5, 0.2), 0.3), ((0.7, 0.2, 0.3, 0.1), 0.3)],
    ids=str,
)
def test_intervals_hold_the_truth_where_channels_are_independent(
    reach: tuple[float, ...], chance: float
) -> None:
    made = simulate(reach, chance=chance)
    mean = sum(item.total or 0 for _, _, item in made) / len(made)
    assert mean == pytest.approx(60, rel=0.06)
    totals = [(item.low or 0) <= truth <= (item.high or 0) for truth, _, item in made]
    assert sum(totals) / len(totals) >= 0.9
    shares = [
        (item.share_low or 0) <= hit / truth <= (item.share_high or 1) for truth, hit, item in made
    ]
    assert sum(shares) / len(shares) >= 0.85


def test_interval_of_the_total_holds_where_inputs_differ_in_how_much_they_cite() -> None:
    made = simulate((0.4, 0.4, 0.4, 0.4), chance=0.2, spread=SPREAD)
    totals = [(item.low or 0) <= truth <= (item.high or 0) for truth, _, item in made]
    assert sum(totals) / len(totals) >= 0.9
