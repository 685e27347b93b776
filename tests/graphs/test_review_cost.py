"""Tests of what a run is said to take before it begins, and of asking a person whether it is worth it."""

from collections.abc import Mapping
from typing import Any

import pytest

from nodes.cost.review_cost import reason_to_ask
from nodes.cost.run_estimate import estimate
from state.questions import CostRange, Estimate
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, Scripted, bee_papers, context_for
from tests.graphs.person import Person, question
from tests.graphs.stacks import QUESTION, uploads
from tools.run_settings import RunSettings
from tools.settings import Settings

BEES: dict[str, Any] = {"text": ABSTRACT, "library": "bees", "keep": 5, "cite": 4}
IDS = [paper.id for paper in bee_papers() if paper.abstract][:6]
WRITE: dict[str, Any] = {"text": ABSTRACT, "library": "bees", "papers": IDS}
PRICED = {"strong_price": (100.0, 300.0)}


def check_foreseen(
    foreseen: Estimate,
    usage: list[Any],
    *names: str,
) -> None:
    """What each task used lies within what was foreseen of it."""
    tasks = {item.task: item for item in foreseen.tasks}
    assert usage
    for used in usage:
        for name in names or ("calls", "input_tokens", "output_tokens"):
            assert _within(getattr(tasks[used.task], name), getattr(used, name)), (name, used)


@pytest.mark.parametrize(
    ("graph", "inputs", "how"),
    [
        ("review", BEES, {}),
        ("review", BEES, {"writer": "beam", "ranker": "cascade"}),
        ("review", BEES, {"writer": "per_cite", "ranker": "permutation", "max_hops": 1}),
        ("write", WRITE, {"writer": "sentence_by_sentence"}),
        ("write", WRITE, {"writer": "plan"}),
    ],
)
async def test_what_is_used_lies_within_what_was_foreseen(
    llm_settings: Settings, graph: str, inputs: dict[str, Any], how: dict[str, Any]
) -> None:
    priced = llm_settings.model_copy(update=PRICED)
    with Scripted(reviewer(), priced, **how) as llm:
        foreseen = estimate(graph, inputs, llm.context)
        done = await Person(graph, inputs, llm.context).begin()
    assert done["outcome"] == "complete"
    check_foreseen(foreseen, done["usage"])
    assert _within(foreseen.calls, sum(item.calls for item in done["usage"]))
    assert foreseen.usd
    assert _within(foreseen.usd, sum(item.usd for item in done["usage"]))


async def test_answers_cost_what_was_foreseen(llm_settings: Settings) -> None:
    asked = {"question": "How do bees navigate over long distances?", "library": "bees"}
    with Scripted(reviewer(), llm_settings) as llm:
        foreseen = estimate("ask", asked, llm.context)
        done = await Person("ask", asked, llm.context).begin()
    check_foreseen(foreseen, done["usage"], "calls", "output_tokens")
    assert foreseen.usd is None, "no price is known"


@pytest.mark.parametrize("how", [{}, {"relevance": "each", "updates": "each"}])
async def test_synthesis_costs_what_was_foreseen(
    llm_settings: Settings, how: dict[str, Any]
) -> None:
    asked: dict[str, Any] = {"question": QUESTION, "uploads": uploads()}
    priced = llm_settings.model_copy(update=PRICED)
    with Scripted(reviewer(), priced, review_cost="on", **how) as llm:
        foreseen = estimate("synthesize", asked, llm.context)
        person = Person("synthesize", asked, llm.context)
        known = Estimate.model_validate(question(await person.begin())["estimate"])
        assert not llm.server.requests
        done = await person.answer("")
    assert known.calls.high < foreseen.calls.high, "once they are read, the paragraphs are counted"
    for found in (foreseen, known):
        check_foreseen(found, done["usage"])


def _within(span: CostRange, value: float) -> bool:
    return span.low <= value <= span.high


@pytest.mark.parametrize("graph", ["find", "write", "review", "ask", "synthesize"])
def test_embedded_engine_on_a_library_costs_nothing(extractive: RunSettings, graph: str) -> None:
    free = estimate(graph, {**BEES, "papers": IDS}, extractive)
    assert free == Estimate()
    assert reason_to_ask(free, None) == reason_to_ask(free, 0.0) == ""


@pytest.mark.parametrize("graph", ["find", "write", "review", "ask", "synthesize"])
def test_more_work_is_foreseen_for_more_papers(llm_settings: Settings, graph: str) -> None:
    context = context_for(llm_settings, max_hops=1)
    more = context_for(llm_settings, max_hops=3)
    inputs: Mapping[str, Any] = {**BEES, "papers": IDS}
    wide = {**BEES, "keep": 50, "cite": 40, "papers": [f"p{number}" for number in range(40)]}
    small, large = estimate(graph, inputs, context), estimate(graph, wide, more)
    assert 0 < small.calls.high < large.calls.high
    assert small.minutes.high < large.minutes.high


def test_sources_that_cost_money_are_counted(extractive: RunSettings) -> None:
    paid = estimate("find", {**BEES, "sources": ["google", "openalex"]}, extractive)
    assert paid.calls == CostRange()
    assert paid.usd
    assert paid.usd.high == pytest.approx(sum(span.high for span in paid.sources.values()))
    assert set(paid.sources) == {"google", "openalex"}


async def test_nothing_is_asked_of_a_model_before_the_answer(llm_settings: Settings) -> None:
    priced = llm_settings.model_copy(update=PRICED)
    with Scripted(reviewer(), priced, review_cost="on") as llm:
        person = Person("review", BEES, llm.context)
        shown = question(await person.begin())
        assert (shown["kind"], len(llm.server.requests)) == ("cost", 0)
        named = {item["task"] for item in shown["estimate"]["tasks"]}
        assert {"generate_queries", "draft_section"} <= named, "all of the review is foreseen"
        again = question(await person.answer("perhaps"))
        assert "'perhaps' is not an answer" in again["error"]
        assert not llm.server.requests
        done = await person.answer("go on")
    assert done["outcome"] == "complete"


@pytest.mark.parametrize("graph", ["write", "review", "ask"])
async def test_stop_ends_every_graph_unpaid(llm_settings: Settings, graph: str) -> None:
    inputs = {"question": "How do bees navigate?", "library": "bees"} if graph == "ask" else BEES
    inputs = WRITE if graph == "write" else inputs
    with Scripted(reviewer(), llm_settings, review_cost="on") as llm:
        person = Person(graph, inputs, llm.context)
        await person.begin()
        done = await person.answer("stop")
        assert not llm.server.requests
    assert done["stop"].cause == "you ended the run when it asked about the cost"
    assert done["outcome"] == "nothing"


async def test_policy_asks_by_budget_and_price(
    llm_settings: Settings, extractive: RunSettings
) -> None:
    free = context_for(extractive.clients.settings, review_cost="auto", max_hops=1)
    assert (await Person("find", BEES, free).begin())["outcome"] == "complete"
    for update, budget, why in (
        ({}, None, "no known price"),
        ({"strong_price": (100.0, 300.0)}, None, "more than 1 USD"),
        ({"strong_price": (1.0, 3.0)}, 0.1, "more than half of its budget"),
    ):
        settings = llm_settings.model_copy(update=update)
        with Scripted(reviewer(), settings, review_cost="auto", max_usd=budget) as llm:
            assert why in question(await Person("find", BEES, llm.context).begin())["why"]
    cheap = llm_settings.model_copy(update={"strong_price": (0.01, 0.03)})
    with Scripted(reviewer(), cheap, review_cost="auto") as llm:
        assert (await Person("find", BEES, llm.context).begin())["outcome"] == "complete"
