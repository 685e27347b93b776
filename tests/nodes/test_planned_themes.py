"""nodes/write/plan_section.py: what becomes of a plan that names the wrong papers."""

from typing import Any, cast

from nodes.write.plan_section import (
    PlannedLine,
    PlannedPaper,
    PlannedTheme,
    SectionPlan,
    extract,
    lay_lines,
    repaired,
)

KEYS = ["P1", "P2", "P3", "P4"]


def theme(*lines: PlannedLine, label: str = "Dense retrieval") -> PlannedTheme:
    return PlannedTheme(label=label, claim="They agree.", axis="aims", gap="Costs.", lines=[*lines])


def line(*keys: str, says: str = "", compares: bool = False) -> PlannedLine:
    return PlannedLine(keys=[*keys], says=says, compares=compares)


def test_list_without_a_model_has_the_themes_of_the_map() -> None:
    themes = ["ranking", "agents", "ranking", "summaries", "agents", "ranking", ""]
    papers = [
        PlannedPaper(key=f"P{at}", title="", year=2026 - at, abstract="", theme=name)
        for at, name in enumerate(themes, start=1)
    ]
    plan = extract(cast(Any, None), text="", papers=papers)
    assert [(one.label, [*lines_of(one)]) for one in plan.themes] == [
        ("ranking", ["P6", "P3", "P1"]),
        ("agents", ["P5", "P2"]),
        ("summaries", ["P4"]),
        ("other subjects", ["P7"]),  # one that the search did not find
    ]


def lines_of(planned: PlannedTheme) -> list[str]:
    return [key for item in planned.lines for key in item.keys]


def test_invented_papers_go_and_a_line_of_theirs_alone_goes_with_them() -> None:
    plan = SectionPlan(themes=[theme(line("P9"), line("P1", "P9"), line()), theme(line("P8"))])
    (kept,) = repaired(plan, KEYS, (), 4, ["dense retrieval of texts"]).themes
    assert [item.keys for item in kept.lines] == [["P1"], []]
    assert kept.label == "dense retrieval", "its papers write it without a capital"


def test_papers_too_many_go_from_the_end_and_those_insisted_on_stay_or_come() -> None:
    plan = SectionPlan(themes=[theme(line("P1"), line("P2"), line("P3"))])
    kept = repaired(plan, KEYS, {"P3", "P4"}, 3, [])
    assert [item.keys for item in kept.themes[0].lines] == [["P1"], ["P3"], ["P4"]]


def test_plan_of_no_paper_becomes_a_line_for_each() -> None:
    kept = repaired(SectionPlan(themes=[theme(line("P9"))]), KEYS, (), 2, [])
    assert [item.keys for item in kept.themes[0].lines] == [["P1"], ["P2"]]


def test_lines_are_laid_out_by_paragraph_and_notes_reach_the_writer() -> None:
    themes = [
        theme(line("P1", "P2", says="Both agree.")),
        theme(line("P3", compares=True), label="costs"),
    ]
    plan = lay_lines(SectionPlan(themes=themes), counted=False)
    assert [(item.number, item.paragraph, item.keys) for item in plan.lines] == [
        (1, 1, ("P1", "P2")),
        (2, 2, ("P3",)),
    ]
    assert plan.lines[0].note == "Both agree"
    assert "authors' own work" in plan.lines[1].note
    assert [item.claim for item in plan.themes] == ["They agree."] * 2
