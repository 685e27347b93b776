"""The `ingest` graph takes in dumps, and files at the addresses that fsspec opens."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest

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
from tools.ingest.reader_processes import close_workers
from tools.library.open_library import close_libraries


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    close_workers()
    close_libraries()


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
    done = await ingest(context, paths=[address])
    assert words in done["stop"].cause


async def test_address_of_no_known_kind_says_what_is_missing(tmp_path: Path) -> None:
    context = context_at(tmp_path / "home", allowed=Path(tmp_path.anchor))
    done = await ingest(context, paths=["nostore://bees"])
    assert "nostore://bees cannot be opened: Protocol not known: nostore" in done["stop"].cause
