"""nodes/find/estimate_completeness.py: what is said of the papers that were not found."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import pytest
from langgraph.runtime import Runtime

from nodes.find.estimate_completeness import Branch, estimate_completeness
from state.finding import Completeness, Round, Trail
from state.query import FacetCover, Hit, Sufficiency
from state.request import Request
from state.run import Failure
from tools.context import RunContext
from tools.desk import Desk
from tools.network.discovery import steps_of
from tools.network.ways import BY_INPUT

Via = Literal["query", "reference", "citation", "recommendation", "must_include"]
Estimate = Callable[..., Any]


def hit(paper: str, via: Via = "query", by: str = "pears", hop: int = 1) -> Hit:
    return Hit(paper=paper, via=via, by=by, source="openalex", hop=hop)


def reached(*ways: tuple[Sequence[str], Via, str]) -> list[Hit]:
    return [hit(paper, via, by) for papers, via, by in ways for paper in papers]


@pytest.fixture
def estimate(runtime: Runtime[RunContext]) -> Estimate:
    """Estimate from hits and scores; parts of the request and of the state may be given."""

    async def run(
        hits: list[Hit], scores: dict[str, float], *, request: dict[str, Any] | None = None,
        **state: Any,
    ) -> Completeness:  # fmt: skip
        asked = Request.model_validate(
            {"text": "pears", "sources": ("openalex", "arxiv"), **(request or {})}
        )
        branch: dict[str, Any] = {
            "run": "run", "request": asked, "hits": hits, "trail": [],
            "same": {paper: paper for item in hits for paper in (item.paper,)},
            "scores": scores, "hidden": [], "retracted": [], "rounds": [], "hop": 1,
            "sufficiency": [], "failures": [], **state,
        }  # fmt: skip
        given: Branch = branch  # type: ignore[assignment]
        return (await estimate_completeness(given, runtime))["completeness"]

    return run


PAPERS = "abcdefghijklmnopqrst"
HITS = reached(
    (PAPERS[:12], "query", "pears"), (PAPERS[6:16], "query", BY_INPUT),
    (PAPERS[10:18], "reference", "z"), ("z", "query", "pears"),
)  # fmt: skip
SCORES = dict.fromkeys(PAPERS[:18], 80.0) | {"z": 10.0}


async def test_relevant_papers_are_held_against_each_other_by_channel(estimate: Estimate) -> None:
    found = await estimate(HITS, SCORES)
    assert (found.found, found.channels) == (18, ("keywords", "meaning", "references"))
    # a-f words alone, m-p and k-l overlap: z = 6, 0, 2 and f2 = 4 + 4.
    assert found.found_by == (8, 8, 2)
    assert found.estimate == pytest.approx(18 + 12 / 9)
    assert 18 <= found.low <= found.estimate <= found.high
    assert found.share == pytest.approx(18 / found.estimate)
    assert "Chao 1989" in found.method


async def test_paper_below_the_bar_hidden_retracted_or_merged_is_not_counted(
    estimate: Estimate,
) -> None:
    kept = {**SCORES, "a": 34.9}
    same = {key: key for key in "abcefghijklmnopqrstz"} | {"d": "e"}
    out: dict[str, Any] = {"hidden": ["b"], "retracted": ["c"], "same": same}
    assert (await estimate(HITS, kept, **out)).found == 14
    assert (await estimate(HITS, kept, request={"include_retracted": True}, **out)).found == 15


async def test_records_of_one_work_are_one_paper_also_as_the_end_of_a_link(
    estimate: Estimate,
) -> None:
    hits = [
        hit("a"),
        hit("a2", by=BY_INPUT),
        hit("b", "reference", "a2"),
        hit("a", "citation", "b"),
    ]
    same = {"a": "a", "a2": "a", "b": "b"}
    found = await estimate(hits, {"a": 90.0, "b": 90.0}, same=same)
    # The citation leads back to where b was reached from.
    assert found.channels == ("keywords", "meaning", "references")
    assert found.found_by == (1, 1, 0)


@pytest.mark.parametrize(
    ("hits", "scores", "caveat"),
    [
        ([], {}, "There is no estimate: no relevant paper was found."),
        (HITS, dict.fromkeys(PAPERS, 3.0), "There is no estimate: no relevant paper was found."),
        ([hit("a")], {"a": 90.0}, "There is no estimate: fewer than two channels"),
        ([hit("a"), hit("b", by=BY_INPUT)], {"a": 90.0, "b": 80.0}, "by two channels"),
    ],
)
async def test_without_ground_for_an_estimate_there_is_none_and_the_caveats_begin_with_why(
    hits: list[Hit], scores: dict[str, float], caveat: str, estimate: Estimate
) -> None:
    found = await estimate(hits, scores)
    assert (found.estimate, found.low, found.high, found.share) == (None,) * 4
    assert caveat in found.caveats[0]
    assert not found.method


async def test_paper_that_the_caller_named_counts_as_found_and_as_no_channel(
    estimate: Estimate,
) -> None:
    hits = [*HITS, hit("s", "must_include", "you")]
    found = await estimate(hits, SCORES | {"s": 70.0})
    assert found.found == 19
    assert sum(found.found_by) == 18
    assert found.curve[0].step == "papers you named"
    assert (found.curve[0].looked_at, found.curve[0].relevant) == (1, 1)


async def test_caveats_say_who_judged_where_and_what_failed(estimate: Estimate) -> None:
    lost = [
        Failure(stage="search_source", subject="arxiv: pears", cause="busy"),
        Failure(stage="expand", subject="openalex", cause="busy"),
        Failure(stage="select_papers", subject="doi:x", cause="not there"),
    ]
    hits = [*HITS, hit("s"), hit("t"), hit("hidden")]
    scores = SCORES | dict.fromkeys("abcdef", 20.0)
    found = await estimate(hits, scores, failures=lost, hidden=["hidden"])
    text = " ".join(found.caveats)
    assert "lower bound" in text
    assert "not independent" in text
    assert "openalex and arxiv" in text
    assert "scored 35 or more by the embedded engine" in text
    assert "failed 2 times" in text
    assert "2 papers that were seen were not judged" in text


async def test_where_judging_ended_before_relevance_did_no_share_is_claimed(
    estimate: Estimate,
) -> None:
    hits = [*HITS, hit("s"), hit("t")]
    cut = await estimate(hits, dict.fromkeys(PAPERS[:18], 80.0))
    assert cut.estimate is not None
    assert cut.share is None
    assert any(text.startswith("Only the 18 best of 21 papers seen") for text in cut.caveats)
    whole = await estimate(hits, dict.fromkeys((*PAPERS, "z"), 80.0))
    assert whole.share is not None
    assert not any("judged, and nearly all" in text for text in whole.caveats)


async def test_single_queries_stand_in_for_channels_and_the_caveats_say_so(
    estimate: Estimate,
) -> None:
    hits = reached(("abcd", "query", "pears"), ("cdef", "query", "plums"), ("adg", "query", "figs"))
    found = await estimate(hits, dict.fromkeys("abcdefg", 70.0))
    assert len(found.channels) == 3
    assert found.estimate is not None
    assert any("single queries count as channels" in caveat for caveat in found.caveats)


TRAILS = [
    Trail(hop=2, depth=1, hits=(hit("e", "reference", "d", hop=2),)),
    Trail(hop=1, depth=2, hits=(hit("c", "citation", "b"), hit("a", "citation", "b"))),
    Trail(hop=1, depth=1, hits=(hit("b", "reference", "a"), hit("lost", "reference", "a"))),
]


async def test_links_on_the_shelf_are_channels_too(estimate: Estimate, desk: Desk) -> None:
    trail = Trail(hop=1, depth=1, hits=tuple(hit(paper, "citation", "z") for paper in "abst"))
    same = {paper: paper for paper in (*PAPERS, "z")}
    key = await desk.shelf.put_trail(trail)
    found = await estimate(HITS, SCORES | {"s": 50.0}, trail=[key], same=same)
    assert found.channels == ("citations", "keywords", "meaning", "references")
    assert (found.found, found.curve[-1].looked_at) == (19, 21)


def test_steps_are_in_the_order_in_which_they_were_made() -> None:
    hits = [
        hit("d", hop=2), hit("a"), hit("r", "recommendation", "the best"), hit("m", "must_include")
    ]  # fmt: skip
    steps = steps_of(hits, TRAILS, {key: key for key in "abcdemr"})
    assert [(name, "".join(item.paper for item in made)) for name, made in steps] == [
        ("papers you named", "m"),
        ("searches", "a"),
        ("links, round 1", "b"),
        ("links, round 2", "ca"),
        ("recommendations", "r"),
        ("searches of hop 2", "d"),
        ("links of hop 2, round 1", "e"),
    ]


async def test_curve_grows_and_ends_at_what_was_found(estimate: Estimate) -> None:
    hits = [*HITS, *(hit(paper, hop=2) for paper in "ast")]
    found = await estimate(hits, SCORES | {"s": 50.0, "t": 5.0}, hop=2)
    assert [(at.step, at.looked_at, at.relevant) for at in found.curve] == [
        ("searches", 17, 16), ("links, round 1", 19, 18), ("searches of hop 2", 21, 19),
    ]  # fmt: skip


def reflected(hop: int, stopped: str, *missing: str) -> Sufficiency:
    facets = tuple(FacetCover(name=name) for name in missing)
    return Sufficiency(
        hop=hop, facets=facets, missing=missing, reasoning="", by="x", stopped=stopped
    )


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (
            {
                "failures": [
                    Failure(stage="x", subject="x", cause="the budget is spent", fatal=True)
                ]
            },
            "the run had to stop: the budget is spent",
        ),
        (
            {"sufficiency": [reflected(1, "everything is covered")]},
            "searching ended: everything is covered",
        ),
        (
            {
                "sufficiency": [
                    reflected(1, ""),
                    reflected(2, "max_hops reached", "radar", "bees"),
                ],
                "rounds": [Round(hop=1, depth=0), Round(hop=2, depth=3, stopped="saturated")],
                "hop": 2,
            },
            "following links ended: saturated; "
            "searching ended: max_hops reached (thinly covered still: radar, bees)",
        ),
        (
            {"sufficiency": [reflected(1, "")], "hop": 2},
            "whether anything is missing was not assessed in the end",
        ),
        ({}, "whether anything is missing was not assessed in the end"),
    ],
    ids=["fatal", "covered", "limit", "second hop failed", "never asked"],
)
async def test_end_of_the_search_is_told_in_words(
    state: dict[str, Any], words: str, estimate: Estimate
) -> None:
    assert (await estimate(HITS, SCORES, **state)).stopped == words
