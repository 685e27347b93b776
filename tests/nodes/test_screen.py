"""nodes/find/screen.py: what may not appear, and what is debated first."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import pytest
from langgraph.runtime import Runtime

from nodes.find.screen import Branch, Update, screen
from state.paper import Paper
from state.query import Hit, SearchLogEntry
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
            "run": "run", "request": asked, "similarity": {}, "merit": {}, "judged": {},
            "settled": [], "expanded": [], "trail": [], "hop": 1, "depth": 0,
            "search_log": [SearchLogEntry(source="openalex", query="pears", hop=1, returned=1)],
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
    assert update["merit"].keys() == {OTHER.id}


async def test_inputs_own_paper_is_known_by_its_abstract_alone(screened: Screen) -> None:
    own = paper("doi:10.1/a", TITLE, abstract=TEXT.replace("three", "four"))
    update = await screened([own, OTHER])
    assert (update["hidden"], [*update["merit"]]) == ([own.id], [OTHER.id])


async def test_inputs_own_paper_is_known_by_its_title_alone(screened: Screen) -> None:
    own = paper("doi:10.1/a", TITLE.upper())
    update = await screened([own, OTHER], {"title": TITLE})
    assert (update["hidden"], [*update["merit"]]) == ([own.id], [OTHER.id])


async def test_paper_that_is_not_certainly_older_than_the_cutoff_is_hidden(
    screened: Screen,
) -> None:
    papers = [paper("doi:10.1/same", year=2012), paper("doi:10.1/none", year=None), OTHER]
    update = await screened(papers, {"before": date(2012, 6, 1)})
    assert update["hidden"] == update["past_cutoff"] == ["doi:10.1/none", "doi:10.1/same"]


async def test_second_record_of_the_inputs_own_paper_is_hidden_too(screened: Screen) -> None:
    records = [
        paper("doi:10.1/a", TITLE, abstract=TEXT),
        paper("arxiv:2001.00001", f"{TITLE}.", abstract=TEXT.replace("three", "3")),
    ]
    update = await screened([*records, OTHER])
    assert update["hidden"] == ["arxiv:2001.00001", "doi:10.1/a"]
    again = await screened([*records, OTHER], similarity=update["similarity"])
    assert again["hidden"] == update["hidden"]


async def test_paper_that_promising_ones_cite_is_more_promising_than_its_equal(
    screened: Screen,
) -> None:
    near = [
        paper(f"doi:10.1/{number}", f"{TITLE} {number}", references=("openalex:W2",))
        for number in range(3)
    ]
    cited = paper("doi:10.1/cited", aliases=("openalex:W2",))
    update = await screened([*near, cited, OTHER])
    assert update["merit"][cited.id] > update["merit"][OTHER.id]


async def test_links_of_what_may_not_appear_do_not_count(screened: Screen) -> None:
    # The input's own paper cites what is looked for: that must not be told.
    own = paper("doi:10.1/own", TITLE, abstract=TEXT, references=("doi:10.1/cited",))
    late = paper("doi:10.1/late", TITLE, year=2030, references=("doi:10.1/cited",))
    cited = paper("doi:10.1/cited")
    update = await screened([own, late, cited, OTHER], {"before": date(2020, 1, 1)})
    assert update["merit"][cited.id] == pytest.approx(update["merit"][OTHER.id])


async def test_what_a_judge_said_replaces_the_similarity(screened: Screen) -> None:
    papers = [paper("doi:10.1/a"), paper("doi:10.1/b")]
    update = await screened(papers, judged={"doi:10.1/a": 90.0})
    assert update["merit"]["doi:10.1/a"] > 70 > update["merit"]["doi:10.1/b"]
    settled = await screened(papers, judged={"doi:10.1/a": 90.0}, settled=["doi:10.1/a"])
    assert settled["merit"]["doi:10.1/a"] == settled["merit"]["doi:10.1/b"]


PEARS = paper("doi:10.1/pears", "Pears under drought", abstract=TEXT.split(".")[0])


@pytest.mark.parametrize(
    ("settings", "state", "why"),
    [
        ({}, {}, ""),
        ({"expansion": "none"}, {}, "links are not followed"),
        ({"max_depth": 0}, {}, "links are not followed"),
        ({"max_depth": 2}, {"depth": 2}, "links were followed 2 times (max_depth)"),
        ({}, {"search_log": []}, "no source answered a search"),
        ({}, {"depth": 1, "merit": {PEARS.id: 20.0}}, "the last round changed 0% of the best 1 papers"),
        ({}, {"depth": 1, "merit": {"doi:10.1/gone": 20.0}}, ""),
        ({}, {"expanded": [PEARS.id]}, "no promising paper is left to follow"),
        ({"expansion": "bfs"}, {"depth": 1, "merit": {PEARS.id: 20.0}}, ""),
    ],
)  # fmt: skip
async def test_links_are_followed_until_that_changes_little(
    settings: dict[str, Any], state: dict[str, Any], why: str, screened: Screen,
    runtime: Runtime[RunContext],
) -> None:  # fmt: skip
    for name, value in settings.items():
        object.__setattr__(runtime.context, name, value)
    (entry,) = (await screened([PEARS], **state))["rounds"]
    assert (entry.stopped, entry.reached) == (why, 1)


async def test_nothing_found_is_nothing_to_start_from(screened: Screen) -> None:
    (entry,) = (await screened([]))["rounds"]
    assert (entry.stopped, entry.fresh) == ("there is no paper to start from", 0.0)


async def test_five_thousand_papers_at_once_are_weighed(screened: Screen) -> None:
    papers = [
        paper(
            f"doi:10.1/{number}", f"Pears {number}",
            references=tuple(f"doi:10.1/{number * 7 % 5000 + step}" for step in range(20)),
        )
        for number in range(5000)
    ]  # fmt: skip
    update = await screened(papers)
    assert len(update["merit"]) == 5000
    assert all(0 < merit < 100 for merit in update["merit"].values())
