"""nodes/find/screen.py: what may not appear, and what is debated first."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import pytest
from langgraph.runtime import Runtime

from nodes.find.screen import Branch, Update, screen
from state.paper import Paper
from state.query import Hit
from state.request import Request
from tests.library.words import WordEmbedder
from tools.context import RunContext
from tools.desk import Desk

TITLE = "Grafting pear trees under drought"
TEXT = (
    "Pear trees suffer under drought. We graft pears on rootstocks of quince and measure for three "
    "summers how leaves wilt, how roots grow and how fruit ripens in dry soil."
)
Screen = Callable[..., Any]


@pytest.fixture
def screened(desk: Desk, runtime: Runtime[RunContext], monkeypatch: pytest.MonkeyPatch) -> Screen:
    """Screen papers that one query found; parts of the request and of the state may be given."""
    monkeypatch.setattr("tools.embed.open._opened", [WordEmbedder()])

    async def run(
        papers: Sequence[Paper], request: dict[str, Any] | None = None, **state: Any
    ) -> Update:
        await desk.shelf.put_papers(papers)
        asked = Request.model_validate({"text": TEXT, "sources": ("openalex",), **(request or {})})
        branch: dict[str, Any] = {
            "run": "run", "request": asked, "similarity": {}, "scores": {},
            "same": {key: one.id for one in papers for key in (one.id, *one.aliases)},
            "hits": [Hit(paper=one.id, via="query", by="pears", source="openalex", rank=1)
                     for one in papers],
            **state,
        }  # fmt: skip
        given: Branch = branch  # type: ignore[assignment]
        return await screen(given, runtime)

    return run


def paper(name: str, title: str = "Pruning plums in winter", **others: Any) -> Paper:
    return Paper(id=name, title=title, **{"year": 2010, **others})


OTHER = paper("doi:10.1/other")


@pytest.mark.parametrize("name", ["doi:10.1/a", "openalex:W1"])
@pytest.mark.parametrize("how", ["exclude", "own"])
async def test_excluded_paper_is_hidden_whichever_of_its_ids_was_named(
    name: str, how: str, screened: Screen
) -> None:
    banned = paper("doi:10.1/a", aliases=("openalex:W1",))
    update = await screened([banned, OTHER], {how: (name,) if how == "exclude" else name})
    assert update["hidden"] == ["doi:10.1/a"]
    assert update["batch"] == [OTHER.id]
    assert update["similarity"].keys() == {OTHER.id}


async def test_inputs_own_paper_is_known_by_its_abstract_alone(screened: Screen) -> None:
    own = paper("doi:10.1/a", TITLE, abstract=TEXT.replace("three", "four"))
    update = await screened([own, OTHER])
    assert (update["hidden"], update["batch"]) == ([own.id], [OTHER.id])


async def test_inputs_own_paper_is_known_by_its_title_alone(screened: Screen) -> None:
    own = paper("doi:10.1/a", TITLE.upper())
    update = await screened([own, OTHER], {"title": TITLE})
    assert (update["hidden"], update["batch"]) == ([own.id], [OTHER.id])


async def test_paper_that_is_not_certainly_older_than_the_cutoff_is_hidden(
    screened: Screen,
) -> None:
    papers = [paper("doi:10.1/same", year=2012), paper("doi:10.1/none", year=None), OTHER]
    update = await screened(papers, {"before": date(2012, 6, 1)})
    assert update["hidden"] == update["past_cutoff"] == ["doi:10.1/none", "doi:10.1/same"]


async def test_paper_asked_for_by_another_id_comes_first_and_beside_the_number(
    screened: Screen, runtime: Runtime[RunContext]
) -> None:
    wanted = paper("doi:10.1/z", "Sailing", aliases=("openalex:W1",))
    others = [paper(f"doi:10.1/{n}", f"Pear trees and drought {n}") for n in range(100)]
    update = await screened([*others, wanted], {"must_include": ("openalex:W1",)})
    assert update["batch"][0] == wanted.id
    assert len(update["batch"]) == runtime.context.pool + 1


async def test_paper_reached_in_more_ways_is_debated_sooner_under_whichever_id(
    screened: Screen,
) -> None:
    # In the order of their ids, so that the one without further hits would come first.
    papers = [paper(f"doi:10.1/{name}", aliases=(f"s2:{name}",)) for name in "abcd"]
    ways: list[tuple[str, Any, str, int]] = [
        ("s2:b", "query", "plums", 1),
        ("s2:c", "query", "plums", 1), ("s2:c", "recommendation", "the best papers so far", 1),
        ("s2:d", "reference", "doi:10.1/good", 0), ("s2:d", "citation", "doi:10.1/good", 0),
    ]  # fmt: skip
    hits = [
        Hit(paper=f"doi:10.1/{name}", via="must_include", by="the caller", source="openalex")
        for name in "abcd"
    ] + [
        Hit(paper=name, via=via, by=by, source="semantic_scholar", rank=rank)
        for name, via, by, rank in ways
    ]
    update = await screened(papers, hits=hits, scores={"doi:10.1/good": 90.0})
    assert update["batch"] == ["doi:10.1/d", "doi:10.1/c", "doi:10.1/b", "doi:10.1/a"]


async def test_paper_that_was_debated_is_not_debated_again(screened: Screen) -> None:
    judged = paper("doi:10.1/a")
    update = await screened([judged, OTHER], scores={judged.id: 70.0})
    assert update["batch"] == [OTHER.id]
    assert update["hidden"] == []
