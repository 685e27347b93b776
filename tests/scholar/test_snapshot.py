"""A slice of OpenAlex's dump: built by the command, searched as a source, and enough for `find`."""

import builtins
import gzip
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from citeloom.cli.app import app
from evals.retrieval.corpus import read_corpus
from evals.retrieval.works import write_dump
from evals.starter.command import GRAPH, write_data
from state.paper import Paper, published_before
from tests.scholar.looking import query, under_title
from tests.support import ABSTRACT
from tools.errors import PermanentError
from tools.scholar.snapshot import INDEX, SnapshotSource, slice_of
from tools.settings import settings

RAG = "Retrieval-Augmented Generation for Knowledge-Intensive NLP Tasks"


def build(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["snapshot", "build", *map(str, arguments)])


@pytest.fixture(scope="module")
def works(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The starter library as OpenAlex's dump has works, with topics and days of change."""
    folder = tmp_path_factory.mktemp("data")
    write_data(folder)
    write_dump(read_corpus((folder / GRAPH).parent), folder / "works.gz")
    with gzip.open(folder / "works.gz", "rt", encoding="utf-8") as file:
        found: list[dict[str, Any]] = [json.loads(line) for line in file]
    for at, work in enumerate(found):
        work["language"] = "en" if at % 10 else "de"
        work["updated_date"] = f"2026-03-{at % 28 + 1:02}T10:00:00"
        name = "Artificial Intelligence" if at % 2 else "Library Science"
        work["topics"] = [{"display_name": f"Topic {at}", "subfield": {"display_name": name}}]
    return found


def write(path: Path, works: list[dict[str, Any]], *more: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in [*map(json.dumps, works), *more])
    return path


@pytest.fixture(scope="module")
def folder(works: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A slice of all works, in two files as in the dump."""
    root = tmp_path_factory.mktemp("dump")
    half = len(works) // 2
    write(root / "updated_date=2026-03-01" / "part_000.gz", works[:half])
    write(root / "updated_date=2026-03-28" / "part_000.gz", works[half:], "no JSON", '{"id": null}')
    done = build(root, "--out", root / "slice")
    assert done.exit_code == 0, done.output
    assert f"{len(works)} works (all works)" in done.stdout
    return root / "slice"


@pytest.fixture
def source(folder: Path) -> SnapshotSource:
    return SnapshotSource(folder)


async def test_search_finds_words_stems_and_phrases_within_the_days_asked_for(
    source: SnapshotSource,
) -> None:
    found = await source.search(query('"retrieval-augmented" generation'), before=None, limit=20)
    assert RAG in {paper.title for paper in found.papers}
    assert found.sent[0] == '("retrieval-augmented" AND "generation")'
    day, asked = date(2018, 1, 1), query("summarizing documents")
    early = await source.search(asked, before=day, limit=50)
    late = await source.search(asked, before=None, after=day, limit=50)
    assert early.papers
    assert late.papers
    assert all(published_before(paper, day) for paper in early.papers)
    assert min(paper.year or 0 for paper in late.papers) == 2018
    odd = await source.search(query('NEAR(" OR * ^title: (retrieval'), before=None, limit=3)
    assert odd.papers
    assert not (await source.search(query("retrieval"), before=None, limit=0)).papers
    whole = await source.search(query(ABSTRACT.read_text("utf-8"), "whole"), before=None, limit=9)
    assert len(whole.papers) == 9
    assert not (await source.search(query("?!", "whole"), before=None, limit=9)).papers


async def test_records_are_found_by_every_id_and_by_title(
    source: SnapshotSource, works: list[dict[str, Any]]
) -> None:
    titled = await under_title(source, RAG.upper())
    assert titled is not None
    assert titled.abstract
    keys = [titled.id, f"openalex:{titled.openalex}", "doi:10.5555/nowhere"]
    found = await source.get(keys)
    assert list(found) == keys[:2]
    assert len({paper.id for paper in found.values()}) == 1
    assert await under_title(source, "A title that nobody gave to anything at all") is None
    everything = await source.get([f"openalex:{one['id'].rsplit('/', 1)[1]}" for one in works])
    assert {paper.title for paper in everything.values()} == {one["title"] for one in works}


async def test_links_stay_within_the_slice_and_take_the_most_cited_first(
    source: SnapshotSource, works: list[dict[str, Any]]
) -> None:
    cited = max(works, key=lambda one: one["cited_by_count"])
    key = cited["id"].rsplit("/", 1)[1]
    citing = [one for one in works if cited["id"] in one["referenced_works"]]
    # As another source knows it, by an id that is not OpenAlex's.
    ours = (await source.get([f"openalex:{key}"]))[f"openalex:{key}"]
    paper = Paper(id=ours.id, title=ours.title)
    stranger = Paper(id="doi:10.5555/nowhere", title="Nowhere")
    all_ = await source.citations([paper, stranger], limit=500)
    assert set(all_.links) == {paper.id}
    assert {all_.papers[one].title for one in all_.links[paper.id]} == {
        one["title"] for one in citing
    }
    few = await source.citations([paper], limit=3)
    counts = sorted((one["cited_by_count"] for one in citing), reverse=True)[:3]
    assert [few.papers[one].cited_by for one in few.links[paper.id]] == counts
    back = await source.references([*all_.papers.values()])
    assert all(f"openalex:{key}" in ends for ends in back.links.values())


def test_choice_of_works_holds_for_the_whole_slice(
    works: list[dict[str, Any]], tmp_path: Path
) -> None:
    dump = write(tmp_path / "works.gz", works)
    few = ("--year", "2019-", "--language", "en", "--field", "artificial intelligence")
    made = build(dump, "--out", tmp_path / "few", *few, "--abstracts")
    wanted = [
        one
        for at, one in enumerate(works)
        if at % 10 and at % 2 and one["publication_year"] >= 2019 and one["abstract_inverted_index"]
    ]
    assert f"{len(wanted)} works (2019-; artificial intelligence; en; with abstract)" in made.stdout
    other = build(dump, "--out", tmp_path / "few")
    assert other.exit_code == 2
    assert "a slice of other works (2019-; artificial" in other.stderr


def test_build_goes_on_where_it_was_stopped_and_later_files_replace_older_records(
    works: list[dict[str, Any]], tmp_path: Path
) -> None:
    first, out = write(tmp_path / "1.gz", works[:40]), tmp_path / "slice"
    torn = write(tmp_path / "2.gz", works[40:80])
    whole = torn.read_bytes()
    torn.write_bytes(whole[: len(whole) // 2])
    stopped = build(first, torn, "--out", out)
    assert stopped.exit_code == 2
    assert "2.gz' cannot be read" in stopped.stderr
    (part,) = (out / "parts").glob("*.parquet")
    made = part.stat().st_mtime_ns
    newer = works[0] | {"title": "A newer title of it", "updated_date": "2026-05-01"}
    torn.write_bytes(whole)
    assert build(first, torn, "--out", out).exit_code == 0
    assert slice_of(out).works == 80
    assert build(write(tmp_path / "3.gz", [newer]), "--out", out).exit_code == 0
    assert (slice_of(out).works, slice_of(out).day) == (80, "2026-05-01")
    assert part.stat().st_mtime_ns == made
    (out / INDEX).write_bytes(b"not a database, though it is long enough to be taken for one" * 99)
    with pytest.raises(PermanentError, match=r"delete index\.sqlite there"):
        slice_of(out)


def test_find_needs_nothing_but_the_slice(
    works: list[dict[str, Any]], home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = write(tmp_path / "works.gz", works[-70:])
    assert build(some, "--out", tmp_path / "slice").exit_code == 0
    for name in ("OPENALEX", "SEMANTIC_SCHOLAR", "ARXIV", "CROSSREF"):
        monkeypatch.setenv(f"CITELOOM_{name}_URL", "http://127.0.0.1:9/nobody")
    asked = ["find", str(ABSTRACT), "--source", "snapshot", "--keep", "10", "--set", "pool=12"]
    settings.cache_clear()
    unset = CliRunner().invoke(app, [*asked, "--out", str(tmp_path / "none")])
    assert unset.exit_code == 1
    assert "set CITELOOM_SNAPSHOT" in unset.stderr
    monkeypatch.setenv("CITELOOM_SNAPSHOT", str(tmp_path / "slice"))
    settings.cache_clear()
    done = CliRunner().invoke(app, [*asked, "--before", "2024-01-01", "--out", str(tmp_path / "o")])
    assert done.exit_code == 0, done.output
    run = json.loads((tmp_path / "o" / "run.json").read_text("utf-8"))
    papers = json.loads((tmp_path / "o" / "papers.json").read_text("utf-8"))["papers"]
    kept = [item for item in papers if item["selected"]]
    assert (run["outcome"], run["failures"], run["source_usage"]) == ("complete", [], [])
    assert len(kept) == 10
    cutoff = date(2024, 1, 1)
    assert all(published_before(Paper.model_validate(item["paper"]), cutoff) for item in kept)
    assert {hit["via"] for item in papers for hit in item["found_by"]} >= {"query", "reference"}
    told = CliRunner().invoke(app, ["doctor"])
    assert "has 70 works, of 2026-03-28 (all works)" in told.stdout
    settings.cache_clear()


def test_absent_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "duckdb":
            raise ImportError(name)
        return load(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    done = build(write(tmp_path / "works.gz", []), "--out", tmp_path / "slice")
    assert done.exit_code == 2
    assert "pip install 'citeloom[snapshot]'" in done.stderr
