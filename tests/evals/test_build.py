"""`citeloom eval build --for retrieval` and `eval retrieval --sources`, against made-up arXiv and OpenAlex."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.evals.calls import evaluated, measured
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import make_world
from tools.settings import settings


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ScholarServer]:
    with ScholarServer(make_world(size=120, seed=5, crowd=0)) as running:
        monkeypatch.setenv("CITELOOM_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("OPENALEX_API_KEY", "k")
        for name in ("arxiv", "openalex", "semantic_scholar", "crossref", "serpapi"):
            monkeypatch.setenv(f"CITELOOM_{name.upper()}_URL", getattr(running, f"{name}_url"))
            monkeypatch.setenv(f"CITELOOM_{name.upper()}_RATE", "500")
        settings.cache_clear()
        yield running
    settings.cache_clear()


def test_references_of_a_month_become_queries_that_sources_are_measured_on(
    server: ScholarServer, tmp_path: Path
) -> None:
    works = [work for work in server.world.held("arxiv") if work.title and work.abstract]
    ((month, _),) = Counter(f"{work.date:%Y-%m}" for work in works).most_common(1)
    asked = {f"# {work.title}\n\n{work.abstract}": work for work in works}
    dates = {work.title: work.date for work in server.world.works}
    out = tmp_path / "queries.jsonl"
    given = ("--month", month, "--out", out, "--for", "retrieval", "--least", "2")
    built = evaluated("build", *given)
    assert built.exit_code == 0, built.output
    assert "with their references: OpenAlex costs" in built.stderr
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    for row in rows:
        work, gold = asked[row["text"]], {one["title"] for one in row["gold"]}
        assert row["before"] == str(work.date)
        assert len(gold) >= 2
        assert gold <= {server.world.works[at].title for at in work.references if type(at) is int}
        assert all(dates[title] < work.date for title in gold)
    seen = len(server.requests)
    assert evaluated("build", *given).exit_code == 0
    assert {one.service for one in server.requests[seen:]} <= {"arxiv"}, "nobody is asked twice"

    small = ("--n", "1", "--keep", "20", "--k", "10")
    found, done = measured(tmp_path, "retrieval", "--queries", out, "--sources", "openalex", *small)
    assert "openalex: 1 run of about 45 calls" in done.stderr
    (query,) = found["queries"]
    gold, kept = set(query["gold_ids"]), query["kept_ids"]["default"]
    assert len(gold) == len(rows[0]["gold"])
    assert query["arms"]["default"]["coverage"] == len(gold & set(kept)) / len(gold) > 0
    assert query["arms"]["default"]["source_calls"] > 0
    assert found["settings"]["sources"] == ["openalex"]
