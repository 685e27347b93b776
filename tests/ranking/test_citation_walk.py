"""tools/ranking/citation_walk.py: links, and how often a walker comes by."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.ranking.citation_walk import CitationGraph, Floats, citation_graph


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
