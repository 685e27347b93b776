"""Files that are broken or hostile cost themselves only, and their reports say what to do."""

import asyncio
import gzip
import os
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Timer

import pytest

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
from tools.ingest.spool import Spool
from tools.ingest.workers import Limits, StoppedError, Workers, close_workers
from tools.library.open import close_libraries

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
    if hasattr(os, "mkfifo"):
        os.mkfifo(made / "never.md")
    (made / "locked").chmod(0)
    yield made
    (made / "locked").chmod(0o700)


async def test_each_bad_file_fails_with_cause_and_remedy_and_the_good_one_is_in(
    tmp_path: Path, folder: Path
) -> None:
    context = context_at(tmp_path / "home", allowed=folder)
    result = await ingest(context, paths=[str(folder)])
    reports = by_name(result)
    good = reports.pop("bees.md")
    assert good.status == "added"
    if os.access(folder / "locked", os.R_OK):  # this user may read everything
        assert reports.pop("a.md").status == "added"
    else:
        assert "cannot be opened" in reports.pop("locked").cause
    if pipe := reports.pop("never.md", None):
        assert "a pipe" in pipe.cause
    assert set(reports) == {*BAD, "gone.md"}
    assert {name: item.status for name, item in reports.items() if item.status != "failed"} == {}
    assert [name for name, item in reports.items() if not (item.cause and item.remedy)] == []
    assert (result["outcome"], result["stop"]) == ("partial", None)
    # What failed is tried again: nobody knows but by trying.
    again = by_name(await ingest(context, paths=[str(folder)]))
    assert (again["bees.md"].status, again["scanned.pdf"].status) == ("unchanged", "failed")
    assert library_of(context).texts.waiting() == 0


async def test_folder_without_a_file_that_can_be_read_fails_by_itself(tmp_path: Path) -> None:
    (tmp_path / "film.mp4").write_bytes(bytes(10))
    context = context_at(tmp_path / "home", allowed=tmp_path)
    result = await ingest(context, paths=[str(tmp_path)])
    assert result["outcome"] == "nothing"
    assert "no file in it that can be read" in result["reports"][0].cause


async def test_missing_file_stops_before_a_library_is_made(tmp_path: Path) -> None:
    context = context_at(tmp_path / "home", allowed=tmp_path)
    (tmp_path / "bees.md").write_text(markdown(), encoding="utf-8")
    paths = [str(tmp_path / "bees.md"), str(tmp_path / "none.md")]
    result = await ingest(context, paths=paths)
    assert "there is no file" in result["stop"].cause
    assert not (tmp_path / "home" / "libraries" / "mine").exists()


# --- The processes that read ------------------------------------------------------------------


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    made = Workers(Limits(workers=1, seconds=1.0, megabytes=700))
    yield made
    made.stop()


def test_reading_that_takes_too_long_is_ended_and_the_next_file_is_read(workers: Workers) -> None:
    with pytest.raises(DocumentError, match="longer than 1 seconds"):
        workers.run(Event(), time.sleep, 60)
    assert workers.run(Event(), abs, -3) == 3


def test_reader_that_crashes_costs_its_file_only(workers: Workers) -> None:
    with pytest.raises(DocumentError, match="crashed"):
        workers.run(Event(), os.abort)
    assert workers.run(Event(), abs, -4) == 4


def test_reader_that_wants_too_much_memory_is_refused(workers: Workers) -> None:
    with pytest.raises(DocumentError, match="more memory") as caught:
        workers.run(Event(), bytearray, 5_000_000_000)
    assert "split" in caught.value.remedy


def test_run_that_is_stopped_waits_for_no_reader(workers: Workers) -> None:
    stopped = Event()
    Timer(0.1, stopped.set).start()
    with pytest.raises(StoppedError):
        workers.run(stopped, time.sleep, 60)
    assert workers.run(Event(), abs, -5) == 5


async def test_stopped_workers_end_what_waits_for_them() -> None:
    made = Workers(Limits(workers=1, seconds=60.0))
    waiting = asyncio.get_running_loop().run_in_executor(
        made.threads, made.run, Event(), time.sleep, 60
    )
    await asyncio.sleep(0.3)
    await asyncio.to_thread(made.stop)
    with pytest.raises(StoppedError):
        await waiting


def test_no_process_is_started_once_the_workers_were_stopped() -> None:
    made = Workers(Limits(workers=1))
    made.stop()
    with pytest.raises(StoppedError):
        made.run(Event(), len, "text")


def test_spool_keeps_contents_once_and_forgets_what_old_runs_left(tmp_path: Path) -> None:
    spool = Spool(tmp_path, "run")
    digest = spool.put(b"some text")
    assert spool.put(b"some text") == digest
    assert spool.path(digest).read_bytes() == b"some text"
    old = Spool(tmp_path, "old")
    old.put(b"more")
    os.utime(tmp_path / "ingesting" / "old", (0, 0))
    Spool(tmp_path, "new").clear()
    assert [path.name for path in (tmp_path / "ingesting").iterdir()] == ["run"]
    spool.drop(spool.put(b"some text", name="arxiv:2005.11401"))
    assert spool.path(digest).exists()
    spool.clear()
    assert not list((tmp_path / "ingesting").iterdir())
