"""nodes/synthesize/resolve_works.py: what the sources on the network add to works, and what they unite."""

from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from nodes.synthesize.resolve_works import resolve_works
from state.inputs import CheckedRequest
from state.paper import Paper
from state.quote import Quote
from state.synthesis import EntryWorks, Line, Origin
from tests.fakes.made_stack import (
    CONTEXTS,
    CRUST,
    ENTRIES,
    LOOSE,
    MOSS,
    PAPERS,
    RAIN,
    SHADE,
    put_stack,
)
from tests.graphs.sources import Asked, Sources
from tools.errors import TransientError
from tools.references.numbering import number_works
from tools.run_settings import RunSettings
from tools.run_store import RunStore
from tools.services import open_services

FOUND = SHADE.model_copy(
    update={"id": "doi:10.5555/shade", "doi": "10.5555/shade", "venue": "Mosses", "year": 2019}
)
TWIN = SHADE.model_copy(update={"id": "title:shade-twin", "title": "Shade & evaporation in moss"})


def origin(paper: Paper, *works: Paper) -> Origin:
    return Origin(
        paper=paper.id,
        paragraph="p",
        number=1,
        quote=Quote(text="x", paper=paper.id),
        works=tuple(work.id for work in works),
    )


def line(*origins: Origin) -> Line:
    return Line(number=1, paragraph=1, text="Moss is cool.", origins=origins)


LINES = [line(origin(MOSS, SHADE))]


async def resolve(
    context: RunSettings,
    *names: str,
    lines: list[Line] = LINES,
    more: tuple[Paper, ...] = (),
    entries: EntryWorks = ENTRIES,
    coarse: bool = False,
) -> tuple[dict[str, Any], RunStore]:
    runtime = Runtime(context=context, store=InMemoryStore())
    run_store = open_services(runtime, "run").run_store
    await put_stack(run_store)
    await run_store.papers.put(more)
    await run_store.entries.put([entries])
    works = dict.fromkeys(work for own in entries.works.values() for work in own)
    state: Any = {
        "run": "run",
        "request": CheckedRequest(text="Why is moss cool?", sources=names),
        "references_as": "coarse" if coarse else "fine",
        "contexts": CONTEXTS,
        "lines": lines,
        "works": list(works),
    }
    return dict(await resolve_works(state, runtime)), run_store


def asking(home: Path, *tables: Asked) -> RunSettings:
    context = RunSettings()
    vars(context)["clients"] = Sources(home, *tables)
    return context


async def test_work_that_is_found_keeps_its_id_and_gets_a_doi(tmp_path: Path) -> None:
    update, run_store = await resolve(asking(tmp_path, Asked("crossref", [FOUND])), "crossref")
    paper = (await run_store.papers.get([SHADE.id]))[SHADE.id]
    assert (paper.id, paper.doi, paper.venue) == (SHADE.id, "10.5555/shade", "Mosses")
    assert "doi:10.5555/shade" in paper.aliases
    assert (update["resolved"], update["lines"]) == ({SHADE.id: "crossref"}, LINES)
    assert update["works"] == [SHADE.id, CRUST.id, LOOSE.id, RAIN.id]


async def test_only_works_that_will_be_shown_are_looked_up(tmp_path: Path) -> None:
    table = Asked("crossref")
    await resolve(asking(tmp_path, table), "crossref")
    assert [query.text for query in table.queries] == [SHADE.title]
    assert table.got == []
    every = Asked("crossref")
    await resolve(asking(tmp_path, every), "crossref", coarse=True)
    titles = {SHADE.title, RAIN.title, CRUST.title}
    assert {query.text for query in every.queries} == titles, "not an entry that was not read"
    assert every.got == [CRUST.id]


async def test_source_that_is_down_costs_nothing_else(tmp_path: Path) -> None:
    down = Asked("openalex")
    down.get_error = TransientError("openalex is down")
    up = Asked("crossref", [FOUND])
    update, _ = await resolve(asking(tmp_path, down, up), "openalex", "crossref")
    assert update["resolved"] == {SHADE.id: "crossref"}
    (failure,) = update["failures"]
    assert (failure.subject, failure.cause, failure.fatal) == (
        "openalex",
        "openalex is down",
        False,
    )
    busy, run_store = await resolve(
        asking(tmp_path, Asked("crossref", [FOUND], works=0)), "crossref"
    )
    assert busy["resolved"] == {}
    assert "1 work was" in busy["failures"][0].remedy
    assert (await run_store.papers.get([SHADE.id]))[SHADE.id] == SHADE


async def test_two_works_with_one_doi_become_one_and_get_one_number(tmp_path: Path) -> None:
    entries = ENTRIES.model_copy(update={"works": {**ENTRIES.works, RAIN.id: (TWIN.id,)}})
    lines = [line(origin(MOSS, SHADE)), line(origin(MOSS, CRUST), origin(RAIN, TWIN))]
    known = FOUND.model_copy(update={"aliases": ("doi:10.5555/shade",)})
    table = Asked("crossref", [known, known.model_copy(update={"title": TWIN.title})])
    update, run_store = await resolve(
        asking(tmp_path, table), "crossref", lines=lines, entries=entries, more=(TWIN,)
    )
    assert update["works"] == [SHADE.id, CRUST.id, LOOSE.id, RAIN.id]
    assert [item.works for item in update["lines"][1].origins] == [(CRUST.id,), (SHADE.id,)]
    kept = await run_store.entries.last() or EntryWorks()
    assert kept.works[RAIN.id] == (SHADE.id,)
    assert update["resolved"] == {SHADE.id: "crossref"}
    papers = await run_store.papers.get([*PAPERS, TWIN.id])
    numbered, references = number_works(update["lines"], [], kept, papers, "fine")
    assert [item.paper.id for item in references] == [MOSS.id, RAIN.id, SHADE.id, CRUST.id]
    assert numbered[1].secondary == (3, 4)


async def test_record_of_another_work_is_not_taken(tmp_path: Path) -> None:
    other = Paper(id=CRUST.id, title="The price of tin in Ghent", year=1987, doi="10.5555/crust")
    right = CRUST.model_copy(update={"id": "doi:10.5555/right", "doi": "10.5555/right"})
    lines = [line(origin(MOSS, CRUST))]
    wrong, run_store = await resolve(
        asking(tmp_path, Asked("crossref", [other])), "crossref", lines=lines
    )
    assert wrong["resolved"] == {}
    assert (await run_store.papers.get([CRUST.id]))[CRUST.id] == CRUST
    table = Asked("crossref", [other, right])
    found, _ = await resolve(asking(tmp_path, table), "crossref", lines=lines)
    assert found["resolved"] == {CRUST.id: "crossref"}, "by its title"
