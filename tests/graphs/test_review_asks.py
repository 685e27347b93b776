"""Tests of stopping for a person, who edits queries, papers, plan and text."""

from typing import Any

import pytest

from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, Scripted, bee_papers, context_for
from tests.graphs.person import Person, question
from tools.run_settings import RunSettings
from tools.settings import Settings

FIND: dict[str, Any] = {"text": ABSTRACT, "library": "bees", "keep": 5}


def asking_queries(extractive: RunSettings, how: str = "on") -> RunSettings:
    return context_for(extractive.clients.settings, review_queries=how, max_hops=1)


async def test_wrong_answer_is_explained_and_edited_queries_are_the_ones_that_are_searched(
    extractive: RunSettings,
) -> None:
    person = Person("find", FIND, asking_queries(extractive))
    shown = question(await person.begin())
    assert (shown["kind"], shown["hop"], shown["error"]) == ("queries", 1, "")
    lines = shown["proposal"].splitlines()
    assert len(lines) == len(shown["queries"])
    for wrong, told in (
        (7, "cannot be read"),
        ({"action": "think"}, "cannot be read"),
        ("metod: bees", "begins with 'metod'"),
        ("method: one two three four five", "5 terms"),
        ("method: AND", "0 terms"),
        ("# nothing", "no query left"),
    ):
        again = question(await person.answer(wrong))
        assert told in again["error"]
        assert again["proposal"] == (wrong if isinstance(wrong, str) else shown["proposal"])
    done = await person.answer(f'{lines[0]}\nmethod: "harmonic radar" bees')
    assert [query.text for query in done["queries"]] == [
        shown["queries"][0]["text"],
        '"harmonic radar" bees',
    ]
    assert done["queries"][0].sentence, "what stayed keeps the sentence that it rests on"
    assert {entry.query for entry in done["search_log"]} == {
        query.text for query in done["queries"]
    }
    assert done["outcome"] == "complete"


CONDITIONS = "Papers on bees that:\n- track single bees\n- use harmonic radar\n"


async def test_criteria_of_a_list_can_be_edited_beside_the_queries(extractive: RunSettings) -> None:
    person = Person("find", {**FIND, "text": CONDITIONS}, asking_queries(extractive))
    shown = question(await person.begin())
    lines = shown["proposal"].splitlines()
    assert lines[-2:] == ["required: track single bees", "required: use harmonic radar"]
    assert "required:" in shown["instructions"]
    again = question(await person.answer("all: bees\nrequired: "))
    assert "has no criterion" in again["error"]
    many = "\n".join(f"required: number {number}" for number in range(6))
    assert "the maximum is 5" in question(await person.answer(f"all: bees\n{many}"))["error"]
    done = await person.answer("all: bees\nPreferred:  use   harmonic radar")
    assert [query.text for query in done["queries"]] == ["bees"]
    wanted = [("use harmonic radar", False)]
    assert [(one.criterion, one.required) for one in done["request"].criteria] == wanted
    judged = [item for item in done["papers"] if item.debate]
    assert judged
    for item in judged:
        assert [(one.criterion, one.met) for one in item.criteria] == [(wanted[0][0], "unknown")]
        assert item.criteria[0].quote in f"{item.paper.abstract} {item.paper.title}"


async def test_policy_asks_for_short_inputs_only(extractive: RunSettings) -> None:
    short = Person(
        "find", {**FIND, "text": "How do bees navigate?"}, asking_queries(extractive, "auto")
    )
    shown = question(await short.begin())
    assert shown["why"] == "the input is very short"
    done = await short.answer({"action": "accept"})
    assert [query.text for query in done["queries"]] == [item["text"] for item in shown["queries"]]
    long = Person("find", FIND, asking_queries(extractive, "auto"))
    assert (await long.begin())["outcome"] == "complete"


async def test_each_hop_asks_and_nothing_is_paid_twice(llm_settings: Settings) -> None:
    with Scripted(reviewer(), llm_settings) as plain:
        usual = await Person("find", FIND, plain.context).begin()
    again = llm_settings.model_copy(update={"home": llm_settings.home.parent / "again"})
    again.home.mkdir()
    (again.home / "libraries").symlink_to(llm_settings.home / "libraries")
    with Scripted(reviewer(), again, review_queries="on") as asked:
        person = Person("find", FIND, asked.context)
        result, hops = await person.begin(), []
        while "__interrupt__" in result:
            hops.append(question(result)["hop"])
            result = await person.answer("")
    assert hops == list(range(1, result["rounds"][-1].hop + 1))
    assert {item.task: item.calls for item in result["usage"]} == {
        item.task: item.calls for item in usual["usage"]
    }


# Tests of stopping for a person, who chooses and orders the papers.


CHOOSE: dict[str, Any] = {"text": ABSTRACT, "library": "bees", "keep": 4, "cite": 2}


def asking_papers(extractive: RunSettings, how: str = "on", **more: object) -> RunSettings:
    return context_for(extractive.clients.settings, review_papers=how, max_hops=1, **more)


async def test_wrong_answer_is_explained_and_chosen_papers_decide_what_is_cited(
    extractive: RunSettings,
) -> None:
    late = max((paper for paper in bee_papers() if paper.year), key=lambda paper: paper.year or 0)
    inputs = {**CHOOSE, "before": f"{late.year}-01-01"}
    person = Person("review", inputs, asking_papers(extractive))
    shown = question(await person.begin())
    for wrong, told in (
        ("[99] none", "[99] is not in the list"),
        ("10.1234/nowhere", "no source of this run knows doi:10.1234/nowhere"),
        ("# all gone", "no paper is left"),
        (late.id, "days asked for"),
    ):
        assert told in question(await person.answer(wrong))["error"]
    assert shown["kind"] == "papers"
    kept = [card for card in shown["papers"] if card["chosen"]]
    other = next(card for card in shown["papers"] if not card["chosen"])
    assert len(shown["proposal"].splitlines()) == len(kept)
    assert all(card["title"] and card["why"] and card["score"] is not None for card in kept)
    done = await person.answer(f"{other['id']}\n[{kept[-1]['number']}] the last\n[1]")
    wanted = [other["id"], kept[-1]["id"], kept[0]["id"]]
    assert done["selected"] == wanted
    assert [item.paper.id for item in done["papers"][:3]] == wanted
    assert {item.paper.id for item in done["references"]} == set(wanted[:2])


async def test_paper_that_the_search_did_not_meet_is_looked_up(extractive: RunSettings) -> None:
    person = Person("find", CHOOSE, asking_papers(extractive, results=1, expansion="none", pool=1))
    shown = question(await person.begin())
    met = {card["id"] for card in shown["papers"]}
    new = next(paper.id for paper in bee_papers() if paper.abstract and paper.id not in met)
    done = await person.answer(f"[1]\n{new}")
    assert done["selected"][-1] == new
    assert next(item for item in done["papers"] if item.paper.id == new).selected
    assert done["outcome"] == "complete"


async def test_policy_asks_where_too_few_papers_are_relevant(extractive: RunSettings) -> None:
    many = Person("review", {**CHOOSE, "cite": 4, "keep": 3}, asking_papers(extractive, "auto"))
    assert (await many.begin())["outcome"] == "complete"
    few = Person("find", {**CHOOSE, "keep": 10}, asking_papers(extractive, "auto", bar=99.0))
    result = await few.begin()
    assert "__interrupt__" not in result, "a run that found nothing has nothing to choose from"
    musts = {**CHOOSE, "keep": 10, "must_include": [bee_papers()[0].id]}
    one = Person("find", musts, asking_papers(extractive, "auto", bar=99.0))
    assert "are relevant" in question(await one.begin())["why"]


async def test_nothing_is_paid_twice(llm_settings: Settings) -> None:
    with Scripted(reviewer(), llm_settings, review_papers="on") as llm:
        person = Person("review", CHOOSE, llm.context)
        await person.begin()
        done = await person.answer("[2]\n[1]")
    used = {item.task: item for item in done["usage"]}
    assert used["debate_papers"].cached == used["generate_queries"].cached == 0
    assert used["debate_papers"].calls >= 1


# Tests of stopping for a person, who edits which papers are cited and where.


FIVE = [paper.id for paper in bee_papers() if paper.abstract][:5]
INPUTS: Any = {"text": ABSTRACT, "library": "bees", "papers": FIVE, "cite": 3}


@pytest.fixture
def plan_context(extractive: RunSettings) -> RunSettings:
    return context_for(extractive.clients.settings, review_plan="on")


async def test_answer_that_cannot_be_read_is_asked_for_again_and_papers_can_be_dropped_and_added(
    plan_context: RunSettings,
) -> None:
    person = Person("write", INPUTS, plan_context)
    await person.begin()
    again = question(await person.answer("On a bee that is not there [9]."))
    assert "[9]" in again["error"]
    assert again["proposal"] == "On a bee that is not there [9]."
    result = await person.answer({"action": "edit", "text": "On one bee [5].\nOn another [1]."})
    assert [item.citations[0].paper for item in result["sentences"]] == [FIVE[4], FIVE[0]]
    assert all(item.citations[0].verdict == "supported" for item in result["sentences"])
    assert result["audit"].adherence.citations_in_place == 2
    assert {item.paper for item in result["audit"].omissions} == set(FIVE[1:4])


async def test_nothing_is_written_twice_where_papers_were_added(llm_settings: Settings) -> None:
    with Scripted(reviewer(), llm_settings, review_plan="on") as llm:
        person = Person("write", INPUTS, llm.context)
        await person.begin()
        result = await person.answer("On one [4].\n\nOn another [5].\n\nOn the first [1].")
    assert {item.paper.id for item in result["references"]} == {FIVE[3], FIVE[4], FIVE[0]}
    used = {item.task: item for item in result["usage"]}
    assert used["write_section"].cached == 0, "each part is written by one branch"
    assert used["read_papers"].calls == 2, "three papers at first, two that were added"


async def test_plan_sent_back_as_it_was_shown_changes_nothing(plan_context: RunSettings) -> None:
    shown = Person("write", INPUTS, plan_context)
    plan = question(await shown.begin())["proposal"]
    same = await shown.answer(f"{plan}\n")
    silent = Person("write", INPUTS, plan_context)
    await silent.begin()
    other = await silent.answer("")
    assert same["related_work"] == other["related_work"]
    assert same["outline"] == other["outline"], "themes and all"


async def test_plan_that_cannot_be_followed_comes_back_instead_of_ending_the_run(
    extractive: RunSettings,
) -> None:
    plan_context = context_for(extractive.clients.settings, review_plan="auto")
    person = Person("write", {**INPUTS, "plan": "On a bee that is not there [9]."}, plan_context)
    shown = question(await person.begin())
    assert "[9]" in shown["error"]
    assert shown["why"]
    result = await person.answer("On one bee [2].")
    assert [item.paper.id for item in result["references"]] == [FIVE[1]]
    good = Person("write", {**INPUTS, "plan": "On one bee [3]."}, plan_context)
    result = await good.begin()
    assert [item.paper.id for item in result["references"]] == [FIVE[2]], "nothing is asked"


# Tests of stopping for a person, who edits the section before it is printed.


PAPERS = [paper for paper in bee_papers() if paper.abstract][:4]
WRITE: dict[str, Any] = {
    "text": ABSTRACT,
    "library": "bees",
    "papers": [paper.id for paper in PAPERS],
    "cite": 3,
}
INVENTED = "All bees have forgotten their landmarks by noon [1]."


@pytest.fixture
def text_context(extractive: RunSettings) -> RunSettings:
    return context_for(extractive.clients.settings, review_text="on")


def own_words(place: int) -> str:
    """Return a paper's own first sentence, cited by its number in the list."""
    first = str(PAPERS[place - 1].abstract).split(". ")[0].rstrip(".")
    return f"{first} [{place}]."


async def test_wrong_answer_is_explained_and_edited_text_is_printed_and_checked(
    text_context: RunSettings,
) -> None:
    person = Person("write", WRITE, text_context)
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


@pytest.mark.parametrize(
    ("graph", "inputs", "asks", "outcome", "kept"),
    [
        ("find", FIND, "queries", "nothing", {"search_log": 0}),
        ("review", CHOOSE, "papers", "partial", {"papers": 6, "related_work": 0}),
        ("write", WRITE, "text", "partial", {"references": 3}),
    ],
)
async def test_stop_ends_a_run_with_what_it_has(
    graph: str,
    inputs: dict[str, Any],
    asks: str,
    outcome: str,
    kept: dict[str, int],
    extractive: RunSettings,
) -> None:
    how = {f"review_{asks}": "on", "max_hops": 1}
    person = Person(graph, inputs, context_for(extractive.clients.settings, **how))
    await person.begin()
    done = await person.answer("stop" if asks == "text" else {"action": "stop"})
    assert f"you ended the run when it asked about the {asks}" in done["stop"].cause
    assert done["outcome"] == outcome
    assert {name: len(done[name]) for name in kept} == kept
