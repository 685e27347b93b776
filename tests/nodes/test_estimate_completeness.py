"""nodes/find/estimate_completeness.py: what is said of the papers that were not found."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

import pytest
from langgraph.runtime import Runtime
from pydantic import SecretStr

from nodes.find.estimate_completeness import agreement_sentence, estimate_completeness
from state.channels import FindState
from state.inputs import CheckedRequest
from state.run import Failure
from state.search import Completeness, FacetCoverage, Hit, SearchQuery, SearchRound, Sufficiency
from tools.clients import Clients
from tools.ranking.completeness import chance_of
from tools.ranking.discovery_channels import BY_INPUT
from tools.run_settings import RunSettings

Via = Literal["query", "reference", "citation", "recommendation", "must_include"]
Estimate = Callable[..., Any]


def hit(paper: str, via: Via = "query", by: str = "pears", hop: int = 1) -> Hit:
    return Hit(paper=paper, via=via, by=by, source="openalex", hop=hop)


def reached(*ways: tuple[Sequence[str], Via, str]) -> list[Hit]:
    return [hit(paper, via, by) for papers, via, by in ways for paper in papers]


@pytest.fixture
def estimate(runtime: Runtime[RunSettings]) -> Estimate:
    """Estimate from hits and scores; parts of the request and of the state may be given."""

    async def run(
        hits: list[Hit],
        scores: dict[str, float],
        *,
        request: dict[str, Any] | None = None,
        prior: dict[str, float] | None = None,
        **state: Any,
    ) -> Completeness:
        asked = CheckedRequest.model_validate(
            {"text": "pears", "sources": ("openalex", "arxiv"), **(request or {})}
        )
        branch: dict[str, Any] = {
            "run": "run",
            "request": asked,
            "hits": hits,
            "trail": [],
            "same": {paper: paper for item in hits for paper in (item.paper,)},
            "scores": scores,
            "judged": scores,
            "settled": [],
            "prior": prior or scores,
            "hidden": [],
            "retracted": [],
            "selected": [key for key, score in scores.items() if score >= 35],
            "rounds": [],
            "hop": 1,
            "sufficiency": [],
            "failures": [],
            **state,
        }
        given: FindState = branch  # type: ignore[assignment]
        return (await estimate_completeness(given, runtime))["completeness"]

    return run


PAPERS = "abcdefghijklmnopqrst"
HITS = reached(
    (PAPERS[:12], "query", "pears"),
    (PAPERS[6:16], "query", BY_INPUT),
    (PAPERS[10:18], "reference", "z"),
    ("z", "query", "pears"),
)
SCORES = dict.fromkeys(PAPERS[:18], 90.0) | {"z": 10.0}
THREE_WAYS = [
    hit("z"),
    *reached(("a", "query", "pears"), ("a", "query", BY_INPUT), ("a", "reference", "z")),
]
APART = [
    hit("z"),
    *reached(("a", "query", "pears"), ("b", "query", BY_INPUT), ("c", "reference", "z")),
]


GOOD, POOR = chance_of(90.0), chance_of(10.0)


async def test_papers_are_held_against_each_other_by_channel_and_count_by_their_chance(
    estimate: Estimate,
) -> None:
    found = await estimate(HITS, SCORES)
    assert found.channels == ("keywords", "meaning", "references")
    assert found.kept == pytest.approx(18 * GOOD, abs=0.05)
    assert found.seen == pytest.approx(18 * GOOD + POOR, abs=0.05)
    # a-f by words alone, q-r by links alone, k-l by all three; the other eight by two; z is not kept.
    assert found.found_by == (8, 8, 2)
    unseen = (6 * GOOD + POOR) * 2 * GOOD / (8 * GOOD + 1)
    assert found.estimate == pytest.approx(18 * GOOD + POOR + unseen, abs=0.05)
    assert found.low <= found.estimate <= found.high
    assert found.share == pytest.approx(18 * GOOD / (18 * GOOD + POOR + unseen), abs=0.01)
    assert found.share_low <= found.share <= found.share_high
    assert "Chao 1989" in found.method
    told = re.match(r"Estimated coverage: (\d+) % \((\d+) to (\d+) %\)\. ", found.told)
    assert told
    shares = [100 * (part or 0) for part in (found.share, found.share_low, found.share_high)]
    assert [int(part) for part in told.groups()] == pytest.approx(shares, abs=1)
    assert f"would cite about {found.estimate:.0f} papers from openalex and arxiv" in found.told
    assert found.told.endswith(f"the 18 kept include about {found.kept:.0f} of these.")
    library = await estimate(HITS, SCORES, request={"sources": ("library",)})
    assert " papers from this library;" in library.told


@pytest.mark.parametrize(
    ("hits", "scores", "why"),
    [
        ([], {}, "no search found a paper"),
        ([hit("a"), hit("b", by=BY_INPUT)], {"a": 90.0, "b": 80.0}, "fewer than three ways"),
        (APART, dict.fromkeys("abc", 90.0), "no paper came in two ways"),
        (THREE_WAYS, {"a": 10.0}, "no paper was kept"),
        (THREE_WAYS, {"a": 50.0}, "about 0.0 by their chances"),
    ],
)
async def test_without_ground_for_an_estimate_there_is_none_and_it_is_told_why(
    hits: list[Hit], scores: dict[str, float], why: str, estimate: Estimate
) -> None:
    found = await estimate(hits, scores)
    assert (found.estimate, found.low, found.high, found.share) == (None,) * 4
    kept = sum(score >= 35 for score in scores.values())
    assert re.match(rf"Coverage: {kept} papers? kept, of {len(scores)} ranked and", found.told)
    assert " CiteLoom does not estimate a share for openalex and arxiv: " in found.told
    assert why in found.told
    assert not re.search(r"\d ?%", found.told)
    assert not found.method


@pytest.mark.parametrize(
    ("choices", "model", "why"),
    [
        ({"ranker": "permutation"}, None, "only with the default ranking"),
        ({"expansion": "none"}, None, "only with the default ranking"),
        ({}, "scripted", "only without a model"),
    ],
)
async def test_way_that_was_never_held_against_the_truth_has_counts_and_no_percentage(
    choices: dict[str, Any],
    model: str | None,
    why: str,
    estimate: Estimate,
    runtime: Runtime[RunSettings],
) -> None:
    here = runtime.context.clients.settings
    with_model = here.model_copy(update={"strong_model": model, "llm_api_key": SecretStr("sk-x")})
    vars(runtime.context).update(choices, clients=Clients(with_model))
    found = await estimate(HITS, SCORES, prior={**SCORES, "t": 5.0})
    done = "judged" if model else "ranked"
    assert found.told.startswith(
        f"Coverage: 18 papers kept, of 19 {done} and 20 found; two ways or more found 10 of the kept. "
    )
    assert why in found.told
    assert not re.search(r"\d ?%", found.told)
    assert (found.kept, found.seen, found.estimate, found.share) == (None,) * 4
    assert (found.found_by, found.method) == ((8, 8, 2), "")
    assert not any("chance" in caveat or "too low" in caveat for caveat in found.caveats)


async def test_caveats_say_who_judged_where_and_what_failed(estimate: Estimate) -> None:
    lost = [
        Failure(stage="search_source", subject="arxiv: pears", cause="busy"),
        Failure(stage="expand_citations", subject="openalex", cause="busy"),
        Failure(stage="select_papers", subject="doi:x", cause="not there"),
    ]
    found = await estimate(HITS, SCORES, failures=lost)
    text = " ".join(found.caveats)
    assert "too low" in text
    assert "depend on each other" in text
    assert "embedded mode gave" in text
    assert "failed 2 times" in text
    assert "not judged" not in text


@pytest.mark.parametrize(
    ("runs", "overlap", "kept", "words"),
    [
        ((), None, 4, ""),
        ((0, 2), None, 2, " Of the papers kept, 2 were found by all 2 independent searches."),
        (
            (1, 2),
            None,
            3,
            " Of the papers kept, 2 were found by all 2 independent searches, 1 by 1.",
        ),
        (
            (6, 9, 25),
            0.524,
            43,
            " Of the papers kept, 25 were found by all 3 independent searches, 9 by 2, 6 by 1, 3 by none. "
            "Before judging, the first 40 papers of two searches overlap by 52 % (Jaccard, in the mean).",
        ),
    ],
)
def test_agreement_of_searches_is_told_in_counts_and_as_overlap(
    runs: tuple[int, ...], overlap: float | None, kept: int, words: str
) -> None:
    assert agreement_sentence(runs, overlap, kept, 40) == words


async def test_searches_are_counted_by_the_papers_kept_that_each_reached(
    estimate: Estimate,
) -> None:
    hits = [
        hit("a").model_copy(update={"runs": (1, 2)}),
        hit("b").model_copy(update={"runs": (2,)}),
    ]
    queries = [SearchQuery(text="pears", facet="all", reason="It is asked.", runs=(1, 2))]
    priors = [{"a": 9.0}, {"a": 9.0, "b": 8.0, "c": 7.0}]
    scores = {"a": 90.0, "b": 80.0, "c": 70.0}
    late = hit("c", hop=2)
    found = await estimate([*hits, late], scores, queries=queries, run_priors=priors)
    assert "tested with one search only" in found.told
    assert (found.runs, found.overlap) == ((1, 1), pytest.approx(1 / 3, abs=0.001))
    assert "1 by none" in found.told


def reflected(hop: int, stopped: str, *missing: str) -> Sufficiency:
    facets = tuple(FacetCoverage(name=name) for name in missing)
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
            {"sufficiency": [reflected(1, "every part of the text has papers")]},
            "the search ended: every part of the text has papers",
        ),
        (
            {
                "sufficiency": [
                    reflected(1, ""),
                    reflected(2, "it reached the maximum number of searches", "radar", "bees"),
                ],
                "rounds": [
                    SearchRound(hop=1, depth=0),
                    SearchRound(hop=2, depth=3, stopped="saturated"),
                ],
                "hop": 2,
            },
            "CiteLoom stopped following links: saturated; the search ended: it reached the maximum "
            "number of searches (few papers on: radar, bees)",
        ),
        (
            {"sufficiency": [reflected(1, "")], "hop": 2},
            "CiteLoom did not assess what is still missing",
        ),
        ({}, "CiteLoom did not assess what is still missing"),
    ],
    ids=["fatal", "covered", "limit", "second hop failed", "never asked"],
)
async def test_end_of_the_search_is_told_in_words(
    state: dict[str, Any], words: str, estimate: Estimate
) -> None:
    assert (await estimate(HITS, SCORES, **state)).stopped == words
