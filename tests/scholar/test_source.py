"""tools/scholar/source.py: the words of a query, and the looser queries after it."""

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.scholar.source import loosened_queries, terms

WORDS = st.lists(st.text("abcdef", min_size=1, max_size=3), max_size=6)


@pytest.mark.parametrize(
    ("words", "steps"),
    [
        (
            ["a", "b", "c", "d"],
            [
                [["a", "b", "c", "d"]],
                [["a", "b", "c"], ["a", "b", "d"], ["a", "c", "d"], ["b", "c", "d"]],
                [["a", "b"], ["a", "c"], ["a", "d"], ["b", "c"], ["b", "d"], ["c", "d"]],
            ],
        ),
        (["a", "b"], [[["a", "b"]]]),  # one alone would be another question
        (["a"], [[["a"]]]),
        ([], []),
        (["Graph", "graph", "b"], [[["Graph", "b"]]]),  # one word, twice
    ],
)
def test_first_all_words_then_all_but_one_down_to_pairs(
    words: list[str], steps: list[list[list[str]]]
) -> None:
    assert list(loosened_queries(words)) == steps


@given(WORDS)
def test_every_step_holds_all_groups_of_one_size_each_smaller_than_the_last(
    words: list[str],
) -> None:
    distinct = len(set(words))
    steps = list(loosened_queries(words))
    for left_out, groups in enumerate(steps):
        assert all(len(group) == distinct - left_out for group in groups)
        assert len({tuple(group) for group in groups}) == comb(distinct, left_out)
    fewest = min(distinct, 2)
    assert len(steps) == (distinct - fewest + 1 if distinct else 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("citation graph retrieval", ["citation", "graph", "retrieval"]),
        ('"citation graph" retrieval', ["citation graph", "retrieval"]),
        ("“citation graph” retrieval", ["citation graph", "retrieval"]),
        ("retrieval-augmented generation", ["retrieval-augmented", "generation"]),
        ("Parkinson's disease", ["Parkinson's", "disease"]),
        ("cats AND dogs OR NOT (mice)", ["cats", "dogs", "mice"]),
        ("-excluded +wanted wild* fuzzy~2", ["excluded", "wanted", "wild", "fuzzy", "2"]),
        ("title:graph input/output a|b", ["title", "graph", "input", "output", "a", "b"]),
        ('"unclosed phrase', ["unclosed", "phrase"]),
        ('"salt AND pepper"', ["salt AND pepper"]),
        ("Graph graph GRAPH", ["Graph"]),
        ("naïve Bayes 学习", ["naïve", "Bayes", "学习"]),
        ("?! () -- ''", []),
        ("", []),
    ],
)
def test_terms_are_words_and_phrases_with_nothing_to_obey(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@given(st.text(max_size=80))
def test_no_sign_of_a_query_language_is_left(text: str) -> None:
    for term in terms(text):
        assert term == term.strip()
        assert not set(term) & set('"“”()[]{}:*?~^|+!\\/,&<>=;_')
        assert not term.startswith("-")
