"""Tests of `citeloom eval convert` over sets of related-work sections and of answers, and of what it refuses."""

import csv
import re
import sys
from pathlib import Path

import pytest

from evals.asking.papers import read_papers
from evals.passages.sets import read_sets
from evals.retrieval.queries import read_queries
from evals.writing.cases import read_cases
from evals.writing.gold import ForcedPlan, forced_plan
from tests.evals.calls import evaluated
from tests.evals.copies import converted, lines, rows, whole
from tests.pdf.papers import ABSTRACT, LEFT, REFERENCES, TITLE
from tests.pdf.writer import BOLD, Page, pdf

# --- Related-work sections ----------------------------------------------------------------------


def test_multi_xscience_cites_works_without_titles_by_their_numbers(tmp_path: Path) -> None:
    good = {
        "aid": "2010.14235",
        "mid": "11",
        "abstract": "We measure floods.",
        "related_work": "Silt was counted @cite_2 , @cite_10 . Others look at ash @cite_3 .",
        "ref_abstract": {
            "@cite_2": {"mid": "5", "abstract": "We count silt."},
            "@cite_3": {"mid": "6", "abstract": ""},
            "@cite_10": {"mid": "", "abstract": "We dig."},
        },
    }
    hugging = {
        **good,
        "ref_abstract": {
            "cite_N": ["@cite_2", "@cite_10"],
            "mid": ["5", ""],
            "abstract": ["We count silt.", "We dig."],
        },
    }
    spoilt = [
        {**good, "aid": "3", "ref_abstract": {}},
        {**good, "aid": "4", "abstract": None},
        {**good, "aid": "5", "related_work": ""},
    ]
    out, why, _ = converted(
        "multi_xscience", whole(tmp_path / "test.json.gz", [good, hugging, *spoilt, "text"])
    )
    assert why == {
        "arxiv:3": "nothing cited that has an abstract or a title",
        "arxiv:4": "a target without an abstract",
        "arxiv:5": "no related-work section",
        "test.json.gz:6": "a target without an abstract",
    }
    first, second = read_cases(out / "rows.jsonl").cases
    assert (first.id, second.id) == ("arxiv:2010.14235", "arxiv:2010.14235-2")
    assert (
        [paper.title for paper in first.papers]
        == [paper.title for paper in second.papers]
        == ["Work 2", "Work 10"]
    )
    assert first.unusable == ("3: it has no title",)
    plan = forced_plan(first)
    assert isinstance(plan, ForcedPlan)
    assert [len(cites) for cites in plan.cites] == [2, 0]


def test_citations_of_deepscholar_are_numbers_and_latex_is_text(tmp_path: Path) -> None:
    paper = {
        "arxiv_id": "2506.1v1",
        "title": "Floods",
        "abstract": "We measure\nfloods.",
        "clean_latex_related_works": r"\subsection{Silt} \textbf{Silt} was counted~\cite{lind, lost}. "
        "Ash is a clock \\citep[see][]{holm}.\n\nMuch is known.",
    }
    cited = {
        "parent_paper_arxiv_id": "2506.1v1",
        "citation_shorthand": "lind",
        "cited_paper_title": "Counting silt",
        "cited_paper_arxiv_link": "http://arxiv.org/abs/2001.00001",
        "cited_paper_abstract": "We count.",
        "bib_paper_authors": "Lind, Anna and Reyes, Omar",
        "bib_paper_year": "2015.0",
        "bib_paper_doi": "",
        "bib_paper_journal": "Silt",
    }
    holm = {
        **cited,
        "citation_shorthand": "holm",
        "cited_paper_title": "Charcoal as a clock",
        "bib_paper_year": "n.d.",
        "cited_paper_abstract": "",
        "cited_paper_arxiv_link": "",
        "bib_paper_doi": "10.5555/h",
    }
    copy = tmp_path / "ds"
    copy.mkdir()
    for name, told in (
        ("papers_with_related_works", [paper, {**paper, "arxiv_id": "2506.2v1"}]),
        ("recovered_citations", [cited, cited, holm]),
    ):
        with (copy / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, told[0])
            table.writeheader()
            table.writerows(told)
    out, why, _ = converted("deepscholar", copy)
    assert why == {"arxiv:2506.2v1": "nothing cited that has an abstract or a title"}
    (case,) = read_cases(out / "rows.jsonl").cases
    assert case.gold == "Silt was counted [1]. Ash is a clock [2].\n\nMuch is known."
    assert [(one.id, one.year, one.abstract, one.citation) for one in case.papers] == [
        ("arxiv:2001.00001", 2015, "We count.", "Lind and Reyes"),
        ("doi:10.5555/h", None, None, "Lind and Reyes"),
    ]
    assert isinstance(forced_plan(case), ForcedPlan)


def a_paper(title: str, *, cites: bool) -> bytes:
    page = Page()
    page.text(110, 720, title, size=18, font=BOLD)
    page.text(LEFT, 650, "Abstract", size=11, font=BOLD)
    y = page.paragraph(LEFT, 636, ABSTRACT, width=480)
    page.text(LEFT, y - 12, "1 Introduction", size=11, font=BOLD)
    y = page.paragraph(
        LEFT, y - 27, "Floods shape the valleys in which people live. " * 4, width=480
    )
    if cites:
        page.text(LEFT, y - 12, "2 Related Work", size=11, font=BOLD)
        told = "Silt was counted by hand in small valleys before [1]. Others dig in pairs [3]."
        y = page.paragraph(LEFT, y - 27, told, width=480)
    page.text(LEFT, y - 12, "References", size=11, font=BOLD)
    y -= 27
    for entry in REFERENCES:
        y = page.paragraph(LEFT, y, entry, width=480, size=7, lead=9, hang=12)
    return pdf([page])


def test_nudtrwg_is_read_from_its_pdfs(tmp_path: Path) -> None:
    copy = tmp_path / "NudtRwG"
    for name, content in (
        ("Rivers", a_paper(TITLE, cites=True)),
        ("No section", a_paper("Silt", cites=False)),
        ("No PDF", b""),
    ):
        (copy / name / "Reference Papers").mkdir(parents=True)
        (copy / name / "target_paper_title.txt").write_text(f"{TITLE}\n", encoding="utf-8")
        if content:
            (copy / name / "Target Paper.pdf").write_bytes(content)
    given = copy / "Rivers" / "Reference Papers"
    (given / "Counting silt by hand in small  valleys.pdf").write_bytes(
        a_paper("Counting silt", cites=False)
    )
    (given / "Two people dig better than one.pdf").write_bytes(b"%PDF-1.4 torn")
    out, why, said = converted("nudtrwg", copy)
    assert why == {
        "No section": "no related-work section that cites was found in its PDF",
        "No PDF": "its Target Paper.pdf is missing or cannot be read",
    }
    assert "licence: none is stated" in said
    (case,) = read_cases(out / "rows.jsonl").cases
    assert (case.title, case.abstract) == (TITLE, ABSTRACT)
    assert case.gold.startswith("Silt was counted by hand in small valleys before [1].")
    assert [(one.title, one.abstract) for one in case.papers] == [
        ("Counting silt by hand in small valleys", ABSTRACT),
        ("Two people dig better than one", None),
    ]


# --- Questions with answers ---------------------------------------------------------------------


def test_parts_of_scholarqabench_become_passages_and_questions(tmp_path: Path) -> None:
    copy = tmp_path / "data"
    piece = {"title": "On Silt", "text": "Silt lies deep in valleys.", "year": 2015}
    experts = [
        {
            "input": "Where is silt?",
            "output": "It lies deep [1].",
            "ctxs": [{"title": "On Ash", "text": None}, piece],
        },
        {"input": "And ash?", "output": "", "ctxs": [piece]},
    ]
    whole(copy / "scholarqa_multi" / "human_answers.json", experts)
    lines(
        copy / "single_paper_tasks" / "scifact_test.jsonl",
        [
            {"input": "Silt is deep.", "answer": "true", "gold_ctx": [piece]},
            {"input": "It is not.", "answer": "false", "gold_ctx": []},
        ],
    )
    lines(
        copy / "single_paper_tasks" / "pubmed_test.jsonl",
        [
            {
                "input": "Is it deep?",
                "answer": "yes",
                "gold_ctx": [
                    {
                        "title": "",
                        "text": {"contexts": ["Silt lies.", "It is deep."], "labels": ["A", "B"]},
                    }
                ],
            },
        ],
    )
    lines(
        copy / "single_paper_tasks" / "qasa_test.jsonl",
        [
            {
                "input": "What lies deep?",
                "answer": "Silt lies deep.",
                "ctxs": [piece],
                "gold_ctxs": [0],
            },
            {
                "input": "Where?",
                "answer": "In the valleys.",
                "ctxs": {"0": [piece["text"], "On Silt"]},
                "gold_ctxs": [],
            },
            {"input": "Why?", "answer": "Nobody knows.", "ctxs": None},
        ],
    )
    lines(
        copy / "scholarqa_bio" / "scholarqabench_bio.jsonl",
        [{"input": "What of cells?", "id": "bio_0"}],
    )
    out, why, _ = converted("scholarqabench", copy)
    lacking = "without question, answer or contexts"
    assert why == {
        "human_answers.json:2": lacking,
        "scifact_test.jsonl:2": lacking,
        "qasa_test.jsonl:3": lacking,
        "scholarqabench_bio.jsonl:1": "questions without answers",
    }
    read = {made.name: made for made in read_sets(out)}
    assert {name: (made.asked, len(made.questions)) for name, made in read.items()} == {
        "papers_with_questions": (2, 1),
        "scifact_questions": (1, 1),
        "expert_long_answers": (1, 1),
    }
    (yes_no,) = read_papers(out / "pubmedqa.jsonl").cases
    assert (yes_no.kind, yes_no.answers[0].text) == ("yes_no", "yes")
    assert [case.question for case in read_papers(out / "papers_with_questions.jsonl").cases] == [
        "What lies deep?",
        "Where?",
    ]


def test_litqa2_asks_the_pdfs_that_are_there_and_seeks_the_sources(tmp_path: Path) -> None:
    row = {
        "id": "a",
        "question": "How deep is silt?",
        "ideal": "Ten feet",
        "distractors": ["One foot"],
        "canary": "c",
        "sources": ["https://doi.org/10.5555/Silt.2015-7"],
        "key-passage": "Ten feet.",
        "is_opensource": True,
    }
    again = {**row, "id": "d", "question": "And how wide?", "ideal": "A foot"}
    spoilt = [
        {**row, "id": "b", "sources": []},
        {**row, "id": "c", "sources": ["https://doi.org/10.5555/ash"]},
    ]
    (tmp_path / "pdfs").mkdir()
    (tmp_path / "pdfs" / "10.5555_silt.2015-7.pdf").write_bytes(a_paper("Silt", cites=False))
    copy = lines(tmp_path / "litqa2.jsonl", [row, *spoilt, again])
    out, why, _ = converted("litqa2", copy, "--pdfs", tmp_path / "pdfs")
    assert why == {
        "b": "without question, answer or the DOI of its source",
        "c, doi:10.5555/ash": "without a PDF in --pdfs that is named by the DOI",
    }
    found = read_papers(out / "questions.jsonl")
    assert [(case.question, case.answers[0].text) for case in found.cases] == [
        ("How deep is silt?", "Ten feet"),
        ("And how wide?", "A foot"),
    ]
    assert "Floods shape the valleys" in found.sources[0].text
    sought = [one.gold[0].id for one in read_queries(out / "queries.jsonl")]
    assert sought == ["doi:10.5555/silt.2015-7", "doi:10.5555/ash", "doi:10.5555/silt.2015-7"]
    few, _, _ = converted(
        "litqa2", lines(tmp_path / "few" / "litqa.jsonl", [row, again]), "--n", "1"
    )
    assert len(rows(few / "queries.jsonl")) == 1


def test_what_cannot_be_converted_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (tmp_path / "LitQA2").mkdir()
    (tmp_path / "LitQA2" / "train-00000-of-00001.parquet").write_bytes(b"PAR1")
    torn, empty = tmp_path / "torn.jsonl", lines(tmp_path / "empty.jsonl", [{}])
    torn.write_text("{torn", encoding="utf-8")
    for name, copy, said in (
        ("litqa2", tmp_path, "pip install pyarrow"),
        ("litqa3", tmp_path, "there is no set 'litqa3'; there are: litsearch"),
        ("sparbench", tmp_path / "none", "give the set's own file, or the folder"),
        ("sparbench", tmp_path, "holds no spar_bench.jsonl"),
        ("sparbench", torn, "line 1 of .* is no JSON"),
        ("sparbench", empty, "holds nothing of sparbench that can be used"),
        ("deepscholar", torn, "holds no recovered_citations.csv and no citations.csv"),
    ):
        done = evaluated("convert", name, copy, "--out", tmp_path / f"{name}-{copy.name}")
        assert done.exit_code == 2, said
        with_spaces = " ".join(done.stderr.split())
        assert re.search(said, with_spaces), with_spaces
    good = lines(tmp_path / "good.jsonl", [{"question": "What?", "answer": ["On Silt"]}])
    full = evaluated("convert", "sparbench", good, "--out", tmp_path)
    assert "name a new folder" in full.stderr
