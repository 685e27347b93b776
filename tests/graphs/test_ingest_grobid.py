"""`ingest` with a GROBID service: its reading is kept, and where it fails nothing is lost."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Event

import pytest

from tests.documents.test_grobid import TEI
from tests.fakes.grobid import Answer, GrobidServer
from tests.graphs.ingest_files import (
    by_name,
    context_at,
    ingest,
    library_of,
    markdown,
    papers_in,
    pdf,
)
from tools.context import RunContext
from tools.documents.grobid import NAME, Grobid
from tools.ingest.workers import Limits, StoppedError, Workers, close_workers, read_apart
from tools.library.open import close_libraries


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


def context_with(home: Path, folder: Path, url: str | None) -> RunContext:
    context = context_at(home, allowed=folder)
    clients = context.clients
    vars(clients)["settings"] = clients.settings.model_copy(update={"grobid_url": url})
    return context


def titles(context: RunContext) -> Sequence[str]:
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
        workers = Workers(Limits(workers=1))
        try:
            asked = (folder / "snails.pdf", "a.pdf", Grobid(server.url))
            reading = workers.threads.submit(read_apart, workers, stopped, *asked)
            server.wait_for(1)
            stopped.set()
            with pytest.raises(StoppedError):
                reading.result(timeout=60)
        finally:
            workers.stop()
