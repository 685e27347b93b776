"""citeloom/report/account.py: the section on completeness, for whatever was estimated."""

import pytest

from citeloom.report.markdown import markdown
from citeloom.report.result_report import ResultReport
from state.run import GraphName
from state.search import Completeness, DiscoveryPoint

ESTIMATED = Completeness(
    told="Of what *this* library holds, about 9 of 16.",
    kept=9.4,
    seen=14.2,
    estimate=16.1,
    low=8,
    high=28,
    share=0.584,
    share_low=0.28,
    share_high=0.89,
    channels=("keywords", "meaning", "references"),
    found_by=(3, 0, 10),
    method="Chao 1989",
    curve=(
        DiscoveryPoint(step="searches", looked_at=120, kept=30),
        DiscoveryPoint(step="links, round 1", looked_at=400, kept=38),
    ),
    stopped="the search ended: the papers cover everything",
    caveats=("It is too low.", "Judged by model_x *only*."),
)


GRAPHS: tuple[GraphName, ...] = ("find", "review")


@pytest.mark.parametrize("graph", GRAPHS)
def test_section_shows_the_curve_the_end_and_the_caveats_as_they_are(graph: GraphName) -> None:
    values = {"completeness": ESTIMATED, "related_work": "Pears."}
    report = ResultReport.of(graph, values)
    text = "\n\n".join(report.coverage)
    assert text.startswith("Of what \\*this\\* library holds, about 9")
    assert "Why it stopped: the search ended: the papers cover everything." in text
    assert "| searches | 120 | 30 |\n| links, round 1 | 400 | 38 |" in text
    assert "by how many ways found them: 3 by 1, 10 by 3." in text
    assert r"- Judged by model\_x \*only\*." in text
    whole = markdown(report)
    assert f"## Coverage\n\n{text}\n\n## How this was made" in whole


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("values", [{}, {"completeness": None}, {"completeness": Completeness()}])
def test_run_that_ended_before_it_was_assessed_has_no_such_section(
    values: dict[str, Completeness | None], graph: GraphName
) -> None:
    report = ResultReport.of(graph, values)
    assert report.values["completeness"] is None
    assert not report.coverage
    assert "complete" not in markdown(report)
    assert "\n\n\n" not in markdown(report)
