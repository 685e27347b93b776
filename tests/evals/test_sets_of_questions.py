"""Tests of `citeloom eval convert` over sets that look for papers, and of `eval retrieval` with what it makes."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from evals.retrieval.corpus import choose_cases, live_cases, read_corpus
from evals.retrieval.queries import Sought, read_queries
from tests.evals.calls import evaluated
from tests.evals.copies import converted, lines, rows, whole
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import make_world
from tools.settings import settings

BEES = [
    {"corpusid": 1, "title": "The waggle dance of the honeybee", "citations": [3, 99],
     "abstract": "The waggle dance tells a honeybee colony where nectar is. We decode the dance.",
     "full_paper": "Long."},
    {"corpusid": 2, "title": "Foraging of a honeybee colony", "citations": [1],
     "abstract": "A honeybee colony guides its foraging by the waggle dance.", "full_paper": ""},
    {"corpusid": 3, "title": "Glaciers and meltwater", "citations": [], "abstract": None, "full_paper": ""},
    {"corpusid": 4, "title": "", "citations": [], "abstract": "It has no title.", "full_paper": ""},
]  # fmt: skip


def asked(query: object, gold: object) -> dict[str, object]:
    return {
        "query_set": "manual_acl",
        "query": query,
        "specificity": 1,
        "quality": 2,
        "corpusids": gold,
    }


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("vectors") / "vectors.sqlite"


def test_litsearch_is_searched_end_to_end(tmp_path: Path, vectors: Path) -> None:
    copy = tmp_path / "LitSearch"
    lines(copy / "corpus_clean.jsonl", BEES)
    questions = [
        asked("Which works tell how the waggle dance guides foraging?", [1, 2, 77]),
        asked("", [1]),
        asked("Who asks for nothing?", []),
    ]
    lines(copy / "query.jsonl", questions)
    out, why, said = converted("litsearch", copy)
    assert why == {
        "corpus_clean.jsonl:4": "a paper without id or title",
        "litsearch-2": "a question without words",
        "litsearch-3": "a question without known gold papers",
    }
    assert "licence: MIT" in said
    assert f"citeloom eval retrieval --data {out}" in said
    assert read_corpus(out).records[0].references == ("CorpusId:3", "CorpusId:99")
    figures = tmp_path / "figures.json"
    done = evaluated(
        "retrieval",
        "--data",
        out,
        "--queries",
        out / "queries.jsonl",
        "--arms",
        "single",
        "--k",
        "2",
        "--vectors",
        vectors,
        "--json",
        figures,
    )
    assert done.exit_code == 0, done.output
    assert "1 gold papers are not in the data" in done.stdout
    (query,) = json.loads(figures.read_text(encoding="utf-8"))["queries"]
    assert (query["gold"], query["year"]) == (2, None)
    assert set(query["kept_ids"]["single"][:2]) == set(query["gold_ids"])
    assert query["arms"]["single"]["recall_at_k"] == 1.0


def test_questions_of_pasa_have_days(tmp_path: Path) -> None:
    copy = tmp_path / "pasa"
    good = {
        "qid": "RealScholarQuery_0",
        "question": "Which works dance?",
        "answer": ["The Dance, again", "A book", ""],
        "answer_arxiv_id": ["2201.00001", None],
        "source_meta": {"published_time": "20230105"},
    }
    spoilt: dict[str, Any] = {
        **good,
        "qid": "RealScholarQuery_1",
        "answer": [],
        "answer_arxiv_id": [],
    }
    undated = {**good, "qid": "RealScholarQuery_2", "source_meta": {"published_time": "soon"}}
    lines(copy / "RealScholarQuery" / "test.jsonl", [good, spoilt, undated])
    out, why, said = converted("realscholarquery", copy)
    assert f"next: citeloom eval retrieval --queries {out}" in said
    assert why == {"RealScholarQuery_1": "a question without known gold papers"}
    first, last = read_queries(out / "queries.jsonl")
    assert (first.before, last.before) == (date(2022, 12, 29), None)
    assert first.gold == (
        Sought(id="arxiv:2201.00001", title="The Dance, again"),
        Sought(title="A book"),
    )
    copy.joinpath("RealScholarQuery").rename(copy / "AutoScholarQuery")
    out, _, _ = converted("autoscholarquery", copy)
    assert read_queries(out / "queries.jsonl") == [first, last]
    assert live_cases([first], 1).cases[0].gold == {"arxiv:2201.00001", "title:abook"}


def test_gold_of_sparbench_is_its_corpus_and_paper_finding_bench_knows_corpus_ids(
    tmp_path: Path,
) -> None:
    record = {
        "paperID": "f" * 40,
        "title": "On Silt",
        "abstract": "Silt lies.",
        "author": ["A. Lind"],
        "year": 2015,
        "source": ["Semantic"],
        "sim_score_llm": 0.9,
    }
    bare = {**record, "paperID": "", "title": "On Ash", "year": None, "author": None}
    answers = [record, bare, {"title": ""}, "text"]
    spar = [
        {
            "question": "What of silt?",
            "answer": ["On Silt", "On Ash", "On Sand"],
            "source_meta": {"published_time": "20250320", "answers": answers},
        },
        {"question": "And again?", "answer": ["On Silt"], "source_meta": {"answers": [record]}},
        {"question": "Nothing?", "answer": None, "source_meta": None},
    ]
    out, why, _ = converted("sparbench", lines(tmp_path / "spar_bench.jsonl", spar))
    assert why == {"sparbench-3": "a question without known gold papers"}
    chosen = choose_cases(read_corpus(out), read_queries(out / "queries.jsonl"), 2).cases
    assert [(len(case.gold), case.lacking) for case in chosen] == [(2, 1), (1, 0)]

    asta = [
        {
            "input": {"query_id": "specific_1", "query": "the silt paper"},
            "scorer_criteria": {"corpus_ids": ["7"]},
        },
        {
            "input": {"query_id": "semantic_2", "query": "silt"},
            "scorer_criteria": {
                "known_to_be_good": ["8", "9"],
                "known_to_be_bad": [],
                "relevance_criteria": [],
            },
        },
        {
            "input": {"query_id": "semantic_3", "query": "ash"},
            "scorer_criteria": {"known_to_be_good": []},
        },
        {"input": None},
    ]
    out, why, said = converted("paperfindingbench", whole(tmp_path / "test_2025.json", asta))
    assert [
        (row["id"], row["gold"], row["whole_gold"], row["before"])
        for row in rows(out / "queries.jsonl")
    ] == [
        ("specific_1", [{"id": "CorpusId:7"}], True, "2025-06-01"),
        ("semantic_2", [{"id": "CorpusId:8"}, {"id": "CorpusId:9"}], False, "2025-06-01"),
    ]
    assert set(why) == {"semantic_3", "test_2025.json:4"}
    assert "put DOIs or titles for the corpus ids" in said
    alone = evaluated("retrieval", "--queries", out / "queries.jsonl", "--sources", "arxiv")
    assert alone.exit_code == 2
    assert "no source knows its gold" in alone.stderr


def test_questions_are_put_to_the_sources_of_the_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, vectors: Path
) -> None:
    world = make_world(size=12, seed=3)
    works = {" ".join(work.title.split()[:2]): work for work in world.held("openalex")}
    known, titled = works["Hive monitoring"], works["Towards telemetry"]
    gold = [
        {"id": known.doi, "title": "Another title of it"},
        {"title": titled.title},
        {"title": "Lost"},
    ]
    asked_of_hives = {"id": "one", "text": "How is hive monitoring with brood done?", "gold": gold}
    unknown = {"id": "two", "text": "What?", "gold": ["CorpusId:1"]}
    queries = lines(tmp_path / "queries.jsonl", [asked_of_hives, unknown])
    figures = tmp_path / "figures.json"
    with ScholarServer(world) as server:
        given = {
            "OPENALEX_URL": server.openalex_url,
            "CROSSREF_URL": server.crossref_url,
            "OPENALEX_RATE": "500",
            "CROSSREF_RATE": "500",
            "SEMANTIC_SCHOLAR_URL": server.semantic_scholar_url,
            "ARXIV_URL": server.arxiv_url,
            "SEMANTIC_SCHOLAR_RATE": "500",
            "ARXIV_RATE": "500",
        }
        for name, value in given.items():
            monkeypatch.setenv(f"CITELOOM_{name}", value)
        monkeypatch.setenv("OPENALEX_API_KEY", "k")
        settings.cache_clear()
        done = evaluated(
            "retrieval",
            "--queries",
            queries,
            "--sources",
            "openalex",
            "--keep",
            "12",
            "--vectors",
            vectors,
            "--json",
            figures,
        )
    settings.cache_clear()
    assert done.exit_code == 0, done.output
    assert "1 runs ask openalex" in done.stderr
    found = json.loads(figures.read_text(encoding="utf-8"))
    (query,) = found["queries"]
    assert len(query["gold_ids"]) == 3
    assert set(query["gold_ids"]) & set(query["kept_ids"]["default"]) == set(query["gold_ids"]) - {
        "title:lost"
    }
    assert query["arms"]["default"]["coverage"] == pytest.approx(2 / 3)
    assert "no source knows its gold" in found["left_out"]["two"]
