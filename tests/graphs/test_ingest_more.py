"""What `ingest` must not forget, and must not carry from one run to the next."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graphs.ingest import builder
from tests.graphs.ingest_files import (
    BEES,
    OTTERS,
    by_name,
    context_at,
    ingest,
    library_of,
    markdown,
    papers_in,
    words_in,
)
from tests.graphs.sources import Asked
from tools.bibliography.read_record import paper_from
from tools.errors import TransientError
from tools.ingest.allowed_paths import allow_paths
from tools.ingest.workers import close_workers
from tools.library.open import close_libraries


@pytest.fixture(scope="module", autouse=True)
def ended() -> Iterator[None]:
    yield
    close_workers()
    close_libraries()


def upload(name: str, title: str, body: tuple[str, ...] = BEES) -> dict[str, str]:
    return {"name": name, "content": markdown(title, body)}


async def test_thread_carries_nothing_from_one_run_to_the_next(tmp_path: Path) -> None:
    context = context_at(tmp_path / "home")
    kept = builder.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "one"}}

    async def send(**inputs: Any) -> dict[str, Any]:
        given: Any = {"library": "mine", **inputs}
        return dict(await kept.ainvoke(given, config, context=context))

    first = await send(uploads=[upload("a.md", "Bees come home")])
    assert first["outcome"] == "complete"
    refused = await send(library="../x", ids=["10.5555/x"])
    assert refused["stop"]
    assert (refused["reports"], refused["spent"]) == ([], {})
    later = await send(uploads=[upload("b.md", "Otters under weirs", OTTERS)])
    assert (later["stop"], later["failures"], later["outcome"]) == (None, [], "complete")
    assert [item.source for item in later["reports"]] == ["b.md"]
    assert later["spent"]["passages_made"] < 2 * first["spent"]["passages_made"]


async def test_uploads_of_one_name_are_two_files(tmp_path: Path) -> None:
    context = context_at(tmp_path / "home")
    sent = [upload("a.md", "Bees come home"), upload("../../a.md", "Otters under weirs", OTTERS)]
    result = await ingest(context, uploads=sent)
    assert [item.status for item in result["reports"]] == ["added", "added"]
    assert len({item.source for item in result["reports"]}) == 2
    assert len(papers_in(context)) == 2
    names = {item.name for item in library_of(context).texts.documents()}
    assert not any("/" in name or ".." in name for name in names)


async def test_too_many_tags_are_refused(tmp_path: Path) -> None:
    tags = [f"tag {number}" for number in range(51)]
    result = await ingest(context_at(tmp_path / "home"), uploads=[upload("a.md", "B")], tags=tags)
    assert "at most 50" in result["stop"].cause


async def test_each_folder_that_was_allowed_may_be_read_and_no_odd_path(tmp_path: Path) -> None:
    context = context_at(tmp_path / "home")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.md").write_text(markdown(f"On {name}"), encoding="utf-8")
        allow_paths(context.clients, tmp_path / name)
    result = await ingest(context, paths=[str(tmp_path / "one"), str(tmp_path / "two")])
    assert {item.status for item in result["reports"]} == {"added"}
    for odd in (f"{tmp_path / 'one'}/\x00", "", str(tmp_path)):
        assert "lies outside" in (await ingest(context, paths=[odd]))["stop"].cause


async def test_new_tag_of_a_known_file_is_given_to_its_paper(tmp_path: Path) -> None:
    context = context_at(tmp_path / "home")
    sent = [upload("a.md", "Bees come home")]
    await ingest(context, uploads=sent, tags=["old"])
    result = await ingest(context, uploads=sent, tags=["new"])
    assert result["reports"][0].status == "updated"
    assert library_of(context).texts.tags() == {"old": 1, "new": 1}


async def test_file_that_an_older_reader_has_read_is_read_again(tmp_path: Path) -> None:
    context = context_at(tmp_path / "home")
    sent = [upload("a.md", "Bees come home")]
    await ingest(context, uploads=sent)
    texts = library_of(context).texts
    (entry,) = texts.documents()
    older = entry.model_copy(update={"reader": "markdown 0"})
    first = [item for item in texts.of_paper(entry.paper) if item.document][:1]
    texts.put(older, texts.text(entry.sha256), first)
    result = await ingest(context, uploads=sent)
    assert result["reports"][0].status == "updated"
    assert texts.documents()[0].reader == entry.reader
    assert BEES[2] in words_in(context)


class Away(Asked):
    """A source that cannot be reached."""

    async def get(self, ids: Any) -> Any:
        raise TransientError(f"{self.name} is away")


async def test_source_that_is_away_leaves_the_id_to_the_next(tmp_path: Path) -> None:
    record = paper_from({"id": "10.5555/bees.1", "title": "Bees Come Home", "year": 2020})
    context = context_at(tmp_path / "home", Away("openalex"), Asked("crossref", [record]))
    result = await ingest(
        context, ids=["10.5555/bees.1"], sources=["openalex", "crossref"], tags=["wanted"]
    )
    report = by_name(result)["bees.1"]
    assert (report.status, report.paper) == ("partly", "doi:10.5555/bees.1")
    assert result["outcome"] == "partial"
    assert library_of(context).texts.tags() == {"wanted": 1}


async def test_record_of_a_file_counts_more_than_a_paper_of_the_same_title(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "bees.md").write_text(markdown(), encoding="utf-8")
    context = context_at(tmp_path / "home", allowed=folder)
    same = {"id": "10.5555/other", "title": "How honey bees find home", "year": 2019}
    await ingest(context, uploads=[{"name": "r.jsonl", "content": json.dumps(same)}])
    (folder / "refs.bib").write_text(
        "@article{abel, title={Bees Come Home}, author={Abel, Ann}, year={2020}, "
        "doi={10.5555/bees.1}, file={:bees.md:MD}}",
        encoding="utf-8",
    )
    result = await ingest(context, paths=[str(folder)])
    assert by_name(result)["bees.md"].paper == "doi:10.5555/bees.1"


async def test_name_of_half_characters_costs_nothing(tmp_path: Path) -> None:
    sent = [upload("\ud800.md", "Bees come home"), upload("b.md", "Otters under weirs", OTTERS)]
    result = await ingest(context_at(tmp_path / "home"), uploads=sent)
    assert [item.status for item in result["reports"]] == ["added", "added"]


async def test_file_whose_name_is_no_utf8_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "good.md").write_text(markdown("Bees come home", BEES), encoding="utf-8")
    try:
        (folder / "caf\udce9.md").write_text(markdown("Otters", OTTERS), encoding="utf-8")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    context = context_at(tmp_path / "home")
    allow_paths(context.clients, folder)
    result = await ingest(context, paths=[str(folder)])
    assert sorted(item.status for item in result["reports"]) == ["added", "failed"]
    (told,) = [item for item in result["reports"] if item.status == "failed"]
    assert "UTF-8" in told.cause
    assert "rename" in told.remedy


async def test_uploads_of_one_name_are_told_apart_and_keep_their_suffix(tmp_path: Path) -> None:
    sent = [
        upload("u (2).md", "Bees come home"),
        upload("u.md", "Otters under weirs", OTTERS),
        upload("u.md", "Bees again"),
    ]
    result = await ingest(context_at(tmp_path / "home"), uploads=sent)
    assert [item.source for item in result["reports"]] == ["u (2).md", "u.md", "u (3).md"]
    assert {item.kind for item in result["reports"]} == {"markdown"}
