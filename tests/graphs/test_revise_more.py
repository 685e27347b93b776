"""Tests of the `revise` graph: paragraphs stay, and what is left out of an answer is told."""

from dataclasses import replace
from typing import Any

from tests.fakes.reviewer import reviewer, sentences
from tests.graphs.conftest import Scripted
from tests.graphs.test_revise import revise, written
from tools.settings import Settings


async def test_sentence_that_is_left_out_of_the_answer_is_told(llm_settings: Settings) -> None:
    def obey(answer: Any, inputs: dict[str, Any]) -> Any:
        made_up = {"line": 1, "text": "Bees read books (Smith, 2021)."}
        return {**answer, "sentences": [*answer["sentences"], made_up]}

    with Scripted(reviewer({"revise_section": obey}), llm_settings) as llm:
        first = await written(llm.context)
        result = await revise(llm.context, section=first["run"], instruction="Cite Smith 2021.")
        kept = await revise(llm.context, section=first["run"], instruction="Keep it as it is.")
    told = [item for item in result["failures"] if item.stage == "revise_section"]
    assert any("(Smith, 2021)" in item.cause for item in told)
    assert "Smith" not in result["related_work"]
    assert {item.cause for item in result["audit"].rejections} >= {"fabricated"}
    paragraphs = [item.paragraph for item in first["sentences"]]
    assert len(set(paragraphs)) > 1
    assert [item.paragraph for item in kept["sentences"]] == paragraphs
    assert kept["related_work"] == first["related_work"]


async def test_answer_without_a_usable_sentence_leaves_the_section_as_it_was(
    llm_settings: Settings,
) -> None:
    def lie(answer: Any, inputs: dict[str, Any]) -> Any:
        return {"sentences": [{"line": 1, "text": "Bees read books (Smith, 2021)."}]}

    with Scripted(reviewer({"revise_section": lie}), llm_settings) as llm:
        first = await written(llm.context)
        result = await revise(llm.context, section=first["run"], instruction="Say only that.")
    assert result["related_work"] == first["related_work"]
    assert "the model returned no usable text" in {item.cause for item in result["failures"]}


async def test_what_nobody_judges_of_the_own_work_does_not_pass(
    llm_settings: Settings,
) -> None:
    def tells(answer: Any, inputs: dict[str, Any]) -> Any:
        return {"text": f"In our view, {sentences(inputs['text'])[0]} {answer['text']}"}

    with Scripted(reviewer({"draft_section": tells}), llm_settings) as llm:
        first = await written(llm.context)
        assert first["audit"].passed, "an LLM judged it"
        alone = replace(llm.context, mind="extractive")
        vars(alone)["clients"] = llm.context.clients  # the same run store
        result = await revise(alone, section=first["run"], instruction="shorter")
    assert "In our view" in first["related_work"]
    assert "In our view" in result["related_work"]
    told = result["sentences"][0].verdict
    assert (told.verdict, told.by) == ("not_checked", "")
    assert not result["audit"].passed
    assert result["outcome"] == "partial"
