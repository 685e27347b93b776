"""The benchmark of writing: rows, what the gold gives, and what is measured of a section."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from evals.writing.cases import Case, ForcedPlan, forced_plan, read_cases, without_marks
from evals.writing.command import rouge
from evals.writing.trial import honesty, stands
from state.audit import Audit, Omission
from state.paper import Paper
from state.quote import Quote
from state.results import CitedSentence
from state.writing import CitationVerdict, SupportVerdict
from tests.evals.sections import ABSTRACT, BARE, SECTION, cited, row, write
from tools.errors import InputError
from tools.evidence.quotes import quote_paper


def only(tmp_path: Path, **changes: Any) -> Case:
    (case,) = read_cases(write(tmp_path / "one.jsonl", [row(**changes)])).cases
    return case


def test_row_becomes_a_case(tmp_path: Path) -> None:
    case = only(tmp_path)
    assert planned(only(tmp_path, gold_sentences=None)) == planned(case)
    assert (case.id, case.title, case.abstract, case.gold) == (
        "bees",
        "How bees find home",
        ABSTRACT,
        SECTION,
    )
    assert [paper.id for paper in case.papers] == [
        "doi:10.5555/1",
        "doi:10.5555/2",
        "doi:10.5555/3",
    ]
    assert case.places == {"1": 0, "2": 1, "3": 2}
    assert case.checkable
    assert not only(tmp_path, cited=[BARE]).checkable


def test_bad_lines_cost_only_themselves(tmp_path: Path) -> None:
    lines = [
        row(),
        "[]",
        row("same"),
        row("same"),
        row("empty", gold_related_work=" \n"),
        row("none", gold_related_work=None),
        row("bare", target={"title": "No abstract"}),
        row("odd", target="text"),
        row("alone", cited=[]),
        row("untitled", cited=[cited("1", None)]),
        row("last"),
    ]
    found = read_cases(write(tmp_path / "rows.jsonl", lines))
    assert [case.id for case in found.cases] == ["bees", "same", "last"]
    reasons = {name: why.split(":")[0] for name, why in found.left_out.items()}
    assert reasons == {
        "line 2": "its target has no abstract",
        "line 4": "an earlier row has its id",
        "empty": "it has no gold_related_work to compare with",
        "none": "it has no gold_related_work to compare with",
        "bare": "its target has no abstract",
        "odd": "its target has no abstract",
        "alone": "it cites nothing",
        "untitled": "none of the 1 papers that it cites has a title",
    }
    assert len(read_cases(tmp_path / "rows.jsonl", 2).cases) == 2
    packed = tmp_path / "rows.gz"
    packed.write_bytes(gzip.compress(b'{}\n{"id": "\xff"}\n'))
    with pytest.raises(InputError, match=r"line 2 of .* is no JSON"):
        read_cases(packed)


def test_row_of_deepscholar_bench_is_read_with_its_latex_as_prose(tmp_path: Path) -> None:
    works = [
        {
            "citation_shorthand": key,
            "cited_paper_title": title,
            "cited_paper_abstract": "They fly.",
            "bib_paper_authors": "Ann Abel and\n  Bo Berg",
            "bib_paper_year": "2021.0",
            "bib_paper_doi": "10.1000/" + key,
        }
        for key, title in (("abel", "Owls at night"), ("berg", "Owls at dawn"))
    ]
    given = {
        "arxiv_id": "2506.00001v1",
        "title": "Owls",
        "abstract": "We watch owls.",
        "related_work": "\\textbf{Owls} fly~\\cite{berg, abel}. They sleep \\citep[see][]{nobody}.",
        "cited": works,
    }
    (case,) = read_cases(write(tmp_path / "rows.jsonl", [given])).cases
    assert (case.id, case.gold) == ("2506.00001v1", "Owls fly [2, 1]. They sleep.")
    assert [paper.id for paper in case.papers] == ["doi:10.1000/abel", "doi:10.1000/berg"]
    assert [author.name for author in case.papers[0].authors] == ["Ann Abel", "Bo Berg"]
    assert case.papers[0].year == 2021
    assert [len(keys) for keys in planned(case).cites] == [2, 0]


# --- The gold ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("Ants count [1], and bees [2, 3].", "Ants count, and bees."),
        ("Both do [4-6] [7].", "Both do."),
        ("Wu et al. (2018) and Ng (2016a) agree.", "Wu et al. and Ng agree."),
        ("So do others (Wu et al., 2018; Ng, 2016).", "So do others."),
        ("So do others (e.g. de Vries and Wu, 2017; 2018).", "So do others."),
        ("It ran at TREC (in the year 2016) [a].", "It ran at TREC (in the year 2016) [a]."),
        ("Scores lie in (0, 1) with n = 2016.", "Scores lie in (0, 1) with n = 2016."),
    ],
)
def test_citation_marks_are_taken_out_of_the_gold(marked: str, plain: str) -> None:
    assert without_marks(marked) == plain


def planned(case: Case) -> ForcedPlan:
    plan = forced_plan(case)
    assert isinstance(plan, ForcedPlan), plan
    return plan


def test_plan_of_the_gold_has_its_sentences_words_and_places(tmp_path: Path) -> None:
    plan = planned(only(tmp_path))
    assert plan.text == "3 sentences in 19 words.\nCite [1] on line 1.\nCite [2] on line 2."
    assert plan.cites == (frozenset({"doi:10.5555/1"}), frozenset({"doi:10.5555/2"}), frozenset())
    assert (plan.words, plan.left_out) == (19, 1)


def test_paper_on_several_lines_and_range_of_numbers_are_placed(tmp_path: Path) -> None:
    section = "Ants count [1]. Bees do [1-2]. Both do [1; 2]."
    plan = planned(only(tmp_path, gold_related_work=section, gold_sentences=None))
    assert plan.text.splitlines()[1:] == [
        "Cite [1] on lines 1, 2 and 3.",
        "Cite [2] on lines 2 and 3.",
    ]
    assert "in 10 words" in plan.text, "a plan asks for ten words at least"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (
            {"gold_sentences": None, "gold_related_work": "Ants do (Ng, 2016)."},
            "does not say which",
        ),
        ({"cited": [BARE]}, "cites no paper that has an abstract"),
        ({"gold_sentences": [{"text": "A [1].", "cites": ["1"]}] * 61}, "61 sentences; a plan has"),
    ],
)
def test_gold_without_a_plan_says_why(changes: dict[str, Any], why: str, tmp_path: Path) -> None:
    reason = forced_plan(only(tmp_path, **changes))
    assert isinstance(reason, str)
    assert why in reason


ANTS = Paper(id="doi:10.5555/1", title="Ants", abstract="Ants count their steps. They walk far.")
BEES = Paper(id="doi:10.5555/2", title="Bees see landmarks", abstract="Bees know landmarks.")
MEASURED_BARE = Paper(id="doi:10.5555/3", title="Wasps")
OTHER = Paper(id="doi:10.5555/4", title="Never given", abstract="Flies fly.")
NAMED = {
    f"P{number}": paper.id for number, paper in enumerate([ANTS, BEES, MEASURED_BARE, OTHER], 1)
}


def verdict(
    key: str, paper: Paper, words: str = "", said: SupportVerdict = "supported"
) -> CitationVerdict:
    quote = quote_paper(words, paper) if words else None
    return CitationVerdict(sentence=1, key=key, paper=paper.id, verdict=said, quote=quote)


def sentence(number: int, marked: str, *verdicts: CitationVerdict) -> CitedSentence:
    return CitedSentence(number=number, text="", marked=marked, citations=verdicts)


SENTENCES = [
    sentence(1, "Ants count {P1}.", verdict("P1", ANTS, "Ants count their steps.")),
    sentence(
        2,
        "Bees see {P2}, and ants walk {P1}.",
        verdict("P2", BEES, "Bees see landmarks"),
        verdict("P1", ANTS, said="partly"),
    ),
    sentence(3, "Flies fly {P4}, others do not {P9}.", verdict("P4", OTHER, "Flies fly.")),
    sentence(4, "We track them all."),
]
GIVEN = [ANTS, BEES, MEASURED_BARE]


def test_sections_are_counted_by_their_markers_and_quotes() -> None:
    audit = Audit(
        passed=False,
        omissions=(Omission(paper=MEASURED_BARE.id, title="", reason="no_abstract", detail=""),),
    )
    assert honesty(SENTENCES, NAMED, audit, GIVEN) == {
        "citations": 5,
        "resolved": 3,
        "hallucinated": 2,
        "citing": 3,
        "quoted": 1,
        "repeated": 0,
        "given": 3,
        "cited": 2,
        "accounted": 3,
        "passed": 0,
        "supported": 3,
        "partly": 1,
        "contradicted": 0,
        "not_in_source": 0,
        "not_in_abstract": 0,
        "not_checked": 0,
    }


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, True),
        ({"text": "Ants count their stepz.", "start": 0, "end": 23}, False),
        ({"start": 1, "end": 24}, False),
        ({"paper": "doi:10.5555/2"}, False),
        ({"part": "title"}, False),
        ({"part": "input"}, False),
        ({"verified": False, "start": None, "end": None}, False),
    ],
)
def test_quote_stands_only_where_its_words_are(changes: dict[str, Any], expected: bool) -> None:
    whole: dict[str, Any] = {
        "text": "Ants count their steps.",
        "paper": ANTS.id,
        "part": "abstract",
        "start": 0,
        "end": 23,
        "verified": True,
    }
    assert stands(Quote(**{**whole, **changes}), ANTS) is expected
    assert not stands(None, ANTS)


def test_rouge_is_that_of_lin_with_stems() -> None:
    # Of six words and of five four are shared, in order; of five pairs and of four two are.
    found = rouge("the cat sat on the mat", "cats sat on a mat")
    assert found == pytest.approx({"rouge1": 8 / 11, "rouge2": 4 / 9, "rougeL": 8 / 11})
    assert rouge("the cat", "") == {"rouge1": 0.0, "rouge2": 0.0, "rougeL": 0.0}
    assert rouge("the cat", "The cat.") == {"rouge1": 1.0, "rouge2": 1.0, "rougeL": 1.0}
