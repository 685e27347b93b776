"""nodes/find/generate_queries.py: which queries are asked, by strategy, and what becomes of bad ones."""

from collections.abc import Callable
from typing import Any, get_args

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from nodes.find.generate_queries import MAX_ASPECTS, generate_queries
from nodes.find.query_terms import MAX_KEYWORDS
from state.channels import FindState
from state.inputs import CheckedRequest
from state.quote import Criterion
from state.search import QueryStrategy, SearchQuery
from tests.fakes.openai_server import inputs_of
from tests.graphs.conftest import Scripted, context_for
from tools.settings import Settings
from tools.text.keyphrases import phrase_stems

TEXT = (
    "Sepsis remains a leading cause of death in intensive care, and early treatment is difficult. "
    "We propose SepWatch, a recurrent neural network that predicts septic shock from heart rate "
    "variability. In a retrospective cohort of adults the network recognised septic shock six hours "
    "earlier than bedside scores."
)
FIRST, SECOND, THIRD = (part.strip() + "." for part in TEXT.removesuffix(".").split(". "))
STRATEGIES: tuple[QueryStrategy, ...] = get_args(QueryStrategy)
NUMBER = {"single": 1, "multiple": 3, "optimized": 3, "several": 3}
Plan = Callable[..., Any]


@pytest.fixture
def plan(settings: Settings) -> Plan:
    """Plan queries with the embedded engine, or with an LLM that answers by a script."""

    async def run(
        script: Any = None,
        text: str = TEXT,
        sources: tuple[str, ...] = ("library",),
        criteria: tuple[Criterion, ...] = (),
        **options: Any,
    ) -> tuple[FindState, list[dict[str, Any]]]:
        request = CheckedRequest(text=text, sources=sources, criteria=criteria)
        branch: Any = {"run": "run", "request": request}
        if script is None:
            context = context_for(settings, mind="extractive", **options)
            return await generate_queries(
                branch, Runtime(context=context, store=InMemoryStore())
            ), []
        asked: list[dict[str, Any]] = []

        def noted(request: dict[str, Any]) -> Any:
            asked.append(inputs_of(request))
            return script(asked[-1])

        with Scripted(noted, settings, **options) as server:
            runtime = Runtime(context=server.context, store=InMemoryStore())
            return await generate_queries(branch, runtime), asked

    return run


def draft(facet: str, *keywords: str, sentence: str = FIRST) -> dict[str, Any]:
    return {"facet": facet, "keywords": list(keywords), "reason": "Why.", "sentence": sentence}


def answers(*drafts: dict[str, Any]) -> Callable[[Any], dict[str, Any]]:
    return lambda inputs: {"queries": list(drafts)}


def texts(update: FindState) -> list[str]:
    return [query.text for query in update["queries"] if query.facet != "whole"]


def stems(query: SearchQuery) -> set[str]:
    return set(phrase_stems(query.text))


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_embedded_engine_makes_short_queries_that_rest_on_sentences(
    strategy: QueryStrategy, plan: Plan
) -> None:
    update, _ = await plan(queries=strategy)
    *queries, whole = update["queries"]
    assert whole.text == TEXT
    assert len(queries) == NUMBER[strategy]
    for query in queries:
        assert 2 <= len(query.text.split()) <= MAX_KEYWORDS
        assert query.sentence.text in {FIRST, SECOND, THIRD}
        assert query.reason
    facets = {query.facet for query in queries}
    of_sides = strategy in {"optimized", "several"}
    assert facets == ({"problem", "method", "contribution"} if of_sides else {"all"})


async def test_facets_share_no_word_and_readings_differ(plan: Plan) -> None:
    (optimized, _), (multiple, _) = await plan(), await plan(queries="multiple")
    sides = [stems(query) for query in optimized["queries"][:-1]]
    assert sum(map(len, sides)) == len(set().union(*sides))
    readings = [frozenset(stems(query)) for query in multiple["queries"][:-1]]
    assert len(set(readings)) == 3
    assert frozenset.intersection(*readings)


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_each_strategy_asks_the_mind_once_and_takes_no_more_than_it_should(
    strategy: QueryStrategy, plan: Plan
) -> None:
    facets = ("problem", "method", "contribution", *["method"] * 7)
    drafts = [draft(facet, f"word{place}") for place, facet in enumerate(facets)]
    update, asked = await plan(answers(*drafts), queries=strategy)
    assert len(asked) == 1
    most = {**NUMBER, "several": MAX_ASPECTS}[strategy]
    assert texts(update) == [f"word{place}" for place in range(most)]


@pytest.mark.parametrize(
    ("given", "query"),
    [
        (
            ["literature review", "citation recommendation"],
            '"literature review" "citation recommendation"',
        ),
        (
            ["review", "literature review", "systematic review"],
            '"literature review" "systematic review"',
        ),
        (
            ["graph of thoughts", "the bees AND their landmarks"],
            '"graph of thoughts" bees landmarks',
        ),
        (['"septic shock" OR sepsis', "bees, wasps"], '"septic shock" sepsis bees wasps'),
        (["recurrent nets that hear snoring owls", "dusk"], "recurrent nets hear snoring"),
        (["alpha", "beta", "gamma", "delta", "epsilon"], "alpha beta gamma delta"),
        (["of the", "and"], None),
    ],
)
async def test_expression_of_several_words_is_one_term(
    given: list[str], query: str | None, plan: Plan
) -> None:
    update, _ = await plan(answers(draft("method", *given)))
    assert texts(update) == ([query] if query else [])


async def test_exclusive_queries_share_no_term_but_may_share_a_word(plan: Plan) -> None:
    drafts = [
        draft("problem", "language model", "literature review"),
        draft("method", "large language model", "peer review"),
    ]
    update, _ = await plan(answers(*drafts), queries="optimized")
    assert texts(update) == ['"language model" "literature review"', '"peer review"']
    update, _ = await plan(answers(*drafts))
    assert texts(update)[1] == '"large language model" "peer review"'


async def test_invented_sentence_is_asked_for_once_more_with_the_failure_named(plan: Plan) -> None:
    invented = "Sepsis kills everybody at once."

    def script(inputs: dict[str, Any]) -> dict[str, Any]:
        sentence = SECOND if "sentences_that_failed" in inputs else invented
        return {"queries": [draft("problem", "sepsis"), draft("method", "net", sentence=sentence)]}

    update, asked = await plan(script)
    assert [entry.get("sentences_that_failed") for entry in asked] == [None, [invented]]
    assert [query.sentence.text for query in update["queries"][:-1]] == [FIRST, SECOND]
    assert update["failures"] == []


async def test_criteria_of_a_question_are_the_models_five_at_most_and_each_once(plan: Plan) -> None:
    stated = [("is a trial", True), (" is  a trial ", False), ("", True)]
    stated += [(f"number {number}", False) for number in range(9)]

    def script(inputs: Any) -> dict[str, Any]:
        rows = [{"criterion": text, "required": must} for text, must in stated]
        return {"queries": [draft("problem", "sepsis")], "criteria": rows}

    update, _ = await plan(script)
    found = update["request"].criteria
    assert [one.criterion for one in found] == ["is a trial", *(f"number {n}" for n in range(4))]


async def test_model_that_states_no_criteria_clears_those_of_the_plain_reading(plan: Plan) -> None:
    update, _ = await plan(answers(draft("problem", "sepsis")))
    assert update["request"].criteria == ()
    embedded, _ = await plan()
    assert "request" not in embedded


async def test_items_of_a_list_are_shown_as_they_were_marked(plan: Plan) -> None:
    items = tuple(Criterion(criterion=text) for text in ("is a trial", "has adults"))
    _, (asked,) = await plan(answers(draft("problem", "sepsis")), criteria=items)
    assert asked["conditions"] == ["is a trial", "has adults"]
    _, (plain,) = await plan(answers(draft("problem", "sepsis")), criteria=items[:1])
    assert "conditions" not in plain
