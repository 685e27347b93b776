"""tools/text/asking/rewrite.py: follow-ups become questions that stand alone."""

import pytest

from state.asking import Turn
from tools.text.asking.rewrite import rewrite

LITLLM = [Turn(question="How does LitLLM generate related work?")]
SYSTEMS = [
    Turn(
        question="Which systems write literature reviews?",
        answer="LitLLM (Agarwal et al., 2024) combines searches. PaperQA (Lála et al., 2023) "
        "gathers evidence.",
    )
]


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("and its limitations?", "What are the limitations of LitLLM?"),
        ("How does it compare with PaperQA?", "How does LitLLM compare with PaperQA?"),
        ("what about PaperQA?", "How does PaperQA generate related work?"),
        ("and PaperQA?", "How does PaperQA generate related work?"),
        ("Which datasets were used?", "Which datasets were used for LitLLM?"),
        ("How does this system rank papers?", "How does LitLLM rank papers?"),
        ("What does the paper conclude?", "What does the LitLLM paper conclude?"),
        ("Why?", "Why does LitLLM generate related work?"),
        ("who wrote it?", "Who wrote LitLLM?"),
    ],
)
def test_follow_up_gets_the_name_that_was_asked_about(question: str, whole: str) -> None:
    assert rewrite(question, LITLLM) == whole


@pytest.mark.parametrize(
    "question",
    [
        "How does SPECTER embed papers?",
        "What is query expansion?",
        "Is it possible to search by meaning?",
        "Do language models know when they hallucinate?",
    ],
)
def test_question_that_stands_alone_is_not_touched(question: str) -> None:
    assert rewrite(question, LITLLM) == question


def test_without_history_nothing_is_rewritten() -> None:
    assert rewrite("and its limitations?", []) == "and its limitations?"


def test_place_in_the_answer_finds_the_name() -> None:
    assert rewrite("How does the second one work?", SYSTEMS) == "How does PaperQA work?"
    assert rewrite("what about the first?", SYSTEMS) == "What is LitLLM?"


def test_they_are_all_that_the_answer_named() -> None:
    whole = rewrite("What are their limitations?", SYSTEMS)
    assert whole == "What are the limitations of LitLLM and PaperQA?"


def test_topic_stands_in_where_there_is_no_name() -> None:
    history = [Turn(question="What is chain of thought prompting?")]
    assert rewrite("and its limitations?", history) == (
        "What are the limitations of chain of thought prompting?"
    )


def test_subject_is_carried_through_several_turns() -> None:
    history = [Turn(question="What is WikiChat?"), Turn(question="How is it evaluated?")]
    assert rewrite("and its limitations?", history) == "What are the limitations of WikiChat?"


def test_long_history_without_a_subject_ends() -> None:
    assert rewrite("and so?", [Turn(question="and?")] * 60)
