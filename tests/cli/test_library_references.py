"""`citeloom library add` keeps what documents cite: links, their order, years and venues of sources."""

import json
import re
import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest
from lxml import html

from tests.cli.commands import call, run, sources
from tests.fakes.scholar.world import SERVICES, Work, World
from tests.graphs.stacks import FIRST_TITLE, THIRD, first
from tools.library.open_library import close_libraries

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


@pytest.fixture(autouse=True)
def papers(bare_home: Path) -> None:
    Path("heights.pdf").write_bytes(first())
    for name, text in (("young.txt", THIRD), ("rain.xml", TEI), ("dusk.html", STAMPED)):
        Path(name).write_text(text, encoding="utf-8")


def library(*words: str) -> str:
    return run("library", *words, code=0).output


def links() -> int:
    found = re.search(r"references +(\d+) among them", library("stats", "mine"))
    assert found
    return int(found[1])


def id_of(title: str) -> str:
    library("export", "mine", "all.jsonl", "--force")
    rows = [json.loads(line) for line in Path("all.jsonl").read_text("utf-8").splitlines()]
    return str(next(row["id"] for row in rows if row["title"] == title))


@pytest.mark.parametrize("order", [("heights.pdf", "young.txt"), ("young.txt", "heights.pdf")])
@pytest.mark.usefixtures("references_are_read_elsewhere")
def test_paper_cites_another_of_the_library_whichever_came_first(order: tuple[str, str]) -> None:
    for name in order:
        library("add", name, "-l", "mine")
    assert links() == 1
    library("add", *order, "-l", "mine")
    assert links() == 1
    shown = json.loads(library("show", "mine", id_of("Young owls learn late"), "--json"))
    assert shown["references"][0]["title"] == FIRST_TITLE
    assert len(shown["references"]) == 3, "what is not in the library is kept as well"
    library("remove", "mine", id_of(FIRST_TITLE), "--yes")
    assert links() == 0
    library("add", "heights.pdf", "-l", "mine")
    assert links() == 1
    library("remove", "mine", id_of("Young owls learn late"), "--texts", "--yes")
    assert links() == 0


def test_tei_links_and_an_equal_title_of_another_author_or_year_does_not() -> None:
    Path("other.xml").write_text(
        TEI.replace("Brook", "Marsh").replace("Listening for rain", "Looking for frogs"), "utf-8"
    )
    Path("older.xml").write_text(
        TEI.replace("2021", "1984").replace("Listening for rain", "Looking for newts"), "utf-8"
    )
    record = {"id": "local:a", "title": FIRST_TITLE, "year": 2021, "authors": ["Ilse Brook"]}
    Path("first.jsonl").write_text(json.dumps(record), "utf-8")
    library("add", "rain.xml", "other.xml", "older.xml", "first.jsonl", "-l", "mine")
    assert links() == 1


def test_documents_added_before_references_were_kept_get_them_when_added_again() -> None:
    library("add", "heights.pdf", "young.txt", "-l", "mine")
    close_libraries()
    catalog = Path("home/libraries/mine/catalog.sqlite")
    with closing(sqlite3.connect(catalog)) as db, db:
        db.execute("DELETE FROM cited")
        db.execute("UPDATE documents SET digest = '', entry = json_remove(entry, '$.references')")
    assert links() == 0
    library("add", "heights.pdf", "young.txt", "-l", "mine")
    assert links() == 1


def test_find_follows_what_documents_cite_and_draws_it(tmp_path: Path) -> None:
    library("add", "heights.pdf", "young.txt", "-l", "mine")
    question = "How do young barn owls find voles in the dark?"
    done = call("find", question, "--library", "mine", "--set", "bar=0", out=tmp_path / "out")
    assert done.code == 0, done.stderr
    hits = [hit for item in done.papers["papers"] for hit in item["found_by"]]
    assert {hit["via"] for hit in hits} >= {"reference", "citation"}
    (data,) = html.fromstring(done.text("papers.html")).xpath("//script[@id='data']/text()")
    assert len(json.loads(data)["links"]) == 1


def test_arxiv_id_tells_the_year() -> None:
    library("add", "dusk.html", "-l", "mine")
    assert "2019 to 2019" in library("stats", "mine")


def test_named_source_gives_year_and_venue_and_its_failure_loses_nothing() -> None:
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
    with sources(World([work], 0), SOURCE_PATIENCE="1") as server:
        server.faults.chances = {"down": 1.0}
        told = library("add", "heights.pdf", "young.txt", "-l", "mine", "--source", "crossref")
        for part in (
            "note: crossref: ",
            "run again to retry",
            "2 added",
        ):
            assert part in told
        assert links() == 1
        assert "year" not in library("show", "mine", id_of(FIRST_TITLE)).split("\nfile")[0]
        server.faults.chances = {}
        told = library("add", "heights.pdf", "young.txt", "-l", "mine", "--source", "crossref")
        assert "1 paper was completed by crossref" in told
    shown = library("show", "mine", "10.5555/owls")
    assert "year     2021" in shown
    assert "venue    Quiet Birds" in shown
    assert links() == 1
