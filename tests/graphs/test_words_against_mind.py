"""Whom a verdict believes: facts, then the judge, and the judge once more where a near copy differs."""

from typing import Any

import pytest

from graphs.verify import graph
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import Scripted
from tools.settings import Settings

RECORD = {
    "id": "10.1234/coral",
    "title": "Reefs in warm water",
    "year": 2019,
    "authors": ["Dee Coral"],
    "abstract": "Warm reefs bleach within 100 days of the first heat. Divers counted them by hand.",
}


SAID = "Coral (2019) shows that warm reefs bleach within 100 days of the first heat."
NEVER = SAID.replace("reefs bleach", "reefs never bleach")


async def verdict_on(sentence: str, settings: Settings, second: str = "supported") -> Any:
    """Return the verdict of a judge that calls everything supported, and says this when asked again."""

    def believe(answer: Any, inputs: dict[str, Any]) -> Any:
        return {"findings": [{**item, "verdict": "SUPPORTED"} for item in answer["findings"]]}

    def again(answer: Any, inputs: dict[str, Any]) -> Any:
        return {"findings": [{**item, "verdict": second} for item in answer["findings"]]}

    given: Any = {"text": sentence, "papers": [RECORD], "library": "bees"}
    spoil = {"judge_claims": believe, "judge_again": again}
    with Scripted(reviewer(spoil), settings) as llm:
        result = dict(await graph.ainvoke(given, context=llm.context))
    (found,) = result["audit"].verdicts
    assert result["audit"].passed is (found.verdict == "supported")
    return found


async def test_number_that_stands_nowhere_stops_a_claim_whatever_the_judge_says(
    llm_settings: Settings,
) -> None:
    found = await verdict_on(SAID.replace("100", "900"), llm_settings)
    assert (found.verdict, found.evidence_scope) == ("not_in_abstract", "abstract")
    assert found.alarms[0] == "the number 900 is not in the abstract (full text not read)"


@pytest.mark.parametrize("second", ["contradicted", "supported", "Not in source."])
async def test_near_copy_that_differs_is_asked_about_again_and_that_answer_stands(
    second: str, llm_settings: Settings
) -> None:
    found = await verdict_on(NEVER, llm_settings, second)
    stands = {"Not in source.": "not_in_abstract"}.get(second, second)
    assert (found.verdict, found.first) == (stands, "supported")
    assert "never" in found.alarms[0]


async def test_no_second_question_where_nothing_differs(llm_settings: Settings) -> None:
    found = await verdict_on(SAID, llm_settings, "contradicted")
    assert (found.verdict, found.first, found.alarms) == ("supported", None, ())
