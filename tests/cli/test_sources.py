"""`citeloom find --source ...` and `citeloom doctor` with sources on the network."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import call, run, sources
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import World, make_world
from tests.support import ABSTRACT

BOTH = ("--source", "openalex", "--source", "semantic_scholar")
SMALLER = ("--set", "pool=12", "--set", "results=30")
KEY = "a-key-that-nobody-may-see"


@pytest.fixture(scope="module")
def world() -> World:
    made = make_world(size=300, seed=2, about=ABSTRACT.read_text(encoding="utf-8"), crowd=50)
    made.works[0].openalex = "W2741809807"  # the one that `doctor` asks for
    return made


@pytest.fixture
def server(home: Path, world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScholarServer]:
    """What every source is; OpenAlex has a key."""
    monkeypatch.setenv("OPENALEX_API_KEY", KEY)
    with sources(world, SOURCE_TIMEOUT="2", SOURCE_PATIENCE="5") as running:
        yield running


@pytest.mark.slow
def test_find_reports_papers_prices_and_queries_of_each_source(
    server: ScholarServer, tmp_path: Path
) -> None:
    done = call("find", ABSTRACT, *BOTH, *SMALLER, out=tmp_path / "out")
    assert done.code == 0
    used = {row["source"]: row for row in done.run["source_usage"]}
    assert set(used) == {"openalex", "semantic_scholar", "crossref"}
    assert used["openalex"]["usd"] == pytest.approx(server.charged.usd)
    assert used["openalex"]["calls"] == len(server.calls("openalex"))
    assert all(entry["sent"] for entry in done.run["search_log"])
    assert {hit["source"] for item in done.papers["papers"] for hit in item["found_by"]} >= {
        "openalex",
        "semantic_scholar",
    }
    assert done.run["settings"]["openalex_url"] == server.openalex_url
    everything = "".join(done.text(name) for name in done.files) + done.stdout + done.stderr
    assert KEY not in everything


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        ("much", "is not an amount in USD"),
        ("-1", "is not an amount in USD"),
        ("nan", "is not an amount in USD"),
        ("bing=1", "is not one of openalex"),
    ],
)
def test_budget_that_is_none_is_refused(budget: str, words: str, home: Path) -> None:
    result = run("find", "a few words here", "--max-usd", budget, code=2)
    assert words in " ".join(result.stderr.replace("│", " ").split())


def test_unknown_source_and_missing_key_are_told_before_anything_is_asked(
    server: ScholarServer, tmp_path: Path
) -> None:
    done = call("find", ABSTRACT, "--source", "bing", out=tmp_path / "one")
    assert done.code == 1
    assert "there is no source 'bing'; there are: library, snapshot, openalex" in done.stderr
    done = call("find", ABSTRACT, "--source", "google", out=tmp_path / "two")
    assert done.code == 1
    assert "SERPAPI_API_KEY" in done.stderr
    assert server.requests == []


def test_doctor_shows_keys_allowance_and_latency(
    server: ScholarServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERPAPI_API_KEY", KEY)
    server.money.spent[KEY] = 0.25
    result = run("doctor", code=0)
    lines = {line.split()[1]: line for line in result.stdout.splitlines() if len(line.split()) > 1}
    assert "key set (OPENALEX_API_KEY)" in lines["openalex"]
    assert "0.75 of 1 USD left today" in lines["openalex"]
    assert "key not set (SEMANTIC_SCHOLAR_API_KEY)" in lines["semantic_scholar"]
    for name in ("openalex", "semantic_scholar", "arxiv", "crossref"):
        assert lines[name].startswith("✓")
        assert re.search(r"answers in \d", lines[name])
    assert KEY not in result.stdout
    assert server.charged.usd == 0


def test_doctor_names_a_key_that_is_rejected(server: ScholarServer) -> None:
    server.bad_keys.add(KEY)
    result = run("doctor", code=1)
    (line,) = [line for line in result.stdout.splitlines() if " openalex " in line]
    assert line.startswith("✗")
    assert "set OPENALEX_API_KEY" in line


def test_write_looks_papers_up_by_id_and_says_which_were_retracted(
    server: ScholarServer, tmp_path: Path
) -> None:
    held = [work for work in server.world.held("openalex") if work.doi and work.abstract]
    retracted = next(work for work in held if "openalex" in work.retraction_in)
    sound = [work for work in held if not work.retracted][:3]
    named = [item for work in (*sound, retracted) for item in ("--paper", work.doi or "")]
    done = call("write", ABSTRACT, *named, "--source", "openalex", out=tmp_path / "out")
    assert done.code == 0
    assert {item["paper"]["doi"] for item in done.run["references"]} == {
        (work.doi or "").lower() for work in (*sound, retracted)
    }
    assert f"doi:{(retracted.doi or '').lower()}" in " ".join(done.run["notes"])


@pytest.mark.parametrize(
    "others",
    [(), pytest.param(("--source", "library", "--library", "small"), marks=pytest.mark.slow)],
)
def test_offline_each_source_is_told_in_one_line(home: Path, others: tuple[str, ...]) -> None:
    # Both have one address here, and so one pace: that of the source which is asked last.
    sources = (*BOTH[2:], *BOTH[:2])
    done = call("find", ABSTRACT, *sources, *SMALLER, *others, out=home.parent / "out")
    assert done.code == (0 if others else 1)
    for name in ("openalex", "semantic_scholar"):
        told = [line for line in done.stderr.splitlines() if f"{name} cannot be reached" in line]
        assert len(told) == 1
        assert len([item for item in done.run["failures"] if name in item["subject"]]) > 1
    flat = " ".join(done.stderr.split())
    assert "openalex cannot be reached at http://127.0.0.1:9" in flat
    assert "set CITELOOM_OPENALEX_URL to a mirror" in flat
    assert others or "search a library only" in flat


def two_dois(server: ScholarServer) -> list[str]:
    held = [work for work in server.world.held("openalex") if work.doi and work.abstract]
    return [part for work in held[:2] for part in ("--paper", str(work.doi))]


def test_records_that_cost_nothing_are_had_where_the_allowance_is_spent(
    server: ScholarServer, tmp_path: Path
) -> None:
    server.money.with_key = 0.0
    done = call("write", ABSTRACT, *two_dois(server), "--source", "openalex", out=tmp_path / "out")
    assert done.code == 0, done.stderr
    assert len(done.run["references"]) == 2
    assert (server.charged.by_kind["refused"], server.charged.by_kind["singleton"]) == (1, 2)


def test_source_that_refuses_is_never_told_as_one_that_has_nothing(
    server: ScholarServer, tmp_path: Path
) -> None:
    server.faults.only["openalex"] = {"spent": 1.0}
    dois = two_dois(server)
    done = call("write", ABSTRACT, *dois, "--source", "openalex", out=tmp_path / "written")
    assert done.code == 1
    checked = call(
        "verify", "Owls hoot at night [1].", *dois, "--source", "openalex", out=tmp_path / "checked"
    )
    found = call(
        "find",
        ABSTRACT,
        "--library",
        "small",
        "--include",
        dois[1],
        "--source",
        "library",
        "--source",
        "openalex",
        *SMALLER,
        out=tmp_path / "found",
    )
    for told in (done.stderr, checked.stderr, found.stderr):
        assert "openalex did not answer (openalex's quota is spent; it comes back at" in told
        assert "openalex has no such paper" not in told
