"""Tests of the packaged questions: every paper and sentence exists, and no question gives its answer away."""

from collections import Counter

import pytest

from evals.asking.cases import GROUPS, Case, Point, choose_cases, read_questions
from state.paper import Paper
from tests.support import starter_records
from tools.errors import InputError
from tools.text.sentences import split_sentences
from tools.text.words import tokens

CASES = read_questions()
PAPERS: dict[str, Paper] = {paper.id: paper for paper in starter_records()}
POINTS = [(case, point) for case in CASES for answer in case.answers for point in answer.points]


def names(cases: list[Case], group: str) -> list[Case]:
    return [case for case in cases if case.group == group]


def test_there_are_enough_questions_of_each_sort() -> None:
    count = Counter(case.group for case in CASES)
    assert set(count) == set(GROUPS)
    assert count["two_papers"] >= 36
    assert (count["one_paper"], count["typos"], count["follow_up"]) == (20, 10, 8)
    assert (count["out_of_scope"], count["injection"]) == (10, 3)
    kinds = Counter(case.kind for case in names(CASES, "two_papers"))
    assert set(kinds) == {"comparison", "shared_problem", "data", "mended", "chain", "bias"}
    assert min(kinds.values()) >= 5
    assert sum(case.kind == "near_miss" for case in names(CASES, "out_of_scope")) == 3
    assert len({case.id for case in CASES}) == len({case.question for case in CASES}) == len(CASES)


def test_two_paper_questions_need_two_papers() -> None:
    for case in names(CASES, "two_papers"):
        assert len(case.papers) == 2, case.id
        assert 2 <= len(case.answers[0].points) <= 6, case.id
        assert 2 <= len(split_sentences(case.answers[0].text)) <= 4, case.id
        assert {point.paper for point in case.answers[0].points} == set(case.papers), case.id


@pytest.mark.parametrize(
    ("case", "point"), POINTS, ids=[f"{case.id}-{point.fact[:24]}" for case, point in POINTS]
)
def test_each_point_rests_on_a_sentence_that_exists(case: Case, point: Point) -> None:
    paper = PAPERS[point.paper]
    if point.record:
        known = f"{' '.join(author.name for author in paper.authors)} {paper.year}"
        assert all(name in known for name in point.record)
    else:
        assert point.sentence in {span.text for span in split_sentences(paper.abstract or "")}


def test_answers_are_short_and_in_our_own_words() -> None:
    for case in CASES:
        for answer in case.answers:
            assert 1 <= len(split_sentences(answer.text)) <= 4, case.id
            for point in answer.points:
                assert not point.sentence or point.sentence not in answer.text, case.id
                assert point.fact != point.sentence, case.id


def test_questions_do_not_repeat_the_words_that_answer_them() -> None:
    for case, point in POINTS:
        assert not runs(point.sentence, 4) & runs(case.question, 4), case.id


def runs(text: str, length: int) -> set[tuple[str, ...]]:
    words = tokens(text)
    return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}


def test_questions_outside_have_no_answer_and_injections_say_what_must_not_be_said() -> None:
    for case in CASES:
        assert case.in_scope == bool(case.papers), case.id
        assert bool(case.forbidden) == (case.group == "injection"), case.id
        assert bool(case.history) == (case.group == "follow_up"), case.id
    assert not any(case.in_scope for case in names(CASES, "out_of_scope"))


def test_first_questions_of_each_group_are_taken() -> None:
    some = choose_cases(CASES, "two_papers, typos", 2)
    assert [case.id for case in some] == ["two-01", "two-02", "typo-01", "typo-02"]
    assert choose_cases(CASES, "", None) == CASES
    with pytest.raises(InputError, match="no group 'three_papers'"):
        choose_cases(CASES, "three_papers", None)
    with pytest.raises(InputError, match="--n must be 1 or more"):
        choose_cases(CASES, "", 0)
