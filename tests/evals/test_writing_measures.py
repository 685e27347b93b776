"""Each measure of a written section, on cases worked out by hand."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from evals.writing.command import bertscore, rouge, scorer
from evals.writing.trial import honesty, stands
from state.audit import Audit, Omission
from state.paper import Paper
from state.quote import Quote
from state.results import CitedSentence
from state.writing import CitationVerdict, SupportVerdict
from tools.errors import InputError
from tools.evidence.quotes import quote_paper

ANTS = Paper(id="doi:10.5555/1", title="Ants", abstract="Ants count their steps. They walk far.")
BEES = Paper(id="doi:10.5555/2", title="Bees see landmarks", abstract="Bees know landmarks.")
BARE = Paper(id="doi:10.5555/3", title="Wasps")
OTHER = Paper(id="doi:10.5555/4", title="Never given", abstract="Flies fly.")
NAMED = {f"P{number}": paper.id for number, paper in enumerate([ANTS, BEES, BARE, OTHER], 1)}


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
GIVEN = [ANTS, BEES, BARE]


def test_sections_are_counted_by_their_markers_and_quotes() -> None:
    audit = Audit(
        passed=False,
        omissions=(Omission(paper=BARE.id, title="", reason="no_abstract", detail=""),),
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


def test_bertscore_takes_the_model_and_layer_given_and_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: dict[str, Any] = {}

    class Scorer:
        def __init__(self, **given: Any) -> None:
            made.update(given)
            if given["model_type"] == "none":
                raise KeyError("none")

        def score(self, texts: list[str], golds: list[str]) -> tuple[list[float], ...]:
            return [0.1], [0.2], [float(texts == ["ours"] and golds == ["gold"])]

    monkeypatch.setitem(sys.modules, "bert_score", SimpleNamespace(BERTScorer=Scorer))
    measured = bertscore("models/minilm:6")
    assert (made["model_type"], made["num_layers"]) == ("models/minilm", 6)
    assert (measured("gold", "ours"), measured("gold", " ")) == (
        {"bertscore": 1.0},
        {"bertscore": 0.0},
    )
    with pytest.raises(InputError, match="no model 'none'"):
        bertscore("none")
    monkeypatch.setitem(sys.modules, "bert_score", None)
    with pytest.raises(InputError, match="uv pip install bert-score"):
        bertscore("roberta-large")


def test_missing_package_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer.cache_clear()
    monkeypatch.setitem(sys.modules, "rouge_score.rouge_scorer", None)
    with pytest.raises(InputError, match="uv pip install rouge-score"):
        scorer()
