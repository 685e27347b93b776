"""The `verify` graph where the abstract does not decide: the body of the paper, and what is not searched."""

from typing import Any

import pytest

from graphs.verify import graph
from state.writing import CitationVerdict
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import Scripted
from tests.library.words import document
from tests.library.words import paper as numbered
from tools.embed.open_embedder import embedder
from tools.library.open_library import create_library
from tools.settings import Settings

FOUND = "Pears on quince bore more fruit in a dry year than in a wet one."
LISTED = "Nightingales eat the pears of quince in every wet year."
RETOLD = "A dry year brought quince growers a better harvest of pears"
RECORD = numbered(1, title="Pears on quince", abstract="We graft pears on quince stocks.")


@pytest.fixture
def pears(llm_settings: Settings) -> Settings:
    library = create_library("pears", llm_settings, embedder())
    library.add([RECORD])
    parts = ("1 Introduction", "Pears are grown."), ("4 Results", FOUND), ("References", LISTED)
    library.texts.put(*document(1, *parts))
    return llm_settings


async def verdict_on(sentence: str, settings: Settings, **context: Any) -> CitationVerdict:
    """Return the verdict of a judge that supports what stands in the results, and nothing else."""

    def judge(answer: Any, inputs: dict[str, Any]) -> Any:
        shown = FOUND in str(inputs["sources"])
        assert LISTED not in str(inputs["sources"])
        said = {
            "verdict": "supported" if shown else "not_in_source",
            "quotes": [FOUND] if shown else [],
        }
        return {"findings": [{**item, **said} for item in answer["findings"]]}

    given: Any = {
        "text": f"{sentence.rstrip('.')} [1].",
        "papers": [RECORD.model_dump(mode="json")],
        "library": "pears",
    }
    with Scripted(reviewer({"judge_claims": judge}), settings, **context) as llm:
        result = dict(await graph.ainvoke(given, context=llm.context))
    verdict: CitationVerdict
    (verdict,) = result["audit"].verdicts
    assert result["audit"].passed is (verdict.verdict == "supported")
    return verdict


async def test_claim_that_stands_in_the_body_is_found_there_with_its_place(pears: Settings) -> None:
    found = await verdict_on(RETOLD, pears)
    assert (found.verdict, found.evidence_scope, found.by) == ("supported", "full_text", "scripted")
    assert found.quote
    assert (found.quote.text, found.quote.place) == (FOUND, "4 Results, p. 2")


async def test_own_sentence_of_the_body_needs_no_judge(pears: Settings) -> None:
    found = await verdict_on(FOUND, pears, mind="extractive")
    assert (found.verdict, found.evidence_scope, found.by) == ("supported", "full_text", "code")


async def test_full_texts_that_are_switched_off_are_not_read_and_nothing_passes(
    pears: Settings,
) -> None:
    found = await verdict_on(RETOLD, pears, full_text=False)
    assert (found.verdict, found.evidence_scope) == ("not_in_abstract", "abstract")
    assert "switched off" in found.unread
    alone = await verdict_on(FOUND, pears, mind="extractive", full_text=False)
    assert (alone.verdict, "switched off" in alone.unread) == ("not_checked", True)


async def test_what_stands_in_the_list_of_references_alone_is_not_supported(
    pears: Settings,
) -> None:
    found = await verdict_on(LISTED, pears, mind="extractive")
    assert (found.verdict, found.evidence_scope) == ("not_checked", "full_text")
    assert LISTED not in {quote.text for quote in found.nearest}
