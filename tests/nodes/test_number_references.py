"""nodes/write/number_references.py: the section is printed in the run's style, whatever is missing."""

from typing import Any, cast

import pytest
from langgraph.runtime import Runtime

from nodes.write.number_references import assemble, number_references, paragraph_numbers
from state.channels import WriteState
from state.inputs import CheckedRequest, WriteChoices
from state.paper import Author, Paper
from state.results import ComparisonTable, TableRow
from state.writing import CitationVerdict, Draft, Plan, PlanLine, Sentence
from tools.run_settings import RunSettings
from tools.services import Services

LEWIS = Paper(
    id="local:a",
    title="Retrieval",
    year=2020,
    venue="EMNLP",
    authors=(Author(name="Patrick Lewis"), Author(name="Ethan Perez"), Author(name="A. Piktus")),
)
KIM = Paper(id="local:b", title="Citing", year=2021, authors=(Author(name="Ann Kim"),))
TEXTS = ("Models retrieve {P2}{P1}.", "Lewis et al. {P1} cite.", "We differ.")


def written(**fields: Any) -> WriteState:
    sentences = tuple(Sentence(text=text, line=at) for at, text in enumerate(TEXTS, start=1))
    verdicts = [
        CitationVerdict(sentence=1, key="P2", paper=KIM.id, verdict="supported"),
        CitationVerdict(sentence=1, key="P1", paper=LEWIS.id, verdict="partly"),
        CitationVerdict(sentence=2, key="P1", paper=LEWIS.id, verdict="supported"),
    ]
    themes = ("a", "a", "b")
    state: dict[str, Any] = {
        "run": "run",
        "request": CheckedRequest(text="Bees."),
        "keys": {"P1": LEWIS.id, "P2": KIM.id},
        "selected": [LEWIS.id, KIM.id, "local:c"],
        "final": Draft(id="d", sentences=sentences),
        "checks": 1,
        "verdicts": verdicts,
        "failures": [],
        "outline": Plan(
            lines=tuple(
                PlanLine(number=at, theme=theme, paragraph=1 + (theme == "b"))
                for at, theme in enumerate(themes, 1)
            )
        ),
        "choices": WriteChoices(),
    }
    return cast(WriteState, state | fields)


@pytest.fixture
async def shelved(services: Services) -> Services:
    await services.run_store.papers.put([LEWIS, KIM])
    return services


async def test_numbers_entries_and_paragraphs_are_filled_in(
    shelved: Services, runtime: Runtime[RunSettings]
) -> None:
    made = await number_references(written(), runtime)
    assert made["related_work"] == ("Models retrieve [1, 2]. Lewis et al. [2] cite.\n\nWe differ.")
    assert [item.paragraph for item in made["sentences"]] == [1, 1, 2]
    assert [item.marked for item in made["sentences"]] == list(TEXTS)
    assert [(item.number, item.marker, item.key) for item in made["references"]] == [
        (1, "P2", "kim2021citing"),
        (2, "P1", "lewis2020retrieval"),
    ]
    assert made["references"][0].entry == "A. Kim, “Citing,” 2021."
    assert made["uncited"] == ["local:c"]
    assert [len(item.citations) for item in made["sentences"]] == [2, 1, 0]
    assert (made["outcome"], made["failures"], made["stop"]) == ("complete", [], None)


async def test_style_of_the_run_is_used_and_the_table_has_its_numbers(
    shelved: Services, runtime: Runtime[RunSettings]
) -> None:
    rows = tuple(
        TableRow(number=place, paper=paper.id, name=paper.citation, title=paper.title)
        for place, paper in enumerate((LEWIS, KIM), start=1)
    )
    given = written(choices=WriteChoices(style="apa"), table=ComparisonTable(rows=rows))
    made = await number_references(given, runtime)
    assert made["sentences"][0].text == "Models retrieve (Kim, 2021; Lewis et al., 2020)."
    assert made["sentences"][1].text == "Lewis et al. (2020) cite."
    assert made["references"][1].entry.startswith("Lewis, P., Perez, E., & Piktus, A. (2020).")
    numbers = {item.paper.id: item.number for item in made["references"]}
    assert numbers[KIM.id] < numbers[LEWIS.id], "APA lists by author"
    assert {row.paper: row.number for row in made["table"].rows} == numbers


@pytest.mark.parametrize("style", ["/etc/passwd", "no-such-style-at-all"])
async def test_unknown_style_is_recorded_and_ieee_is_used(
    shelved: Services, runtime: Runtime[RunSettings], style: str
) -> None:
    made = await number_references(written(choices=WriteChoices(style=style)), runtime)
    (failure,) = made["failures"]
    assert failure.subject == f"style {style}"
    assert "IEEE" in failure.remedy
    assert not failure.fatal
    assert made["sentences"][0].text == "Models retrieve [1, 2]."


async def test_run_that_stopped_prints_the_draft_it_has(shelved: Services) -> None:
    sentences = Sentence(text="First {P2}.", line=1), Sentence(text="Second {P1}.", line=2)
    draft = Draft(id="d.0", sentences=sentences)
    made = await assemble(written(checks=0, verdicts=[], final=draft), shelved.run_store)
    assert made["related_work"] == "First [1]. Second [2]."
    assert {item.verdict for text in made["sentences"] for item in text.citations} == {
        "not_checked"
    }
    assert made["outcome"] == "partial"


def lines(*places: tuple[str, int], origin: Any = "made") -> Plan:
    made = (
        PlanLine(number=at, theme=theme, paragraph=number)
        for at, (theme, number) in enumerate(places, 1)
    )
    return Plan(lines=tuple(made), origin=origin)


@pytest.mark.parametrize(
    ("plan", "numbers", "why"),
    [
        (lines(("a", 1), ("a", 1), ("b", 2)), [1, 1, 2], "a made plan counts one for each theme"),
        (lines(("", 1), ("", 2), ("", 2)), [1, 2, 2], "a plan of the mind's own has no themes"),
        (lines(("a", 1), ("b", 1), ("b", 2), origin="user"), [1, 1, 2], "the user's are as asked"),
        (lines(("a", 3), ("a", 3), ("a", 7), origin="user"), [1, 1, 2], "they count from 1"),
        (Plan(lines=()), [1, 2, 3], "without a plan a line is a paragraph"),
    ],
)
def test_paragraphs_are_those_of_the_plan(plan: Plan, numbers: list[int], why: str) -> None:
    sentences = [Sentence(text="S.", line=at) for at in (1, 2, 3)]
    assert paragraph_numbers(sentences, plan) == numbers, why


async def test_citation_that_was_not_checked_is_shown_as_such(
    shelved: Services, runtime: Runtime[RunSettings]
) -> None:
    first = CitationVerdict(sentence=1, key="P2", paper=KIM.id, verdict="supported")
    made = await number_references(written(verdicts=[first]), runtime)
    told = [(item.key, item.verdict) for text in made["sentences"] for item in text.citations]
    assert told == [("P2", "supported"), ("P1", "not_checked"), ("P1", "not_checked")]
    assert made["outcome"] == "partial"
