"""nodes/verify: what references are found to be, how likely they are right, and what stands against citing them."""

from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from nodes.common.publisher_notices import Standing, news_of, standings
from nodes.verify.check_reference import (
    WEIGHTS,
    SourcesSaid,
    check_reference,
    finding_on,
    no_source_holds,
    p_valid,
    signs_of,
)
from nodes.verify.resolve_references import resolve_references
from state.audit import CheckedField, ReferenceCheck, ReferenceOutcome, WrongField
from state.inputs import CheckedRequest
from state.merging import merge_papers
from state.paper import Author, Notice, Paper, Record
from state.verify import Entry
from tests.graphs.sources import Asked, Sources
from tools.bibliography.read_record import paper_from
from tools.embed.open_embedder import embedder
from tools.errors import TransientError
from tools.library.open_library import create_library
from tools.run_settings import RunSettings
from tools.scholar.agreement import wrong_fields
from tools.services import open_services

LICHENS = "How sulphur rain reaches the lichens of tiled chapels"
GIVEN = Paper(id="title:lichens", title=LICHENS, year=2001, authors=(Author(name="Ann Abel"),))
RECORD = Paper(
    id="doi:10.1/lichens",
    title=LICHENS,
    year=2001,
    authors=(Author(name="Ann Abel"),),
    doi="10.1/lichens",
)
OTHER = Paper(id="doi:10.1/otters", title="How tidal locks reach the otters of harbours", year=2001)
ENTRY = Entry(label="1", paper=GIVEN.id)


async def resolve(
    home: Path,
    *tables: Asked,
    entries: tuple[Entry, ...] = (ENTRY,),
    given: tuple[Paper, ...] = (GIVEN,),
    library: tuple[Paper, ...] = (),
) -> dict[str, Any]:
    context = RunSettings()
    vars(context)["clients"] = Sources(home, *tables)
    runtime = Runtime(context=context, store=InMemoryStore())
    await open_services(runtime, "run").run_store.papers.put(given)
    names = tuple(table.name for table in tables)
    if library:
        create_library("mine", context.clients.settings, embedder()).add(library)
    state: Any = {
        "run": "run",
        "request": CheckedRequest(text="x", sources=names, library="mine"),
        "entries": list(entries),
    }
    update: dict[str, Any] = {**await resolve_references(state, runtime)}
    ids = [entry.paper for entry in update["entries"] if entry.paper]
    papers = await open_services(runtime, "run").run_store.papers.get(ids)
    return {**update, "papers": list(papers.values())}


def causes(update: dict[str, Any]) -> list[tuple[str, str]]:
    return [(item.key, item.cause) for item in update["findings"]]


async def test_work_that_two_general_sources_do_not_know_is_most_likely_invented(
    tmp_path: Path,
) -> None:
    beside = await resolve(tmp_path, Asked("openalex", [OTHER]), Asked("semantic_scholar", [OTHER]))
    assert causes(beside) == [("1", "fabricated")], "only found beside it"
    update = await resolve(tmp_path, Asked("openalex"), Asked("semantic_scholar"))
    assert causes(update) == [("1", "fabricated")]
    (entry,) = update["entries"]
    assert (entry.paper, entry.invented) == ("", True)
    (check,) = update["looked_up"]
    assert check.missing_in == ("openalex", "semantic_scholar")
    assert LICHENS in update["findings"][0].detail


async def test_one_source_that_does_not_know_a_work_accuses_nobody(tmp_path: Path) -> None:
    update = await resolve(tmp_path, Asked("openalex"))
    assert causes(update) == [("1", "not_found")]
    assert update["entries"][0].paper == GIVEN.id, "its claim may be judged by what was sent"
    assert update["findings"][0].detail.endswith("not found in OpenAlex; Crossref was not searched")
    two = (Asked("openalex"), Asked("semantic_scholar"))
    unsure = await resolve(tmp_path, *two, entries=(ENTRY.model_copy(update={"confidence": 0.5}),))
    assert causes(unsure) == [("1", "not_found")], "it may have been misread"
    down = Asked("semantic_scholar")
    down.get_error = TransientError("it is down")
    cut = await resolve(tmp_path, Asked("openalex"), down)
    assert (causes(cut), cut["looked_up"][0].outcome) == ([], "incomplete")
    assert cut["looked_up"][0].failed_in == ("semantic_scholar",)
    plain = GIVEN.model_copy(update={"venue": "Advances in Neural Information Processing Systems"})
    said = SourcesSaid(missing=["crossref"])
    check = check_reference(ENTRY, plain, said)
    assert no_source_holds(check, plain, ENTRY), "Crossref has no works without DOIs"
    journal = GIVEN.model_copy(update={"venue": "Annals of Lichenology"})
    assert not no_source_holds(check_reference(ENTRY, journal, said), journal, ENTRY)
    both = SourcesSaid(missing=["openalex", "semantic_scholar"])
    short, printed = GIVEN.model_copy(update={"title": "Lichens"}), "Abel, A. Lichens (and otters)."
    assert check_reference(ENTRY, short, both).outcome == "likely_invented"
    half = check_reference(ENTRY.model_copy(update={"raw": printed}), short, both)
    assert half.outcome == "not_found", "it may be the beginning of a title"
    book = GIVEN.model_copy(update={"record": Record(format="bibtex", type="phdthesis")})
    everywhere = SourcesSaid(missing=["openalex", "semantic_scholar"])
    thesis = check_reference(ENTRY, book, everywhere)
    assert thesis.outcome == "not_found", "they hold theses by chance"
    assert no_source_holds(thesis, book, ENTRY)


async def test_work_that_a_later_source_knows_is_not_fabricated(tmp_path: Path) -> None:
    later = Asked("semantic_scholar", [RECORD])
    update = await resolve(tmp_path, Asked("openalex"), later)
    assert causes(update) == []
    assert (update["entries"][0].paper, update["entries"][0].invented) == (GIVEN.id, False)
    assert update["notes"] == [], "that it exists was seen"
    assert len(later.queries) == 1
    await resolve(tmp_path, Asked("openalex", [RECORD]), later)
    assert len(later.queries) == 1, "what is found is not looked for again"


async def test_source_that_is_down_denies_nothing_and_the_next_is_asked(tmp_path: Path) -> None:
    down = Asked("openalex")
    down.get_error = TransientError("openalex is down")
    update = await resolve(tmp_path, down, Asked("semantic_scholar", [RECORD]))
    assert (causes(update), update["entries"][0].paper) == ([], GIVEN.id)
    assert update["notes"] == [], "that it exists was seen"
    assert any("is down" in item.cause for item in update["failures"])
    assert causes(await resolve(tmp_path, down)) == []
    failing = await resolve(tmp_path, Asked("openalex", works=0))
    assert causes(failing) == []
    assert LICHENS[:30] in str([item.subject for item in failing["failures"]])


async def test_id_that_no_source_knows_is_told(tmp_path: Path) -> None:
    wanted = Entry(label="7", wanted="doi:10.1/nowhere")
    broad = await resolve(tmp_path, Asked("openalex"), entries=(wanted,), given=())
    assert causes(broad) == [("7", "not_found")]
    assert "doi:10.1/nowhere" in broad["findings"][0].detail
    narrow = await resolve(tmp_path, Asked("arxiv"), entries=(wanted,), given=())
    assert causes(narrow) == []
    assert "doi:10.1/nowhere" in [item.subject for item in narrow["failures"]]


async def test_identifier_of_another_paper_is_told_and_its_words_are_not_taken_over(
    tmp_path: Path,
) -> None:
    given = GIVEN.model_copy(update={"id": OTHER.id, "doi": "10.1/otters", "abstract": None})
    record = OTHER.model_copy(update={"abstract": "Otters cross the weirs of estuaries."})
    entry = Entry(label="1", paper=given.id)
    update = await resolve(tmp_path, Asked("openalex", [record]), entries=(entry,), given=(given,))
    assert causes(update) == [("1", "metadata_error")]
    assert "its title is not that of the paper" in update["findings"][0].detail
    assert OTHER.title in update["findings"][0].remedy


@pytest.mark.parametrize(
    ("changes", "told", "why"),
    [
        ({}, "", "the same"),
        ({"title": OTHER.title}, "its title", "another title"),
        ({"year": 2000}, "", "a preprint is a year older"),
        ({"year": 1999}, "its year is 1999", "two years apart"),
        ({"year": 2000, "doi": "10.1/lichens"}, "its year is 2000", "the very same publication"),
        ({"authors": (Author(name="Quill"),)}, "its authors: Quill", "another author"),
        ({"authors": (Author(name="Ann von Abel"),)}, "", "with a particle"),
        ({"authors": ()}, "", "no author says nothing wrong"),
    ],
)
def test_details_are_compared_with_the_record(changes: dict[str, Any], told: str, why: str) -> None:
    said = SourcesSaid(found={"openalex": RECORD})
    check = check_reference(ENTRY, GIVEN.model_copy(update=changes), said)
    assert check.outcome == ("wrong" if told else "confirmed"), why
    found = finding_on(check, said, ["openalex"], RECORD.id)
    assert (found is not None) == bool(told), why
    assert found is None or (told in found.detail and found.cause == "metadata_error"), why


async def test_library_fills_in_abstracts_and_proves_of_no_work_that_it_exists(
    tmp_path: Path,
) -> None:
    noted = RECORD.model_copy(
        update={"abstract": "It tells of lichens.", "abstract_kind": "annotation"}
    )
    known = await resolve(tmp_path, Asked("openalex", [RECORD]), library=(noted,))
    assert causes(known) == []
    assert {item.subject for item in known["failures"]} == {"crossref"}, (
        "nobody tells of retractions"
    )
    (paper,) = known["papers"]
    assert (paper.abstract, paper.abstract_kind) == ("It tells of lichens.", "annotation")
    whole = RECORD.model_copy(update={"abstract": "Sulphur rain reaches lichens."})
    (kept,) = (await resolve(tmp_path, Asked("openalex", [whole])))["papers"]
    assert kept.abstract == whole.abstract
    denied = await resolve(tmp_path, Asked("openalex"), Asked("semantic_scholar"))
    assert causes(denied) == [("1", "fabricated")], "that it stands in the library is no proof"


# nodes/common/publisher_notices.py: what stands against citing papers as they are.


def told(*papers: Paper) -> dict[str, list[str]]:
    return {key: [one.cause for one in found] for key, found in standings(papers).items()}


def preprint(doi: str | None, title: str = "On moths") -> Paper:
    return Paper(id="arxiv:2001.00001", title=title, doi=doi)


def test_preprint_is_superseded_by_a_published_doi_and_not_by_arxiv_s_own() -> None:
    assert told(preprint("10.1234/journal")) == {"arxiv:2001.00001": ["superseded"]}
    assert told(preprint("10.48550/arXiv.2001.00001")) == {}
    assert told(preprint(None)) == {}
    other = Paper(id="arxiv:2002.00002", title="On moths", doi=None)
    assert told(preprint(None), other) == {}, "two preprints are no publication"
    gone = Paper(id="doi:10.1234/owls", title="On owls", retracted=True)
    assert told(gone, preprint("10.1234/journal"), other) == {
        gone.id: ["retracted"],
        "arxiv:2001.00001": ["superseded"],
    }


def test_published_version_that_a_server_of_preprints_names_is_told_with_its_doi() -> None:
    one = Paper(
        id="doi:10.1101/2020.01.02.123456",
        title="On voles",
        doi="10.1101/2020.01.02.123456",
        aliases=("openalex:W1", "doi:10.1234/voles"),
        venue="bioRxiv",
    )
    (found,) = standings([one])[one.id]
    assert found.cause == "superseded"
    assert found.detail == "preprint of a published paper (doi:10.1234/voles)"
    published = one.model_copy(update={"id": "doi:10.1234/voles", "aliases": (one.id,)})
    assert told(published) == {}, "its preprint is no later version"


def test_paper_cited_with_its_venue_and_an_arxiv_id_is_not_called_a_preprint() -> None:
    record = Paper(
        id="doi:10.1234/owls",
        title="On owls",
        doi="10.1234/owls",
        venue="Journal of Owls",
        origin={"title": "crossref", "venue": "crossref"},
    )
    fields = {"title": "On owls", "arxiv": "2001.00002"}
    assert told(merge_papers(paper_from({**fields, "venue": "J. Owls"}), record)) == {}
    for venue in (None, "arXiv preprint"):
        bare = paper_from({**fields, "venue": venue})
        assert told(merge_papers(bare, record)) == {"arxiv:2001.00002": ["superseded"]}


def test_notices_are_told_the_gravest_first_each_with_its_doi() -> None:
    notices = (
        Notice(kind="partial_retraction"),
        Notice(kind="concern", doi="10.1234/c1"),
        Notice(kind="concern", doi="10.1234/c2"),
        Notice(kind="correction", doi="10.1234/fix"),
    )
    paper = Paper(id="doi:10.1234/owls", title="On owls", notices=notices)
    found = standings([paper])[paper.id]
    assert [(one.cause, one.detail) for one in found] == [
        ("concern", "a part of it was retracted"),
        (
            "concern",
            "its publisher issued an expression of concern (doi:10.1234/c1, doi:10.1234/c2)",
        ),
        ("corrected", "a correction was published (doi:10.1234/fix)"),
    ]
    assert news_of(paper).startswith("“On owls”: a part of it was retracted; its publisher")
    gone = paper.model_copy(
        update={"retracted": True, "notices": (Notice(kind="retraction", doi="10.1234/r"),)}
    )
    assert standings([gone])[gone.id] == [
        Standing(
            "retracted",
            "retracted (doi:10.1234/r)",
            "do not cite it, or mention the retraction in the text",
        )
    ]


@pytest.mark.parametrize("mark", ["Expression of Concern: ", "[Editorial expression of concern] "])
def test_mark_before_a_record_s_title_is_a_concern_and_no_wrong_title(mark: str) -> None:
    authors = (Author(name="Ada Owl"),)
    stated = Paper(id="doi:10.1234/owls", title="On owls of the far north", authors=authors)
    record = paper_from({"title": f"{mark}{stated.title}", "doi": "10.1234/owls"})
    assert [one.kind for one in record.notices] == ["concern"]
    assert wrong_fields(stated, record) == []
    assert told(merge_papers(stated, record)) == {stated.id: ["concern"]}


def test_works_about_concerns_bear_no_mark() -> None:
    for title in ("Expression of concern in clinical trials: a survey", "Expressions of concern"):
        assert paper_from({"title": title}).notices == ()


# nodes/verify/check_reference.py: how likely a reference is right, of what its check found.


def chance(
    outcome: ReferenceOutcome,
    *wrong: CheckedField,
    missing: int = 0,
    lacking: int = 0,
    confidence: float = 1.0,
) -> float | None:
    check = ReferenceCheck(
        key="1",
        outcome=outcome,
        wrong=tuple(WrongField(field=name, stated="a", right="b") for name in wrong),
        missing_in=tuple(f"source {at}" for at in range(missing)),
    )
    return p_valid(check, signs_of(check, lacking, confidence))


def test_what_the_check_found_orders_references() -> None:
    ordered = [
        chance("confirmed"),
        chance("not_found", missing=1),
        chance("not_found", missing=1, lacking=1),
        chance("not_found", missing=2, lacking=2),
    ]
    assert None not in ordered
    assert ordered == sorted(ordered, key=lambda one: one or 0.0, reverse=True)
    assert len(set(ordered)) == len(ordered)


@pytest.mark.parametrize("name", ["title", "authors", "year", "venue", "doi"])
def test_each_field_that_differs_makes_it_less_likely(name: CheckedField) -> None:
    assert (chance("wrong", name) or 1) < (chance("wrong") or 0)


def test_misreading_speaks_against_what_was_confirmed_and_for_what_was_not_found() -> None:
    assert (chance("confirmed", confidence=0.3) or 1) < (chance("confirmed") or 0)
    assert (chance("not_found", missing=1, confidence=0.3) or 0) > (
        chance("not_found", missing=1) or 1
    )


@pytest.mark.parametrize("outcome", ["incomplete", "not_asked"])
def test_nothing_is_said_where_nobody_answered(outcome: ReferenceOutcome) -> None:
    assert chance(outcome) is None


def test_signs_are_weighed_as_in_a_logistic_regression() -> None:
    check = ReferenceCheck(key="1", outcome="confirmed")
    signs = signs_of(check, 0, 1.0)
    assert (p_valid(check, signs, {"": 0.0}), p_valid(check, signs, {"": 100.0})) == (0.5, 1.0)
    assert set(signs) <= {*WEIGHTS}
