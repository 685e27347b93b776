"""Tests of stopping for a person, who edits the queries of a hop."""

from typing import Any

from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, Scripted, context_for
from tests.graphs.person import Person, question
from tools.run_settings import RunSettings
from tools.settings import Settings

FIND: dict[str, Any] = {"text": ABSTRACT, "library": "bees", "keep": 5}


def asking(extractive: RunSettings, how: str = "on") -> RunSettings:
    return context_for(extractive.clients.settings, review_queries=how, max_hops=1)


async def test_wrong_answer_is_explained_and_edited_queries_are_the_ones_that_are_searched(
    extractive: RunSettings,
) -> None:
    person = Person("find", FIND, asking(extractive))
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
    person = Person("find", {**FIND, "text": CONDITIONS}, asking(extractive))
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


async def test_stop_ends_the_run_before_anything_is_searched(extractive: RunSettings) -> None:
    person = Person("find", FIND, asking(extractive))
    await person.begin()
    done = await person.answer("stop")
    assert "you ended the run" in done["stop"].cause
    assert (done["outcome"], done["search_log"]) == ("nothing", [])


async def test_policy_asks_for_short_inputs_only(extractive: RunSettings) -> None:
    short = Person("find", {**FIND, "text": "How do bees navigate?"}, asking(extractive, "auto"))
    shown = question(await short.begin())
    assert shown["why"] == "the input is very short"
    done = await short.answer({"action": "accept"})
    assert [query.text for query in done["queries"]] == [item["text"] for item in shown["queries"]]
    long = Person("find", FIND, asking(extractive, "auto"))
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
