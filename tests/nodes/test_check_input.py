"""nodes/common/check_input.py: what a caller sends is cleaned, or refused with a way out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.common.check_input import (
    check_date,
    check_language,
    clean_text,
    input_kind,
    notes_on_input,
    plain_criteria,
)
from tools.errors import InputError

WORDS = "We propose a tool that ranks papers."
GERMAN = (
    "In diesem Beitrag stellen wir ein Verfahren zur automatischen Erstellung von Übersichten über "
    "die Literatur vor. Das Verfahren sucht Arbeiten, ordnet sie und erzeugt einen geprüften Text."
)


@pytest.mark.parametrize(
    ("raw", "title", "text", "why"),
    [
        (WORDS, None, WORDS, "plain text"),
        ("  We propose\r\n a tool\n\n\tthat ranks papers.\n", None, WORDS, "white space is folded"),
        (f"# My tool\n\n{WORDS}", "My tool", WORDS, "a Markdown heading is the title"),
        (f"## My tool ##\n{WORDS}", "My tool", WORDS, "of any level, closed or not"),
        (f"# **My** tool\n{WORDS}", "My tool", WORDS, "without its marks"),
        (f"Title: My tool\n{WORDS}", "My tool", WORDS, "a labelled title"),
        (f"# My tool\n\n## Abstract\n\n{WORDS}", "My tool", WORDS, "with a heading below"),
        (f"# Abstract\n{WORDS}", None, WORDS, "'Abstract' is no title"),
        (f"# Abstract:\n{WORDS}", None, WORDS, "with a colon neither"),
        ("# A tool that ranks papers", None, "A tool that ranks papers", "only a heading"),
        (f"Abstract: {WORDS}", None, WORDS, "a label"),
        (f"ABSTRACT. {WORDS}", None, WORDS, "in capitals"),
        (f"Abstract—{WORDS}", None, WORDS, "as IEEE prints it"),
        (f"Abstract\n{WORDS}", None, WORDS, "on a line of its own"),
        (f"**Abstract**\n\n{WORDS}", None, WORDS, "in bold"),
        (f"Abstract {WORDS}", None, WORDS, "as copied from a PDF"),
        (
            "Abstractive summaries of papers help.",
            None,
            "Abstractive summaries of papers help.",
            "'Abstractive' holds no label",
        ),
        (
            "Abstract meaning representation is old.",
            None,
            "Abstract meaning representation is old.",
            "nor does a sentence that begins with the word",
        ),
        (
            "Abstract-level screening is slow.",
            None,
            "Abstract-level screening is slow.",
            "nor this",
        ),
        (
            "- one idea\n- *another* idea\n> and a __quote__",
            None,
            "one idea another idea and a quote",
            "lists, emphasis and quotations lose their marks",
        ),
        (
            r"We \emph{rank} papers for Erd\H{o}s~\cite{one,two}, at 5% of the cost.",
            None,
            "We rank papers for Erdős , at 5% of the cost.",
            "LaTeX is read, and its citations are left out",
        ),
        (
            "**Bold with *italics* inside** and `code`.",
            None,
            "Bold with italics inside and code.",
            "nested ones as well",
        ),
        (
            "A* search of snake_case_names and 2 * 3 * 4.",
            None,
            "A* search of snake_case_names and 2 * 3 * 4.",
            "what only looks like a mark stays",
        ),
        (f"\ufeff# My tool\n{WORDS}", "My tool", WORDS, "a byte order mark"),
        ("Ranking\u200b of papers", None, "Ranking\u200b of papers", "one invisible character"),
        ("你好 世界 论文", None, "你好 世界 论文", "any script is text"),
    ],
)
def test_text_is_cleaned_and_its_heading_kept(
    raw: str, title: str | None, text: str, why: str
) -> None:
    assert clean_text(raw) == (title, text), why


@pytest.mark.parametrize(
    ("raw", "message", "why"),
    [
        ("", "has 0 words", "empty"),
        (" \n\t ", "has 0 words", "only white space"),
        ("?!… —", "has 0 words", "only marks"),
        ("word", "has 1 word:", "one word"),
        ("two words", "has 2 words", "two words"),
        ("# Title here", "has 2 words", "a heading of two words"),
        ("# A long enough title\ntwo words", "has 2 words", "a title does not stand for the text"),
        ("word " * 40_000, "has 200,000 characters", "200 kB"),
        (WORDS + "\0", "binary file", "a NUL"),
        ("\x89PNG\r\n\x1a\n\x01\x02\x03\x04\x05", "binary file", "a picture"),
        ("".join(map(chr, range(1, 32))) * 200, "binary file", "control characters"),
    ],
)
def test_what_is_no_text_is_refused_with_a_reason(raw: str, message: str, why: str) -> None:
    with pytest.raises(InputError, match=message):
        clean_text(raw)
    assert why


@given(st.text(max_size=400))
def test_any_text_is_cleaned_or_refused(raw: str) -> None:
    try:
        title, text = clean_text(raw)
    except InputError:
        return
    assert text == " ".join(text.split()) != ""
    assert title is None or title != ""


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Can language models write reviews?", "question"),
        ("word " * 50 + "why? ", "question"),
        ("A tool that ranks papers.", "idea"),
        ("word " * 39, "idea"),
        ("word " * 40, "abstract"),
        ("Why? Because it matters.", "idea"),
    ],
)
def test_kind_is_told_by_end_and_length(text: str, kind: str) -> None:
    assert input_kind(text) == kind


async def test_german_is_refused_where_only_the_embedded_engine_reads() -> None:
    with pytest.raises(InputError, match=r"German.*only English.*configure an LLM"):
        await check_language(GERMAN, composes=False)


async def test_german_is_read_by_an_llm_and_the_caller_is_told() -> None:
    code, notes = await check_language(GERMAN, composes=True)
    assert code == "de"
    assert notes == ("the input seems to be in German; CiteLoom searches and writes in English",)


@pytest.mark.parametrize(
    "value", ["", "2024", "2024-13-01", "2023-02-29", "01.02.2024", "yesterday", "2024-01-01T00:00"]
)
def test_cutoff_that_is_no_date_is_refused(value: str) -> None:
    with pytest.raises(InputError, match="YYYY-MM-DD"):
        check_date(value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '"query expansion" AND retrieval NOT images in libraries of medicine of our time',
            "AND, NOT",
        ),
        ("We rank papers and do not ask whether the reader wants them or not, as others do", ""),
        ("NOT ALL PAPERS ARE READ BY ALL OF THE REVIEWERS OF THE FIELD IN A YEAR", ""),
    ],
)
def test_boolean_operators_are_named(text: str, told: str) -> None:
    notes = notes_on_input(text)
    assert [note for note in notes if "Boolean" in note] == (
        [f"CiteLoom reads {told} as words{notes[-1].partition('as words')[2]}"] if told else []
    )


@pytest.mark.parametrize(
    ("raw", "criteria"),
    [
        ("Which tools rank  papers?", ["Which tools rank papers?"]),
        (
            "Papers that:\n- rank *papers*\n  by age\n- cite\n\nThanks",
            ["rank papers by age", "cite"],
        ),
        ("1. ranks papers\n2. cites them", ["ranks papers", "cites them"]),
        ("- Which tools rank papers?", ["Which tools rank papers?"]),
        ("We rank papers - by age - and cite them.", []),
        (f"- {'ranks papers ' * 70}\n- cites", []),
        (WORDS, []),
    ],
)
def test_short_question_or_list_is_read_as_conditions(raw: str, criteria: list[str]) -> None:
    found = plain_criteria(raw)
    assert [one.criterion for one in found] == criteria
    assert all(one.required for one in found)
