"""Tests of stopping for a person, who chooses and orders the papers."""

from typing import Any

from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, Scripted, bee_papers, context_for
from tests.graphs.person import Person, question
from tools.run_settings import RunSettings
from tools.settings import Settings

FIND: dict[str, Any] = {"text": ABSTRACT, "library": "bees", "keep": 4, "cite": 2}


def asking(extractive: RunSettings, how: str = "on", **more: object) -> RunSettings:
    return context_for(extractive.clients.settings, review_papers=how, max_hops=1, **more)


async def test_wrong_answer_is_explained_and_chosen_papers_decide_what_is_cited(
    extractive: RunSettings,
) -> None:
    late = max((paper for paper in bee_papers() if paper.year), key=lambda paper: paper.year or 0)
    inputs = {**FIND, "before": f"{late.year}-01-01"}
    person = Person("review", inputs, asking(extractive))
    shown = question(await person.begin())
    for wrong, told in (
        ("[99] none", "[99] is not in the list"),
        ("10.1234/nowhere", "no source of this run knows doi:10.1234/nowhere"),
        ("# all gone", "no paper is left"),
        (late.id, "days asked for"),
    ):
        assert told in question(await person.answer(wrong))["error"]
    assert shown["kind"] == "papers"
    kept = [card for card in shown["papers"] if card["chosen"]]
    other = next(card for card in shown["papers"] if not card["chosen"])
    assert len(shown["proposal"].splitlines()) == len(kept)
    assert all(card["title"] and card["why"] and card["score"] is not None for card in kept)
    done = await person.answer(f"{other['id']}\n[{kept[-1]['number']}] the last\n[1]")
    wanted = [other["id"], kept[-1]["id"], kept[0]["id"]]
    assert done["selected"] == wanted
    assert [item.paper.id for item in done["papers"][:3]] == wanted
    assert {item.paper.id for item in done["references"]} == set(wanted[:2])


async def test_paper_that_the_search_did_not_meet_is_looked_up(extractive: RunSettings) -> None:
    person = Person("find", FIND, asking(extractive, results=1, expansion="none", pool=1))
    shown = question(await person.begin())
    met = {card["id"] for card in shown["papers"]}
    new = next(paper.id for paper in bee_papers() if paper.abstract and paper.id not in met)
    done = await person.answer(f"[1]\n{new}")
    assert done["selected"][-1] == new
    added = next(item for item in done["papers"] if item.paper.id == new)
    assert added.selected
    assert done["outcome"] == "complete"


async def test_stop_ends_a_review_with_the_papers_that_it_has(extractive: RunSettings) -> None:
    person = Person("review", FIND, asking(extractive))
    await person.begin()
    done = await person.answer({"action": "stop"})
    assert "asked about the papers" in done["stop"].cause
    assert (done["outcome"], done["related_work"]) == ("partial", "")
    assert done["papers"]


async def test_policy_asks_where_too_few_papers_are_relevant(extractive: RunSettings) -> None:
    many = Person("review", {**FIND, "cite": 4, "keep": 3}, asking(extractive, "auto"))
    assert (await many.begin())["outcome"] == "complete"
    few = Person("find", {**FIND, "keep": 10}, asking(extractive, "auto", bar=99.0))
    result = await few.begin()
    assert "__interrupt__" not in result, "a run that found nothing has nothing to choose from"
    musts = {**FIND, "keep": 10, "must_include": [bee_papers()[0].id]}
    one = Person("find", musts, asking(extractive, "auto", bar=99.0))
    assert "are relevant" in question(await one.begin())["why"]


async def test_nothing_is_paid_twice(llm_settings: Settings) -> None:
    with Scripted(reviewer(), llm_settings, review_papers="on") as llm:
        person = Person("review", FIND, llm.context)
        await person.begin()
        done = await person.answer("[2]\n[1]")
    used = {item.task: item for item in done["usage"]}
    assert used["debate_papers"].cached == used["generate_queries"].cached == 0
    assert used["debate_papers"].calls >= 1
