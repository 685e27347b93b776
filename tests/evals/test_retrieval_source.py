"""The benchmarks' local source, over HTTP, and retrieval of passages with the real model."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from urllib.parse import quote

import httpx
import numpy as np
import pytest
from pydantic import SecretStr

from evals.asking.passages import read_sets
from evals.retrieval.corpus import Corpus, read_corpus
from evals.retrieval.works import Works, key_for, serving
from evals.trials import keeping_vectors
from state.search import SearchQuery
from tests.evals.calls import measured
from tests.evals.made import paper, topics, write
from tools.cache import AnswerCache
from tools.http.retrying_client import RetryingClient
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import RunLedger
from tools.scholar import openalex
from tools.scholar.openalex import OpenAlexSource
from tools.settings import Settings

WEAVING = [
    paper("10.5555/loom", "Weaving looms", "A loom weaves cloth of many threads.", 2001),
    paper(
        "10.5555/web",
        "Web of threads",
        "Spiders weave; their threads hold.",
        2003,
        cites=["10.5555/loom"],
    ),
    paper("10.5555/cloth", "On cloth", None, 2005, cites=["10.5555/loom", "10.5555/web"]),
    paper("10.5555/none", "Undated threads", "No one knows when looms were threaded.", None),
]
SourceOf = Callable[..., OpenAlexSource]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return read_corpus(write(tmp_path_factory.mktemp("data"), [*WEAVING, *topics()]))


@pytest.fixture(scope="module")
def url(corpus: Corpus) -> Iterator[str]:
    with serving(Works(corpus)) as address:
        yield address


@pytest.fixture
def settings_of(url: str) -> Callable[..., Settings]:
    def make(key: str = "", place: str = "") -> Settings:
        return Settings(
            _env_file=None,
            openalex_url=place or url,
            crossref_url=f"{url}/crossref",  # type: ignore[call-arg]
            openalex_rate=1000.0,
            crossref_rate=1000.0,
            contact_email=None,
            openalex_api_key=SecretStr(key) if key else None,
        )

    return make


@pytest.fixture
def source(settings_of: Callable[..., Settings], tmp_path: Path) -> SourceOf:
    def make(key: str = "", place: str = "") -> OpenAlexSource:
        ledger = RunLedger("run", BudgetLimits(), tmp_path)
        cache = AnswerCache(tmp_path / "responses.sqlite")
        return OpenAlexSource(RetryingClient(openalex.host(settings_of(key, place)), ledger, cache))

    return make


def words(text: str) -> SearchQuery:
    return SearchQuery(text=text, facet="problem", reason="a test")


def titles(url: str, search: str, more: str = "") -> list[str]:
    answer = httpx.get(f"{url}/works?search={quote(search)}{more}")
    assert answer.status_code == 200, answer.text
    return [work["title"] for work in answer.json()["results"]]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("loom thread", {"Weaving looms", "Undated threads"}),
        ("weaves", {"Weaving looms", "Web of threads"}),  # by its stem
        ('"threads hold"', {"Web of threads"}),
        ('"hold threads"', set()),
        ("spider OR (loom AND cloth)", {"Web of threads", "Weaving looms"}),
        ("thread NOT spider", {"Weaving looms", "Undated threads"}),
        ("the loom of a spider", set()),
        ("of the cloth", {"Weaving looms", "On cloth"}),  # words found everywhere do not count
        ("unknownword", set()),
    ],
)
def test_search_ands_stemmed_words_and_obeys_operators(
    url: str, search: str, found: set[str]
) -> None:
    assert set(titles(url, search)) == found


async def test_holder_of_a_trials_key_sees_no_future_and_not_the_own_paper(
    source: SourceOf, corpus: Corpus
) -> None:
    own = corpus.positions["doi:10.5555/web"]
    trial = source(key_for(2005, [own], "a"))
    found = await trial.get(
        ["doi:10.5555/loom", "doi:10.5555/web", "doi:10.5555/cloth", "doi:10.5555/none"]
    )
    assert [one.title for one in found.values()] == ["Weaving looms"]
    loom = found["doi:10.5555/loom"]
    assert loom.cited_by == 0
    assert (await trial.citations([loom], limit=50)).links == {loom.id: ()}
    assert not (await trial.search(words("spiders"), before=None, limit=9)).papers


def test_vector_depends_on_no_neighbour_and_is_made_once_also_by_the_next_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["Looms weave.", "Spiders weave webs of their own threads, and mend them.", "Cloth"]
    alone = [keeping_vectors(tmp_path / f"{text[:4]}.sqlite").embed([text])[0] for text in texts]
    kept = tmp_path / "vectors.sqlite"
    assert np.array_equal(keeping_vectors(kept).embed(texts), np.stack(alone))
    monkeypatch.setattr("tools.embed.minilm.MiniLm.embed", Mock(side_effect=AssertionError))
    assert keeping_vectors(kept).embed([]).shape == (0, 384)
    assert np.array_equal(keeping_vectors(kept).embed(texts[::-1]), np.stack(alone[::-1]))


PAPER = """Introduction
Honey bees tell their nestmates where flowers are, by a dance on the comb that has the form of an eight, \
and foragers follow it in the dark with their antennae until they know the direction.

Instruments
We filmed the comb with two infrared cameras of the maker Basler, placed behind a glass pane, for six \
weeks, and marked four hundred foragers with numbered tags that were glued to the thorax.

Results
The mean error of the waggle run was fifteen degrees, and it fell to nine degrees when the colony stood \
in a compensated magnetic field, which nobody had seen in earlier work with fewer bees.
"""
ROWS: dict[str, list[dict[str, Any]]] = {
    "papers_with_questions": [
        {
            "full_text": PAPER,
            "qa": [
                {"question": "Which cameras were used?", "answer": "two infrared cameras by Basler"},
                {"question": "How large was the error?", "answer": "mean error of fifteen degrees"},
                {"question": "Was it large?", "answer": "Yes"},
                {"question": "Who paid?", "answer": "the national science foundation of Atlantis"},
            ],
        },
        {
            "full_text": PAPER,
            "qa": [{"question": "Which cameras  were used?", "answer": "infrared cameras"}],
        },
    ],
    "scifact_questions": [
        {
            "question": f"Substance {word} cures coughs.",
            "evidence": [{"title": f"On {word}", "text": f"Patients with coughs took {word} daily."}],
        }
        for word in ("aspirin", "honey", "thyme")
    ],
    "expert_long_answers": [
        {
            "question": "What do harbours tell?",
            "answer": "They silt up [0], as cores show [2, 1].",
            "contexts": [
                {"title": "Silt", "text": "Harbours silt up when rivers move."},
                {"title": "Cores", "text": "Cores of harbours show floods."},
                {"title": "Cores", "text": "Cores are dated by radiocarbon."},
                {"title": "Bread", "text": "Rye bread was eaten."},
                {"title": "Torn", "text": float("nan")},
            ],
        }
    ],
}  # fmt: skip


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evals.figures.RESAMPLES", 1000)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, rows in ROWS.items():
        with gzip.open(tmp_path / f"{name}.jsonl.gz", "wt") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    return tmp_path


def test_sets_are_read_with_their_gold_passages(folder: Path) -> None:
    papers, evidence, contexts = read_sets(folder)
    assert (len(papers.texts), papers.asked) == (1, 5)
    ((_, _, passages),) = papers.texts.values()
    by_id = {passage.id: passage.text for passage in passages}
    golds = {q.text: [by_id[key] for key in q.gold] for q in papers.questions}
    assert list(golds) == ["Which cameras were used?", "How large was the error?"]
    assert ["Basler" in gold for gold in golds["Which cameras were used?"]] == [True]
    assert ["fifteen" in gold for gold in golds["How large was the error?"]] == [True]
    assert [len(q.gold) for q in evidence.questions] == [1, 1, 1]
    (question,) = contexts.questions
    assert len(question.gold) == 3
    assert sum(len(passages) for _, _, passages in contexts.texts.values()) == 4
    for _, text, passages in [*evidence.texts.values(), *contexts.texts.values()]:
        assert all(text[p.start : p.end] == p.text for p in passages)


def test_command_prints_the_table_and_writes_the_figures(folder: Path) -> None:
    found, result = measured(folder, "passages", "--data", folder, "--half", "all")
    assert "## views: papers with questions, its paper (2): arms" in result.stdout
    assert [view["n"] for view in found["views"].values()] == [2, 2, 3, 1]
    for view in found["views"].values():
        assert set(view["arms"]) == {"hybrid", "vectors", "keywords"}
        for name, row in view["arms"].items():
            assert row["recall"]["mean"] >= (2 / 3 if name == "keywords" else 1)
            assert row["context_ms_p95"] >= row["context_ms_p50"] > 0
