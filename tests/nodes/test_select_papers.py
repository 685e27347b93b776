"""nodes/find/select_papers.py: what is kept, and what the caller is told."""

from collections.abc import Callable
from typing import Any

import pytest
from langgraph.runtime import Runtime

from nodes.find.select_papers import select_papers
from state.channels import FindState
from state.inputs import CheckedRequest
from state.run import Failure
from state.search import FacetCoverage, SearchLogEntry, Sufficiency
from tools.run_settings import RunSettings

Select = Callable[..., Any]


@pytest.fixture
def select(runtime: Runtime[RunSettings]) -> Select:
    """Select from papers with these scores; parts of the request and of the state may be given."""

    async def run(
        scores: dict[str, float], request: dict[str, Any] | None = None, **state: Any
    ) -> FindState:
        asked = CheckedRequest.model_validate(
            {"text": "pears", "sources": ("openalex", "arxiv"), **(request or {})}
        )
        branch: dict[str, Any] = {
            "run": "run",
            "request": asked,
            "scores": scores,
            "prior": {},
            "judged": scores,
            "settled": [],
            "same": {},
            "hidden": [],
            "collected": [],
            "retracted": [],
            "search_log": [],
            "failures": [],
            "sufficiency": [],
            **state,
        }
        given: FindState = branch  # type: ignore[assignment]
        return await select_papers(given, runtime)

    return run


SCORES = {"doi:a": 90.0, "doi:b": 80.0, "doi:c": 70.0, "doi:d": 10.0}


async def test_best_are_kept_and_what_must_be_is_among_them(select: Select) -> None:
    asked = {"keep": 2, "must_include": ("openalex:W4",)}
    update = await select(SCORES, asked, same={"openalex:W4": "doi:d"})
    assert (update["selected"], update["failures"]) == (["doi:a", "doi:d"], [])


async def test_retracted_paper_gives_its_place_to_the_next_unless_it_is_asked_for(
    select: Select,
) -> None:
    update = await select(SCORES, {"keep": 2}, retracted=["doi:a"])
    assert update["selected"] == ["doi:b", "doi:c"]
    update = await select(SCORES, {"keep": 2, "include_retracted": True}, retracted=["doi:a"])
    assert update["selected"] == ["doi:a", "doi:b"]
    update = await select(SCORES, {"must_include": ("doi:a",)}, retracted=["doi:a"])
    assert update["selected"] == ["doi:b", "doi:c"]
    assert [item.cause for item in update["failures"]] == ["required, but retracted"]


async def test_each_facet_keeps_its_best_paper_or_is_said_to_be_missing(select: Select) -> None:
    facets = (
        FacetCoverage(name="pears", papers=("doi:a", "doi:b"), covered=True),
        FacetCoverage(name="frost", papers=("openalex:W3", "doi:d"), covered=True),
        FacetCoverage(name="sails", papers=("doi:d", "doi:e"), covered=True),
        FacetCoverage(name="bees"),
    )
    entry = Sufficiency(hop=1, facets=facets, missing=("bees",), reasoning="Thus.", by="m")
    scores = {**SCORES, "doi:e": 60.0}
    update = await select(
        scores, {"keep": 2}, same={"openalex:W3": "doi:c"}, sufficiency=[entry], retracted=["doi:e"]
    )
    assert update["selected"] == ["doi:a", "doi:c"]
    assert update["sufficiency"][-1].missing == ("bees", "sails")


def searched(source: str, *returned: int) -> list[SearchLogEntry]:
    return [SearchLogEntry(source=source, query="q", hop=1, returned=count) for count in returned]


@pytest.mark.parametrize(
    ("log", "alarms"),
    [
        (searched("arxiv", 0, 0), ["arxiv"]),
        (searched("arxiv", 0), []),
        (searched("arxiv", 0, 3, 0), []),
        (searched("arxiv", 0, 0, 0) + searched("openalex", 5, 0), ["arxiv"]),
    ],
)
async def test_source_that_answered_nothing_but_empty_sets_raises_an_alarm(
    log: list[SearchLogEntry], alarms: list[str], select: Select
) -> None:
    update = await select(SCORES, search_log=log)
    assert [item.subject for item in update["failures"]] == alarms
    assert not any(item.fatal for item in update["failures"])


async def test_run_in_which_no_source_answered_says_why_and_not_that_nothing_was_found(
    select: Select,
) -> None:
    failed = [
        Failure(stage="search_source", subject=f"{name}: pears", cause=f"{name} is busy")
        for name in ("openalex", "openalex", "arxiv")
    ]
    (stop,) = (await select({}, failures=failed))["failures"]
    assert stop.fatal
    assert stop.cause == "no source gave an answer:\n  openalex is busy\n  arxiv is busy"
    (stop,) = (await select({}, search_log=searched("openalex", 3)))["failures"]
    assert stop.cause == "CiteLoom found nothing in openalex and arxiv with any query: q"
