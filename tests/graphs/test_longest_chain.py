"""How many calls of a `write` wait for one another: 30 papers in 5 themes."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from graphs.write import graph
from tests.fakes.made_papers import made_papers
from tests.fakes.reviewer import Spoil, reviewer, revising
from tests.graphs.conftest import ABSTRACT, Scripted
from tools.settings import Settings

Calls = list[tuple[float, float]]
THEMES, PAPERS = 5, 30


def in_themes(answer: Any, inputs: dict[str, Any]) -> Any:
    """Plan five themes, at first with a paper that is none."""
    keys = [item["key"] for item in inputs["papers"]]
    (first, *_), size = answer["themes"], PAPERS // THEMES
    themes = []
    for place in range(THEMES):
        lines = [{"keys": [key]} for key in keys[place * size : (place + 1) * size]]
        themes.append({**first, "label": f"theme number {place}", "lines": lines})
    if "faults" not in inputs:
        themes[0]["lines"].append({"keys": ["P99"]})
    return {**answer, "themes": themes}


def with_another(answer: Any, inputs: dict[str, Any]) -> Any:
    """Cite nobody's paper in a text, until told."""
    return answer if "faults" in inputs else {**answer, "text": f"{answer['text']} Others {{P99}}."}


def revised_with_another(answer: Any, inputs: dict[str, Any]) -> Any:
    """Cite nobody's paper in a revision, until told."""
    another = revising(lambda text: f"{text} Others {{P99}}.")
    return answer if "faults" in inputs else another(answer, inputs)


def with_a_stranger(answer: Any, inputs: dict[str, Any]) -> Any:
    """Cite nobody's paper, until told."""
    if "faults" not in inputs:
        answer["sentences"][0]["text"] += " {P99}"
    return answer


def misquoted(answer: Any, inputs: dict[str, Any]) -> Any:
    """Quote what stands nowhere, until told."""
    if "faults" not in inputs:
        answer["papers"][0]["method"] = "These words stand in no paper at all."
    return answer


def strict(answer: Any, inputs: dict[str, Any]) -> Any:
    """Misquote until told, and refuse the first sentence that is asked about."""
    first = answer["findings"][0]
    first["verdict"] = "not_in_source"
    if "faults" not in inputs:
        first["quotes"] = ["These words stand in no paper at all."]
    return answer


def varied(answer: Any, inputs: dict[str, Any]) -> Any:
    """Write another text on each axis, so that there is something to vote on."""
    for item in answer["sentences"]:
        item["text"] = (
            f"{item['text'].rstrip('.')}, as to {inputs.get('axis', 'their aims').split()[-1]}."
        )
    return answer


FAULTY: dict[str, Spoil] = {
    "draft_section": with_another,
    "revise_draft": revised_with_another,
    "read_papers": misquoted,
    "judge_claims": strict,
    "rewrite_unsupported": with_a_stranger,
}


def timed(script: Callable[[dict[str, Any]], Any], calls: Calls) -> Callable[[dict[str, Any]], Any]:
    """Note when each call begins and ends; those asked at once overlap."""

    def answer(request: dict[str, Any]) -> Any:
        began = time.monotonic()
        time.sleep(0.3)
        made = script(request)
        calls.append((began, time.monotonic()))
        return made

    return answer


def longest_chain(calls: Calls) -> int:
    """Return the length of the longest row of calls of which each begins when the one before has ended."""
    length, last = 0, 0.0
    for began, ended in sorted(calls, key=lambda call: call[1]):
        if began >= last:
            length, last = length + 1, ended
    return length


@pytest.mark.parametrize(
    ("writer", "spoil", "most"),
    [
        ("whole", {}, 6),
        ("whole", FAULTY, 13),
        pytest.param("beam", {"extend_draft": varied}, 19, marks=pytest.mark.slow),
    ],
)
async def test_few_calls_wait_for_one_another(
    writer: str, spoil: dict[str, Spoil], most: int, llm_settings: Settings
) -> None:
    # A busy machine only lengthens the row, by calls of one batch that begin late.
    chains: list[int] = []
    while (not chains or min(chains) > most) and len(chains) < 3:
        chains.append(longest_chain(await _calls_of_a_run(writer, spoil, llm_settings)))
    assert min(chains) <= most


async def _calls_of_a_run(writer: str, spoil: dict[str, Spoil], llm_settings: Settings) -> Calls:
    calls: Calls = []
    script = timed(reviewer({"plan_section": in_themes, **spoil}), calls)
    settings = llm_settings.model_copy(update={"llm_concurrency": 64})
    with Scripted(script, settings, writer=writer) as llm:
        given: Any = {"text": ABSTRACT, "papers": made_papers(PAPERS), "cite": PAPERS}
        result = await graph.ainvoke(given, {"recursion_limit": 500}, context=llm.context)
    assert len(result["references"]) >= PAPERS - THEMES
    return calls
