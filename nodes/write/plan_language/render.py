"""Write a plan in the language in which it can be read again, so that a person can edit it."""

from collections.abc import Mapping

from nodes.write.plan_language.measures import denies
from nodes.write.plan_language.reading import SAME, read_content
from nodes.write.plan_language.sketch import default_role
from state.writing import MARKER, Plan, PlanLine


def plan_text(plan: Plan, numbers: Mapping[str, int]) -> str:
    """Return a plan as text that `parse_plan` reads as the same plan.

    What the language has no words for is not in it: who made the plan, and why.

    Args:
        plan: Its paragraphs are numbered from 1 without a gap.
        numbers: The number `[n]` of each paper by its key; a key that is not here is left out.
    """
    asked = [f"{plan.words} words in all"] if plan.words is not None else []
    if plan.lines and not any(key in numbers for line in plan.lines for key in line.keys):
        asked.append(f"{len(plan.lines)} sentences")
    rows = [", ".join(asked), ""] if asked else []
    before: PlanLine | None = None
    for line in plan.lines:
        opens = before is not None and line.paragraph != before.paragraph
        rows += [""] if opens else []
        rows += _heading(line, before, opens=opens)
        rows.append(f"{line.number}. {_numbered(_line(line, before, numbers), numbers)}".rstrip())
        before = line
    return "\n".join(rows) + "\n"


def _heading(line: PlanLine, before: PlanLine | None, *, opens: bool) -> list[str]:
    theme = _flat(line.theme)
    if before is None or opens:
        return [f"# {theme}"] if theme else []
    return [" ".join(filter(None, ("#", theme, SAME)))] if line.theme != before.theme else []


def _line(line: PlanLine, before: PlanLine | None, numbers: Mapping[str, int]) -> str:
    """Return the plainest text that says this line, papers as markers."""
    keys = [key for key in line.keys if key in numbers]
    usual = default_role(line, before)
    tags = [f"{line.words} words"] if line.words is not None else []
    tags += [line.role] if line.role != usual else []
    note = MARKER.sub(lambda found: found[0] if found[1] in keys else found[1], _flat(line.note))
    tag = f"({', '.join(tags)})" if tags else ""
    names = f"{{{'}, {'.join(keys)}}}" if keys else ""
    head = " ".join(filter(None, (names, tag)))
    whole = f"({', '.join(dict.fromkeys([*tags, line.role]))})"
    firm = " ".join(filter(None, (names, whole)))
    forms = (
        " ".join(filter(None, (note, tag))) if note or not keys else head,
        f"{head}: {note}" if note else head,
        f"{firm}: {note}" if note else firm,
    )
    return next((form for form in forms if _says(form, line, keys, usual, note)), forms[-1])


def _says(form: str, line: PlanLine, keys: list[str], usual: str, note: str) -> bool:
    if not form:
        return False
    read = read_content(form)
    return (
        (read.note, read.keys, read.words) == (note, keys, line.words)
        and (read.role or usual) == line.role
        and read.total is None
        and not read.directs
        and not read.fault
        and ((read.firm and read.role is not None) or not denies(read.note))
    )


def _numbered(text: str, numbers: Mapping[str, int]) -> str:
    return MARKER.sub(lambda found: f"[{numbers[found[1]]}]", text)


def _flat(text: str) -> str:
    return " ".join(text.replace("[", "(").replace("]", ")").split())
