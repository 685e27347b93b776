"""The suite of relevance: its inputs name papers of the starter library, and its figures are right."""

import pytest

from evals.retrieval.relevance import FIRST, Relevance, read_inputs
from evals.runner import Options
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


@pytest.mark.slow
def test_papers_on_fabricated_references_are_judged_by_links_or_without() -> None:
    suite = Relevance(Options(n=1))
    suite.prepare()
    (row,) = suite.rows()
    assert not row["error"]
    known, first, third = (row["ranks"][key] for key in suite.cases[0].first)
    assert max(known, first) <= FIRST < third, "judged, though none of its words is near in meaning"
    assert row["figures"]["first_ten"] == 2 / 3
    unread = [key for key, rank in row["ranks"].items() if rank is None]
    assert row["figures"]["judged"] == 1 - len(unread) / len(row["ranks"])
    found = suite.found([row])
    assert found["halves"]["odd"]["first_ten"]["mean"] == 2 / 3
    assert "even" not in found["halves"] or not found["halves"]["even"]
