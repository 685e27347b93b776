"""Papers that were retracted after a run cited them, over real HTTP: what each command says of them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import run, sources
from tests.cli.conftest import Cite
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import make_world
from tests.support import ABSTRACT, small_records
from tools.library.open_library import close_libraries

SEARCH = ("--source", "openalex", "--keep", "8", "--set", "pool=12", "--set", "results=30")
ONE_HOP = ("--set", "max_hops=1")
OWN = "own"
CAUSES = {"retracted", "concern"}


@pytest.fixture
def server(home: Path) -> Iterator[ScholarServer]:
    world = make_world(size=150, seed=2, about=ABSTRACT.read_text(encoding="utf-8"), crowd=20)
    with sources(world, SOURCE_PATIENCE="0.5") as running:
        yield running


def retract(
    server: ScholarServer, papers: list[dict[str, str]], kind: str = "retraction"
) -> list[str]:
    """Have Crossref say from now on that these were retracted, or else; return the titles of those that it holds."""
    gone: list[str] = []
    for paper in papers:
        work = server.world.find_doi(paper["doi"] or "")
        if work is not None and known_to_crossref(server, paper):
            server.world.add_notice(work, kind)
            gone.append(paper["title"])
    return gone


def known_to_crossref(server: ScholarServer, paper: dict[str, str]) -> bool:
    work = server.world.find_doi(paper["doi"] or "")
    return work is not None and "crossref" in work.held_by


def test_every_command_tells_what_was_retracted_since_a_run_cited_it(
    cite: Cite, server: ScholarServer
) -> None:
    before = cite("review", ABSTRACT, *SEARCH, *ONE_HOP, "--cite", "4")
    assert before.code == 0, before.stderr
    assert not any("retracted" in reason for reason in before.run["audit"]["reasons"])
    name = before.run["run"]
    cited = [item["paper"] for item in before.run["references"]]
    held = [one for one in cited if known_to_crossref(server, one)]
    gone = retract(server, held[:-1])
    assert len(gone) >= 2
    doubted = retract(server, held[-1:], "expression_of_concern")
    assert doubted
    told = f"{len(gone)} cited papers: it was retracted"

    edited = before.out / "section.txt"
    citing = next(item for item in before.run["sentences"] if "[1]" in item["text"])
    edited.write_text(citing["text"], encoding="utf-8")
    for change in (("-i", "shorter"), ("--text", edited)):
        revised = cite("revise", name, *change, out="revised")
        assert revised.code == 0, revised.stderr
        names = {item["paper"]["title"] for item in revised.run["references"]} & {*gone}
        assert names, "else this shows nothing"
        assert not revised.run["audit"]["passed"]
        assert {item["cause"] for item in revised.run["audit"]["references"]} <= CAUSES
        first = revised.stdout.partition("\n>\n")[0]
        assert "> Retracted: " in first
        assert all(title in first for title in names)

    sources = ("--papers", before.out / "files" / "references.csl.json", "--source", "crossref")
    verified = cite("verify", before.out / "review.md", *sources, out="verified").stdout
    assert told in verified
    assert "its publisher issued an expression of concern (doi:10.9999/notice." in verified
    ids = [part for paper in cited for part in ("--paper", paper["id"])]
    written = cite("write", ABSTRACT, *ids, "--source", "openalex", out="written")
    assert {item["cause"] for item in written.run["audit"]["references"]} == CAUSES

    asked = len(server.calls("openalex"))
    again = cite("update", name, "--write", out="updated")
    assert again.code == 0, again.stderr
    assert len(server.calls("openalex")) > asked, "an update that asks nothing can find nothing new"
    searching = again.stderr.index("Reading the input")
    for title in gone:
        assert 0 <= again.stderr.index(f"Retracted: “{title}” (") < searching
    assert f"Notice: {name} has “{doubted[0]}”: its publisher issued" in again.stderr
    section = json.loads((again.out / "section" / "run.json").read_text(encoding="utf-8"))
    assert section["references"]
    assert not {item["paper"]["title"] for item in section["references"]} & {*gone}


def test_source_that_cannot_be_asked_for_retractions_is_named(
    cite: Cite, server: ScholarServer
) -> None:
    before = cite("review", ABSTRACT, *SEARCH, *ONE_HOP, "--cite", "4")
    server.down("crossref")
    revised = cite("revise", before.run["run"], "-i", "shorter", out="revised")
    again = cite("update", before.run["run"], out="updated")
    for done in (revised, again):
        assert done.code == 0
        assert "Not done: crossref: " in done.stderr
        assert "CiteLoom knows only the retractions that other sources mark" in done.stderr


def test_nothing_left_but_retracted_papers_is_told_as_that(
    cite: Cite, server: ScholarServer
) -> None:
    first = cite("find", ABSTRACT, *SEARCH, *ONE_HOP)
    judged = [item["paper"] for item in first.papers["papers"]]
    for paper in judged:
        if work := server.world.by_openalex.get(paper["openalex"] or ""):
            work.retraction_in |= {"openalex"}
    done = cite("find", ABSTRACT, *SEARCH, *ONE_HOP, "--set", "refresh=true", out="again")
    assert done.code == 1
    assert "relevant papers were retracted, and no other of openalex is relevant" in done.stderr


def test_library_marked_or_lost_since_a_run_is_told(cite: Cite, home: Path) -> None:
    def add(retracted: bool) -> None:
        rows = [
            one.model_copy(update={"retracted": retracted}).model_dump_json(exclude_defaults=True)
            for one in small_records()[:20]
        ]
        path = home / "records.jsonl"
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")
        run("library", "add", path, "--library", OWN, code=0)

    add(False)
    before = cite("review", ABSTRACT, "--library", OWN, "--cite", "4")
    name = before.run["run"]
    add(True)
    assert "Retracted: “" in cite("update", name, out="marked").stderr
    revised = cite("revise", name, "-i", "shorter", out="revised")
    assert any("retracted" in reason for reason in revised.run["audit"]["reasons"])
    close_libraries()
    (home / "libraries" / OWN).rename(home / "elsewhere")
    lost = cite("update", name, out="lost")
    assert lost.code == 1
    assert f"there is no library '{OWN}'" in lost.stderr
    assert (
        f"CiteLoom could not search again, so it cannot tell which papers are new since {name}"
        in lost.stderr
    )
    assert "New since" not in lost.stderr
