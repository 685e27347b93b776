"""nodes/write/plan_section.py: what becomes of a plan that names the wrong papers."""

from nodes.write.plan_section import (
    PlannedLine,
    PlannedTheme,
    SectionPlan,
    lay_lines,
    repaired,
)

KEYS = ["P1", "P2", "P3", "P4"]


def theme(*lines: PlannedLine, label: str = "Dense retrieval") -> PlannedTheme:
    return PlannedTheme(label=label, claim="They agree.", axis="aims", gap="Costs.", lines=[*lines])


def line(*keys: str, says: str = "", compares: bool = False) -> PlannedLine:
    return PlannedLine(keys=[*keys], says=says, compares=compares)


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
