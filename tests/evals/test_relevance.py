"""The suite of relevance: its inputs name papers of the starter library, and its figures are right."""

from evals.retrieval.command import FIRST, read_inputs
from tests.support import starter_records

PAPERS = {paper.id for paper in starter_records()}


def test_forty_and_more_inputs_name_papers_of_the_starter_library() -> None:
    cases = read_inputs()
    assert len(cases) >= 40
    assert [case.id for case in cases] == [f"{at:02}" for at in range(1, len(cases) + 1)]
    for case in cases:
        assert case.first, case.id
        assert len(case.first) <= FIRST, case.id
        assert set(case.first) <= set(case.judged) <= PAPERS, case.id
