"""nodes/judge/full_text.py: where full texts come from, what counts as a paper's, and what is said of the rest."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from nodes.judge import full_text
from nodes.judge.full_text import FullText, read_full_texts
from state.inputs import CheckedRequest
from state.paper import Author, Paper
from state.run import Failure
from tests.documents.test_fetch_open_copies import PAGE, Site
from tests.graphs.sources import Sources
from tests.library.words import document
from tests.pdf.papers import RUNNING, TITLE
from tests.pdf.papers import paper as rivers
from tools.documents import fetch_open_copies
from tools.embed.open_embedder import embedder
from tools.ledger.run_ledger import request_finish
from tools.library.open_library import close_libraries, create_library
from tools.references.read_entry import read_entry
from tools.run_settings import RunSettings
from tools.services import open_services
from tools.settings import Settings

RIVERS = Paper(
    id="doi:10.1/rivers",
    doi="10.1/rivers",
    title=TITLE,
    year=2021,
    authors=(Author(name="Ilse Brook"),),
)
OWN = "Floods shape the valleys in which people live, and much is written about them."
"""Of the introduction of the PDF."""
JATS = f"""<?xml version="1.0"?><article><front><article-meta><title-group><article-title>{TITLE}</article-title>
</title-group><contrib-group><contrib><name><surname>Brook</surname><given-names>Ilse</given-names></name></contrib>
</contrib-group><pub-date><year>2021</year></pub-date><abstract><p>Rivers keep traces.</p></abstract>
</article-meta></front>BODY</article>"""
BODY = f"""<body><sec><title>Findings</title><p>{OWN} We counted layers of silt in sixty valleys with great
care, year by year, until the last of the spades was broken.</p></sec></body>"""
Read = Callable[..., Awaitable[tuple[dict[str, FullText], list[Failure]]]]


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(fetch_open_copies, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(fetch_open_copies, "RATE", 1000.0)
    with Site() as running:
        yield running


@pytest.fixture
def read(tmp_path: Path, site: Site) -> Read:
    """Read full texts as a step of one run does, everything that is asked being on the site."""
    store = InMemoryStore()

    async def call(
        *papers: Paper,
        sources: tuple[str, ...] = ("crossref",),
        library: str = "starter",
        run: str = "run",
        settings: dict[str, Any] | None = None,
        **context: Any,
    ) -> tuple[dict[str, FullText], list[Failure]]:
        names = (
            "arxiv_html_url",
            "arxiv_pdf_url",
            "openalex_url",
            "europe_pmc_url",
            "unpaywall_url",
        )
        bases = {name: f"{site.url}/{name}" for name in names}
        given: dict[str, Any] = {
            **bases,
            "ar5iv_url": f"{site.url}/ar5iv",
            "arxiv_rate": 1000.0,
            "openalex_rate": 1000.0,
            **(settings or {}),
        }
        how = RunSettings(**context)
        vars(how)["clients"] = Sources(tmp_path, **given)
        services = open_services(Runtime(context=how, store=store), run)
        request = CheckedRequest(text="", library=library, sources=sources)
        return await read_full_texts(services, request, papers, stage="check")

    return call


def words(text: FullText) -> str:
    return "\n".join(item.text for item in text.passages)


def linked(paper: Paper, url: str) -> Paper:
    return paper.model_copy(update={"pdf": url})


def paths(site: Site) -> list[str]:
    return [path for path, _ in site.requests]


# --- From the library and from disk --------------------------------------------------------------

LISTED = (
    "Anna Lind and Omar Reyes. 2015. Counting silt by hand in small valleys. Silt 4, 1-12.",
    "Bea Holm. 2018. Charcoal as a clock for those without ash. Journal of Embers 7, 33-41.",
)


def fill(home: Path, record: Paper, *parts: tuple[str, str], number: int = 1) -> None:
    library = create_library("mine", Settings(home=home, _env_file=None), embedder())  # type: ignore[call-arg]
    library.add([record], index=False)
    entry, whole, passages = document(number, *parts)
    listed = [read_entry(text, place) for place, text in enumerate(LISTED)]
    passages = [item.model_copy(update={"paper": record.id}) for item in passages]
    entry = entry.model_copy(update={"paper": record.id})
    library.texts.put(entry, whole, passages, listed)
    close_libraries()


TEXT = (
    ("1 Results", OWN),
    ("References", LISTED[0]),
    ("", " ".join(LISTED)),
    ("2 Limits", "It needs a spade."),
)


async def test_document_of_the_library_is_read_without_its_list_of_references_and_record(
    read: Read, tmp_path: Path, site: Site
) -> None:
    record = RIVERS.model_copy(update={"abstract": "Rivers keep traces."})
    fill(tmp_path, record, *TEXT)
    by_alias = RIVERS.model_copy(
        update={"id": "s2:1", "doi": None, "aliases": ("doi:10.1/rivers",)}
    )
    by_title = RIVERS.model_copy(update={"id": "openalex:W1", "doi": None})
    found, failures = await read(record, by_alias, by_title, library="mine")
    for text in found.values():
        assert [item.text for item in text.passages] == [OWN, "It needs a spade."]
        assert [item.place for item in text.passages] == ["1 Results, p. 1", "2 Limits, p. 4"]
        assert text.unread == ""
    assert (len(found), failures, site.requests) == (3, [], [])
    other = by_title.model_copy(update={"year": 2003})
    assert (
        "no online source"
        in (await read(other, library="mine", sources=("library",)))[0][other.id].unread
    )


async def test_library_that_cannot_be_opened_is_told_and_costs_no_open_copy(
    read: Read, site: Site
) -> None:
    paper = linked(RIVERS, site.serve("/a.pdf", rivers()))
    found, (failure,) = await read(paper, library="gone")
    assert OWN in words(found[RIVERS.id])
    assert "gone" in failure.subject


async def test_nothing_is_looked_for_where_it_is_switched_off_or_no_source_is_named(
    read: Read, site: Site
) -> None:
    paper = linked(RIVERS, site.serve("/a.pdf", rivers()))
    found, failures = await read(paper, full_text=False)
    assert found[paper.id] == FullText(unread="not read: full texts are switched off")
    for sources in ((), ("library",), ("library", "snapshot")):
        found, failures = await read(paper, sources=sources)
        assert found[paper.id].unread == (
            "not read: no online source selected, and no document in the library"
        )
        assert (found[paper.id].passages, failures, site.requests) == ((), [], [])


# --- Open copies ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("references_are_read_elsewhere")
async def test_open_pdf_is_read_with_sections_and_pages_and_without_furniture_and_references(
    read: Read, site: Site
) -> None:
    found, failures = await read(linked(RIVERS, site.serve("/a.pdf", rivers())))
    text = words(found[RIVERS.id])
    assert failures == []
    assert "Charcoal as a clock" not in text
    assert RUNNING not in text
    (own,) = [item for item in found[RIVERS.id].passages if OWN in item.text]
    assert (own.section, own.page, own.paper, own.title) == (
        ("1 Introduction",),
        1,
        RIVERS.id,
        TITLE,
    )
    last = [item for item in found[RIVERS.id].passages if item.page == 5]
    assert all(item.text.startswith("Nothing else") for item in last)
    assert last


def serve_index(site: Site, name: str, pdf: str) -> None:
    """Let one index know the PDF, in its own words."""
    place = {"pdf_url": pdf, "url_for_pdf": pdf, "is_oa": True}
    if name == "openalex":
        path = "/openalex_url/works/doi:10.1/rivers?select=id,best_oa_location,locations"
        site.serve(path, json.dumps({"id": "W1", "best_oa_location": place}).encode())
    elif name == "unpaywall":
        answer = {"best_oa_location": {"url_for_pdf": None}, "oa_locations": [place]}
        site.serve(
            "/unpaywall_url/v2/10.1/rivers?email=me%40example.org", json.dumps(answer).encode()
        )
    else:
        found = [{"doi": "10.1/other", "pmcid": "PMC9"}, {"doi": "10.1/RIVERS", "pmcid": "PMC7"}]
        path = "/europe_pmc_url/search?query=DOI:%2210.1%2Frivers%22&format=json&pageSize=5"
        site.serve(path, json.dumps({"resultList": {"result": found}}).encode())
        site.serve("/europe_pmc_url/PMC7/fullTextXML", JATS.replace("BODY", BODY).encode())


@pytest.mark.parametrize("name", ["openalex", "unpaywall", "europe_pmc"])
async def test_copy_that_only_an_index_knows_is_found(read: Read, site: Site, name: str) -> None:
    serve_index(site, name, site.serve("/b/rivers.pdf", rivers()))
    found, _ = await read(RIVERS, settings={"contact_email": "me@example.org"})
    assert OWN in words(found[RIVERS.id])
    (own,) = [item for item in found[RIVERS.id].passages if OWN in item.text]
    assert own.section == (("Findings",) if name == "europe_pmc" else ("1 Introduction",))


async def test_unpaywall_is_asked_only_with_an_address_and_openalex_only_for_what_it_did_not_say(
    read: Read, site: Site
) -> None:
    known = RIVERS.model_copy(update={"openalex": "W1"})
    found, failures = await read(known)
    assert [path.split("/")[1] for path in paths(site)] == ["europe_pmc_url"]
    assert found[RIVERS.id].unread == "unreadable: no open copy of doi:10.1/rivers is known"
    assert failures == []


OTHER = RIVERS.model_copy(update={"title": "Rivers that Forget their Droughts"})
STRANGER = RIVERS.model_copy(update={"authors": (Author(name="Zoe Quarry"),)})
EARLIER = RIVERS.model_copy(update={"year": 2012})


@pytest.mark.parametrize("paper", [OTHER, STRANGER, EARLIER])
async def test_copy_of_another_work_is_refused_and_the_next_place_is_asked(
    paper: Paper, read: Read, site: Site
) -> None:
    paper = linked(paper, site.serve("/a.pdf", rivers()))
    found, _ = await read(paper)
    assert found[paper.id] == FullText(
        unread=f"unreadable: the copy at 127.0.0.1 is of another work (“{TITLE}”)"
    )
    paper = paper.model_copy(update={"id": "doi:10.1/next"})
    own = (
        JATS.replace(TITLE, paper.title)
        .replace("2021", str(paper.year))
        .replace("Brook", paper.authors[0].family)
    )
    serve_index(site, "europe_pmc", "")
    site.serve("/europe_pmc_url/PMC7/fullTextXML", own.replace("BODY", BODY).encode())
    assert OWN in words((await read(paper))[0][paper.id])


@pytest.mark.parametrize("missing", [{"authors": ()}, {"year": None}, {"year": 2022}])
async def test_missing_author_or_year_refuses_no_copy_nor_does_the_year_of_its_preprint(
    missing: dict[str, Any], read: Read, site: Site
) -> None:
    paper = linked(RIVERS, site.serve("/a.pdf", rivers())).model_copy(update=missing)
    assert OWN in words((await read(paper))[0][paper.id])


async def test_copy_that_shows_the_papers_own_id_may_be_of_a_version_without_its_subtitle(
    read: Read, site: Site
) -> None:
    told: dict[str, Any] = {"title": f"{TITLE}: a Study of Silt", "year": 2024}
    site.serve("/arxiv_pdf_url/pdf/2101.01234", rivers())
    own = RIVERS.model_copy(update={**told, "arxiv": "2101.01234"})
    assert OWN in words((await read(own))[0][own.id])
    other = own.model_copy(
        update={"id": "doi:10.1/o", "title": "On Bees and their Hives in Winter"}
    )
    assert "is of another work" in (await read(other))[0][other.id].unread


async def test_page_of_a_log_in_and_bare_abstract_are_no_text(read: Read, site: Site) -> None:
    serve_index(site, "europe_pmc", "")
    site.serve("/europe_pmc_url/PMC7/fullTextXML", JATS.replace("BODY", "").encode())
    found, _ = await read(RIVERS)
    assert found[RIVERS.id].unread == (
        "unreadable: the copy at 127.0.0.1 has no text besides the abstract"
    )
    paper = linked(
        RIVERS.model_copy(update={"id": "doi:10.1/b", "doi": "10.1/b"}), site.serve("/a.pdf", PAGE)
    )
    assert "a landing page, a log-in" in (await read(paper))[0][paper.id].unread


async def test_paper_that_fails_costs_the_other_nothing_and_neither_is_fetched_twice(
    read: Read, site: Site, tmp_path: Path
) -> None:
    good = linked(RIVERS, site.serve("/a.pdf", rivers()))
    bad = linked(
        OTHER.model_copy(update={"id": "doi:10.1/bad", "doi": None}),
        site.serve("/b.pdf", b"%PDF-1.7 x"),
    )
    first, _ = await read(bad, good)
    assert OWN in words(first[good.id])
    assert first[bad.id].unread.startswith("unreadable: ")
    asked = paths(site)
    assert (asked.count("/a.pdf"), asked.count("/b.pdf")) == (1, 1)
    # A later round of checks, or the run after it was killed: nothing of it is left in memory.
    assert (await read(bad, good))[0] == first
    assert paths(site) == asked
    # Another run looks again for what it does not have.
    assert (await read(bad, good, run="other"))[0] == first
    assert paths(site) == [*asked, "/b.pdf"]
    offline, _ = await read(good, sources=("library",), run="third")
    assert words(offline[good.id]) == words(first[good.id])


async def test_no_more_copies_are_fetched_than_the_run_may(read: Read, site: Site) -> None:
    one = linked(RIVERS, site.serve("/a.pdf", rivers()))
    two = one.model_copy(update={"id": "doi:10.1/two"})
    none = RIVERS.model_copy(update={"id": "doi:10.1/none", "doi": None})
    found, (failure,) = await read(none, one, two, max_copies=1)
    assert "no open copy" in found[none.id].unread
    assert OWN in words(found[one.id])
    assert found[two.id].unread == "not read: this run fetches at most 1 open copy"
    assert failure.subject == "the open copies of 1 paper"
    found, _ = await read(two, max_copies=0, run="other")
    assert found[two.id].unread == "not read: this run fetches at most 0 open copies"
    assert paths(site).count("/a.pdf") == 1


async def test_budget_that_is_spent_leaves_the_rest_unread_and_ends_nothing(
    read: Read, site: Site, tmp_path: Path
) -> None:
    paper = linked(RIVERS, site.serve("/a.pdf", rivers()))
    run = "spent"
    await read(
        OTHER.model_copy(update={"id": "doi:10.1/other", "doi": None}), run=run
    )  # which opens its ledger
    assert request_finish(run, tmp_path)
    found, (failure,) = await read(paper, run=run)
    assert found[paper.id].unread == "not read: you asked the run to finish now"
    assert (failure.fatal, site.requests) == (False, [])


async def test_host_that_does_not_answer_leaves_its_papers_unread_and_no_other(
    read: Read, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = linked(RIVERS, site.serve("/a.pdf", rivers()))
    await read(good)
    monkeypatch.setattr(full_text, "SECONDS", 0.3)

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()  # until the client goes
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    async with server:
        base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        slow = linked(
            OTHER.model_copy(update={"id": "doi:10.1/slow", "doi": None}), f"{base}/x.pdf"
        )
        found, (failure,) = await read(slow, good, settings={"ar5iv_url": base})
        assert found[slow.id].unread == "not read: fetching open copies took longer than 0.3 s"
        assert OWN in words(found[good.id])
        assert failure.stage == "check"
        server.close()


@pytest.mark.parametrize(
    "answer", [(422, {}, b"bad address"), (200, {}, b"<p>no JSON</p>"), (200, {}, b"[7]")]
)
async def test_index_that_answers_strangely_is_passed_over_and_shows_no_address_of_the_user(
    answer: Any, read: Read, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    site.serve("/unpaywall_url/v2/10.1/rivers?email=me%40example.org", answer)
    settings = {"contact_email": "me@example.org"}
    found, _ = await read(RIVERS, settings=settings)
    why = (
        "unpaywall does not give"
        if answer[0] == 422
        else "no open copy of doi:10.1/rivers is known"
    )
    assert why in found[RIVERS.id].unread
    told = caplog.text.replace("httpcore", "") + found[RIVERS.id].unread
    assert "example.org" not in told
    serve_index(site, "europe_pmc", "")
    assert OWN in words((await read(RIVERS, settings=settings, run="other"))[0][RIVERS.id])
