"""Tests of editing a plan: what stays the same when nothing is changed, and which keys are new."""

from nodes.write.review_plan import extended
from tests.graphs.test_review_plan import Person, context, question
from tools.context import RunContext

__all__ = ["context"]


async def test_plan_sent_back_as_it_was_shown_changes_nothing(context: RunContext) -> None:
    shown = Person(context)
    plan = question(await shown.begin())["plan"]
    same = await shown.answer(f"{plan}\n")
    silent = Person(context)
    await silent.begin()
    other = await silent.answer("")
    assert same["related_work"] == other["related_work"]
    assert same["outline"] == other["outline"], "themes and all"


def test_known_papers_keep_their_keys_and_new_ones_get_the_next() -> None:
    keys = {"P1": "a", "P3": "b"}
    assert extended(keys, ["b", "c", "a", "d"]) == {"P1": "a", "P3": "b", "P4": "c", "P5": "d"}
    assert extended({}, ["a"]) == {"P1": "a"}
    assert extended(keys, []) == keys
