"""The themes that a mind plans: mended where they name papers that are not there, and laid out in lines."""

from collections.abc import Collection, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field

from state.writing import Plan, PlanLine, Theme
from tools.text.words import lower_case_words

_Role = Literal["topic", "develop", "agree", "extend", "contrast", "synthesis", "gap"]
_COMPARES = "Compare with the authors' own work."


class PlannedLine(BaseModel):
    """One sentence to be."""

    role: _Role = "develop"
    keys: list[str] = []
    says: str = Field(default="", description="What it is to say, in at most 25 words.")
    compares: bool = Field(default=False, description="With the authors' own work.")


class PlannedTheme(BaseModel):
    """One paragraph to be."""

    label: str = Field(min_length=3, max_length=80)
    claim: str = ""
    axis: str = ""
    gap: str = ""
    lines: list[PlannedLine]


class SectionPlan(BaseModel):
    """The mind's answer."""

    reasoning: str = ""
    themes: list[PlannedTheme] = Field(min_length=1)


def repaired(
    plan: SectionPlan, keys: Sequence[str], musts: Collection[str], most: int, texts: Sequence[str]
) -> SectionPlan:
    """Drop invented keys and papers too many; those that must be cited and were forgotten get a line.

    Labels stand in sentences: a capital goes where the papers write that word without one.
    """
    lower = lower_case_words(texts)
    named = [key for theme in plan.themes for line in theme.lines for key in line.keys]
    asked = [key for key in dict.fromkeys(named) if key in keys]
    allowed = set(
        [key for key in asked if key in musts]
        + [key for key in asked if key not in musts][: max(most - len(musts), 0)]
    )
    themes = [
        theme.model_copy(
            update={
                "label": " ".join(word.lower() if word.lower() in lower else word for word in theme.label.split()),
                "lines": _kept(theme.lines, allowed),
            }
        )
        for theme in plan.themes
    ]  # fmt: skip
    themes = [theme for theme in themes if any(line.keys for line in theme.lines)]
    forgotten = [key for key in keys if key in musts and key not in allowed]
    forgotten = forgotten if themes else list(keys)[:most]
    themes = themes or [PlannedTheme(label="related work", lines=[])]
    themes[-1] = themes[-1].model_copy(
        update={"lines": [*themes[-1].lines, *(PlannedLine(keys=[key]) for key in forgotten)]}
    )
    return plan.model_copy(update={"themes": themes})


def _kept(lines: Sequence[PlannedLine], allowed: Collection[str]) -> list[PlannedLine]:
    """Return the lines with allowed keys only; one whose papers are all gone goes."""
    kept = [
        line.model_copy(
            update={"keys": [key for key in dict.fromkeys(line.keys) if key in allowed]}
        )
        for line in lines
    ]
    return [new for new, old in zip(kept, lines, strict=True) if new.keys or not old.keys]


def lay_lines(plan: SectionPlan, *, counted: bool) -> Plan:
    """Lay out the lines, a paragraph for each theme.

    Args:
        plan: With keys that are there.
        counted: Whether each paragraph opens with a line that counts its papers, as the embedded
            engine prints it.
    """
    lines: list[PlanLine] = []
    for place, theme in enumerate(plan.themes, start=1):
        keys = tuple(dict.fromkeys(key for line in theme.lines for key in line.keys))
        shared: dict[str, Any] = {"theme": theme.label, "paragraph": place}
        if counted:
            lines.append(PlanLine(number=len(lines) + 1, covers=keys, role="open", **shared))
        for line in theme.lines:
            says = [line.says.strip(" .")[:300], _COMPARES if line.compares else ""]
            note = ". ".join(item for item in says if item)
            new = PlanLine(
                number=len(lines) + 1, keys=tuple(line.keys), role=line.role, note=note, **shared
            )
            lines.append(new)
    themes = tuple(
        Theme(label=item.label, claim=item.claim, axis=item.axis, gap=item.gap)
        for item in plan.themes
        if item.claim
    )
    return Plan(lines=tuple(lines), themes=themes, reasoning=plan.reasoning)
