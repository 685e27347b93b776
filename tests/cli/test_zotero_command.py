"""`citeloom zotero`: what it asks, writes and keeps, with a real run, a real PDF and a server like Zotero's."""

import json
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree, rmtree

import pytest
from typer.testing import Result

from citeloom.runs.run_record import all_runs, load_run
from tests.cli import commands
from tests.fakes.zotero import KEY, USER, Reply, ZoteroServer, nobody
from tests.pdf.papers import ABSTRACT, TITLE
from tests.pdf.papers import paper as paper_file
from tests.report.test_word_fields import citations_of
from tests.service.test_zotero_export import words_under
from tests.support import RememberingEmbedder, at_home

IDEA = "We measure the traces that floods of the last century left in valleys."


def citeloom(*arguments: str, code: int = 0) -> Result:
    return commands.run(*arguments, code=code)


@pytest.fixture
def zotero(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ZoteroServer]:
    monkeypatch.setenv("ZOTERO_API_KEY", KEY)
    with (
        ZoteroServer() as server,
        commands.variables(ZOTERO_API_URL=server.url, ZOTERO_URL=server.url),
    ):
        yield server


@pytest.fixture(scope="module")
def written(
    tmp_path_factory: pytest.TempPathFactory, built: Path, embedder_with_memory: RememberingEmbedder
) -> Path:
    """A home with a section that cites one paper, whose PDF the library has; only to be copied."""
    folder = tmp_path_factory.mktemp("written")
    with at_home(folder / "home", built, embedder_with_memory) as home:
        (folder / "rivers.pdf").write_bytes(paper_file())
        citeloom("library", "add", "rivers.pdf", "--library", "mine")
        (folder / "idea.md").write_text(IDEA, "utf-8")
        citeloom(
            "write", "idea.md", "--library", "mine", "--paper", "arxiv:2101.01234",
            "--format", "docx", "--out", str(folder / "out"),
        )  # fmt: skip
    return home


@pytest.fixture
def run(zotero: ZoteroServer, home: Path, written: Path) -> str:
    """A section that cites one paper, whose PDF the library has."""
    rmtree(home)
    copytree(written, home, symlinks=True)
    return all_runs()[0].name


def user_has(server: ZoteroServer, folder: Path) -> None:
    """Have the paper in Zotero, with its PDF."""
    person = {"creatorType": "author", "firstName": "Ilse", "lastName": "Brook"}
    server.put("RVRS2345", itemType="preprint", title=TITLE, creators=[person], date="2021")
    file = {"parentItem": "RVRS2345", "contentType": "application/pdf"}
    server.put("FFFF2345", itemType="attachment", **file)
    server.files["FFFF2345"] = folder / "Brook et al. - 2021 - Rivers & floods.pdf"
    server.files["FFFF2345"].write_bytes(paper_file())


def test_run_is_put_into_zotero_and_a_second_call_changes_nothing(
    zotero: ZoteroServer, run: str, home: Path, tmp_path: Path
) -> None:
    user_has(zotero, tmp_path)
    before = json.dumps(zotero.objects)
    dry = citeloom("zotero", run, "-c", "Rivers", "--dry-run").stdout
    for part in (
        f"+ found: “{TITLE}”",
        "+ collection “Rivers”",
        f"+ highlight in “{TITLE}”, page 1",
    ):
        assert part in dry
    assert json.dumps(zotero.objects) == before
    refused = citeloom("zotero", run, "-c", "Rivers", code=2)
    assert "add --yes" in refused.stderr
    assert json.dumps(zotero.objects) == before
    told = citeloom("zotero", run, "-c", "Rivers", "--yes").stdout
    assert "Written to Zotero: 4 of 4" in told
    (note,), marks = zotero.held("note"), zotero.held("annotation")
    assert run in note["note"]
    for mark in marks:
        position = json.loads(mark["annotationPosition"])
        words = words_under(paper_file(), position["pageIndex"], position["rects"])
        assert words == mark["annotationText"]
        assert words in ABSTRACT
    assert marks
    assert load_run(run).zotero_uris == {
        "arxiv:2101.01234": [f"http://zotero.org/users/{USER}/items/RVRS2345"]
    }
    after = json.dumps(zotero.objects)
    asked = len([one for one in zotero.requests if one.method == "POST"])
    again = citeloom("zotero", run, "-c", "Rivers", "--yes").stdout
    assert "Nothing to write: Zotero has everything of this run already" in again
    assert json.dumps(zotero.objects) == after
    assert len([one for one in zotero.requests if one.method == "POST"]) == asked
    # The Word file leads to the item as soon as it is written anew.
    citeloom("runs", "resume", run)
    content = Path(load_run(run).out, "files", "review.docx").read_bytes()
    cited = [item for one, _ in citations_of(content) for item in one["citationItems"]]
    assert cited
    assert {uri for item in cited for uri in item["uris"]} == {
        f"http://zotero.org/users/{USER}/items/RVRS2345"
    }
    zotero.delete(note["key"])
    last = citeloom("zotero", run, "-c", "Rivers", "--yes")
    assert "you deleted it in Zotero" in last.stderr
    assert "Nothing to write: Zotero has the rest of this run already" in last.stdout


def test_file_that_is_not_here_or_damaged_has_no_highlight(
    zotero: ZoteroServer, run: str, tmp_path: Path
) -> None:
    user_has(zotero, tmp_path)
    zotero.files["FFFF2345"] = tmp_path / "not downloaded.pdf"
    told = citeloom("zotero", run, "--dry-run")
    assert "1 of 1 quote not highlighted; start Zotero on this machine" in told.stderr
    assert "highlight in" not in told.stdout
    zotero.files["FFFF2345"].write_bytes(b"%PDF-1.4 cut off")
    assert "highlight in" not in citeloom("zotero", run, "--dry-run").stdout
    del zotero.files["FFFF2345"]
    assert "highlight in" not in citeloom("zotero", run, "--dry-run").stdout


def test_group_gets_a_new_item_after_somebody_changed_it_meanwhile(
    zotero: ZoteroServer, run: str
) -> None:
    zotero.groups = {"34": {"library": True, "write": True}}

    def add() -> None:
        zotero.put("XXXX2345", place="groups/34", itemType="document", title="Another one")

    zotero.meanwhile = [nobody, add]
    told = citeloom("zotero", run, "--group", "34", "--yes")
    assert "new: " in told.stdout
    (item,) = zotero.held("preprint", "groups/34")
    assert item["title"] == TITLE
    assert item["archiveID"] == "arXiv:2101.01234"
    assert [one["parentItem"] for one in zotero.held("note", "groups/34")] == [item["key"]]
    assert not zotero.held("preprint")
    zotero.meanwhile = [add, add]
    load = load_run(run)
    load.zotero = {}
    load.save()
    zotero.delete(item["key"], "groups/34")
    failed = citeloom("zotero", run, "--group", "34", "-c", "Two", "--yes", code=1)
    assert "changed meanwhile: repeat the command" in failed.stderr


def test_dry_run_writes_nothing_where_somebody_changes_the_library_meanwhile(
    zotero: ZoteroServer, run: str
) -> None:
    changed = Reply(0, headers={"Last-Modified-Version": "7"})
    zotero.replies = [Reply(0), changed]  # the key, and the first page that is read
    assert "+ new: " in citeloom("zotero", run, "--dry-run").stdout
    assert "POST" not in [one.method for one in zotero.requests]


def test_what_zotero_does_not_take_is_told_and_the_exit_code_says_so(
    zotero: ZoteroServer, run: str
) -> None:
    zotero.refused = {"note"}
    told = citeloom("zotero", run, "--yes", code=1)
    assert f"not written: note to “{TITLE}”: An error occurred" in told.stderr
    assert "Written to Zotero: 2 of 3" in told.stdout


def test_papers_of_a_checked_text_are_put_there_with_their_verdicts(
    zotero: ZoteroServer, run: str, home: Path
) -> None:
    text = "Rivers keep traces of the floods that they had [1].\n\n# References\n\n"
    text = f"Owls bark at night and nobody hears [2]. {text}[1] I. Brook et al. {TITLE}. 2021.\n\n"
    text += "[2] A. Owl. Barking owls of the north. 2020.\n"
    (home.parent / "draft.md").write_text(text, "utf-8")
    checked = ["verify", str(home.parent / "draft.md"), "--library", "mine"]
    commands.run(*checked, "--out", home.parent / "checked")
    name = all_runs()[0].name
    assert name != run
    citeloom("zotero", name, "--yes")
    (item,), (note,) = zotero.held("preprint"), zotero.held("note")
    assert not zotero.held("document")  # no source knows the second
    assert item["title"] == TITLE
    assert item["tags"] == [{"tag": "citeloom:supports"}]
    assert (
        "<strong>supported</strong>: Rivers keep traces of the floods that they had" in note["note"]
    )


def test_what_cannot_be_used_is_told_and_without_a_key_nothing_is_asked(
    zotero: ZoteroServer, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for arguments, words in (
        (["nothing", "--yes"], "there is no run 'nothing'"),
        ([run, "--collection", "  "], "a collection needs a name"),
        ([run, "--group", "99"], "may not write to the group 99"),
    ):
        assert words in citeloom("zotero", *arguments, code=2).stderr
    monkeypatch.delenv("ZOTERO_API_KEY")
    asked = len(zotero.requests)
    assert "set ZOTERO_API_KEY" in citeloom("zotero", run, code=2).stderr
    assert len(zotero.requests) == asked
