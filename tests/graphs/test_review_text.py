"""Tests of stopping for a person, who edits the section before it is printed."""

from typing import Any

import pytest

from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, Scripted, bee_papers, context_for
from tests.graphs.person import Person, question
from tools.run_settings import RunSettings
from tools.settings import Settings

PAPERS = [paper for paper in bee_papers() if paper.abstract][:4]
WRITE: dict[str, Any] = {
    "text": ABSTRACT,
    "library": "bees",
    "papers": [paper.id for paper in PAPERS],
    "cite": 3,
}
INVENTED = "All bees have forgotten their landmarks by noon [1]."


@pytest.fixture
def context(extractive: RunSettings) -> RunSettings:
    return context_for(extractive.clients.settings, review_text="on")


def own_words(place: int) -> str:
    """Return a paper's own first sentence, cited by its number in the list."""
    first = str(PAPERS[place - 1].abstract).split(". ")[0].rstrip(".")
    return f"{first} [{place}]."


async def test_wrong_answer_is_explained_and_edited_text_is_printed_and_checked(
    context: RunSettings,
) -> None:
    person = Person("write", WRITE, context)
    shown = question(await person.begin())
    assert shown["kind"] == "text"
    rows = [row for row in shown["proposal"].splitlines() if row]
    lines = [row for row in rows if "[" in row]
    counting = [row for row in rows if "[" not in row]
    assert counting, "the embedded engine opens a theme by counting its papers"
    for wrong, told in (
        ("It cites what is not there [9].", "[9]"),
        ("A bracket [1", "bracket"),
        (f"{counting[0]}\n{own_words(4)}", "counts papers"),
    ):
        again = question(await person.answer(wrong))
        assert told in again["error"]
        assert "plan" not in again["error"]
    assert sum(card["chosen"] for card in shown["papers"]) == 3
    done = await person.answer("\n\n".join([lines[0], own_words(4), INVENTED]))
    assert [item.paragraph for item in done["sentences"]] == [1, 2, 3]
    assert {item.paper.id for item in done["references"]} >= {PAPERS[3].id, PAPERS[0].id}
    first, added, invented = done["sentences"]
    assert first.citations[0].verdict == "supported"
    assert added.citations[0].verdict == "supported", "the paper's own words, found by code"
    assert invented.citations[0].verdict == "not_checked", "no LLM was there to check it"
    assert (done["outcome"], done["audit"].passed) == ("partial", False)


async def test_stop_prints_the_section_as_it_stands(context: RunSettings) -> None:
    person = Person("write", WRITE, context)
    await person.begin()
    done = await person.answer("stop")
    assert "asked about the text" in done["stop"].cause
    assert (done["outcome"], len(done["references"])) == ("partial", 3)


def contradicting(answer: Any, inputs: dict[str, Any]) -> Any:
    """Find that the papers say the opposite of what was invented."""
    texts = {item["number"]: item["text"] for item in inputs["sentences"]}
    for finding in answer["findings"]:
        if "forgotten" in texts[int(finding["id"].split("-")[0])]:
            finding["verdict"] = "contradicted"
    return answer


async def test_edit_that_does_not_stand_is_told_and_taken_out_if_it_stays(
    llm_settings: Settings,
) -> None:
    spoil = {"judge_claims": contradicting}
    with Scripted(reviewer(spoil), llm_settings, review_text="on") as llm:
        person = Person("write", WRITE, llm.context)
        shown = question(await person.begin())
        checked = llm.server.tasks.count("judge_claims")
        first = shown["proposal"].splitlines()[0]
        again = question(await person.answer(f"{first}\n{INVENTED}"))
        assert "sentence 2" in again["error"]
        assert INVENTED in again["proposal"]
        assert llm.server.tasks.count("judge_claims") == checked + 1
        done = await person.answer("")
    assert [item.text.count("forgotten") for item in done["sentences"]] == [0]
    assert done["removed"]
    assert done["audit"].sentences == 1
    assert llm.server.tasks.count("judge_claims") == checked + 1, "nothing is paid twice"


async def test_policy_asks_where_the_audit_does_not_pass(
    llm_settings: Settings, extractive: RunSettings
) -> None:
    fine = context_for(extractive.clients.settings, review_text="auto")
    assert (await Person("write", WRITE, fine).begin())["outcome"] == "complete"
    spoil = {"judge_claims": lambda answer, _: _partly(answer)}
    with Scripted(reviewer(spoil), llm_settings, review_text="auto") as llm:
        shown = question(await Person("write", WRITE, llm.context).begin())
    assert shown["why"]


def _partly(answer: Any) -> Any:
    answer["findings"][0]["verdict"] = "not_in_source"
    return answer
