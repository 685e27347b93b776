"""Tests of stopping for a person, who edits which papers are cited and where."""

from typing import Any

import pytest

from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, Scripted, bee_papers, context_for
from tests.graphs.person import Person, question
from tools.run_settings import RunSettings
from tools.settings import Settings

FIVE = [paper.id for paper in bee_papers() if paper.abstract][:5]
INPUTS: Any = {"text": ABSTRACT, "library": "bees", "papers": FIVE, "cite": 3}


@pytest.fixture
def context(extractive: RunSettings) -> RunSettings:
    return context_for(extractive.clients.settings, review_plan="on")


async def test_answer_that_cannot_be_read_is_asked_for_again_and_papers_can_be_dropped_and_added(
    context: RunSettings,
) -> None:
    person = Person("write", INPUTS, context)
    await person.begin()
    again = question(await person.answer("On a bee that is not there [9]."))
    assert "[9]" in again["error"]
    assert again["proposal"] == "On a bee that is not there [9]."
    result = await person.answer({"action": "edit", "text": "On one bee [5].\nOn another [1]."})
    assert [item.citations[0].paper for item in result["sentences"]] == [FIVE[4], FIVE[0]]
    assert all(item.citations[0].verdict == "supported" for item in result["sentences"])
    assert result["audit"].adherence.citations_in_place == 2
    assert {item.paper for item in result["audit"].omissions} == set(FIVE[1:4])


async def test_nothing_is_written_twice_where_papers_were_added(llm_settings: Settings) -> None:
    with Scripted(reviewer(), llm_settings, review_plan="on") as llm:
        person = Person("write", INPUTS, llm.context)
        await person.begin()
        result = await person.answer("On one [4].\n\nOn another [5].\n\nOn the first [1].")
    assert {item.paper.id for item in result["references"]} == {FIVE[3], FIVE[4], FIVE[0]}
    used = {item.task: item for item in result["usage"]}
    assert used["write_section"].cached == 0, "each part is written by one branch"
    assert used["read_papers"].calls == 2, "three papers at first, two that were added"


async def test_plan_sent_back_as_it_was_shown_changes_nothing(context: RunSettings) -> None:
    shown = Person("write", INPUTS, context)
    plan = question(await shown.begin())["proposal"]
    same = await shown.answer(f"{plan}\n")
    silent = Person("write", INPUTS, context)
    await silent.begin()
    other = await silent.answer("")
    assert same["related_work"] == other["related_work"]
    assert same["outline"] == other["outline"], "themes and all"


async def test_plan_that_cannot_be_followed_comes_back_instead_of_ending_the_run(
    extractive: RunSettings,
) -> None:
    context = context_for(extractive.clients.settings, review_plan="auto")
    person = Person("write", {**INPUTS, "plan": "On a bee that is not there [9]."}, context)
    shown = question(await person.begin())
    assert "[9]" in shown["error"]
    assert shown["why"]
    result = await person.answer("On one bee [2].")
    assert [item.paper.id for item in result["references"]] == [FIVE[1]]
    good = Person("write", {**INPUTS, "plan": "On one bee [3]."}, context)
    result = await good.begin()
    assert [item.paper.id for item in result["references"]] == [FIVE[2]], "nothing is asked"
