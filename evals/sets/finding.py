"""Questions with the papers that answer them, as rows of `eval retrieval`: five sets.

Where each format is documented (read in November 2026):

- LitSearch: https://huggingface.co/datasets/princeton-nlp/LitSearch (the card's dataset_info), and the loaders in
  https://github.com/princeton-nlp/LitSearch (utils/utils.py). Parquet: `query/` has query_set, query, specificity,
  quality, corpusids; `corpus_clean/` has corpusid, title, abstract, citations, full_paper. No years.
- RealScholarQuery, AutoScholarQuery: https://github.com/bytedance/pasa (README for the folder, run_paper_agent.py for
  the day), rows of qid, question, answer, answer_arxiv_id, source_meta.published_time as in
  https://github.com/xiaofengShi/SPAR/tree/main/benchmark. Its paper_database is described nowhere and is not read.
- SPARBench: https://github.com/xiaofengShi/SPAR/tree/main/benchmark (spar_bench.jsonl): question, answer (titles),
  source_meta.answers of paperID, title, abstract, author, year.
- PaperFindingBench: https://github.com/allenai/asta-bench/tree/main/astabench/evals/paper_finder (README, task.py,
  eval.py, paper_finder_utils.py for the day): a JSON list of input (query_id, query) and scorer_criteria
  (corpus_ids; or known_to_be_good with relevance_criteria, by which an LLM judges). The data are behind terms and
  were not seen; a third party's loader says the same of their form.
"""

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import zip_longest
from typing import Any

from evals.retrieval.corpus import PAPERS
from evals.sets.files import Copy, Made, Row, rows_of, texts, words
from state.paper import canonical_id

QUERIES = "queries.jsonl"
_S2_ID = re.compile(r"[0-9a-f]{40}")
_LEAD = timedelta(days=7)
"""PaSa looks for papers of a week before the one that the question comes from."""
_ASTA_DAYS = {"litqa2": "2024-10-17"}
_ASTA_DAY = "2025-06-01"


def litsearch(copy: Copy, made: Made) -> None:
    """Read LitSearch, whose corpus becomes papers without years."""
    corpus = copy.find("corpus_clean/*", "corpus_clean.*")
    for name, row in rows_of(corpus, ("corpusid", "title", "abstract", "citations")):
        key = texts([row.get("corpusid")])
        _add_paper(
            made,
            name,
            {
                "id": f"CorpusId:{key[0]}" if key else "",
                "title": words(row.get("title")),
                "abstract": words(row.get("abstract")) or None,
                "year": None,
                "references": [f"CorpusId:{one}" for one in texts(row.get("citations"))],
            },
        )
    for at, (_, row) in enumerate(rows_of(copy.needed("query/*", "query.*")), 1):
        gold = [{"id": f"CorpusId:{one}"} for one in texts(row.get("corpusids"))]
        kinds = {key: row.get(key) for key in ("query_set", "specificity", "quality")}
        _add_query(made, f"litsearch-{at}", row.get("query"), gold, **kinds)


def real_scholar_query(copy: Copy, made: Made) -> None:
    """Read PaSa's RealScholarQuery."""
    _pasa(copy, made, "RealScholarQuery")


def auto_scholar_query(copy: Copy, made: Made) -> None:
    """Read the test part of PaSa's AutoScholarQuery, or the part that is given as a file."""
    _pasa(copy, made, "AutoScholarQuery")


def _pasa(copy: Copy, made: Made, folder: str) -> None:
    for name, row in rows_of(copy.files(f"{folder}/test.jsonl", f"{folder}*test*.jsonl")):
        pairs = zip_longest(_list(row, "answer_arxiv_id"), _list(row, "answer"))  # in one order
        told = [(f"arxiv:{words(key)}" if words(key) else "", words(title)) for key, title in pairs]
        gold = [
            {name: value for name, value in (("id", key), ("title", title)) if value}
            for key, title in told
            if key or title
        ]
        day = _published(row)
        before = {"before": str(day - _LEAD)} if day else {}
        _add_query(made, words(row.get("qid")) or name, row.get("question"), gold, **before)


def sparbench(copy: Copy, made: Made) -> None:
    """Read SPARBench; the gold of all its questions becomes a small corpus."""
    held: set[str] = set()
    for at, (_, row) in enumerate(rows_of(copy.files("spar_bench.jsonl", "*spar*bench*.jsonl")), 1):
        found = list(_records(row))
        known = {one["title"] for one in found}
        titles = [title for title in texts(row.get("answer")) if words(title) not in known]
        gold = [{"id": one["id"], "title": one["title"]} for one in found]
        _add_query(
            made,
            f"sparbench-{at}",
            row.get("question"),
            [*gold, *({"title": one} for one in titles)],
        )
        for one in found:
            if (key := canonical_id(one["id"])) not in held:
                held.add(key)
                _add_paper(made, one["id"], one)


def _records(row: Row) -> Iterator[dict[str, Any]]:
    meta = row.get("source_meta")
    told = meta.get("answers") if isinstance(meta, dict) else None
    for one in told if isinstance(told, list) else []:
        title = words(one.get("title")) if isinstance(one, dict) else ""
        if title:
            key, year = words(one.get("paperID")), one.get("year")
            yield {
                "id": f"s2:{key}" if _S2_ID.fullmatch(key) else key or title,
                "title": title,
                "abstract": words(one.get("abstract")) or None,
                "authors": texts(one.get("author")),
                "year": year if type(year) is int else None,
                "references": [],
            }


def paper_finding_bench(copy: Copy, made: Made) -> None:
    """Read PaperFindingBench: the questions of which some gold is known."""
    for name, row in rows_of(copy.files("paper_finder_bench/test*.json", "test*.json")):
        asked, criteria = (
            one if isinstance(one := row.get(key), dict) else {}
            for key in ("input", "scorer_criteria")
        )
        key = texts([asked.get("query_id")])
        whole = texts(criteria.get("corpus_ids"))
        gold = [
            {"id": f"CorpusId:{one}"} for one in whole or texts(criteria.get("known_to_be_good"))
        ]
        before = _ASTA_DAYS.get(key[0].split("_")[0], _ASTA_DAY) if key else _ASTA_DAY
        _add_query(
            made,
            key[0] if key else name,
            asked.get("query"),
            gold,
            before=before,
            whole_gold=bool(whole),
        )


def _list(row: Row, key: str) -> list[Any]:
    found = row.get(key)
    return found if isinstance(found, list) else []


def _published(row: Row) -> date | None:
    meta = row.get("source_meta")
    text = texts([meta.get("published_time")]) if isinstance(meta, dict) else []
    try:
        return datetime.strptime(text[0], "%Y%m%d").date() if text else None
    except ValueError:
        return None


def _add_query(
    made: Made, name: str, text: object, gold: list[dict[str, Any]], **more: object
) -> None:
    if not words(text):
        made.leave(name, "a question without words")
    elif not gold:
        made.leave(name, "a question without known gold papers")
    else:
        made.add(QUERIES, {"id": name, "text": words(text), "gold": gold, **more})


def _add_paper(made: Made, name: str, paper: dict[str, Any]) -> None:
    if paper["id"] and paper["title"]:
        made.rows[PAPERS].append(paper)
    else:
        made.leave(name, "a paper without id or title")
