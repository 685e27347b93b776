"""Tests of `ask` by Keyword Augmented Retrieval: keywords, one answer, or "No passage of library"."""

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.openai_server import Reply, Text
from tests.graphs.conftest import bee_papers, context_for
from tests.graphs.test_ask import ask as ask_engine
from tests.graphs.test_ask import assert_traced
from tests.graphs.test_ask_llm import DISTANCE, ask, asked
from tools.embed.open_embedder import embedder
from tools.library.open_library import create_library
from tools.retrieve.keywords import put, unnamed
from tools.run_settings import RunSettings
from tools.settings import Settings

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
    assert hop.query == "odometer"
    assert len(hop.read) == len(passages)
