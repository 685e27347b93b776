"""Tests of the `write` graph."""

from typing import Any

from graphs.write import graph
from tests.graphs.conftest import ABSTRACT, played
from tools.run_settings import RunSettings
from tools.settings import Settings

RECORD = {
    "id": "10.1234/moth",
    "title": "Moths steer by the moon",
    "year": 2019,
    "authors": ["Dee Moth", "Eve Lamp"],
    "abstract": "We show that moths steer by the moon. Moths were flown in a simulator under a shifted moon.",
}
BARE = {
    "id": "10.1234/bare",
    "title": "A compass sense in beetles and its neural basis",
    "year": 2017,
    "authors": ["Fay Beetle"],
}

_LIMIT: Any = {"recursion_limit": 500}


async def write(context: RunSettings, **inputs: Any) -> dict[str, Any]:
    given: Any = {"text": ABSTRACT, "library": "bees", **inputs}
    return dict(await graph.ainvoke(given, _LIMIT, context=context))


async def test_unknown_id_is_reported_and_the_others_are_used(extractive: RunSettings) -> None:
    result = await write(extractive, papers=["p7", "p999", {"title": ""}, "local:p8", RECORD])
    assert [failure.subject for failure in result["failures"]] == ["p999", "{'title': ''}"]
    cited = {item.paper.id for item in result["references"]}
    assert cited == {"local:p7", "local:p8", "doi:10.1234/moth"}
    assert "Moth and Lamp" in result["related_work"]
    assert "Related papers (3 papers" in result["related_work"], "too few for themes"
    themed = await write(extractive, papers=["p7", {**RECORD, "theme": "night {P1} flight"}])
    assert "Night (P1) flight (1 paper, 2019)." in themed["related_work"], "as on the map"
    assert (result["outcome"], result["stop"]) == ("complete", None)
    none = await write(extractive, papers=["p999"])
    assert "no paper to write about" in none["stop"].cause
    assert none["related_work"] == ""


async def test_paper_without_abstract_is_never_passed_as_checked(llm_settings: Settings) -> None:
    result, _ = await played(
        write, llm_settings, papers=["p7", BARE], plan="On beetles [2].\nOn bees [1]."
    )
    verdicts = {item.paper: item for sentence in result["sentences"] for item in sentence.citations}
    assert verdicts["local:p7"].verdict == "supported"
    assert verdicts["doi:10.1234/bare"].verdict == "not_checked"
    assert verdicts["doi:10.1234/bare"].cause == "no_abstract"
    assert result["outcome"] == "partial"
    assert any("no abstract" in note for note in result["notes"])


async def test_paper_without_abstract_is_not_cited_unasked(extractive: RunSettings) -> None:
    result = await write(extractive, papers=["p7", BARE])
    assert [item.paper.id for item in result["references"]] == ["local:p7"]
    assert result["uncited"] == ["doi:10.1234/bare"]
    named = await write(extractive, papers=["p7", BARE], plan="On beetles [2].\nOn bees [1].")
    bare = named["sentences"][0]
    assert BARE["title"] in bare.text
    assert bare.citations[0].quote.text == BARE["title"]
    assert (named["outcome"], named["audit"].not_checked) == ("partial", 1)
    assert [item.reason for item in result["audit"].omissions] == ["no_abstract"]


async def test_lines_that_cite_nothing_repeat_nothing(extractive: RunSettings) -> None:
    result = await write(extractive, papers=["p7"], plan="6 sentences. Cite [1] on line 2")
    texts = [sentence.text for sentence in result["sentences"]]
    assert all(texts[place] in ABSTRACT for place in (0, 2)), "the researcher's own words"
    bases = [sentence.basis.text for sentence in result["sentences"] if sentence.basis]
    assert len(bases) == len(set(bases)) == len(texts) - 1
    left_out = [item.subject for item in result["failures"] if item.stage == "write_draft"]
    assert len(set(left_out)) == 6 - len(texts), "a line with nothing new to say is reported"


async def test_new_input_on_the_same_thread_starts_afresh(extractive: RunSettings) -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    from graphs.write import builder

    app = builder.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "one"}, "recursion_limit": 500}
    first: Any = {"text": ABSTRACT, "library": "bees", "papers": ["p999", "p1"]}
    await app.ainvoke(first, config, context=extractive)
    other: Any = {**first, "papers": ["p7", "p8"]}
    second = await app.ainvoke(other, config, context=extractive)
    assert second["failures"] == []
    assert {item.paper.id for item in second["references"]} == {"local:p7", "local:p8"}
