"""Questions with people's answers, as rows of `eval passages`, `asking` and `retrieval`: two sets.

Where each format is documented (read in November 2026):

- ScholarQABench: https://github.com/AkariAsai/ScholarQABench (README, and the files in data/).
  scholarqa_multi/human_answers.json is a list of input, output (an expert's answer, which cites its contexts by
  number from 0) and ctxs (title, text, ...); single_paper_tasks/ has JSON lines of input, answer and gold_ctx
  (scifact_test; pubmed_test, most of whose texts are objects with `contexts`) or ctxs (qasa_test: the paper's whole
  text in pieces; its file was not seen, only what README and scripts say). The other parts have no answers:
  scholarqa_cs has rubrics, scholarqa_bio and scholarqa_neuro only questions.
- LitQA2: https://huggingface.co/datasets/futurehouse/lab-bench (the card's dataset_info): id, question, ideal,
  distractors, sources (addresses by DOI), key-passage and more. It has no papers.
"""

import re
from os.path import relpath
from pathlib import Path
from typing import Any

from evals.sets.files import Copy, Made, Row, rows_of, texts, words
from evals.sets.finding import QUERIES
from state.paper import canonical_id

EXPERTS, CLAIMS, PAPERS = (
    "expert_long_answers.jsonl",
    "scifact_questions.jsonl",
    "papers_with_questions.jsonl",
)
YES_NO, QUESTIONS = "pubmedqa.jsonl", "questions.jsonl"
_LACKING = "without question, answer or contexts"
_BARE = {
    "scholarqabench_bio.jsonl": "questions without answers",
    "scholarqabench_neuro.jsonl": "questions without answers",
    "test_configs_snippets.json": "questions with rubrics, by which no suite here grades",
}


def scholarqabench(copy: Copy, made: Made) -> None:
    """Read the parts of ScholarQABench that have answers."""
    copy.needed("human_answers.json", "scifact_test.jsonl", "qasa_test.jsonl", "pubmed_test.jsonl")
    for name, row in rows_of(copy.find("human_answers.json")):
        # Numbers in answers count from the first context, so all stay, also those without text.
        contexts = [_piece(one) for one in _dicts(row.get("ctxs"))]
        _add(
            made,
            EXPERTS,
            name,
            contexts,
            {
                "question": words(row.get("input")),
                "answer": words(row.get("output")),
                "contexts": contexts,
            },
        )
    for name, row in rows_of(copy.find("scifact_test.jsonl")):
        evidence = [one for one in map(_piece, _dicts(row.get("gold_ctx"))) if one["text"]]
        _add(
            made,
            CLAIMS,
            name,
            evidence,
            {
                "question": words(row.get("input")),
                "answer": words(row.get("answer")),
                "evidence": evidence,
            },
        )
    _add_papers(made, YES_NO, copy.find("pubmed_test.jsonl"), "gold_ctx")
    _add_papers(made, PAPERS, copy.find("qasa_test.jsonl"), "ctxs")
    for file, why in _BARE.items():
        for name, _ in rows_of(copy.find(file)):
            made.leave(name, why)


def litqa2(copy: Copy, made: Made, pdfs: Path | None = None, folder: Path = Path()) -> None:
    """Read LitQA2: questions to the PDFs that are there, and the source of each as what a search should find.

    Rows name a PDF by its path from `folder`, in which they will stand.
    """
    paths = sorted(pdfs.rglob("*.pdf")) if pdfs is not None else []
    files = {_bare(path.stem): path for path in paths}
    papers: dict[Path, dict[str, Any]] = {}
    for at, row in rows_of(copy.files("LitQA2/*.parquet", "*litqa*.jsonl")):
        name = words(row.get("id")) or at
        asked = {"question": words(row.get("question")), "answer": words(row.get("ideal"))}
        known = [
            key
            for key in map(canonical_id, texts(row.get("sources")))
            if not key.startswith("local:")
        ]
        if not known or not all(asked.values()):
            made.leave(name, "without question, answer or the DOI of its source")
            continue
        gold = [{"id": key} for key in known]
        made.add(QUERIES, {"id": name, "text": asked["question"], "gold": gold})
        ids = [key.split(":", 1)[1] for key in known]
        names = [_bare(part) for one in ids for part in (one, one.split("/", 1)[-1])]
        path = next((files[key] for key in names if key in files), None)
        if path is None:
            made.leave(f"{name}, {known[0]}", "without a PDF in --pdfs that is named by the DOI")
        else:
            file = relpath(path.resolve(), folder.resolve())
            papers.setdefault(path, {"doc_id": name, "file": file, "qa": []})["qa"].append(asked)
    for paper in papers.values():
        made.add(QUESTIONS, paper)


def _dicts(given: object) -> list[Row]:
    """Return the pieces of a list; the scripts of ScholarQABench also know an object of [text, title]."""
    if isinstance(given, dict):
        pairs = [one for one in given.values() if isinstance(one, list) and len(one) > 1]
        return [{"text": one[0], "title": one[1]} for one in pairs]
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []


def _piece(row: Row) -> dict[str, str]:
    text = row.get("text")
    whole = " ".join(texts(text.get("contexts"))) if isinstance(text, dict) else text
    return {"title": words(row.get("title")), "text": words(whole)}


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def _add(made: Made, file: str, name: str, pieces: list[Any], row: dict[str, Any]) -> None:
    if row["question"] and row["answer"] and pieces:
        made.add(file, row)
    else:
        made.leave(name, _LACKING)


def _add_papers(made: Made, file: str, paths: list[Path], key: str) -> None:
    """Write a row for each text, with all questions that are put to it."""
    papers: dict[str, dict[str, Any]] = {}
    for name, row in rows_of(paths):
        pieces = [_piece(one) for one in _dicts(row.get(key))]
        text = "\n\n".join(filter(None, (one["text"] for one in pieces)))
        asked = {"question": words(row.get("input")), "answer": words(row.get("answer"))}
        if not text or not all(asked.values()):
            made.leave(name, _LACKING)
        else:
            paper = {"doc_id": name, "title": pieces[0]["title"], "full_text": text, "qa": []}
            papers.setdefault(text, paper)["qa"].append(asked)
    for paper in papers.values():
        made.add(file, paper)
