"""Which works are compared with a claim, whatever their words are."""

import pytest

from nodes.novelty.choose_nearest import named_works
from state.paper import Paper

PAPERS = [
    Paper(id="doi:10.1/1", title="Lyra: an environment for charts", abstract="Lyra draws charts."),
    Paper(id="doi:10.1/2", title="Charts: a survey", abstract="Charts are drawn."),
    *(
        Paper(id=f"doi:10.2/{n}", title=f"Study {n}", abstract="Charts are read by people.")
        for n in range(8)
    ),
    Paper(id="doi:10.1/3", title="A tale of two: cities", abstract="Not a system."),
    Paper(id="doi:10.1/4", title="Knowledge as rules: The Models in Draco", abstract="Rules help."),
]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We present Lyra 2, which extends an environment.", {0}),
        ("We extend Lyra.", {0}),
        ("To understand Draco we draw its rules.", {11}),
        ("Rules of Knowledge and Models.", set()),
        ("We extend Lyras and Lyra-like tools.", set()),
        ("We extend lyra.", set()),
        ("Charts are what we draw.", set()),
        ("A tale of two systems.", set()),
        ("", set()),
    ],
)
def test_work_that_a_text_names_is_found_by_the_name_in_its_title(
    text: str, found: set[int]
) -> None:
    assert named_works(text, PAPERS) == found
