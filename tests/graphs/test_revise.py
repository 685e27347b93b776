"""Tests of the `revise` graph."""

from dataclasses import replace
from typing import Any

from graphs.revise import graph
from graphs.write import graph as write_graph
from state.writing import MARKER
from tests.fakes.openai_server import task_of
from tests.fakes.reviewer import reviewer, sentences
from tests.graphs.conftest import ABSTRACT, Scripted, bee_papers
from tools.run_settings import RunSettings
from tools.settings import Settings

FIVE = [paper.id for paper in bee_papers() if paper.abstract][:5]
_LIMIT: Any = {"recursion_limit": 500}


async def written(context: RunSettings) -> dict[str, Any]:
    given: Any = {"text": ABSTRACT, "library": "bees", "papers": FIVE, "cite": 4}
    return dict(await write_graph.ainvoke(given, _LIMIT, context=context))


async def revise(context: RunSettings, **inputs: Any) -> dict[str, Any]:
    given: Any = inputs
    return dict(await graph.ainvoke(given, _LIMIT, context=context))


async def test_what_can_be_done_without_an_llm_is_done_and_the_rest_refused(
    extractive: RunSettings,
) -> None:
    first = await written(extractive)
    gone = first["references"][1].paper.id
    result = await revise(extractive, section=first["run"], instruction="without [2]")
    assert gone not in {item.paper.id for item in result["references"]}
    others = {item.paper.id for item in first["references"]} - {gone}
    assert {item.paper.id for item in result["references"]} == others
    before = {item.marked for item in first["sentences"]}
    assert {item.marked for item in result["sentences"]} & before
    assert result["run"] != first["run"]
    assert gone in {item.paper for item in result["audit"].omissions}
    shorter = await revise(extractive, section=first["run"], instruction="Make it shorter.")
    assert 1 <= len(shorter["sentences"]) < len(first["sentences"])
    assert shorter["audit"].passed
    for inputs, words in (
        ({"instruction": "Sing it."}, "only a model can follow"),
        ({"instruction": "without [77]"}, "no reference 77"),
        ({"instruction": ""}, "nothing to change"),
        ({"instruction": "shorter", "plan": "On [1]."}, "only one of"),
        ({"instruction": "shorter" * 1000}, "longer than"),
        ({"plan": "On [99]."}, "[99]"),
        ({"section": "nowhere", "instruction": "shorter"}, "run 'nowhere' has no section here"),
    ):
        refused = await revise(extractive, **{"section": first["run"], **inputs})
        assert words in refused["stop"].cause


async def test_new_plan_may_name_any_selected_paper(extractive: RunSettings) -> None:
    first = await written(extractive)
    order = [item.paper.id for item in first["references"]]
    new = next(key for key in FIVE if key not in order)
    plan = f"On the last [{len(order)}].\nOn a new one [{new}]."
    result = await revise(extractive, section=first["run"], plan=plan)
    assert [item.citations[0].paper for item in result["sentences"]] == [order[-1], new]
    assert result["audit"].adherence.citations_in_place == 2


async def test_llm_follows_an_instruction_and_nothing_is_searched_or_read_again(
    llm_settings: Settings,
) -> None:
    def last_first(answer: Any, inputs: dict[str, Any]) -> Any:
        places = [*range(len(answer["sentences"]), 0, -1)]
        return {
            "sentences": [answer["sentences"][place - 1] for place in places],
            "grounds": [
                {**item, "sentence": places.index(item["sentence"]) + 1}
                for item in answer["grounds"]
            ],
        }

    with Scripted(reviewer({"revise_section": last_first}), llm_settings) as llm:
        first = await written(llm.context)
        asked = len(llm.server.requests)
        result = await revise(llm.context, section=first["run"], instruction="Turn it around.")
        tasks = {task_of(request) for request in llm.server.requests[asked:]}
    assert tasks <= {"revise_section", "judge_claims", "flag_uncited"}
    cited = [item.marked for item in first["sentences"] if item.citations]
    assert [item.marked for item in result["sentences"]] == cited[::-1]


async def test_text_that_a_person_has_edited_is_checked_and_what_stayed_stays(
    extractive: RunSettings,
) -> None:
    first = await written(extractive)
    keys = list(
        dict.fromkeys(key for item in first["sentences"] for key in MARKER.findall(item.marked))
    )
    lines = [
        MARKER.sub(lambda found: f"[{keys.index(found[1]) + 1}]", item.marked)
        for item in first["sentences"]
    ]
    kept = await revise(extractive, section=first["run"], text="\n".join(lines))
    assert [item.text for item in kept["sentences"]] == [item.text for item in first["sentences"]]
    assert kept["audit"].passed

    false = "Bees cannot see any landmark at all [1]."
    edited = "\n".join([false, *lines[1:]])
    result = await revise(extractive, section=first["run"], text=edited)
    (told,) = [item for item in result["sentences"] if "landmark at all" in item.text]
    assert [item.verdict for item in told.citations] == ["not_checked"]
    assert result["outcome"] == "partial"

    for text, words in (
        ("Something [9].", "[9]"),
        ("x" * 100_001, "100,000"),
        ("Something [1].", ""),
    ):
        stop = (await revise(extractive, section=first["run"], text=text)).get("stop")
        assert (words in stop.cause) if stop else not words


# Tests of the `revise` graph: paragraphs stay, and what is left out of an answer is told.


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
