"""Files that are broken or hostile cost themselves only, and their reports say what to do."""

import asyncio
import gzip
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Timer

import pytest

from state.document import Block, Document
from tests.graphs.ingest_files import (
    BOMB,
    ENCRYPTED,
    SCANNED,
    TRUNCATED,
    by_name,
    context_at,
    ingest,
    library_of,
    markdown,
)
from tools.errors import DocumentError
from tools.file_limits import ReaderLimits
from tools.ingest.file_places import UploadSpool
from tools.ingest.ingest_target import BAD_RECORDS
from tools.ingest.reader_processes import StoppedError, Workers, close_workers
from tools.library.open_library import close_libraries, library_names
from tools.references.read_bibliography import read_entries

BAD = {
    "encrypted.pdf": ENCRYPTED,
    "scanned.pdf": SCANNED,
    "truncated.pdf": TRUNCATED,
    "bomb.pdf": BOMB,
    "empty.pdf": b"",
    "blank.txt": b" \n\t\n",
    "picture.pdf": b"\x89PNG\r\n\x1a\n" + bytes(200),
    "old.doc": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
    "nothing.md": b"\x00\x01\x02\x03" * 50,
    "refs.bib.gz": gzip.compress(b"@misc{a, title = {Bees}}\n" * 4000)[:90],
}


@pytest.fixture(scope="module", autouse=True)
def ended() -> Iterator[None]:
    yield
    close_workers()
    close_libraries()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder of bad files, a pipe, a link to nowhere and a locked folder; and one good file."""
    made = tmp_path / "in"
    (made / "locked").mkdir(parents=True)
    for name, content in BAD.items():
        (made / name).write_bytes(content)
    (made / "gone.md").symlink_to(made / "nowhere.md")
    (made / "locked" / "a.md").write_text(markdown("Locked"), encoding="utf-8")
    (made / "bees.md").write_text(markdown(), encoding="utf-8")
    with suppress(OSError):  # some file systems take UTF-8 names only
        (made / "caf\udce9.md").write_text(markdown("Strange"), encoding="utf-8")
    if hasattr(os, "mkfifo"):
        os.mkfifo(made / "never.md")
    (made / "locked").chmod(0)
    yield made
    (made / "locked").chmod(0o700)


async def test_each_bad_file_fails_with_cause_and_remedy_and_the_good_one_is_in(
    tmp_path: Path, folder: Path
) -> None:
    context = context_at(tmp_path / "home", allowed=tmp_path)
    missing = await ingest(context, paths=[str(folder), str(tmp_path / "none.md")])
    assert "there is no file" in missing["stop"].cause
    assert not (tmp_path / "home" / "libraries" / "mine").exists()
    (tmp_path / "films").mkdir()
    (tmp_path / "films" / "film.mp4").write_bytes(bytes(10))
    nothing = await ingest(context, paths=[str(tmp_path / "films")])
    assert nothing["outcome"] == "nothing"
    assert "no readable file" in nothing["reports"][0].cause
    result = await ingest(context, paths=[str(folder)])
    reports = by_name(result)
    assert reports.pop("bees.md").status == "added"
    if os.access(folder / "locked", os.R_OK):  # this user may read everything
        assert reports.pop("a.md").status == "added"
    else:
        assert "cannot be opened" in reports.pop("locked").cause
    if pipe := reports.pop("never.md", None):
        assert "a pipe" in pipe.cause
    if strange := reports.pop("caf?.md", None):
        assert "not UTF-8" in strange.cause
    assert set(reports) == {*BAD, "gone.md"}
    assert {name: item.status for name, item in reports.items() if item.status != "failed"} == {}
    assert [name for name, item in reports.items() if not (item.cause and item.remedy)] == []
    assert (result["outcome"], result["stop"]) == ("partial", None)
    # What failed is tried again: nobody knows but by trying.
    again = by_name(await ingest(context, paths=[str(folder)]))
    assert (again["bees.md"].status, again["scanned.pdf"].status) == ("unchanged", "failed")
    assert library_of(context).texts.waiting() == 0


async def test_run_that_adds_nothing_leaves_no_library_of_its_own_and_keeps_one_that_was_there(
    tmp_path: Path,
) -> None:
    context = context_at(tmp_path / "home")
    bad = [
        {"name": "bad.bib", "content": "@article{x, ttle={"},
        {"name": "blank.txt", "content": " "},
    ]
    failed = await ingest(context, uploads=bad)
    assert (failed["outcome"], len(failed["reports"])) == ("nothing", 2)
    assert library_names(context.clients.settings) == ["starter"]
    account = tmp_path / "home" / "libraries" / "mine" / BAD_RECORDS
    assert "broken off" in account.read_text(encoding="utf-8"), "what is said of bad records stays"
    good = [{"name": "bees.md", "content": markdown()}]
    assert (await ingest(context, uploads=good))["outcome"] == "complete"
    assert (await ingest(context, uploads=bad))["outcome"] == "nothing"
    assert library_of(context).stats().papers == 1


# --- The processes that read ------------------------------------------------------------------


def endless_list() -> Document:
    """A document with a list of references that takes minutes to read."""
    entry = "[1] " + "A. B. Cole, " * 300 + "2001. On bees. Journal of Bees 1(2), 3-4."
    return Document(blocks=(Block(text=entry, kind="reference"),) * 5_000, reader="text 2")


def test_slow_crashing_greedy_and_stopped_readers_cost_their_files_only() -> None:
    workers = Workers(ReaderLimits(workers=1, seconds=1.0, megabytes=700))
    stopped = Event()
    try:
        with pytest.raises(DocumentError, match="longer than 1 seconds"):
            workers.run(Event(), time.sleep, 60)
        with pytest.raises(DocumentError, match="longer than 1 seconds"):
            workers.run(Event(), read_entries, endless_list())
        with pytest.raises(DocumentError, match="crashed"):
            workers.run(Event(), os.abort)
        with pytest.raises(DocumentError, match="more memory") as caught:
            workers.run(Event(), bytearray, 5_000_000_000)
        assert "split" in caught.value.remedy
        Timer(0.1, stopped.set).start()
        with pytest.raises(StoppedError):
            workers.run(stopped, time.sleep, 60)
        assert workers.run(Event(), abs, -5) == 5
    finally:
        workers.stop()
    with pytest.raises(StoppedError):  # no process is started once they were stopped
        workers.run(Event(), len, "text")


async def test_stopped_workers_end_what_waits_for_them() -> None:
    made = Workers(ReaderLimits(workers=1, seconds=60.0))
    waiting = asyncio.get_running_loop().run_in_executor(
        made.threads, made.run, Event(), time.sleep, 60
    )
    await asyncio.sleep(0.3)
    await asyncio.to_thread(made.stop)
    with pytest.raises(StoppedError):
        await waiting


def test_spool_keeps_contents_once_and_forgets_what_old_runs_left(tmp_path: Path) -> None:
    spool = UploadSpool(tmp_path, "run")
    digest = spool.put(b"some text")
    assert (spool.put(b"some text"), spool.path(digest).read_bytes()) == (digest, b"some text")
    old = UploadSpool(tmp_path, "old")
    old.put(b"more")
    os.utime(tmp_path / "ingesting" / "old", (0, 0))
    UploadSpool(tmp_path, "new").clear()
    assert [path.name for path in (tmp_path / "ingesting").iterdir()] == ["run"]
    spool.drop(spool.put(b"some text", name="arxiv:2005.11401"))
    assert spool.path(digest).exists()
    spool.clear()
    assert not list((tmp_path / "ingesting").iterdir())
