"""nodes/find/screen_papers.py: what may not appear, and what is debated first."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import pytest
from langgraph.runtime import Runtime

from nodes.find.screen_papers import MIN_CHANGE, screen_papers
from state.channels import FindState
from state.inputs import CheckedRequest
from state.paper import Paper
from state.search import Hit, LinkRound, SearchLogEntry
from tests.library.words import WordEmbedder
from tools.run_settings import RunSettings
from tools.services import Services

TITLE = "Grafting pear trees under drought"
TEXT = (
    "Pear trees suffer under drought. We graft pears on rootstocks of quince and measure for three "
    "summers how leaves wilt, how roots grow and how fruit ripens in dry soil."
)
Screen = Callable[..., Any]


@pytest.fixture
def screened(
    services: Services, runtime: Runtime[RunSettings], monkeypatch: pytest.MonkeyPatch
) -> Screen:
    """Screen papers that one query found; parts of the request and of the state may be given."""
    monkeypatch.setattr("tools.embed.open_embedder._opened", {("minilm", "", ""): WordEmbedder()})

    async def run(
        papers: Sequence[Paper], request: dict[str, Any] | None = None, **state: Any
    ) -> FindState:
        await services.run_store.papers.put(papers)
        asked = CheckedRequest.model_validate(
            {"text": TEXT, "sources": ("openalex",), **(request or {})}
        )
        branch: dict[str, Any] = {
            "run": "run",
            "request": asked,
            "similarity": {},
            "prior": {},
            "judged": {},
            "settled": [],
            "expanded": [],
            "trail": [],
            "hop": 1,
            "depth": 0,
            "search_log": [SearchLogEntry(source="openalex", query="pears", hop=1, returned=1)],
            "same": {key: one.id for one in papers for key in (one.id, *one.aliases)},
            "hits": [
                Hit(paper=one.id, via="query", by="pears", source="openalex", rank=1)
                for one in papers
            ],
            **state,
        }
        given: FindState = branch  # type: ignore[assignment]
        return await screen_papers(given, runtime)

    return run


def paper(name: str, title: str = "Pruning plums in winter", **others: Any) -> Paper:
    return Paper(id=name, title=title, **{"year": 2010, **others})


OTHER = paper("doi:10.1/other")


async def test_inputs_own_paper_is_known_by_its_abstract_alone(screened: Screen) -> None:
    own = paper("doi:10.1/a", TITLE, abstract=TEXT.replace("three", "four"))
    update = await screened([own, OTHER])
    assert (update["hidden"], [*update["prior"]]) == ([own.id], [OTHER.id])


async def test_paper_that_is_not_certainly_older_than_the_cutoff_is_hidden(
    screened: Screen,
) -> None:
    papers = [paper("doi:10.1/same", year=2012), paper("doi:10.1/none", year=None), OTHER]
    update = await screened(papers, {"before": date(2012, 6, 1)})
    assert update["hidden"] == update["past_cutoff"] == ["doi:10.1/none", "doi:10.1/same"]
    update = await screened(papers, {"after": date(2012, 6, 1)})
    assert update["hidden"] == sorted(["doi:10.1/none", OTHER.id])


PEARS = paper("doi:10.1/pears", "Pears under drought", abstract=TEXT.split(".")[0])


async def test_paper_that_was_compared_is_not_compared_again_nor_counted_as_new(
    screened: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = WordEmbedder()
    old = {OTHER.id: 0.3, "doi:10.1/gone": 0.2}
    new = paper("doi:10.1/new", "Plums under drought")
    await screened([OTHER])  # which opens an embedder of its own
    monkeypatch.setattr("tools.embed.open_embedder._opened", {("minilm", "", ""): embedder})
    update = await screened([OTHER, new], similarity=old)
    assert embedder.texts == 2
    assert update["similarity"][OTHER.id] == 0.3
    assert (update["similarity"].keys(), update["rounds"][0].reached) == ({OTHER.id, new.id}, 1)


async def test_round_says_what_it_followed_and_what_share_of_the_best_it_changed(
    screened: Screen, services: Services
) -> None:
    trails = [LinkRound(hop=1, depth=1, followed=3), LinkRound(hop=1, depth=2, followed=2)]
    keys = await services.run_store.trails.put(trails)
    papers = [paper(f"doi:10.1/{number}", f"{TITLE} {number}") for number in range(10)]
    state: dict[str, Any] = {"trail": keys, "depth": 2}
    known = {one.id: 20.0 for one in papers[:9]}
    (entry,) = (await screened(papers, {"keep": 10}, prior=known, **state))["rounds"]
    assert (entry.followed, entry.fresh) == (2, 0.1)
    assert entry.stopped == "", "a tenth is more than the share that ends the search"
    assert MIN_CHANGE < 0.1
    (entry,) = (await screened(papers, {"keep": 6}, prior={"doi:10.1/gone": 9.0}, **state))[
        "rounds"
    ]
    assert entry.fresh == 1.0
    (entry,) = (await screened(papers))["rounds"]
    assert (entry.followed, entry.fresh) == (0, 1.0)


async def test_later_hop_follows_no_links(screened: Screen) -> None:
    log = [SearchLogEntry(source="openalex", query="pears", hop=hop, returned=1) for hop in (1, 2)]
    for hop, stopped in ((1, ""), (2, "a later search only looks for what is missing")):
        update = await screened([PEARS], hop=hop, search_log=log)
        assert update["rounds"][0].stopped == stopped
