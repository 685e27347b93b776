"""citeloom/cli/completeness.py: the section on completeness, for whatever was estimated."""

import pytest

from citeloom.cli.export.completeness import assessed, completeness_line, completeness_text
from citeloom.cli.export.markdown import papers_text, review_text
from state.finding import Completeness, DiscoveryPoint

ESTIMATED = Completeness(
    kept=9.4, seen=14.2, estimate=16.1, low=8, high=28, share=0.584, share_low=0.28, share_high=0.89,
    channels=("keywords", "meaning", "references"), found_by=(3.5, 0, 10.7), method="Chao 1989",
    curve=(
        DiscoveryPoint(step="searches", looked_at=120, kept=30),
        DiscoveryPoint(step="links, round 1", looked_at=400, kept=38),
    ),
    stopped="searching ended: everything is covered",
    caveats=("It is too low.", "Judged by model_x *only*."),
)  # fmt: skip


def test_line_says_which_share_was_kept_and_how_sure_that_is() -> None:
    assert completeness_line(ESTIMATED) == (
        "The papers kept are an estimated 58% (95 % interval 28% to 89%) of those that such a text "
        "would cite: about 9 of 16."
    )


@pytest.mark.parametrize("found", [Completeness(), Completeness(kept=3, seen=5, found_by=(5,))])
def test_line_does_not_claim_what_cannot_be_told(found: Completeness) -> None:
    assert completeness_line(found) == "How complete this is cannot be estimated."


def test_section_shows_the_curve_the_end_and_the_caveats_as_they_are() -> None:
    text = completeness_text({"completeness": ESTIMATED})
    assert text.startswith("## How complete it is\n\nThe papers kept are")
    assert "Why it ended there: searching ended: everything is covered." in text
    assert "| searches | 120 | 30 |\n| links, round 1 | 400 | 38 |" in text
    assert "by how many channels found them: 3.5 by 1, 10.7 by 3." in text
    assert r"- Judged by model\_x \*only\*." in text
    values = {"completeness": ESTIMATED, "related_work": "Pears."}
    for report in (papers_text(values), review_text(values)):
        assert report.index("## How complete it is") < report.index("## How this was made")


@pytest.mark.parametrize("values", [{}, {"completeness": None}, {"completeness": Completeness()}])
def test_run_that_ended_before_it_was_assessed_has_no_such_section(
    values: dict[str, Completeness | None],
) -> None:
    assert assessed(values) is None
    assert completeness_text(values) == ""
    for text in (papers_text(values), review_text(values)):
        assert "complete" not in text
        assert "\n\n\n" not in text
