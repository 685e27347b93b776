"""nodes/find/independent_runs.py: what each search asks and reaches, and how their rankings become one."""

from typing import Any

import pytest

from nodes.find.independent_runs import (
    RRF_K,
    overlap_of,
    priors_of_runs,
    reached_by_runs,
    texts_of_runs,
    unite_queries,
    unite_ranks,
)
from state.channels import FindState
from state.inputs import CheckedRequest
from state.paper import Paper
from state.search import Facet, Hit, LinkRound, SearchQuery
from tests.graphs.conftest import ABSTRACT
from tools.text.words import split_sentences


def query(text: str, *runs: int, facet: Facet = "all", hop: int = 1) -> SearchQuery:
    return SearchQuery(text=text, facet=facet, reason="It is asked.", runs=runs, hop=hop)


def hit(paper: str, *runs: int, **others: Any) -> Hit:
    return Hit(
        **{"paper": paper, "via": "query", "by": "pears", "source": "one", "runs": runs, **others}
    )


def link(seed: str, end: str) -> Hit:
    return Hit(paper=end, via="reference", by=seed, source="one")


def state_of(hits: list[Hit], runs: int, **others: Any) -> FindState:
    state: Any = {
        "queries": [query("pears", *range(1, runs + 1))],
        "hits": hits,
        "same": {},
        "request": CheckedRequest(text="pears on trees"),
        "hidden": [],
        "judged": {},
        "settled": [],
        **others,
    }
    return state  # type: ignore[no-any-return]


def test_first_search_starts_from_the_text_and_the_others_from_halves_of_its_sentences() -> None:
    whole = [span.text for span in split_sentences(ABSTRACT)]
    texts = texts_of_runs(ABSTRACT, 5)
    assert texts[0] == ABSTRACT
    halves = [[span.text for span in split_sentences(text)] for text in texts[1:]]
    for one, other in (halves[:2], halves[2:]):
        assert sorted(one + other) == sorted(whole)
        assert len(one) == len(other) == 2
    assert len(set(texts)) == 5
    assert texts == texts_of_runs(ABSTRACT, 5), "another run makes the same halves"
    assert (texts_of_runs(ABSTRACT, 2), texts_of_runs(ABSTRACT, 1)) == (texts[:2], [ABSTRACT])


def test_query_that_several_searches_ask_is_one_query_with_their_numbers() -> None:
    united = unite_queries([[query("pears"), query("plums")], [query("Plums")], [query("nuts")]])
    assert [(one.text, one.runs) for one in united] == [
        ("pears", (1,)),
        ("plums", (1, 2)),
        ("nuts", (3,)),
    ]
    assert unite_queries([[query("pears")]]) == [query("pears")], "one search has no number"


def test_search_reaches_what_its_queries_find_and_what_the_papers_it_follows_link_to() -> None:
    trails = [
        LinkRound(hop=1, depth=1, hits=(link("a", "x"), link("b", "y")), seeds=(("a",), ("b",))),
        # The second search comes to follow `a`, whose links the first one has fetched.
        LinkRound(hop=1, depth=2, hits=(link("x", "z"),), seeds=(("x",), ("a",))),
    ]
    hits = [
        hit("a", 1, 2),
        hit("b", 2),
        hit("late", by="gap", hop=2),
        hit("mine", via="must_include"),
    ]
    first, second = reached_by_runs(state_of(hits, 2), trails)
    assert first == {"a", "x", "z"}
    assert second == {"a", "b", "y", "x"}


def test_query_that_a_person_wrote_belongs_to_every_search() -> None:
    assert reached_by_runs(state_of([hit("a", by="mine")], 3), []) == [{"a"}] * 3


def test_links_of_a_paper_that_got_another_id_since_still_count() -> None:
    trails = [LinkRound(hop=1, depth=1, hits=(link("s2:1", "x"),), seeds=(("s2:1",), ()))]
    merged = {"s2:1": "doi:10.1/a", "doi:10.1/a": "doi:10.1/a"}
    state = state_of([hit("s2:1", 1), hit("doi:10.1/a", 2)], 2, same=merged)
    assert reached_by_runs(state, trails) == [{"doi:10.1/a", "x"}, {"doi:10.1/a"}]


def test_search_weighs_its_papers_by_the_links_that_it_followed() -> None:
    papers = {key: Paper(id=key, title=f"Pears {key}", year=2000) for key in "abcx"}
    alike = dict.fromkeys("abcx", 0.5)
    trails = [
        LinkRound(
            hop=1, depth=1, hits=tuple(link(key, "x") for key in "abc"), seeds=(("a", "b", "c"), ())
        )
    ]
    hits = [hit(key, 1, 2) for key in "abcx"]
    first, second = priors_of_runs(state_of(hits, 2, similarity=alike), papers, trails)
    assert first["x"] > first["a"], "three of its papers cite it"
    assert second["x"] == second["a"], "it has not seen who cites it"
    judged = state_of(hits, 2, similarity=alike, judged={"a": 99.0, "x": 1.0})
    assert priors_of_runs(judged, papers, trails) == [first, second], "before anything is judged"
    assert priors_of_runs(state_of(hits, 1, similarity=alike), papers, trails) == []


def test_ranks_are_united_by_the_sum_of_their_reciprocals() -> None:
    promise = {"a": 90.0, "b": 80.0, "c": 70.0, "late": 99.0}
    united = unite_ranks([{"a": 50.0, "b": 60.0}, {"b": 9.0, "c": 8.0}], promise, judged=False)
    first, second = 1 / (RRF_K + 1), 1 / (RRF_K + 2)
    assert united == pytest.approx({"a": second, "b": 2 * first, "c": second, "late": first})


def test_after_judging_each_search_ranks_what_it_reached_by_all_that_is_known() -> None:
    promise = {"a": 90.0, "b": 80.0}
    united = unite_ranks([{"a": 1.0, "b": 2.0, "hidden": 3.0}], promise, judged=True)
    assert united["a"] > united["b"]
    assert "hidden" not in united


@pytest.mark.parametrize(
    ("priors", "first", "overlap"),
    [
        ([], 3, None),
        ([{"a": 1.0}], 3, None),
        ([{}, {}], 3, None),
        ([{"a": 2.0, "b": 1.0}, {"a": 2.0, "c": 1.0}], 1, 1.0),
        ([{"a": 2.0, "b": 1.0}, {"a": 2.0, "c": 1.0}], 2, 1 / 3),
        ([{"a": 1.0}, {"a": 1.0}, {"b": 1.0}], 5, 1 / 3),
    ],
)
def test_overlap_is_the_mean_share_of_first_papers_that_two_searches_have_in_common(
    priors: list[dict[str, float]], first: int, overlap: float | None
) -> None:
    assert overlap_of(priors, first) == (overlap if overlap is None else pytest.approx(overlap))
