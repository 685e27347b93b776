"""`ingest` with a GROBID service and with a mind: where they fail nothing is lost."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from pydantic import SecretStr

from tests.documents.test_grobid import TEI
from tests.fakes.grobid import Answer, GrobidServer
from tests.fakes.openai_server import OpenAIServer, Refusal, Script, inputs_of
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
