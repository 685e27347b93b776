"""Tests of `citeloom eval build`: the real command against a made-up arXiv and the sources that know what it cites."""

import json
from collections import Counter
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from evals.build import licence_of, related_work
from evals.retrieval.corpus import live_cases, read_queries
from evals.writing.cases import read_cases
from state.document import Block, Document
from state.paper import Paper, title_key
from tests.documents.test_fetch_open_copies import Site
from tests.evals.calls import evaluated
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import Work, make_world
from tools.settings import settings

LICENCE = '<a href="https://arxiv.org/licenses">License: CC BY 4.0</a>'


def entry(number: int, work: Work) -> str:
    names = ", ".join(f"{given[:1]}. {family}" for given, family in work.authors[:3] if family)
    doi = f" doi:{work.doi}" if work.doi else ""
    return f"[{number}] {names}. {work.title}. Journal of Hives, {work.year}.{doi}"


def page(title: str, cited: list[Work], *, heading: str = "2 Related Work") -> bytes:
    """A paper as arXiv's HTML shows it: a sentence for each work that it cites."""
    told = " ".join(
        f"One study looks at matter number {at} of the field [{at}]."
        for at in range(1, len(cited) + 1)
    )
    listed = "".join(f"<li>{escape(entry(at, work))}</li>" for at, work in enumerate(cited, 1))
    return f"""<!DOCTYPE html><html><body>{LICENCE}<article class="ltx_document"><h1>{escape(title)}</h1>
<h2>1 Introduction</h2><p>We begin with what is known of it for a while, and go on.</p>
<h2>{heading}</h2><p>{told}</p><h2>3 Method</h2><p>We do something else here [1].</p>
<h2>References</h2><ol>{listed}</ol></article></body></html>""".encode()


@pytest.fixture(scope="module")
def field() -> tuple[Any, list[Work], list[Work], str]:
    """A world, three of its arXiv papers of one month, and works with abstracts that they may cite."""
    world = make_world(size=300, seed=5)
    preprints = [work for work in world.held("arxiv") if work.title and work.abstract]
    months = Counter(work.date.strftime("%Y-%m") for work in preprints)
    month = next(name for name, count in months.most_common() if count >= 3)
    cited = [
        work
        for work in world.held("openalex")
        if work.title and work.abstract and work.doi and len(work.title) > 30 and work.authors
    ]
    return world, [work for work in preprints if f"{work.date:%Y-%m}" == month], cited, month


@pytest.fixture
def online(
    field: tuple[Any, list[Work], list[Work], str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[tuple[ScholarServer, Site]]:
    with ScholarServer(field[0]) as server, Site() as site:
        given = {
            "HOME": str(tmp_path / "home"),
            "ARXIV_URL": server.arxiv_url,
            "OPENALEX_URL": server.openalex_url,
            "SEMANTIC_SCHOLAR_URL": server.semantic_scholar_url,
            "ARXIV_HTML_URL": site.url,
            "AR5IV_URL": f"{site.url}/ar5iv",
            "ARXIV_PDF_URL": f"{site.url}/none",
            "ARXIV_RATE": "500",
            "OPENALEX_RATE": "500",
            "SEMANTIC_SCHOLAR_RATE": "500",
        }
        for name, value in given.items():
            monkeypatch.setenv(f"CITELOOM_{name}", value)
        monkeypatch.setenv("OPENALEX_API_KEY", "k")
        settings.cache_clear()
        yield server, site
    settings.cache_clear()


def build(out: Path, month: str, *more: str) -> Result:
    sources = () if "--sources" in more else ("--sources", "openalex")
    return evaluated("build", "--month", month, "--out", out, *sources, *more)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_sections_of_a_month_become_rows_that_the_writers_are_measured_on(
    field: tuple[Any, list[Work], list[Work], str],
    online: tuple[ScholarServer, Site],
    tmp_path: Path,
) -> None:
    _, preprints, cited, month = field
    _, site = online
    good, short, bare, *more = preprints
    site.serve(f"/html/{good.arxiv}", page(good.title, cited[:6]))
    site.serve(f"/html/{short.arxiv}", page(short.title, cited[:2]))
    site.serve(f"/html/{bare.arxiv}", page(bare.title, cited[:6], heading="2 Setting"))
    for work in more:
        site.serve(f"/html/{work.arxiv}", page(work.title, cited[:6]))
    out = tmp_path / "rows.jsonl"
    assert build(out, month, "--n", "1").exit_code == 0
    assert len(rows(out)) == 1
    done = build(out, month)
    assert done.exit_code == 0, done.output
    assert len({one["id"] for one in rows(out)}) == len(rows(out)) == 1 + len(more)
    row = next(one for one in rows(out) if one["target"]["arxiv"] == good.arxiv)
    assert (row["source"], row["licence"]) == (f"arXiv {month}", "CC BY 4.0")
    assert row["gold_related_work"].startswith("One study looks at matter number 1")
    assert "something else" not in row["gold_related_work"]
    assert [sentence["cites"] for sentence in row["gold_sentences"]] == [
        [one["key"]] for one in row["cited"]
    ]
    assert [one["abstract"] for one in row["cited"]] == [work.abstract for work in cited[:6]]
    left = {one["id"]: one["why"] for one in rows(out.with_suffix(".left-out.jsonl"))}
    assert left[f"arxiv:{short.arxiv}"] == "citing fewer than 5 works"
    assert left[f"arxiv:{bare.arxiv}"] == "without a related-work section"
    assert "50 sections of" in done.stderr
    assert "USD at most" in done.stderr
    for case in read_cases(out).cases:
        assert case.checkable
        assert len(case.papers) == 6
    # Again, nothing is fetched that was seen before.
    site.requests.clear()
    assert build(out, month).exit_code == 0
    assert not site.requests
    assert len(rows(out)) == 1 + len(more)


def test_references_of_a_month_become_queries_for_retrieval_with_their_days(
    field: tuple[Any, list[Work], list[Work], str],
    online: tuple[ScholarServer, Site],
    tmp_path: Path,
) -> None:
    world, preprints, _, month = field
    server, site = online
    out = tmp_path / "queries.jsonl"
    more = ("--for", "retrieval", "--sources", "openalex,semantic_scholar", "--least", "2")
    done = build(out, month, *more)
    assert done.exit_code == 0, done.output
    assert not site.requests, "no copy is needed"
    known = {f"# {work.title}\n\n{work.abstract}": work for work in preprints}
    assert rows(out)
    dated = {title_key(work.title): work.date for work in world.works if work.title}
    for row in rows(out):
        work = known[row["text"]]
        assert row["before"] == str(work.date)
        cited = {title_key(world.works[at].title) for at in work.references if type(at) is int}
        gold = [title_key(one["title"]) for one in row["gold"]]
        assert len(gold) >= 2
        assert set(gold) <= cited
        assert all(dated[title] < work.date for title in gold)
    cases = live_cases(read_queries(out), 50)
    assert len(cases.cases) == len(rows(out))
    assert not any(case.lacking for case in cases.cases)
    log = out.with_suffix(".left-out.jsonl")
    assert len(rows(out)) + (len(rows(log)) if log.exists() else 0) == len(preprints)
    asked = len(server.requests)
    assert build(out, month, *more).exit_code == 0
    assert {one.service for one in server.requests[asked:]} <= {"arxiv"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--month", "May"), "'May' is no month"),
        (("--month", "2026-10", "--sources", "library"), "name sources on the network"),
        (("--month", "2026-10", "--sources", "none"), "there is no source 'none'"),
    ],
)
def test_what_cannot_be_built_is_refused(
    given: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    done = evaluated("build", "--out", tmp_path / "rows.jsonl", *given)
    assert (done.exit_code, words in done.stderr) == (2, True), done.output


@pytest.mark.parametrize(
    ("heading", "found"),
    [
        ("2 Related Work", True),
        ("II. RELATED WORKS", True),
        ("Background and Related Work", True),
        ("2.1 Prior research", True),
        ("Previous Studies", True),
        ("Related Work on Bees", False),
        ("Method", False),
        ("Background", True),
    ],
)
def test_section_is_known_by_its_heading(heading: str, found: bool) -> None:
    blocks = (
        Block(text="Bees find home by the sun [1].", section=(heading,), kind="text"),
        Block(
            text="[1] A. Lee. The sun compass of honey bees in flight. 2001.",
            section=("References",),
            kind="reference",
        ),
    )
    document = Document(blocks=blocks, reader="test")
    section = related_work(Paper(id="arxiv:2001.00001", title="Bees"), document)
    assert (section is not None) is found


def test_licence_is_read_where_it_is_printed() -> None:
    assert licence_of(b"<p>License: arXiv.org perpetual non-exclusive license</p>").startswith(
        "arXiv.org perpetual"
    )
    assert licence_of(b"<p>Licence matters</p>") == ""
