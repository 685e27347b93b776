"""Tests of the `ask` graph with the embedded engine, which needs no LLM."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langgraph.checkpoint.memory import InMemorySaver

from graphs.ask import builder, graph
from tools.evidence.quotes import find_quote
from tools.run_settings import RunSettings


async def ask(context: RunSettings, question: str, **inputs: Any) -> dict[str, Any]:
    given: Any = {"question": question, "library": "bees", **inputs}
    return dict(await graph.ainvoke(given, context=context))


def assert_traced(result: dict[str, Any]) -> None:
    """Every sentence rests on claims, and every claim on words that stand in its passage."""
    claims = {claim.number: claim for claim in result["claims"]}
    passages = {passage.id: passage for passage in result["passages"]}
    assert result["sentences"]
    for sentence in result["sentences"]:
        assert sentence.claims
        assert set(sentence.claims) <= set(claims)
        assert sentence.verdict in {"supported", "partly"}
    for claim in claims.values():
        text = passages[claim.passage].text
        assert claim.quote.verified
        assert text[claim.quote.start : claim.quote.end] == claim.quote.text
        assert find_quote(claim.quote.text, text)
    assert {claim.paper for claim in claims.values()} <= {paper.id for paper in result["cited"]}


async def test_every_sentence_is_a_paper_s_own_with_its_source(extractive: RunSettings) -> None:
    result = await ask(extractive, "What do radar tracks of displaced honey bees show?")
    assert_traced(result)
    claims = {claim.number: claim for claim in result["claims"]}
    for sentence in result["sentences"]:
        (number,) = sentence.claims
        said, paper = (
            sentence.text,
            next(item for item in result["cited"] if item.id == claims[number].paper),
        )
        assert sentence.verdict == "supported"
        assert said.startswith((f"{paper.citation} ({paper.year})", "The library's annotation of"))
        words = claims[number].quote.text.split()
        assert said.rstrip("”").endswith(" ".join(words[4:]))


async def test_what_the_library_does_not_tell_is_not_known(extractive: RunSettings) -> None:
    result = await ask(extractive, "What does lava cost in Peru?")
    assert result["outcome"] == "nothing"
    assert result["answer"].startswith("No passage of library 'bees' clearly answers this.")
    assert result["sentences"] == result["claims"] == []
    assert result["missing"]
    assert 1 <= len(result["nearest"]) <= 3
    for item in result["nearest"]:
        assert item.text in result["answer"]
        assert item.text in result["messages"][-1].content
        assert item.title in result["answer"]


async def test_engine_searches_once_more_for_the_part_that_nothing_answers(
    extractive: RunSettings,
) -> None:
    question = "How do honey bees measure distance, and what does BeeLedger cost in Peru?"
    result = await ask(extractive, question)
    first, second = result["hops"]
    assert first.missing == ("what does BeeLedger cost in Peru?",)
    assert second.query == "BeeLedger cost Peru"
    assert not set(first.read) & set(second.read)
    assert result["missing"] == ["what does BeeLedger cost in Peru?"]
    assert "distance" in result["answer"]
    assert "Not answered: what does BeeLedger cost in Peru." in result["answer"]
    assert result["nearest"] == []
    assert len((await ask(extractive, "What does BeeLedger cost in Peru?"))["hops"]) == 1


async def test_filters_hold(extractive: RunSettings) -> None:
    question = "What do radar tracks of displaced bees show?"
    late = await ask(extractive, question, first_year=2020)
    assert {paper.year for paper in late["cited"]} <= {2020, 2022}
    early = await ask(extractive, question, before="2010-01-01")
    assert all(paper.year < 2010 for paper in early["cited"])
    one = await ask(extractive, question, papers=["p3"])
    assert {paper.id for paper in one["cited"]} == {"local:p3"}
    none = await ask(extractive, question, tags=["nothing has this tag"])
    assert none["outcome"] == "nothing"


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ({"question": ""}, "no question"),
        ({"question": "?!"}, "no question"),
        ({"question": "bees " * 900}, "2,000"),
        ({"question": "bees\x00?"}, "binary"),
        ({"question": "Why?", "library": "nowhere"}, "no library 'nowhere'"),
        ({"question": "Why bees?", "papers": ["p99"]}, "does not have p99"),
        ({"question": "Why bees?", "first_year": 2020, "last_year": 2010}, "wrong order"),
        ({"question": "Why bees?", "before": "soon"}, "not a date"),
        ({"question": "Why bees?", "first_year": "soon"}, "first_year"),
        ({"question": "Wie messen Bienen die Entfernung zum Stock?"}, "German"),
        ({"messages": [{"role": "assistant", "content": "Hello."}]}, "no question"),
        ({"messages": [12, {"role": "user"}]}, "no question"),
    ],
)
async def test_input_that_cannot_be_used_is_told(
    extractive: RunSettings, inputs: dict[str, Any], says: str
) -> None:
    given: Any = {"library": "bees", **inputs}
    result = await graph.ainvoke(given, context=extractive)
    assert result["stop"].subject == "input"
    assert says in result["stop"].cause
    assert result["outcome"] == "nothing"


@pytest.mark.parametrize(
    ("name", "value"), [("claims", 0), ("passages", 99), ("retriever", "psychic")]
)
async def test_settings_that_cannot_be_used_are_told(
    extractive: RunSettings, name: str, value: object
) -> None:
    context = RunSettings(**{name: value})  # type: ignore[arg-type]
    vars(context)["clients"] = extractive.clients
    assert name in (await ask(context, "How do bees measure distance?"))["stop"].cause


async def test_thread_remembers_the_conversation_and_nothing_else(extractive: RunSettings) -> None:
    kept = builder.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "talk"}}
    first: Any = {
        "question": "What do radar tracks show of bees?",
        "library": "bees",
        "papers": ["p3"],
    }
    one = dict(await kept.ainvoke(first, config, context=extractive))
    second: Any = {"question": "And how do bees measure distance?", "library": "bees"}
    two = dict(await kept.ainvoke(second, config, context=extractive))
    assert [type(item) for item in two["messages"]] == [HumanMessage, AIMessage] * 2
    assert {paper.id for paper in one["cited"]} == {"local:p3"}
    assert "local:p6" in {paper.id for paper in two["cited"]}
    assert two["hops"][0].number == 1
    assert not set(one["run"]) - set("0123456789abcdef")
    assert one["run"] != two["run"]
    third: Any = {"question": " ", "library": "x"}
    refused = dict(await kept.ainvoke(third, config, context=extractive))
    assert refused["stop"].subject == "input"
    assert refused["sentences"] == refused["claims"] == refused["hops"] == []


async def test_follow_ups_are_put_to_the_papers_that_were_cited(extractive: RunSettings) -> None:
    kept = builder.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "talk"}}

    async def say(question: str) -> dict[str, Any]:
        given: Any = {"question": question, "library": "bees"}
        return dict(await kept.ainvoke(given, config, context=extractive))

    first = await say("What is known about landmarks in the navigation of bees?")
    cited = list(dict.fromkeys(claim.paper for claim in first["claims"]))
    assert len(cited) > 1
    titles = {paper.id: paper.title for paper in first["cited"]}
    assert (await say("And what does lava cost in Peru?"))["outcome"] == "nothing"
    written = await say("Who wrote the second paper?")
    assert titles[cited[1]] in written["answer"]
    assert {claim.paper for claim in written["claims"]} == {cited[1]}
    again = await say("Who wrote it?")
    assert {claim.paper for claim in again["claims"]} == {cited[1]}
    no_more = await say("And the second?")
    assert (
        no_more["answer"] == "No answer: the last answer cited 1 paper, so there is no second paper"
    )
    assert no_more["hops"] == no_more["claims"] == []


@pytest.mark.parametrize(
    "inputs",
    [
        {"messages": [RemoveMessage(id="zz"), HumanMessage("How do bees measure distance?")]},
        {"question": "How do bees measure distance?", "papers": ["\ud800"]},
        {"question": "How do bees measure distance?", "tags": ["\ud800"]},
    ],
)
async def test_odd_input_never_raises(extractive: RunSettings, inputs: dict[str, Any]) -> None:
    given: Any = {"library": "bees", **inputs}
    result = await graph.ainvoke(given, context=extractive)
    assert result["stop"] or result["sentences"]
