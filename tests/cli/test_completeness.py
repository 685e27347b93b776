"""citeloom/cli/completeness.py: the section on completeness, for whatever was estimated."""

import pytest

from citeloom.cli.completeness import assessed, completeness_line, completeness_text
from citeloom.cli.markdown import papers_text, review_text
from state.finding import Completeness, DiscoveryPoint

ESTIMATED = Completeness(
    found=38, estimate=50.7, low=43, high=78, share=38 / 50.7, method="Chao 1989",
    channels=("keywords", "meaning", "references"), found_by=(17, 0, 21),
    curve=(
        DiscoveryPoint(step="searches", looked_at=120, relevant=30),
        DiscoveryPoint(step="links, round 1", looked_at=400, relevant=38),
    ),
    stopped="searching ended: everything is covered",
    caveats=("It is a lower bound.", "Judged by model_x *only*."),
)  # fmt: skip


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (
            ESTIMATED,
            "Found 38 relevant papers of an estimated 51 or more (95 % interval 43 to 78), a share of 75%.",
        ),
        (
            Completeness(found=1, caveats=("There is no estimate: too few.",)),
            "Found 1 relevant paper; how many there are cannot be estimated.",
        ),
        (Completeness(found=0), "Found 0 relevant papers; how many there are cannot be estimated."),
        (
            Completeness(found=20, estimate=20, low=20, high=24, share=1.0),
            "Found 20 relevant papers of an estimated 20 or more (95 % interval 20 to 24), a share of 100%.",
        ),
        (
            Completeness(found=60, estimate=60, low=60, high=63),
            "Found 60 relevant papers of an estimated 60 or more (95 % interval 60 to 63); judging ended "
            "before relevance did, so that the share found is not known.",
        ),
    ],
)
def test_line_says_what_was_found_and_of_how_many(found: Completeness, line: str) -> None:
    assert completeness_line(found) == line


def test_section_shows_the_curve_the_end_and_the_caveats_as_they_are() -> None:
    text = completeness_text({"completeness": ESTIMATED})
    assert text.startswith("## How complete it is\n\nFound 38 relevant papers")
    assert "Why it ended there: searching ended: everything is covered." in text
    assert "| searches | 120 | 30 |\n| links, round 1 | 400 | 38 |" in text
    assert "by how many channels found them: 17 by 1, 21 by 3." in text
    assert r"- Judged by model\_x \*only\*." in text


@pytest.mark.parametrize(
    "values", [{}, {"completeness": None}, {"completeness": Completeness(found=0)}]
)
def test_run_that_ended_before_it_was_assessed_has_no_such_section(
    values: dict[str, Completeness | None],
) -> None:
    assert assessed(values) is None
    assert completeness_text(values) == ""
    for text in (papers_text(values), review_text(values)):
        assert "complete" not in text
        assert "\n\n\n" not in text


def test_section_stands_before_the_account_in_both_reports() -> None:
    values = {"completeness": ESTIMATED, "related_work": "Pears."}
    for text in (papers_text(values), review_text(values)):
        assert text.index("## How complete it is") < text.index("## How this was made")
