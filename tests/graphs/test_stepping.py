"""Runs that a person steps through, as in LangGraph Studio: stop, edit the state, go on."""

from typing import Any

import pytest

from tests.graphs.conftest import ABSTRACT, bee_papers, context_for
from tests.graphs.stepping import Stepped, told
from tools.run_settings import RunSettings

FIVE = [paper.id for paper in bee_papers() if paper.abstract][:5]
FIND: dict[str, Any] = {"text": ABSTRACT, "library": "bees", "keep": 8}
WRITE: dict[str, Any] = {"text": ABSTRACT, "library": "bees", "papers": FIVE, "cite": 4}
TEXT = "Bees use landmarks [1].\n\nReferences\n\n[1] Somebody. A paper that nobody knows. 2020.\n"
GIVEN = {
    "find": FIND,
    "write": WRITE,
    "review": {**FIND, "cite": 3},
    "verify": {"text": TEXT, "library": "bees"},
}


ASKING = {
    "find": {"review_cost", "review_queries", "review_papers"},
    "write": {"review_cost", "review_text"},
}


@pytest.mark.parametrize("graph", ASKING)
async def test_steps_that_ask_a_person_are_entered_only_where_they_may_ask(
    graph: str, extractive: RunSettings
) -> None:
    run = Stepped(graph, GIVEN[graph], extractive, before="*")
    await run.to_end()
    assert ASKING[graph].isdisjoint(run.seen)
    modes: Any = dict.fromkeys(ASKING[graph], "auto")
    asked = context_for(extractive.clients.settings, **modes)
    run = Stepped(graph, GIVEN[graph], asked, before=next(iter(sorted(ASKING[graph]))))
    await run.begin()
    assert run.waits == ("review_cost",)


@pytest.mark.parametrize("graph", ["review", "verify"])
async def test_stepped_run_ends_as_an_unstepped_one(graph: str, extractive: RunSettings) -> None:
    whole = await Stepped(graph, GIVEN[graph], extractive).to_end()
    stepped = Stepped(graph, GIVEN[graph], extractive, before="*")
    result = await stepped.to_end()
    assert told(result) == told(whole)
    assert len(stepped.seen) >= 2
    assert not result.get("stop")


KEPT: list[str] = []
"""What a run keeps that nobody edits."""


@pytest.mark.parametrize(
    "node", ["generate_queries", "judge_papers", "select_papers", "present_papers"]
)
async def test_paper_that_a_person_excludes_at_any_step_is_gone(
    node: str, extractive: RunSettings
) -> None:
    if not KEPT:
        KEPT.extend((await Stepped("find", FIND, extractive).to_end())["selected"])
    gone = KEPT[1]
    run = Stepped("find", FIND, extractive, before=node)
    state = await run.begin()
    request = state["request"].model_dump(mode="json")
    await run.edit(request={**request, "exclude": [gone]})
    result = await run.to_end()
    assert not result.get("stop")
    assert len(result["selected"]) >= 3
    assert gone not in result["selected"]
    assert gone not in [item.paper.id for item in result["papers"]]


def cited(result: dict[str, Any]) -> list[str]:
    return [item.paper.id for item in result["references"]]


@pytest.mark.parametrize("node", ["check_citations", "audit_citations", "number_references"])
async def test_what_a_person_takes_out_is_not_printed_and_what_they_change_is_not_called_supported(
    node: str, extractive: RunSettings
) -> None:
    run = Stepped("write", {**WRITE, "cite": 5}, extractive, before=node)
    state = await run.begin()
    draft = state["final"].model_dump(mode="json")
    first, *kept, last = draft["sentences"]
    key, gone, *others = state["keys"]
    false = {**first, "text": f"Bees cannot see any landmark at all {{{key}}}."}
    left = {one: state["keys"][one] for one in (key, *others)}
    await run.edit(final={**draft, "sentences": [false, *kept]}, keys=left)
    result = await run.to_end()
    assert not result.get("stop")
    assert last["text"].split("{")[0] not in result["related_work"]
    assert_never_cited(state["keys"][gone], result)
    told = [item for item in result["sentences"] if "any landmark at all" in item.text]
    assert all(one.verdict != "supported" for item in told for one in item.citations)
    assert not told or not result["audit"].passed


async def test_paper_that_a_person_takes_out_before_the_draft_is_not_cited(
    extractive: RunSettings,
) -> None:
    run = Stepped("write", WRITE, extractive, before="write_draft")
    gone, *kept = (keys := (await run.begin())["keys"])
    await run.edit(keys={key: keys[key] for key in kept})
    result = await run.to_end()
    assert not result.get("stop")
    assert_never_cited(keys[gone], result)


def assert_never_cited(paper: str, result: dict[str, Any]) -> None:
    """The paper is neither cited nor spoken of, and others are."""
    assert len(result["references"]) >= 2
    assert paper not in cited(result)
    assert all(item.citations for item in result["sentences"] if "berg et al." in item.text)


@pytest.mark.parametrize("node", ["expand_citations", "estimate_completeness"])
async def test_state_shows_papers_as_a_person_reads_them(
    node: str, extractive: RunSettings
) -> None:
    state = await Stepped("find", FIND, extractive, before=node).begin()
    shown = state["cards"]
    assert [card.number for card in shown] == [*range(1, len(shown) + 1)]
    assert shown == sorted(shown, key=lambda card: -(card.score or 0))
    assert all(card.title and card.year and card.score is not None for card in shown)
    if node == "estimate_completeness":
        assert [card.id for card in shown] == state["selected"]
        assert all(card.why for card in shown)


async def test_cards_of_a_section_bear_the_numbers_of_its_keys(extractive: RunSettings) -> None:
    state = await Stepped("write", WRITE, extractive, before="plan_section").begin()
    assert {f"P{card.number}": card.id for card in state["cards"]} == state["keys"]
