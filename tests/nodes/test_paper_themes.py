"""nodes/find/present_papers.py: what papers cite together is a part of what they are about."""

import numpy as np

from nodes.find.paper_themes import shared_references
from state.paper import Paper


def paper(number: int, *references: str) -> Paper:
    return Paper(id=f"doi:10.1/{number}", title=f"Pears {number}", references=references)


def test_works_that_two_cite_count_and_rare_ones_more() -> None:
    rows = shared_references(
        [
            paper(1, "doi:10.2/a", "doi:10.2/b"),
            paper(2, "doi:10.2/a", "doi:10.2/b"),
            paper(3, "doi:10.2/b", "doi:10.2/alone"),
            paper(4),
        ]
    )
    near = rows @ rows.T
    assert np.allclose(np.diag(near), [1, 1, 1, 0])
    assert np.isclose(near[0, 1], 1)
    assert 0 < near[0, 2] < 0.7, "what three of four cite joins less than what two do"
    assert not near[3].any()
