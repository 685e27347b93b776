"""Tests of the `verify` graph."""

from pathlib import Path
from typing import Any

import pytest

from graphs.verify import graph
from state.paper import Paper
from state.writing import CitationVerdict
from tests.fakes.made_papers import made_papers
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import FOUND, LISTED, PEARS_RECORD, Scripted
from tests.graphs.sources import Asked, Sources
from tools.bibliography.read_record import paper_from
from tools.run_settings import RunSettings
from tools.settings import Settings

LICHENS = "In tiled chapels the copper roofs of lichens bleach under sulphur rain"
OTTERS = "In brackish harbours the estuary weirs of otters cross under tidal locks"
RECORDS = made_papers(4)
LIST = """

## References

[1] A. Abel and B. Corvin, “How sulphur rain reach lichens near tiled chapels,” 1990.
[2] A. Brandt and B. Dalca, “How tidal locks reach otters near brackish harbours,” 1991.
[3] Z. Nobody, “A paper about silence that was never written,” 2003.
"""


async def verify(context: RunSettings, text: str, **inputs: Any) -> dict[str, Any]:
    given: Any = {"text": text, "library": "bees", **inputs}
    return dict(await graph.ainvoke(given, context=context))


def causes(result: dict[str, Any]) -> dict[str, str]:
    """Return the cause, or else the verdict, of each citation, by how the text has it."""
    return {
        result["labels"][item.key]: item.cause or item.verdict for item in result["audit"].verdicts
    }


def online(home: Path, *papers: Paper, works: int = 99) -> RunSettings:
    context = RunSettings()
    tables = [Asked(name, papers, works=works) for name in ("openalex", "semantic_scholar")]
    vars(context)["clients"] = Sources(home, *tables)
    return context


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        (f"{LICHENS} [1]. “{OTTERS}” [2].", ["[1] (abel)", "[2] (brandt)"]),
        (f"{LICHENS} [@abel]. {OTTERS} [@brandt, p. 3].", ["abel", "brandt"]),
        (rf"{LICHENS}~\citep{{abel}}. \citet{{brandt}} say that {OTTERS}.", ["abel", "brandt"]),
        (
            f"{LICHENS} (Abel & Corvin, 1990). Brandt and Dalca (1991) say that {OTTERS}.",
            ["Abel & Corvin, 1990 (abel)", "Brandt and Dalca, 1991 (brandt)"],
        ),
    ],
)
async def test_citations_of_each_style_are_checked(
    extractive: RunSettings, text: str, labels: list[str]
) -> None:
    papers = [
        {**item, "aliases": [f"local:{name}"]}
        for item, name in zip(RECORDS, ("abel", "brandt"), strict=False)
    ]
    result = await verify(extractive, text, papers=papers)
    assert causes(result) == dict.fromkeys(labels, "supported")
    assert result["audit"].passed
    assert result["outcome"] == "complete"
    printed = [item.text for item in result["sentences"]]
    assert printed[0].startswith(LICHENS)
    assert " ".join(printed) == text.replace("~", " ")


async def test_each_fault_is_named_with_its_cause(extractive: RunSettings) -> None:
    retracted = paper_from(RECORDS[2]).model_copy(update={"retracted": True})
    papers = [*RECORDS[:2], retracted.model_dump(mode="json"), {**RECORDS[3], "abstract": None}]
    text = (
        f"{LICHENS} [2]. In alpine basins the basalt ridges of glaciers carve under meltwater pulses [3]. "
        f"Violins are old [4]. {OTTERS} [2], [17]. Recent studies agree."
    )
    result = await verify(extractive, text, papers=[*papers, {"title": ""}, "p999"])
    assert [item.subject for item in result["failures"]] == ["{'title': ''}", "local:p999"]
    audit = result["audit"]
    assert [(item.verdict, item.cause) for item in audit.verdicts] == [
        ("not_in_source", "mis_cited"),
        ("supported", "retracted"),
        ("not_checked", "no_abstract"),
        ("supported", ""),
        ("not_in_source", "unresolved"),
    ]
    assert audit.verdicts[0].better == "doi:10.5555/made.1", "also where the text never cites it"
    assert {item.cause for item in audit.references} == {"unresolved", "retracted"}
    assert audit.uncited_claims == (), "what needs a citation is for a model to say"
    assert not audit.passed
    assert result["outcome"] == "partial"


async def test_what_nobody_could_check_never_passes(extractive: RunSettings) -> None:
    paraphrase = "Sulphur rain makes the copper of chapel roofs pale [1]."
    result = await verify(extractive, f"{paraphrase} {OTTERS} [2].", papers=RECORDS[:2])
    assert causes(result) == {"[1]": "not_verbatim", "[2]": "supported"}
    audit = result["audit"]
    assert (audit.supported, audit.not_checked) == (1, 1)
    assert (audit.passed, audit.reasons) == (False, ("1 citation: not checked",))


async def test_list_in_the_text_is_resolved_by_title(tmp_path: Path) -> None:
    context = online(tmp_path, *map(paper_from, RECORDS[:2]))
    text = f"{LICHENS} [1]. {OTTERS} [2]. Silence is golden [3].{LIST}"
    result = await verify(context, text, sources=["openalex", "semantic_scholar"])
    assert causes(result) == {"[1]": "supported", "[2]": "supported", "[3]": "fabricated"}
    assert [(item.key, item.cause) for item in result["audit"].references] == [("3", "fabricated")]
    assert result["audit"].verdicts[2].reason == "no searched source has such a work"
    assert result["notes"] == []


async def test_nothing_is_called_fabricated_because_a_library_lacks_it(
    extractive: RunSettings,
) -> None:
    result = await verify(extractive, f"{LICHENS} [1], [2], and silence [3].{LIST}")
    assert set(causes(result).values()) == {"no_abstract"}
    assert not result["audit"].passed
    assert result["audit"].references == ()
    assert "not checked for 3 references" in result["notes"][0]


async def test_concern_is_a_note_that_names_its_notice_and_passes(extractive: RunSettings) -> None:
    noted = {**RECORDS[0], "notices": [{"kind": "concern", "doi": "10.1234/n"}, {"kind": "?"}]}
    result = await verify(extractive, f"{LICHENS} [1].", papers=[noted])
    assert causes(result) == {"[1]": "concern"}
    (told,) = result["audit"].references
    assert told.detail == "its publisher issued an expression of concern (doi:10.1234/n)"
    assert result["audit"].passed


async def test_llm_that_calls_everything_supported_is_overruled(llm_settings: Settings) -> None:
    with Scripted(reviewer(), llm_settings) as llm:
        result = await verify(
            llm.context, f"{LICHENS} [2]. {OTTERS} [2]. Past studies differ.", papers=RECORDS
        )
    assert [item.cause for item in result["audit"].verdicts] == ["mis_cited", ""]
    assert [item.sentence for item in result["audit"].uncited_claims] == [3]
    assert result["mind"] == "scripted"


@pytest.mark.parametrize("text", ["", "[1]", "x\x00y", "a b c " * 20_000])
async def test_text_that_cannot_be_checked_stops_with_advice(
    extractive: RunSettings, text: str
) -> None:
    result = await verify(extractive, text)
    assert result["stop"]
    assert (result["stop"].subject, result["outcome"]) == ("input", "nothing")
    assert not result["audit"].passed


# The `verify` graph where the abstract does not decide: the body of the paper, and what is not searched.


RETOLD = "A dry year brought quince growers a better harvest of pears"


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
        "papers": [PEARS_RECORD.model_dump(mode="json")],
        "library": "pears",
    }
    with Scripted(reviewer({"judge_claims": judge}), settings, **context) as llm:
        result = dict(await graph.ainvoke(given, context=llm.context))
    verdict: CitationVerdict
    (verdict,) = result["audit"].verdicts
    assert result["audit"].passed is (verdict.verdict == "supported")
    return verdict


EMBEDDED, OFF = {"mind": "extractive"}, {"full_text": False}


@pytest.mark.parametrize(
    ("sentence", "how", "verdict", "scope", "by", "unread"),
    [
        (RETOLD, {}, "supported", "full_text", "scripted", ""),
        (FOUND, EMBEDDED, "supported", "full_text", "code", ""),
        (RETOLD, OFF, "not_in_abstract", "abstract", "scripted", "switched off"),
        (FOUND, EMBEDDED | OFF, "not_checked", "abstract", "", "switched off"),
        (LISTED, EMBEDDED, "not_checked", "full_text", "", ""),
    ],
    ids=["judged", "own sentence", "switched off", "and nobody judges", "listed as a reference"],
)
async def test_body_of_a_paper_decides_where_it_is_read_and_its_list_of_references_never(
    sentence: str,
    how: dict[str, Any],
    verdict: str,
    scope: str,
    by: str,
    unread: str,
    pears: Settings,
) -> None:
    found = await verdict_on(sentence, pears, **how)
    assert (found.verdict, found.evidence_scope, found.by) == (verdict, scope, by)
    assert unread in found.unread
    assert LISTED not in {quote.text for quote in found.nearest}
    if by == "scripted" and found.quote:
        assert (found.quote.text, found.quote.place) == (FOUND, "4 Results, p. 2")


# Whom a verdict believes: facts, then the judge, and the judge once more where a near copy differs.


CORAL = {
    "id": "10.1234/coral",
    "title": "Reefs in warm water",
    "year": 2019,
    "authors": ["Dee Coral"],
    "abstract": "Warm reefs bleach within 100 days of the first heat. Divers counted them by hand.",
}


SAID = "Coral (2019) shows that warm reefs bleach within 100 days of the first heat."
NEVER = SAID.replace("reefs bleach", "reefs never bleach")


async def verdict_of_believer(sentence: str, settings: Settings, second: str = "supported") -> Any:
    """Return the verdict of a judge that calls everything supported, and says this when asked again."""

    def believe(answer: Any, inputs: dict[str, Any]) -> Any:
        return {"findings": [{**item, "verdict": "SUPPORTED"} for item in answer["findings"]]}

    def again(answer: Any, inputs: dict[str, Any]) -> Any:
        return {"findings": [{**item, "verdict": second} for item in answer["findings"]]}

    given: Any = {"text": sentence, "papers": [CORAL], "library": "bees"}
    spoil = {"judge_claims": believe, "judge_again": again}
    with Scripted(reviewer(spoil), settings) as llm:
        result = dict(await graph.ainvoke(given, context=llm.context))
    (found,) = result["audit"].verdicts
    assert result["audit"].passed is (found.verdict == "supported")
    return found


@pytest.mark.parametrize(
    ("sentence", "second", "verdict", "first", "alarm"),
    [
        (SAID.replace("100", "900"), "supported", "not_in_abstract", "supported",
         "the number 900 is not in the abstract (full text not read)"),
        (NEVER, "contradicted", "contradicted", "supported", "never"),
        (NEVER, "supported", "supported", "supported", "never"),
        (NEVER, "Not in source.", "not_in_abstract", "supported", "never"),
        (SAID, "contradicted", "supported", None, ""),
    ],
)  # fmt: skip
async def test_code_decides_numbers_and_a_second_question_what_differs_in_a_near_copy(
    sentence: str, second: str, verdict: str, first: str | None, alarm: str, llm_settings: Settings
) -> None:
    found = await verdict_of_believer(sentence, llm_settings, second)
    assert (found.verdict, found.first, bool(found.alarms)) == (verdict, first, bool(alarm))
    assert alarm in "".join(found.alarms)
