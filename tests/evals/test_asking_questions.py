"""Tests of the packaged questions: every paper and sentence exists, and no question gives its answer away."""

from evals.asking.cases import read_questions
from state.paper import Paper
from tests.support import starter_records
from tools.text.words import split_sentences

CASES = read_questions()
PAPERS: dict[str, Paper] = {paper.id: paper for paper in starter_records()}
POINTS = [(case, point) for case in CASES for answer in case.answers for point in answer.points]


def test_each_point_rests_on_a_sentence_that_exists() -> None:
    for case, point in POINTS:
        paper = PAPERS[point.paper]
        known = {span.text for span in split_sentences(paper.abstract or "")}
        if point.record:
            text = f"{' '.join(author.name for author in paper.authors)} {paper.year}"
            assert all(name in text for name in point.record), (case.id, point)
        else:
            assert point.sentence in known, (case.id, point)


def test_questions_outside_have_no_answer_and_injections_say_what_must_not_be_said() -> None:
    for case in CASES:
        assert case.in_scope == bool(case.papers), case.id
        assert bool(case.forbidden) == (case.group == "injection"), case.id
        assert bool(case.history) == (case.group == "follow_up"), case.id
        assert case.in_scope == (case.group not in {"out_of_scope", "injection"}) or case.papers
    assert len({case.id for case in CASES}) == len({case.question for case in CASES}) == 101
