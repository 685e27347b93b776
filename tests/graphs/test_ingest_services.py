"""`ingest` with a GROBID service, with a mind, with dumps, and at the addresses that fsspec opens."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Any

import fsspec
import pytest
from pydantic import SecretStr

from tests.documents.test_grobid import TEI
from tests.fakes.grobid import Answer, GrobidServer
from tests.fakes.openai_server import OpenAIServer, Refusal, Script, inputs_of
from tests.graphs.dumps import openalex_work, packed, s2orc_paper
from tests.graphs.ingest_files import (
    by_name,
    context_at,
    ingest,
    library_of,
    markdown,
    papers_in,
    pdf,
)
from tests.graphs.sources import Sources
from tests.library.words import WordEmbedder
from tools.documents.grobid import NAME, Grobid
from tools.file_limits import ReaderLimits
from tools.ingest.file_places import allow_paths
from tools.ingest.reader_processes import StoppedError, Workers, close_workers, read_file
from tools.library.open_library import close_libraries
from tools.run_settings import RunSettings


@pytest.fixture(scope="module", autouse=True)
def ended() -> Iterator[None]:
    yield
    close_workers()
    close_libraries()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "snails.pdf").write_bytes(pdf())
    return tmp_path / "in"


def context_with(home: Path, folder: Path, url: str | None) -> RunSettings:
    context = context_at(home, allowed=folder)
    clients = context.clients
    vars(clients)["settings"] = clients.settings.model_copy(update={"grobid_url": url})
    return context


def titles(context: RunSettings) -> Sequence[str]:
    return sorted(paper.title for paper in papers_in(context))


async def test_pdf_is_taken_in_as_the_service_reads_it_and_asked_about_once(
    tmp_path: Path, folder: Path
) -> None:
    (folder / "bees.md").write_text(markdown(), encoding="utf-8")
    with GrobidServer([Answer(200, TEI)]) as server:
        context = context_with(tmp_path / "home", folder, server.url)
        first = by_name(await ingest(context, paths=[str(folder)]))
        again = by_name(await ingest(context, paths=[str(folder)]))
        assert len(server.requests) == 1
    assert titles(context) == ["How honey bees find home", "Snails that count their steps"]
    assert (first["snails.pdf"].kind, first["snails.pdf"].status) == ("pdf", "added")
    assert {report.status for report in again.values()} == {"unchanged"}
    without = context_with(tmp_path / "home", folder, None)
    kept = by_name(await ingest(without, paths=[str(folder)]))
    assert kept["snails.pdf"].status == "unchanged"
    assert titles(without) == titles(context)


async def test_pdf_that_the_service_does_not_read_is_taken_in_with_a_note_and_tried_again(
    tmp_path: Path, folder: Path
) -> None:
    unread = Answer(200, "<TEI><text><body/></text></TEI>")
    with GrobidServer([Answer(500), unread, Answer(200, TEI)]) as server:
        context = context_with(tmp_path / "home", folder, server.url)
        first = by_name(await ingest(context, paths=[str(folder)]))["snails.pdf"]
        assert first.status == "added"
        assert any("read without GROBID" in note and "500" in note for note in first.notes)
        assert titles(context) == ["How Radar Tracks Insects"]
        second = by_name(await ingest(context, paths=[str(folder)]))["snails.pdf"]
        assert any("read without GROBID" in note and "no text" in note for note in second.notes)
        third = by_name(await ingest(context, paths=[str(folder)]))["snails.pdf"]
        assert not any("GROBID" in note for note in third.notes)
    known = library_of(context).texts.known(sha256(pdf()).hexdigest())
    assert known is not None
    assert known.reader == NAME


def test_run_that_is_stopped_waits_for_no_service(folder: Path) -> None:
    stopped = Event()
    with GrobidServer([Answer(200, slow=True)]) as server:
        workers = Workers(ReaderLimits(workers=1))
        try:
            asked = (str(folder / "snails.pdf"), "a.pdf", Grobid(server.url))
            reading = workers.threads.submit(lambda: workers.run(stopped, read_file, *asked))
            server.wait_for(1, 60.0)
            stopped.set()
            with pytest.raises(StoppedError):
                reading.result(timeout=60)
        finally:
            workers.stop()


# --- Where it is asked for, a mind names the keywords of passages; else they are computed -------


def name_waggle(request: dict[str, Any]) -> Any:
    shown: Any = inputs_of(request)["passages"]
    named = [{"id": item["id"], "keywords": ["waggle dance", "x" * 200]} for item in shown]
    return {"passages": [*named, {"id": "T99", "keywords": ["nobody's"]}]}


async def named_by(script: Script | list[Any], home: Path, folder: Path) -> tuple[Any, list[str]]:
    """Ingest with a mind that names keywords; return the result and all keywords there are."""
    with OpenAIServer(script) as server:
        context = RunSettings(mind="llm")
        clients = Sources(
            home,
            embedder=WordEmbedder(),
            llm_base_url=server.url,
            strong_model="scripted",
            llm_api_key=SecretStr("sk-test"),
        )
        vars(context).update(clients=clients, keywords_by_mind=True)
        allow_paths(clients, folder)
        result = await ingest(context, paths=[str(folder)])
        again = await ingest(context, paths=[str(folder)])
        assert again["outcome"] == ("partial" if again["failures"] else "complete")
    return result, words_of(context)


def words_of(context: RunSettings) -> list[str]:
    library = library_of(context)
    with library.catalog.database.reading() as db:
        rows = db.execute("SELECT keywords FROM texts WHERE keywords IS NOT NULL").fetchall()
    return [word for (words,) in rows for word in words.splitlines()]


async def test_keywords_that_a_mind_names_are_kept_and_asked_for_once(
    tmp_path: Path, folder: Path
) -> None:
    asked: list[object] = []

    def script(request: dict[str, Any]) -> Any:
        asked.append(request)
        return name_waggle(request)

    (folder / "snails.pdf").rename(folder / "away")
    (folder / "bees.md").write_text(markdown(), encoding="utf-8")
    result, words = await named_by(script, tmp_path / "home", folder)
    assert (result["failures"], len(asked)) == ([], 1)
    assert "waggle dance" in words
    assert not any("nobody" in word or "xxx" in word for word in words)
    refused, words = await named_by([Refusal("no")], tmp_path / "other", folder)
    assert "computed their keywords instead" in refused["failures"][0].remedy
    assert any("bees" in word for word in words)


# The `ingest` graph takes in dumps, and files at the addresses that fsspec opens.


async def test_folder_of_an_openalex_snapshot_is_taken_as_records(tmp_path: Path) -> None:
    folder = tmp_path / "works"
    works: list[Any] = [
        *map(openalex_work, range(3)),
        {**openalex_work(9), "title": None},
        "{broken",
    ]
    packed(folder / "updated_date=2026-01-01" / "part_000.gz", works)
    (folder / "manifest").write_text("{}", encoding="utf-8")
    context = context_at(tmp_path / "home", allowed=folder)
    done = await ingest(context, paths=[str(folder)])
    (report,) = done["reports"]
    assert (report.status, report.records) == ("partly", {"added": 3, "bad": 2})
    assert [item.where.rpartition(":")[2] for item in report.unread] == ["4", "5"]
    second = library_of(context).get(["https://doi.org/10.5555/w1"])
    (paper,) = second.values()
    assert (paper.openalex, paper.year) == ("W1001", 2020)
    assert paper.abstract == (
        "Bees of region 1 store honey over winter in wooden hives on southern slopes."
    )
    assert library_of(context).references([paper.id])[paper.id] == ("doi:10.5555/w0",)
    again = await ingest(context, paths=[str(folder)])
    assert again["reports"][0].records == {"unchanged": 3, "bad": 2}


@pytest.mark.usefixtures("references_are_read_elsewhere")
async def test_each_paper_of_s2orc_is_a_document_with_sections_and_references(
    tmp_path: Path,
) -> None:
    empty = {**s2orc_paper(7), "content": {"text": None}}
    wrong = {**s2orc_paper(8)}
    wrong["content"] = {**wrong["content"], "annotations": {"paragraph": '[{"start": "x"}]'}}
    dump = packed(tmp_path / "s2orc.jsonl.gz", [*map(s2orc_paper, range(4)), empty, wrong, "{"])
    context = context_at(tmp_path / "home", allowed=dump)
    done = await ingest(context, paths=[str(dump)], tags=["bees"])
    (report,) = done["reports"]
    assert (report.status, report.records) == ("partly", {"added": 4, "bad": 3})
    assert report.passages == done["counts"].passages > 4
    library = library_of(context)
    (paper,) = library.get(["10.5555/s2"]).values()
    assert paper.title == "Radar tracks of bees in meadow 2"
    assert [author.name for author in paper.authors] == ["Ann B. Abel"]
    assert "harmonic radar" in (paper.abstract or "")
    sections = {passage.section for passage in library.texts.of_paper(paper.id)}
    assert {("Introduction",), ("Results",)} & sections
    assert [entry.year for entry in library.texts.references(paper.id)] == [2005]
    assert library.texts.tags_of(paper.id) == ("bees",)
    (entry,) = library.texts.documents(paper.id)
    assert library.texts.text(entry.sha256).count("\n\n") == 3
    again = await ingest(context, paths=[str(dump)])
    assert again["reports"][0].records == {"unchanged": 4, "bad": 3}
    assert library.stats().documents == 4


async def test_files_below_an_address_are_copied_read_once_and_not_left_behind(
    tmp_path: Path,
) -> None:
    store = fsspec.filesystem("memory")
    store.pipe(
        {
            "/bees/a.md": markdown().encode(),
            "/bees/deep/b.pdf": pdf(),
            "/bees/deep/empty.pdf": b"",
            "/bees/part_000.gz": packed(tmp_path / "w.gz", [openalex_work(1)]).read_bytes(),
            "/bees/s2orc.jsonl.gz": packed(tmp_path / "s.gz", [s2orc_paper(1)]).read_bytes(),
            "/bees/picture.png": b"\x89PNG",
        }
    )
    try:
        context = context_at(tmp_path / "home", allowed=Path(tmp_path.anchor))
        done = await ingest(context, paths=["memory://bees"])
        status = {name: report.status for name, report in by_name(done).items()}
        assert status == {
            "a.md": "added",
            "b.pdf": "added",
            "empty.pdf": "failed",
            "part_000.gz": "added",
            "s2orc.jsonl.gz": "added",
        }
        assert any("memory://bees: 1 file of kinds" in note for note in done["notes"])
        assert len(papers_in(context)) == 4
        entries = library_of(context).texts.documents()
        (kept,) = [entry.sha256 for entry in entries if entry.kind == "pdf"]
        assert library_of(context).files.path(kept)
        assert not list((tmp_path / "home" / "ingesting").glob("*/*"))
        again = await ingest(context, paths=["memory://bees/deep/b.pdf"])
        assert again["counts"].unchanged == 1
        store.rm("/bees/deep/b.pdf")
        gone = await ingest(context, paths=["memory://bees/deep/b.pdf"])
        assert "there is no file at memory://bees/deep/b.pdf" in gone["stop"].cause
    finally:
        store.rm("/bees", recursive=True)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("memory://bees", "outside the folders"),
        ("file:///etc/passwd", "outside the folders"),
    ],
)
async def test_address_is_refused_to_who_may_not_read_everything(
    tmp_path: Path, address: str, words: str
) -> None:
    context = context_at(tmp_path / "home", allowed=tmp_path)
    assert words in (await ingest(context, paths=[address]))["stop"].cause


async def test_address_of_no_known_kind_says_what_is_missing(tmp_path: Path) -> None:
    context = context_at(tmp_path / "home", allowed=Path(tmp_path.anchor))
    done = await ingest(context, paths=["nostore://bees"])
    assert "nostore://bees cannot be opened: Protocol not known: nostore" in done["stop"].cause
