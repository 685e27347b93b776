"""Runs that a person steps through, as in LangGraph Studio: stop, edit the state, go on."""

from pathlib import Path
from typing import Any

import pytest

from tests.graphs.conftest import ABSTRACT, bee_papers, context_for
from tests.graphs.ingest_files import markdown, page
from tests.graphs.stacks import FIRST_TITLE, QUESTION, uploads
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


# A person edits the state of `ask`, `synthesize`, `verify` and `ingest` in the middle, and goes on.


ASK: dict[str, Any] = {
    "question": "How do ants and bees correct the drift of path integration?",
    "library": "bees",
}
SYNTHESIZE: dict[str, Any] = {"question": QUESTION, "uploads": uploads()}
INGEST: dict[str, Any] = {
    "library": "stepped",
    "uploads": [
        {"name": "bees.md", "content": markdown(), "encoding": "text"},
        {"name": "otters.html", "content": page(), "encoding": "text"},
    ],
}
VERIFY: dict[str, Any] = {
    "text": "Bees use landmarks [1]. Ants use the sun [2].\n\nReferences\n\n[1] Somebody. A paper "
    "that nobody knows. 2020.\n[2] Another. A second one that nobody knows. 2021.\n",
    "library": "bees",
}


def plain(values: list[Any]) -> list[Any]:
    """Values as Studio shows them."""
    return [item.model_dump(mode="json") for item in values]


@pytest.mark.parametrize(("graph", "given"), [("ask", ASK), ("synthesize", SYNTHESIZE)])
async def test_stepped_answer_is_the_unstepped_one(
    graph: str, given: dict[str, Any], extractive: RunSettings, home: Path
) -> None:
    whole = told(await Stepped(graph, given, extractive).to_end())
    stepped = told(await Stepped(graph, given, extractive, before="*").to_end())
    for result in (whole, stepped):
        result.pop("seconds")
        assert result.pop("messages")[-1].content.startswith(result["answer"])
    assert stepped == whole


async def test_passage_that_a_person_takes_out_is_not_answered_from(
    extractive: RunSettings,
) -> None:
    run = Stepped("ask", ASK, extractive, before="extract_claims")
    state = await run.begin()
    (hop,) = plain(state["hops"])
    gone, *kept = hop["retrieved"]
    await run.edit(hops=[{**hop, "retrieved": kept}])
    run.before = []
    result = await run.to_end()
    assert not result.get("stop")
    assert gone["passage"] not in {claim.passage for claim in result["claims"] if claim.hop == 1}


@pytest.mark.parametrize("node", ["compose_answer", "present_answer"])
async def test_claim_that_a_person_takes_out_is_not_in_the_answer(
    node: str, extractive: RunSettings
) -> None:
    run = Stepped("ask", {**ASK}, extractive, before=node)
    state = await run.begin()
    gone, *kept = state["held"]
    await run.edit(held=plain(kept))
    run.before = []
    result = await run.to_end()
    assert not result.get("stop")
    assert result["sentences"]
    assert gone.quote not in [claim.quote for claim in result["claims"]]
    assert gone.quote.text not in result["answer"]


@pytest.mark.parametrize("node", ["check_answer", "present_answer"])
async def test_sentence_that_a_person_changes_is_not_called_supported(
    node: str, extractive: RunSettings
) -> None:
    run = Stepped("ask", ASK, extractive, before=node)
    first, *others = plain((await run.begin())["draft"])
    false = {**first, "text": "Bees never return to the hive."}
    await run.edit(draft=[false, *others])
    result = await run.to_end()
    changed = [item for item in result["sentences"] if item.text == false["text"]]
    assert all(item.verdict == "not_checked" for item in changed)


@pytest.mark.parametrize("node", ["read_stack_paper", "judge_relevance", "synthesize_answer"])
async def test_paper_that_a_person_takes_out_of_a_stack_is_not_drawn_on(
    node: str, home: Path
) -> None:
    run = Stepped("synthesize", SYNTHESIZE, RunSettings(), before=node)
    state = await run.begin()
    if node == "read_stack_paper":
        await run.edit(stack=plain(state["stack"])[1:])
    else:
        gone = state["stacked"][0]
        await run.edit(
            paragraphs=[key for key in state["paragraphs"] if key not in gone.paragraphs]
        )
        if node == "synthesize_answer":
            contexts = plain(state["contexts"])
            await run.edit(
                contexts=[item for item in contexts if item["paragraph"] not in gone.paragraphs]
            )
    run.before = []
    result = await run.to_end()
    assert not result.get("stop")
    (first,) = [
        item.paper.id for item in result["references"] if item.paper.title == FIRST_TITLE
    ]  # which another paper of the stack cites
    drawn_on = {origin.paper for line in result["lines"] for origin in line.origins}
    assert drawn_on
    assert first not in drawn_on


@pytest.mark.parametrize("node", ["align_lines", "present_synthesis"])
async def test_line_that_a_person_changes_is_traced_anew_or_not_called_supported(
    node: str, home: Path
) -> None:
    false = "Barn owls hunt by smell alone."
    run = Stepped("synthesize", SYNTHESIZE, RunSettings(), before=node)
    state = await run.begin()
    if node == "align_lines":
        await run.edit(draft=f"{false} {state['draft']}")
    else:
        first, *others = plain(state["lines"])
        await run.edit(lines=[{**first, "text": false}, *others])
    result = await run.to_end()
    assert len(result["lines"]) > 1
    assert all(item.verdict == "not_checked" for item in result["lines"] if item.text == false)


async def test_sentence_and_entry_that_a_person_changes_are_what_is_verified(
    extractive: RunSettings,
) -> None:
    run = Stepped("verify", VERIFY, extractive, before="mark_citations")
    await run.begin()
    await run.edit(body=["Bees dance [1]."])
    result = await run.to_end()
    assert not result.get("stop")
    assert [item.text for item in result["sentences"]] == ["Bees dance [1]."]


async def test_file_that_a_person_takes_out_is_not_read(home: Path) -> None:
    run = Stepped("ingest", INGEST, RunSettings(), before="read_source")
    state = await run.begin()
    await run.edit(files=plain(state["files"])[1:])
    result = await run.to_end()
    assert [(report.source, report.status) for report in result["reports"]] == [
        ("otters.html", "added")
    ]
