"""`citeloom library add` keeps what documents cite: links, their order, years and venues of sources."""

import json
import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest
from lxml import html
from typer.testing import CliRunner

from citeloom.cli.app import app
from tests.cli.commands import call
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import SERVICES, Work, World
from tests.graphs.stacks import FIRST_TITLE, THIRD, first
from tests.library.words import WordEmbedder
from tests.support import is_setting
from tools.ingest.reader_processes import close_workers
from tools.library.open_library import close_libraries
from tools.settings import settings

TEI = f"""<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
<title level="a" type="main">Listening for rain in the reeds</title></titleStmt></fileDesc></teiHeader>
<text><body><div><head>Results</head><p>Herons hear the rain in the reeds an hour before it falls.</p></div>
</body><back><div type="references"><listBibl><biblStruct><analytic>
<title level="a">{FIRST_TITLE}</title><author><persName><forename>Ilse</forename><surname>Brook</surname>
</persName></author></analytic><monogr><title level="j">Quiet Birds</title><imprint><date when="2021"/>
</imprint></monogr></biblStruct></listBibl></div></back></text></TEI>"""
STAMPED = """<html><head><title>Herons that wait for rain at dusk</title>
<meta name="citation_title" content="Herons that wait for rain at dusk">
<meta name="citation_arxiv_id" content="1907.01234"></head>
<body><h1>Herons that wait for rain at dusk</h1><p>Herons wait for rain at dusk beside the weir, and leave.</p>
</body></html>"""
Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Run `citeloom library` on the library 'mine'; return what it printed."""
    for name in filter(is_setting, list(os.environ)):
        monkeypatch.delenv(name)
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tools.embed.open_embedder._opened", {("minilm", "", ""): WordEmbedder()})
    settings.cache_clear()
    Path("heights.pdf").write_bytes(first())
    for name, text in (("young.txt", THIRD), ("rain.xml", TEI), ("dusk.html", STAMPED)):
        Path(name).write_text(text, encoding="utf-8")

    def library(*words: str) -> str:
        done = CliRunner().invoke(app, ["library", *words])
        assert done.exit_code == 0, done.output
        return done.output

    yield library
    close_workers()  # which find files from where they were started
    close_libraries()
    settings.cache_clear()


def links(run: Run) -> int:
    found = re.search(r"references +(\d+) among them", run("stats", "mine"))
    assert found
    return int(found[1])


def id_of(run: Run, title: str) -> str:
    run("export", "mine", "all.jsonl", "--force")
    rows = [json.loads(line) for line in Path("all.jsonl").read_text("utf-8").splitlines()]
    return str(next(row["id"] for row in rows if row["title"] == title))


@pytest.mark.parametrize("order", [("heights.pdf", "young.txt"), ("young.txt", "heights.pdf")])
@pytest.mark.usefixtures("references_are_read_elsewhere")
def test_paper_cites_another_of_the_library_whichever_came_first(
    run: Run, order: tuple[str, str]
) -> None:
    for name in order:
        run("add", name, "-l", "mine")
    assert links(run) == 1
    run("add", *order, "-l", "mine")
    assert links(run) == 1
    shown = json.loads(run("show", "mine", id_of(run, "Young owls learn late"), "--json"))
    assert shown["references"][0]["title"] == FIRST_TITLE
    assert len(shown["references"]) == 3, "what is not in the library is kept as well"
    run("remove", "mine", id_of(run, FIRST_TITLE), "--yes")
    assert links(run) == 0
    run("add", "heights.pdf", "-l", "mine")
    assert links(run) == 1
    run("remove", "mine", id_of(run, "Young owls learn late"), "--texts", "--yes")
    assert links(run) == 0


def test_tei_links_and_an_equal_title_of_another_author_or_year_does_not(run: Run) -> None:
    Path("other.xml").write_text(
        TEI.replace("Brook", "Marsh").replace("Listening for rain", "Looking for frogs"), "utf-8"
    )
    Path("older.xml").write_text(
        TEI.replace("2021", "1984").replace("Listening for rain", "Looking for newts"), "utf-8"
    )
    record = {"id": "local:a", "title": FIRST_TITLE, "year": 2021, "authors": ["Ilse Brook"]}
    Path("first.jsonl").write_text(json.dumps(record), "utf-8")
    run("add", "rain.xml", "other.xml", "older.xml", "first.jsonl", "-l", "mine")
    assert links(run) == 1


def test_documents_added_before_references_were_kept_get_them_when_added_again(run: Run) -> None:
    run("add", "heights.pdf", "young.txt", "-l", "mine")
    close_libraries()
    catalog = Path("home/libraries/mine/catalog.sqlite")
    with closing(sqlite3.connect(catalog)) as db, db:
        db.execute("DELETE FROM cited")
        db.execute("UPDATE documents SET digest = '', entry = json_remove(entry, '$.references')")
    assert links(run) == 0
    run("add", "heights.pdf", "young.txt", "-l", "mine")
    assert links(run) == 1


def test_find_follows_what_documents_cite_and_draws_it(run: Run, tmp_path: Path) -> None:
    run("add", "heights.pdf", "young.txt", "-l", "mine")
    question = "How do young barn owls find voles in the dark?"
    done = call("find", question, "--library", "mine", "--set", "bar=0", out=tmp_path / "out")
    assert done.code == 0, done.stderr
    hits = [hit for item in done.papers["papers"] for hit in item["found_by"]]
    assert {hit["via"] for hit in hits} >= {"reference", "citation"}
    (data,) = html.fromstring(done.text("papers.html")).xpath("//script[@id='data']/text()")
    assert len(json.loads(data)["links"]) == 1


def test_arxiv_id_tells_the_year(run: Run) -> None:
    run("add", "dusk.html", "-l", "mine")
    assert "2019 to 2019" in run("stats", "mine")


def test_named_source_gives_year_and_venue_and_its_failure_loses_nothing(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Work(
        number=0,
        title=FIRST_TITLE,
        abstract=None,
        date=date(2021, 3, 4),
        doi="10.5555/owls",
        authors=(("Ilse", "Brook"), ("Tom", "Ford")),
        venue="Quiet Birds",
        held_by=frozenset(SERVICES),
    )
    with ScholarServer(World([work], 0)) as server:
        monkeypatch.setenv("CITELOOM_CROSSREF_URL", server.crossref_url)
        monkeypatch.setenv("CITELOOM_CROSSREF_RATE", "500")
        monkeypatch.setenv("CITELOOM_SOURCE_PATIENCE", "1")
        settings.cache_clear()
        server.faults.chances = {"down": 1.0}
        told = run("add", "heights.pdf", "young.txt", "-l", "mine", "--source", "crossref")
        assert "note: crossref: " in told
        assert "run again to retry" in told
        assert "2 added" in told
        assert links(run) == 1
        assert "year" not in run("show", "mine", id_of(run, FIRST_TITLE)).split("\nfile")[0]
        server.faults.chances = {}
        told = run("add", "heights.pdf", "young.txt", "-l", "mine", "--source", "crossref")
        assert "1 paper was completed by crossref" in told
    shown = run("show", "mine", "10.5555/owls")
    assert "year     2021" in shown
    assert "venue    Quiet Birds" in shown
    assert links(run) == 1
