"""`citeloom library search`, `show`, `tag`, `verify`, `export`, `compact`, `snapshot`, `restore`."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from citeloom.cli.library.commands import app
from citeloom.settings import settings as process_settings
from state.paper import Paper
from tests.library.words import LetterEmbedder, WordEmbedder, document, paper
from tools.bibliography.read import read_records
from tools.library.open import close_libraries, create_library

Run = Callable[..., Result]
PARTS = (("1 Results", "The first result of all."), ("2 Limits", "Nothing about whales was done."))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Run a command on a home with the library 'mine'."""
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CITELOOM_QDRANT_URL", raising=False)
    process_settings.cache_clear()
    words = WordEmbedder()
    monkeypatch.setattr("tools.embed.open.embedder", lambda *_: words)
    library = create_library("mine", process_settings(), words)
    library.add([paper(n, venue="ACL", references=("10.1000/p0",)) for n in range(8)])
    library.texts.put(*document(1, *PARTS, tags=("whales",), pages=2))
    library.index()

    def call(*arguments: object, answer: str = "") -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments], input=answer)

    yield call
    process_settings.cache_clear()


def test_search_prints_passages_with_place_and_paper(run: Run) -> None:
    done = run("search", "mine", "whales", "-n", 1)
    assert done.exit_code == 0
    assert done.stdout == (
        "1. Paper number 1 on topic1 and method1 (2 Limits, p. 2) [doi:10.1000/p1]\n"
        "   Nothing about whales was done.\n\n"
    )


def test_search_is_narrowed(run: Run) -> None:
    cases: list[tuple[tuple[str, ...], set[int]]] = [
        (("--paper", "10.1000/P3"), {3}),
        (("--year", "2002-2004"), {2, 3, 4}),
        (("--year", "2006-"), {6, 7}),
        (("--year", "-2001"), {0, 1}),
        (("--year", "2005"), {5}),
        (("--tag", "whales"), {1}),
        (("--section", "limits"), {1}),
        (("--venue", "ACL", "--tag", "whales"), {1}),
        (("--venue", "Nature"), set()),
    ]
    asked = ("search", "mine", "study of things", "--retriever", "vectors", "-n", 99, "--json")
    for options, papers in cases:
        done = run(*asked, *options)
        found = {json.loads(line)["paper"] for line in done.stdout.splitlines()}
        assert found == {f"doi:10.1000/p{number}" for number in papers}, options


def test_search_that_finds_nothing_exits_with_1(run: Run) -> None:
    done = run("search", "mine", "zebra", "--year", "1900")
    assert (done.exit_code, done.stdout, done.stderr) == (1, "", "nothing found\n")
    wrong = run("search", "mine", "x", "--year", "next")
    assert wrong.exit_code == 2
    assert "'next' is no year" in wrong.stderr


def test_show_tells_record_documents_and_passages(run: Run) -> None:
    done = run("show", "mine", "10.1000/p1")
    for part in ("id       doi:10.1000/p1", "year     2001", "venue    ACL", "tags     whales",
                 "file     p1.pdf (pdf, 2 pages, 2 passages, ", "1 Results", "(p. 2, 5 words)"):  # fmt: skip
        assert part in done.stdout
    whole = json.loads(run("show", "mine", "10.1000/p1", "--json").stdout)
    assert [one["text"] for one in whole["passages"]][1:] == [text for _, text in PARTS]
    unknown = run("show", "mine", "10.1000/p99")
    assert (unknown.exit_code, "has no paper 10.1000/p99" in unknown.stderr) == (2, True)


def test_tags_are_given_and_taken(run: Run) -> None:
    assert run("tag", "mine", "10.1000/p2", "b", "a").stdout == "10.1000/p2: a, b\n"
    assert run("tag", "mine", "10.1000/p2", "b", "--remove").stdout == "10.1000/p2: a\n"
    assert run("tag", "mine", "10.1000/p99", "b").exit_code == 2
    assert "tags        a (1), whales (1)" in run("stats", "mine").stdout


def test_verify_says_and_repairs(run: Run, tmp_path: Path) -> None:
    assert run("verify", "mine").stdout == "library 'mine' is whole\n"
    folder = tmp_path / "home" / "libraries" / "mine"
    close_libraries()
    next(folder.glob("vectors-*")).rename(tmp_path / "lost")
    broken = run("verify", "mine")
    assert broken.exit_code == 1
    assert broken.stdout == (
        "all 10 vectors are lost: run `citeloom library verify mine --repair`\n"
    )
    assert run("verify", "mine", "--repair").stdout == "library 'mine' is whole\n"
    (folder / "catalog.sqlite").write_bytes(b"no database at all" * 999)
    for extra in ((), ("--repair",), ("--json",)):
        done = run("verify", "mine", *extra)
        assert done.exit_code == 1
        assert "damaged" in done.stdout
        assert isinstance(done.exception, SystemExit)


def test_exported_records_are_read_again_as_they_were(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "mine.jsonl"
    assert run("export", "mine", target).stdout == f"8 records written to {target}\n"
    read = [record for record in read_records(target) if isinstance(record, Paper)]
    assert [one.title for one in read] == [paper(number).title for number in range(8)]
    assert run("add", target, "-l", "other").exit_code == 0
    assert "8, 8 with abstract" in run("stats", "other").stdout
    again = run("export", "mine", target)
    assert (again.exit_code, "--force" in again.stderr) == (2, True)
    assert run("export", "mine", target, "--force").exit_code == 0


def test_records_are_exported_by_the_ending_of_the_file(run: Run, tmp_path: Path) -> None:
    for name in ("mine.bib", "mine.json", "mine.ris"):
        assert run("export", "mine", tmp_path / name).exit_code == 0
        assert (tmp_path / name).read_text(encoding="utf-8").count("Paper number") == 8


def test_passages_are_exported(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "passages.jsonl"
    assert run("export", "mine", target, "--passages").stdout.startswith("10 passages")
    rows = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert {"id", "paper", "section", "text", "start"} <= rows[0].keys()
    assert run("export", "mine", tmp_path / "mine.doc").exit_code == 2


def test_documents_are_removed_without_their_papers(run: Run, tmp_path: Path) -> None:
    key = json.loads(run("show", "mine", "10.1000/p1", "--json").stdout)["documents"][0]["sha256"]
    assert run("remove", "mine", key[:5], "--yes").exit_code == 1
    assert run("remove", "mine", key[:12], "--yes").stdout == "1 document removed from 'mine'\n"
    told = run("stats", "mine").stdout
    assert "documents   0" in told
    assert "papers      8" in told


def test_snapshot_is_restored_under_another_name(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.gz"
    assert run("snapshot", "mine", file).exit_code == 0
    again = run("restore", file)
    assert (again.exit_code, "--force" in again.stderr) == (2, True)
    done = run("restore", file, "--library", "two")
    assert done.stdout == "library 'two' is restored: 8 papers, 10 passages, 10 vectors made\n"
    assert run("search", "two", "whales").exit_code == 0
    assert run("restore", file, "--force").exit_code == 0
    assert run("verify", "mine").exit_code == 0


def test_snapshot_takes_the_place_of_a_damaged_catalog(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.gz"
    assert run("snapshot", "mine", file).exit_code == 0
    close_libraries()  # it has read the catalog
    (tmp_path / "home" / "libraries" / "mine" / "catalog.sqlite").write_bytes(b"no database" * 999)
    assert run("restore", file, "--force").exit_code == 0
    assert run("verify", "mine").stdout == "library 'mine' is whole\n"


def test_library_with_a_damaged_catalog_can_be_removed(run: Run, tmp_path: Path) -> None:
    close_libraries()  # it has read the catalog
    folder = tmp_path / "home" / "libraries" / "mine"
    (folder / "catalog.sqlite").write_bytes(b"no database" * 999)
    told = run("stats", "mine")
    assert "`citeloom library remove mine --yes`" in told.stderr
    assert run("remove", "mine", "--yes").stdout == "library 'mine' is removed\n"
    assert not folder.exists()


def test_what_a_killed_restore_left_is_no_library(run: Run, tmp_path: Path) -> None:
    left = tmp_path / "home" / "libraries" / ".restore-1"
    left.mkdir()
    (left / "catalog.sqlite").touch()
    assert run("list").stdout.split() == ["mine", "starter"]


def test_keywords_are_made_when_they_are_asked_for(run: Run) -> None:
    asked = ("search", "mine", "whales", "--retriever", "keywords")
    assert "Nothing about whales" in run(*asked).stdout
    assert run("index", "mine").stdout == "mine: 0 vectors made\n"


def test_compact_says_bytes_before_and_after(run: Run) -> None:
    assert "bytes before" in run("compact", "mine").stdout


def test_index_embeds_anew_after_a_change_of_the_embedder(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    letters = LetterEmbedder()
    monkeypatch.setattr("tools.embed.open.embedder", lambda *_: letters)
    refused = run("search", "mine", "whales")
    assert refused.exit_code == 2
    assert "run `citeloom library index mine`" in refused.stderr
    assert run("stats", "mine").exit_code == 0
    assert run("index", "mine").stdout == "mine: 10 vectors made\n"
    assert run("search", "mine", "whales").exit_code == 0
