"""tools/text/asking/query.py: keywords and aspects of questions."""

import pytest

from tools.text.asking.query import search_query


def test_how_asks_for_the_method() -> None:
    draft = search_query("How does RTVLM evaluate fairness?", {})
    assert draft.query == "RTVLM evaluate fairness method"
    assert len(draft.aspects) == 1


def test_why_asks_for_the_reason_and_how_many_for_the_number() -> None:
    assert search_query("Why do summaries hallucinate?", {}).query.endswith("reason")
    assert search_query("How many papers are in S2ORC?", {}).query == "S2ORC number"
    assert "method" not in search_query("How many papers are in S2ORC?", {}).query


def test_typos_are_put_right_and_capitals_kept() -> None:
    spellings = {"dokument": "document", "retreival": "retrieval"}
    draft = search_query("Retreival of a dokument with ColBERT", spellings)
    assert draft.query == "Retrieval document ColBERT"


def test_politeness_is_dropped_and_what_is_asked_for_kept() -> None:
    draft = search_query("Could you please tell me the limitations of LitLLM, thanks?", {})
    assert draft.query == "limitations LitLLM"


@pytest.mark.parametrize(
    ("question", "aspects"),
    [
        ("What is the difference between BERT and RoBERTa?", ("BERT", "RoBERTa")),
        ("Compare DPR with ColBERT in terms of efficiency", ("DPR efficiency", "ColBERT efficiency")),
        ("LitLLM versus PaperQA", ("LitLLM", "PaperQA")),
        ("How do bibliographic coupling and co-citation differ?", ("bibliographic coupling", "co-citation")),
        ("What is the difference between dense and sparse retrieval?", ("dense retrieval", "sparse retrieval")),
        ("Which datasets and which metrics does SummaC use?", ("datasets of SummaC", "metrics of SummaC")),
        ("What is WikiChat and how is it evaluated?", ("WikiChat", "how WikiChat evaluated")),
        ("What do LitLLM and OpenScholar retrieve?", ("LitLLM retrieve", "OpenScholar retrieve")),
        ("What are the limitations of LDA?", ("limitations of LDA",)),
    ],
)  # fmt: skip
def test_whole_answer_must_cover_each_side_and_each_thing(
    question: str, aspects: tuple[str, ...]
) -> None:
    assert search_query(question, {}).aspects == aspects


@pytest.mark.parametrize("question", ["?", "how?", "it", "What can I do?", "   ", "“"])
def test_question_of_no_telling_words_still_gives_a_query(question: str) -> None:
    draft = search_query(question, {})
    assert draft.aspects
    assert isinstance(draft.query, str)
