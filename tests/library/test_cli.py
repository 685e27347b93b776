"""`citeloom library` at the command line."""

import json
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from citeloom.cli.library_commands import app
from state.paper import Author, Notice, Paper, Record
from tests.library.words import PARTS, OtherEmbedder, WordEmbedder, document, paper
from tools.library.open_library import close_libraries, create_library, open_library
from tools.settings import settings as process_settings

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Run a command on a home with the library 'mine'; exit code 0 is expected unless told."""
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CITELOOM_QDRANT_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    process_settings.cache_clear()
    words = WordEmbedder()
    monkeypatch.setattr("tools.embed.open_embedder._opened", {("minilm", "", ""): words})
    library = create_library("mine", process_settings(), words)
    library.add([paper(number, venue="ACL") for number in range(8)])
    library.texts.put(*document(1, *PARTS, tags=("whales",), pages=2))
    library.index()

    def call(*arguments: object, answer: str = "", code: int = 0) -> Result:
        done = CliRunner().invoke(app, [str(argument) for argument in arguments], input=answer)
        assert done.exit_code == code, done.output
        return done

    yield call
    process_settings.cache_clear()


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    return tmp_path / "home" / "libraries" / "mine" / "catalog.sqlite"


def damage(catalog: Path) -> None:
    close_libraries()  # it has read the catalog
    catalog.write_bytes(b"no database at all" * 999)


def test_search_prints_passages_with_place_and_paper_and_is_narrowed(run: Run) -> None:
    asked = ("search", "mine", "limits", "-n", 1)
    assert run(*asked).stdout == (
        "1. Paper number 1 on topic1 and method1 (2 Limits, p. 2) [doi:10.1000/p1]\n"
        "   The limits of what was done.\n\n"
    )
    assert "The limits" in run(*asked, "--retriever", "keywords").stdout
    cases: list[tuple[tuple[str, ...], set[int]]] = [
        (("--paper", "10.1000/P3"), {3}),
        (("--year", "2002-2004"), {2, 3, 4}),
        (("--year", "2006-"), {6, 7}),
        (("--year", "-2001"), {0, 1}),
        (("--section", "limits"), {1}),
        (("--venue", "ACL", "--tag", "whales"), {1}),
    ]
    for options, numbers in cases:
        done = run(
            "search",
            "mine",
            "study of things",
            "--retriever",
            "vectors",
            "-n",
            99,
            "--json",
            *options,
        )
        found = {json.loads(line)["paper"] for line in done.stdout.splitlines()}
        assert found == {f"doi:10.1000/p{number}" for number in numbers}, options
    assert run("search", "mine", "x", "--year", "1900", code=1).output == "no results\n"
    assert "'next' is not a year" in run("search", "mine", "x", "--year", "next", code=2).stderr


def test_library_is_shown_tagged_and_its_documents_removed(run: Run) -> None:
    shown = run("show", "mine", "10.1000/p1").stdout
    for part in (
        "id       doi:10.1000/p1",
        "year     2001",
        "venue    ACL",
        "tags     whales",
        "file     p1.pdf (pdf, 2 pages, 2 passages, ",
        "1 Results",
        "(p. 2, 6 words)",
    ):
        assert part in shown
    assert "has no paper 10.1000/p99" in run("show", "mine", "10.1000/p99", code=2).stderr
    assert run("tag", "mine", "10.1000/p2", "b", "a").stdout == "10.1000/p2: a, b\n"
    assert run("tag", "mine", "10.1000/p2", "b", "--remove").stdout == "10.1000/p2: a\n"
    whole = json.loads(run("show", "mine", "10.1000/p1", "--json").stdout)
    assert [one["text"] for one in whole["passages"]][1:] == [text for _, text in PARTS]
    key = whole["documents"][0]["sha256"]
    run("remove", "mine", key[:5], "--yes", code=1)
    assert run("remove", "mine", key[:12], "--yes").stdout == "1 document removed from 'mine'\n"
    told = run("stats", "mine").stdout
    for part in ("documents   0", "8, 8 with abstract", "2000 to 2007", "a (1), whales (1)"):
        assert part in told


def test_papers_are_listed_and_shown_by_id_or_title(run: Run) -> None:
    lines = run("papers", "mine").stdout.splitlines()
    assert len(lines) == 8
    assert lines[1] == "doi:10.1000/p1  2001  Paper number 1 on topic1 and method1"
    assert run("papers", "--library", "mine").stdout.splitlines() == lines
    first = json.loads(run("papers", "mine", "--json").stdout.splitlines()[0])
    assert first["title"] == "Paper number 0 on topic0 and method0"
    by_id = run("show", "mine", "10.1000/p1").stdout
    for given in (
        ("mine", "paper number 1 on TOPIC1 and method1"),
        ("mine", "paper", "number", "1"),
        ("10.1000/P1", "-l", "mine"),
        ("number 1", "--library", "mine"),
    ):
        assert run("show", *given).stdout == by_id
    told = run("show", "mine", "Paper number", code=2).stderr
    assert "8 papers in 'mine' match 'Paper number': doi:10.1000/p0 " in told
    assert "`citeloom library papers mine`" in run("show", "mine", "Owls", code=2).stderr


def test_library_is_named_first_or_with_its_option(run: Run) -> None:
    run("stats", "mine")  # closing writes out what was added
    assert run("stats", "--library", "mine").stdout == run("stats", "mine").stdout
    first = run("search", "mine", "limits of what was done", "-n", 1).stdout
    assert (
        run("search", "limits", "of", "what", "was", "done", "-l", "mine", "-n", 1).stdout == first
    )
    for lacking in (("search", "mine"), ("show", "mine"), ("papers",)):
        assert "--library NAME" in run(*lacking, code=2).stderr


def test_papers_are_exported_added_and_removed_after_a_question(run: Run) -> None:
    assert run("export", "mine", "all.jsonl").stdout == "8 records written to all.jsonl\n"
    assert "have it replaced" in run("export", "mine", "all.jsonl", code=2).stderr
    for name in ("mine.bib", "mine.json", "mine.ris"):
        run("export", "mine", name)
        assert Path(name).read_text(encoding="utf-8").count("Paper number") == 8
    assert run("export", "mine", "passages.jsonl", "--passages").stdout.startswith("10 passages")
    run("add", "all.jsonl", "none.jsonl", "-l", "new", code=2)
    assert run("list").stdout.split() == ["mine", "starter"], "a missing file makes no library"
    assert run("add", "all.jsonl", "--library", "new").stdout == "library 'new': 8 added\n"
    assert run("add", "all.jsonl", "-l", "new").stdout == "library 'new': 8 unchanged\n"
    Path("note.jsonl").write_text(
        '{"title": "Noted", "abstract": "It is long.", "abstract_kind": "annotation"}',
        encoding="utf-8",
    )
    run("add", "note.jsonl", "--library", "notes")
    run("export", "notes", "notes.jsonl")
    assert '"abstract_kind": "annotation"' in Path("notes.jsonl").read_text(encoding="utf-8")
    run("remove", "notes", "--yes")
    run("remove", "new", "10.1000/P1", answer="n\n", code=1)
    done = run("remove", "new", "10.1000/P1", "unknown", answer="y\n")
    assert "1 paper removed" in done.stdout
    assert "not in 'new': unknown" in done.stderr
    run("remove", "new", "--yes")
    assert run("list").stdout.split() == ["mine", "starter"]


def test_every_field_of_a_record_comes_back_from_an_export(run: Run) -> None:
    full = Paper(
        id="doi:10.1000/a",
        title="Owls",
        other_titles=("Eulen",),
        abstract="They hoot.",
        abstract_kind="annotation",
        year=2001,
        published=date(2001, 2, 3),
        authors=(Author(name="Ada Owl"),),
        authors_complete=False,
        venue="Nest",
        volume="7",
        issue="2",
        pages="1-9",
        doi="10.1000/a",
        arxiv="2001.00001",
        openalex="W1",
        semantic_scholar="a" * 40,
        url="http://127.0.0.1/a",
        pdf="http://127.0.0.1/a.pdf",
        cited_by=7,
        retracted=True,
        notices=(Notice(kind="concern", doi="10.1000/n"),),
        references=("doi:10.1000/b",),
        aliases=("arxiv:2001.00001", "openalex:W1", f"s2:{'a' * 40}"),
        record=Record(
            format="bibtex", type="book", key="owls", fields=(("title", "{Owls}"), ("isbn", "1"))
        ),
    )
    bare = Paper(id="doi:10.1000/c", title="Voles", doi="10.1000/c", references_missing=True)
    told = {
        name
        for name, field in Paper.model_fields.items()
        for one in (full, bare)
        if getattr(one, name) != field.get_default(call_default_factory=True)
    }
    # Words that a search found belong to it: nobody has checked those that a file gives.
    untold = {"origin", "snippets"}
    assert told == set(Paper.model_fields) - untold, "a new field needs a value here"
    words = WordEmbedder()
    create_library("whole", process_settings(), words).add([full, bare])
    run("export", "whole", "whole.jsonl")
    run("add", "whole.jsonl", "--library", "again")
    again = open_library("again", process_settings(), words)
    assert again.get([full.id, bare.id]) == {full.id: full, bare.id: bare}
    for name in ("whole.bib", "whole.json"):
        run("export", "whole", name)
        run("add", name, "--library", name.replace(".", "-"))
        known = open_library(name.replace(".", "-"), process_settings(), words)
        assert known.get([full.id])[full.id].retracted


def test_bad_records_are_shown_by_file_and_line_and_kept_in_full(run: Run, catalog: Path) -> None:
    Path("good.jsonl").write_text('{"title": "One paper"}', encoding="utf-8")
    Path("bad.jsonl").write_text("broken\n" * 30, encoding="utf-8")
    told = run("add", "good.jsonl", "bad.jsonl", "-l", "mine").stderr
    assert "bad.jsonl:1: it is not JSON" in told
    assert "30 records could not be read" in told
    assert "bad.jsonl:21:" not in told
    account = catalog.with_name("bad-records.txt")
    assert len(account.read_text(encoding="utf-8").splitlines()) == 30
    run("add", "good.jsonl", "-l", "mine")
    assert not account.exists()
    assert "nothing to add" in run("add", "bad.jsonl", "-l", "mine", code=1).stdout


def test_error_is_one_sentence_and_exit_code_2(run: Run) -> None:
    Path("papers.jsonl").write_text('{"title": "One paper"}', encoding="utf-8")
    unknown = "there is no library 'none'"
    for arguments, message in (
        (("add", "none.jsonl", "-l", "mine"), "neither a file nor an arXiv id"),
        (("add", "papers.jsonl", "-l", "../mine"), "cannot be a library's name"),
        (("add", "papers.jsonl", "-l", "starter"), "choose another name"),
        (("restore", "none.tar.gz"), "there is no file"),
        (("remove", "none", "--yes"), unknown),
        (("search", "none", "words"), unknown),
        *(((command, "none"), unknown) for command in ("stats", "verify", "index")),
    ):
        told = run(*arguments, code=2).stderr
        assert told.startswith("citeloom: ")
        assert message in told
        assert len(told.splitlines()) == 1


def test_damage_is_said_repaired_and_a_snapshot_restored(run: Run, catalog: Path) -> None:
    assert "bytes before" in run("compact", "mine").stdout
    run("snapshot", "mine", "mine.gz")
    assert "have it replaced" in run("restore", "mine.gz", code=2).stderr
    done = run("restore", "mine.gz", "--library", "two")
    assert done.stdout == "library 'two' is restored: 8 papers, 10 passages, 10 vectors made\n"
    close_libraries()
    next(catalog.parent.glob("vectors-*")).rename("lost")
    assert run("verify", "mine", code=1).stdout == (
        "all 10 vectors are lost: repair the library\n"
        "Repair it with `citeloom library verify mine --repair`.\n"
    )
    assert run("verify", "mine", "--repair").stdout == "library 'mine' is intact\n"
    damage(catalog)
    for extra in ((), ("--repair",), ("--json",)):
        assert "damaged" in run("verify", "mine", *extra, code=1).stdout
    run("restore", "mine.gz", "--force")
    assert run("verify", "mine").stdout == "library 'mine' is intact\n"
    damage(catalog)
    assert "`citeloom library remove mine`" in run("stats", "mine", code=2).stderr
    run("remove", "mine", "--yes")
    catalog.parent.with_name(".restore-1").mkdir()
    catalog.parent.with_name(".restore-1").joinpath(catalog.name).touch()
    assert run("list").stdout.split() == ["starter", "two"], "a killed restore left no library"


def test_index_embeds_anew_after_a_change_of_the_embedder(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "tools.embed.open_embedder._opened", {("minilm", "", ""): OtherEmbedder(96)}
    )
    told = run("search", "mine", "limits", code=2).stderr
    assert "run `citeloom library index mine`" in told
    for made in (10, 0):
        assert run("index", "mine").stdout == f"mine: {made} vectors made\n"
    run("search", "mine", "limits")
