"""nodes/synthesize/align_lines.py: what is asked of the lines, and what is believed of the answer."""

from collections.abc import Callable
from typing import Any

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from nodes.synthesize.align_lines import align_lines
from state.inputs import CheckedRequest
from state.synthesis import Line
from tests.fakes.judge import ANSWERS
from tests.fakes.made_stack import CONTEXTS, CRUST, MOSS, PARAGRAPHS, RAIN, SHADE, put_stack
from tests.fakes.openai_server import OpenAIServer, Refusal, Reply, inputs_of, task_of
from tests.graphs.conftest import context_for
from tools.run_settings import RunSettings
from tools.services import open_services
from tools.settings import Settings

QUESTION = "What do moss gardens do to roofs?"
FIRST = "Moss gardens cool flat roofs by 9.4 degrees on summer afternoons."
SECOND = "Earlier work on lichen crusts found no cooling at all."
THIRD = "In dry spells the carpets of moss keep the rooms below cool by evaporation."
DRAFT = f"{FIRST} {SECOND}\n\n{THIRD}"
"""The sources' own sentences."""
RETOLD = (
    "Moss gardens cool flat roofs by 9.4 degrees. Work on lichen crusts found no cooling at all.\n\n"
    "The carpets of moss keep the rooms below cool by evaporation."
)
"""Parts of the same."""
LEANING = "However, work on lichen crusts found no cooling at all."
FALSE = "Whales sing at night in the northern sea."
Spoil = Callable[[dict[str, Any], dict[str, Any]], Reply]


def state(draft: str = RETOLD, **others: Any) -> Any:
    request = CheckedRequest(text=QUESTION, kind="question")
    return {"run": "run", "request": request, "contexts": CONTEXTS, "draft": draft, **others}


async def align(
    settings: Settings,
    given: Any,
    spoil: Spoil | None = None,
    *,
    window: int | None = None,
    **options: Any,
) -> tuple[dict[str, Any], OpenAIServer]:
    """Return what the node writes, and the server of the scripted LLM with what it was asked."""

    def script(request: dict[str, Any]) -> Reply:
        inputs: dict[str, Any] = dict(inputs_of(request))
        answer = ANSWERS[task_of(request)](inputs)
        return spoil(answer, inputs) if spoil else answer

    with OpenAIServer(script) as server:
        changes: dict[str, Any] = {"llm_base_url": server.url}
        if window:
            changes["llm_context_tokens"] = window
        context = context_for(settings.model_copy(update=changes), **options)
        runtime = Runtime(context=context, store=InMemoryStore())
        await put_stack(open_services(runtime, "run").run_store)
        return dict(await align_lines(given, runtime)), server


def traced(lines: list[Line]) -> list[tuple[list[str], list[str]]]:
    return [
        (
            [origin.paper for origin in line.origins],
            [work for origin in line.origins for work in origin.works],
        )
        for line in lines
    ]


EXPECTED = [
    ([MOSS.id], [SHADE.id]),
    ([MOSS.id], [CRUST.id, RAIN.id]),
    ([RAIN.id], [SHADE.id]),
]


def assert_verified(lines: list[Line]) -> None:
    texts = {item.id: item.text for item in PARAGRAPHS}
    for line in lines:
        assert line.origins
        for origin in line.origins:
            assert origin.quote.verified
            quoted = texts[origin.paragraph][origin.quote.start : origin.quote.end]
            assert quoted == origin.quote.text


def agree(answer: dict[str, Any], inputs: dict[str, Any]) -> Reply:
    return {"findings": [{**one, "verdict": "supported"} for one in answer["findings"]]}


async def test_one_question_for_the_lines_beside_their_paragraphs(settings: Settings) -> None:
    update, server = await align(settings, state(), agree)
    assert server.tasks == ["judge_claims"]
    asked: dict[str, Any] = dict(inputs_of(server.requests[0]))
    assert asked["question"] == QUESTION
    assert [source["authors"] for source in asked["sources"]] == ["Marsh and Weir", "Iver"]
    assert asked["sources"][1]["passages"][0]["text"].startswith("Green roofs hold back two thirds")
    assert [line.origins[0].paper for line in update["lines"]] == [MOSS.id, MOSS.id, RAIN.id]
    assert [line.paragraph for line in update["lines"]] == [1, 1, 2]
    assert [line.verdict for line in update["lines"]] == ["supported"] * 3
    assert (update["lost"], update["failures"]) == ([], [])
    assert_verified(update["lines"])
    quotes = [line.origins[0].quote.text for line in update["lines"]]
    assert quotes[0] == "Moss gardens cool flat roofs by 9.4 degrees on summer afternoons [1]."


async def test_sentence_of_a_source_is_known_and_nobody_is_asked(
    settings: Settings,
) -> None:
    draft = f"Marsh and Weir: “{FIRST}” “{SECOND}”\n\nIver: “{THIRD}”"
    for given in (DRAFT, draft.replace(" “Earlier", " Marsh and Weir: “Earlier")):
        update, server = await align(settings, state(given))
        assert server.requests == []
        assert traced(update["lines"]) == EXPECTED
        assert_verified(update["lines"])
        assert (len(update["lines"]), update["lost"]) == (3, [])


@pytest.mark.parametrize(
    "line",
    [
        f"Lee and Kim: “{FIRST}”",
        f"Marsh and Weir: “{FIRST.replace('9.4', '4.9')}”",
        "“flat roofs by 9.4 degrees”.",
    ],
)
async def test_quotation_that_no_source_has_is_not_known(
    runtime: Runtime[RunSettings], line: str
) -> None:
    await put_stack(open_services(runtime, "run").run_store)
    update = await align_lines(state(line), runtime)
    assert (update["lines"], [item.text for item in update["lost"]]) == ([], [line])


async def test_embedded_engine_traces_without_a_model(
    runtime: Runtime[RunSettings],
) -> None:
    await put_stack(open_services(runtime, "run").run_store)
    update = await align_lines(state(f"{DRAFT} {FALSE} {RETOLD}"), runtime)
    assert traced(update["lines"]) == EXPECTED
    assert len(update["lost"]) == 4, "what is not a source's own sentence nobody can judge here"
    assert update["lost"][0].text == FALSE
    assert_verified(update["lines"])


async def test_invented_ids_and_words_are_refused_and_sent_back_once(settings: Settings) -> None:
    def invent(answer: dict[str, Any], inputs: dict[str, Any]) -> Reply:
        false = {"quotes": ["Whales sing at night in the northern sea"], "verdict": "supported"}
        return {
            "findings": [{"id": one["id"], **false} for one in [*inputs["asked"], {"id": "77"}]]
        }

    update, server = await align(settings, state(f"{DRAFT} {FALSE}"), invent)
    assert server.tasks == ["judge_claims", "judge_claims"]
    assert_verified(update["lines"])
    assert traced(update["lines"]) == EXPECTED, "the sources' own sentences"
    assert [item.text for item in update["lost"]] == [FALSE]
    assert "no line of the sources" in update["lost"][0].cause


async def test_line_with_a_number_of_nowhere_is_lost_whatever_the_mind_says(
    settings: Settings,
) -> None:
    invented = "Moss gardens cool flat roofs by 97 degrees, as LitLLM says."
    update, _ = await align(settings, state(f"{invented} {LEANING} {SECOND}"), agree)
    assert [line.text for line in update["lines"]] == [SECOND]
    assert [item.text for item in update["lost"]] == [invented, LEANING]
    told = "the number 97 does not appear in them; the name LitLLM does not appear in them"
    assert update["lost"][0].cause == f"no line of the sources supports it; {told}"


async def test_near_copy_that_differs_is_asked_about_again_and_that_answer_stands(
    settings: Settings,
) -> None:
    opposite = FIRST.replace("cool", "never cool")

    def turn(answer: dict[str, Any], inputs: dict[str, Any]) -> Reply:
        if "sources" in inputs:
            return agree(answer, inputs)
        answer["findings"][0] |= {"verdict": "contradicted", "reasoning": "They do cool."}
        return answer

    update, server = await align(settings, state(opposite), turn)
    assert server.tasks == ["judge_claims", "judge_again"]
    assert [item.cause for item in update["lost"]] == [
        "the sources say the opposite; They do cool."
    ]
    kept, _ = await align(settings, state(opposite.replace("never", "not")), agree)
    assert [line.verdict for line in kept["lines"]] == ["supported"]


async def test_what_the_mind_found_otherwise_is_told(settings: Settings) -> None:
    swapped = "Lichen crusts cool flat roofs by 9.4 degrees."
    later = "Twice a day the watering of the moss doubles this effect."

    def deny(answer: dict[str, Any], inputs: dict[str, Any]) -> Reply:
        for one in answer["findings"]:
            wrong = one["id"] == "1"
            one |= {"reasoning": "It is moss.", "verdict": "not_in_source" if wrong else "partly"}
        return answer

    update, _ = await align(settings, state(f"{swapped} {later}"), deny)
    assert [item.text for item in update["lost"]] == [swapped]
    assert update["lost"][0].cause.endswith("; It is moss.")
    (kept,) = update["lines"]
    assert (kept.text, kept.verdict) == (later, "partly"), "it leans on nothing before it"


@pytest.mark.parametrize("reply", [Refusal(), {"findings": "none"}])
async def test_lines_that_nobody_could_judge_are_left_out(settings: Settings, reply: Reply) -> None:
    def fail(answer: dict[str, Any], inputs: dict[str, Any]) -> Reply:
        return reply

    update, _ = await align(settings, state(f"{DRAFT}\n\n{RETOLD}"), fail)
    assert traced(update["lines"]) == EXPECTED
    assert {item.cause for item in update["lost"]} == {
        "not checked: no judge could find a supporting line"
    }
    (failure,) = update["failures"]
    assert failure.subject.startswith("sentences ")


async def test_paragraph_too_large_for_the_window_is_asked_in_parts(settings: Settings) -> None:
    draft = f"{' '.join(RETOLD.split())} Watering the moss doubles the effect."
    whole, asked_once = await align(settings, state(draft))
    parts, server = await align(settings, state(draft), window=2800)
    assert len(asked_once.requests) == 1
    assert len(server.requests) > 1
    assert [line.text for line in parts["lines"]] == [line.text for line in whole["lines"]]
    assert parts["failures"] == []


async def test_every_paragraph_of_a_paper_is_shown_where_all_fit(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nodes.synthesize.line_origins._NEAREST", 1)
    monkeypatch.setattr("nodes.synthesize.line_origins._MOST_ORIGINS", 1)
    _, server = await align(settings, state("Moss gardens cool flat roofs, as Marsh and Weir say."))
    asked: dict[str, Any] = inputs_of(server.requests[0])
    ((source,), used) = asked["sources"], {item.paragraph for item in CONTEXTS}
    assert source["title"] == MOSS.title
    mine = [item for item in PARAGRAPHS if item.paper == MOSS.id and item.id in used]
    assert len(source["passages"]) == len(mine) > 1
