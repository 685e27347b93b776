"""Tests of the `ask` graph with a scripted LLM on loopback: what it says is held against passages."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from graphs.ask import graph
from tests.fakes.openai_server import Reply, Text, task_of
from tests.fakes.reviewer import Spoil, reviewer
from tests.graphs.conftest import Scripted, bee_papers, context_for, questions
from tests.graphs.test_ask import ask as ask_engine
from tests.graphs.test_ask import assert_traced
from tools.embed.open_embedder import embedder
from tools.library.open_library import create_library
from tools.retrieve.keywords import put, unnamed
from tools.run_settings import RunSettings
from tools.settings import Settings

DISTANCE = "How do honey bees measure distance?"


async def ask(
    settings: Settings,
    question: str,
    spoil: Mapping[str, Spoil] | None = None,
    options: Mapping[str, Any] | None = None,
    **inputs: Any,
) -> tuple[dict[str, Any], Any]:
    """Return the result, and the server with the requests it got."""
    with Scripted(reviewer(spoil), settings, **(options or {})) as scripted:
        given: Any = {"question": question, "library": "bees", **inputs}
        return dict(await graph.ainvoke(given, context=scripted.context)), scripted.server


def first_sentences(inputs: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the first sentence of each passage as a claim that tells the first aspect."""
    return [
        {"passage": item["id"], "quote": text, "claim": text, "tells": [1]}
        for item in inputs["passages"]
        for text in [item["text"].split(". ")[0] + "."]
    ]


def asked(server: Any) -> list[str]:
    return [task_of(request) for request in server.requests]


async def test_whole_chain_asks_each_task_once_a_hop(llm_settings: Settings) -> None:
    def retell(answer: Any, inputs: dict[str, Any]) -> Reply:
        (first, *others) = answer["sentences"]
        return {**answer, "sentences": [{**first, "text": f"It is {first['text']}"}, *others]}

    result, server = await ask(llm_settings, DISTANCE, {"compose_answer": retell})
    assert_traced(result)
    assert result["mind"] == "scripted"
    tasks = asked(server)
    assert tasks == ["plan_search", "extract_claims", "compose_answer", "judge_claims"]
    check, *_ = questions(server, "judge_claims")
    assert check["question"] == DISTANCE
    # Only what is no passage's own sentence is asked about, by the papers of its claims.
    ((asked_about,), shown) = check["asked"], {item["key"]: item for item in check["sources"]}
    first, papers = result["sentences"][0], {claim.number: claim for claim in result["claims"]}
    assert asked_about["sentence"] == 1
    assert len(asked_about["sources"]) == len({papers[key].paper for key in first.claims})
    for key in first.claims:
        words = [item["text"] for one in shown.values() for item in one.get("passages") or ()]
        words += [one.get("abstract") or "" for one in shown.values()]
        assert any(papers[key].quote.text in text for text in words)


async def test_quote_is_shown_in_its_sentence(llm_settings: Settings) -> None:
    def clip(answer: Any, inputs: dict[str, Any]) -> Reply:
        part = {item["quote"]: " ".join(item["quote"].split()[2:]) for item in answer["claims"]}
        return {"claims": [{**item, "quote": part[item["quote"]]} for item in answer["claims"]]}

    result, _ = await ask(llm_settings, DISTANCE, {"extract_claims": clip})
    assert_traced(result)
    for claim in result["claims"]:
        assert claim.evidence.endswith(claim.quote.text)
        assert len(claim.evidence) > len(claim.quote.text)
        assert f"**{claim.quote.text}**" in result["messages"][-1].content


async def test_what_no_words_of_a_passage_tell_is_missing(llm_settings: Settings) -> None:
    def pretend(answer: Any, inputs: dict[str, Any]) -> Reply:
        invented = {"passage": "S1", "claim": "Bees count.", "quote": "bees count their wing beats"}
        claims = [*answer["claims"], {**invented, "tells": [2]}]
        return {**answer, "claims": claims, "missing": [], "query": "wing beats of bees"}

    plan = {"query": "honey bees distance", "aspects": [DISTANCE, "wing beats"]}
    spoil: dict[str, Spoil] = {
        "plan_search": lambda answer, inputs: plan,
        "extract_claims": pretend,
    }
    result, server = await ask(llm_settings, DISTANCE, spoil)
    first, second = result["hops"]
    assert (first.sufficient, first.missing) == (False, ("wing beats",))
    assert second.query == "wing beats of bees"
    shown = questions(server, "extract_claims")
    assert [item["aspects"] for item in shown if "faults" not in item][-1:] == [["wing beats"]]


async def test_eight_passages_are_read_at_a_time_until_one_tells_something(
    llm_settings: Settings,
) -> None:
    def late(answer: Any, inputs: dict[str, Any]) -> Reply:
        ids = [item["id"] for item in inputs["passages"]]
        return {"claims": [] if "S1" in ids else first_sentences(inputs)}

    question = "What do honey bees and ants and soils measure?"
    spoil: dict[str, Spoil] = {"extract_claims": late}
    result, server = await ask(llm_settings, question, spoil, {"max_hops": 1})
    shown = questions(server, "extract_claims")
    assert [len(item["passages"]) for item in shown] == [8, 2]
    assert "queries" not in shown[0]
    assert set(result["hops"][0].chosen) < set(result["hops"][0].read)
    assert_traced(result)


async def test_claims_that_tell_nothing_asked_for_are_no_answer(llm_settings: Settings) -> None:
    def beside(answer: Any, inputs: dict[str, Any]) -> Reply:
        claims = [{**item, "tells": []} for item in answer["claims"]]
        return {"claims": claims, "missing": ["wing beats"], "query": ""}

    result, server = await ask(llm_settings, DISTANCE, {"extract_claims": beside})
    assert "compose_answer" not in asked(server)
    assert (result["outcome"], result["missing"]) == ("nothing", ["wing beats"])

    def otherwise(answer: Any, inputs: dict[str, Any]) -> Reply:
        claims = [{**item, "tells": [0]} for item in answer["claims"]]
        return {"claims": claims, "missing": ["wing beats"], "query": ""}

    result, server = await ask(llm_settings, DISTANCE, {"extract_claims": otherwise})
    assert "compose_answer" in asked(server)
    assert result["hops"][0].missing == ("wing beats",)


async def test_made_up_quotes_are_asked_for_again_and_then_lost(llm_settings: Settings) -> None:
    def lie(answer: Any, inputs: dict[str, Any]) -> Reply:
        quote = "bees count their wing beats"
        invented = {"passage": "S1", "claim": "Bees count their wing beats.", "quote": quote}
        return {"claims": [*answer["claims"], invented]}

    result, server = await ask(llm_settings, DISTANCE, {"extract_claims": lie})
    assert_traced(result)
    assert "wing beats" not in result["answer"]
    assert any("wing beats" in item.text for hop in result["hops"] for item in hop.lost)
    again = [request for request in server.requests if "<faults" in str(request["messages"])]
    assert len(again) == 1


async def test_claim_that_its_quote_does_not_bear_out_becomes_the_quote(
    llm_settings: Settings,
) -> None:
    def twist(answer: Any, inputs: dict[str, Any]) -> Reply:
        return {
            "claims": [
                {**item, "claim": "Whales sing 4,711 songs in the northern sea."}
                for item in answer["claims"]
            ]
        }

    result, _ = await ask(llm_settings, DISTANCE, {"extract_claims": twist})
    assert "4,711" not in result["answer"]
    assert result["claims"]
    for claim in result["claims"]:
        assert claim.text == claim.quote.text


@pytest.mark.parametrize(
    "false",
    [
        "Honey bees measure distance by counting 9,000 flowers.",
        "Whales sing in the northern sea at night.",
        "Honey bees measure distance by optic flow (Miller et al., 2020).",
    ],
)
async def test_sentence_that_its_claims_do_not_say_gives_way_to_them(
    llm_settings: Settings, false: str
) -> None:
    def embroider(answer: Any, inputs: dict[str, Any]) -> Reply:
        first, *rest = answer["sentences"]
        return {**answer, "sentences": [{**first, "text": false}, *rest]}

    result, _ = await ask(llm_settings, DISTANCE, {"compose_answer": embroider})
    assert_traced(result)
    assert false not in result["answer"]
    assert any(
        item.stage == "check_answer" and false in item.subject for item in result["failures"]
    )
    assert result["sentences"][0].text.rstrip(".") == result["claims"][0].text.rstrip(".")


async def test_second_hop_asks_what_is_missing_and_reads_other_passages(
    llm_settings: Settings,
) -> None:
    def want_more(answer: Any, inputs: dict[str, Any]) -> Reply:
        first = "queries" in inputs
        more = {
            "reasoning": "Only one side is there.",
            "missing": ["soil carbon"],
            "bias": "all claims are on bees",
            "query": "soil carbon under no-till farming",
        }
        bees = [item for item in answer["claims"] if "soil" not in item["quote"].lower()]
        return {**answer, "claims": bees, **more} if first else {"claims": first_sentences(inputs)}

    question = "What do bees and soil carbon have in common?"
    result, _ = await ask(llm_settings, question, {"extract_claims": want_more}, {"retrieved": 4})
    first, second = result["hops"]
    assert first.sufficient is False
    assert first.missing == ("soil carbon",)
    assert second.query == "soil carbon under no-till farming"
    assert second.why == "all claims are on bees"
    assert not set(first.read) & set(second.read)
    assert {claim.hop for claim in result["claims"]} == {1, 2}


async def test_what_the_budget_does_not_afford_is_shown_as_far_as_it_came(
    llm_settings: Settings,
) -> None:
    stopped: list[dict[str, Any]] = []
    while True:
        how = {"max_calls": len(stopped) + 1}
        result, _ = await ask(llm_settings, DISTANCE, options=how)
        if not result["stop"]:
            break
        assert result["stop"].subject == "budget"
        assert result["outcome"] in {"nothing", "partial"}
        assert ("[1]" in result["answer"]) == bool(result["claims"])
        stopped.append(result)
        assert len(stopped) < 12, "eleven calls should have been enough"
    assert_traced(result)
    last = stopped[-1]  # it has read, and not composed: the claims are shown as they are
    assert_traced(last)
    assert [item.text for item in last["sentences"]] == [item.text for item in last["claims"]]
    assert (last["outcome"], last["missing"]) == ("partial", [])
    assert "The run stopped" in last["answer"]


async def test_several_sentences_sent_as_one_are_asked_for_again(llm_settings: Settings) -> None:
    def lump(answer: Any, inputs: dict[str, Any]) -> Reply:
        if "faults" in inputs:
            return answer  # type: ignore[no-any-return]
        whole = [(item["id"], item["text"]) for item in inputs["passages"]]
        return {"claims": [{"passage": key, "quote": text, "claim": text} for key, text in whole]}

    def run_on(answer: Any, inputs: dict[str, Any]) -> Reply:
        if "faults" in inputs:
            return answer  # type: ignore[no-any-return]
        numbers = [item["number"] for item in inputs["claims"]]
        text = " ".join(item["claim"] for item in inputs["claims"])
        return {"sentences": [{"text": text, "claims": numbers}]}

    spoil = {"extract_claims": lump, "compose_answer": run_on}
    result, server = await ask(llm_settings, DISTANCE, spoil)
    assert_traced(result)
    assert asked(server).count("extract_claims") == asked(server).count("compose_answer") == 2
    assert len(result["sentences"]) > 1
    assert all(len(sentence.claims) == 1 for sentence in result["sentences"])


# Tests of `ask` by Keyword Augmented Retrieval: keywords, one answer, or "No passage of library".


KAR = {"method": "kar"}


async def test_one_question_gives_an_answer_whose_words_are_the_papers_own(
    llm_settings: Settings,
) -> None:
    result, server = await ask(llm_settings, DISTANCE, options=KAR)
    assert asked(server) == ["answer_in_one_call"]
    assert_traced(result)
    assert (result["method"], result["retriever"], len(result["hops"])) == ("kar", "keywords", 1)
    assert "Not checked" not in result["answer"]


async def test_what_has_no_found_quote_is_told_as_unchecked(llm_settings: Settings) -> None:
    lie = "Bees count 4,711 flowers on their way."

    def invent(answer: Any, inputs: dict[str, Any]) -> Reply:
        nowhere = {"quotes": [{"passage": "S1", "words": "bees count many flowers"}], "text": lie}
        return {**answer, "sentences": [nowhere, {"quotes": [], "text": lie}, *answer["sentences"]]}

    result, server = await ask(llm_settings, DISTANCE, {"answer_in_one_call": invent}, KAR)
    assert_traced(result)
    assert asked(server).count("answer_in_one_call") == 2
    assert lie not in [item.text for item in result["sentences"]]
    assert f"Unchecked, no quote found: “{lie}”" in result["answer"]


async def test_what_is_in_other_words_is_not_checked_and_what_its_quote_denies_gives_way(
    llm_settings: Settings,
) -> None:
    def reword(answer: Any, inputs: dict[str, Any]) -> Reply:
        first, *_ = answer["sentences"]
        retold = {**first, "text": f"As the authors see it, {first['text'].rstrip('.')}, always."}
        false = {**first, "text": f"{first['text'].rstrip('.')} in 4,711 of 4,712 flights."}
        return {"sentences": [retold, false]}

    result, _ = await ask(llm_settings, DISTANCE, {"answer_in_one_call": reword}, KAR)
    assert "4,711" not in result["answer"]
    assert result["sentences"][0].verdict == "not_checked"
    assert "whether the quotes support these sentences (1)" in result["answer"]


@pytest.mark.parametrize("reply", [{"sentences": []}, Text("I would rather not.")])
async def test_i_do_not_know_is_an_answer(llm_settings: Settings, reply: Reply) -> None:
    result, _ = await ask(
        llm_settings, DISTANCE, {"answer_in_one_call": lambda answer, inputs: reply}, KAR
    )
    assert result["answer"].startswith("No passage of library 'bees' clearly answers this.")
    assert (result["outcome"], result["stop"]) == ("nothing", None)


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("What do radar tracks of displaced honey bees show?", "radar"),
        ("Who are the authors of 'A cognitive map in honey bees'?", "Ada Dberg"),
        ("What does lava cost in Peru?", "No passage of library"),
    ],
)
async def test_engine_gives_its_best_sentence_or_does_not_know(
    extractive: RunSettings, question: str, says: str
) -> None:
    context = context_for(extractive.clients.settings, method="kar")
    result = await ask_engine(context, question)
    assert says in result["answer"]
    assert len(result["sentences"]) == (says != "No passage of library")
    if result["sentences"]:
        assert_traced(result)


async def test_whoever_named_the_keywords_of_passages_names_those_of_the_question(
    llm_settings: Settings, tmp_path: Path
) -> None:
    settings = llm_settings.model_copy(update={"home": tmp_path / "other"})
    library = create_library("named", settings, embedder())
    library.add(bee_papers())
    passages = [item for page in unnamed(library, 50) for item in page]
    put(library, {item.id: ["odometer", item.text.split()[0]] for item in passages}, "scripted")
    named = {"passages": [{"id": "T1", "keywords": ["odometer"]}]}
    result, server = await ask(
        settings, DISTANCE, {"name_keywords": lambda answer, inputs: named}, KAR, library="named"
    )
    assert asked(server) == ["name_keywords", "answer_in_one_call"]
    (hop,) = result["hops"]
    assert (hop.query, len(hop.read)) == ("odometer", len(passages))
