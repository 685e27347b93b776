"""A mind that calls a citation supported is not believed where the paper's own words speak against it."""

from typing import Any

import pytest

from citeloom.settings import Settings
from graphs.verify import graph
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import Scripted

RECORD = {
    "id": "10.1234/coral", "title": "Reefs in warm water", "year": 2019, "authors": ["Dee Coral"],
    "abstract": "Warm reefs bleach within 100 days of the first heat. Divers counted them by hand.",
}  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("Coral (2019) shows that warm reefs bleach within 100 days of the first heat.", "supported"),
        ("Coral (2019) shows that warm reefs bleach within 900 days of the first heat.", "not_in_source"),
        ("Coral (2019) shows that warm reefs never bleach within 100 days of the first heat.", "contradicted"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("spelling", ["supported", "SUPPORTED"])
async def test_numbers_and_opposites_overrule_a_mind(
    sentence: str, verdict: str, spelling: str, llm_settings: Settings
) -> None:
    def believe(answer: Any, inputs: dict[str, Any]) -> Any:
        return {"findings": [{**item, "verdict": spelling} for item in answer["findings"]]}

    given: Any = {"text": sentence, "papers": [RECORD], "library": "bees"}
    with Scripted(reviewer({"judge_claims": believe}), llm_settings) as llm:
        result = dict(await graph.ainvoke(given, context=llm.context))
    (found,) = result["audit"].verdicts
    assert found.verdict == verdict
    assert result["audit"].passed is (verdict == "supported")
