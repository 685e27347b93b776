"""Read the researcher's own plan of the section; docs/planning.md describes the language.

Two forms:
- one line for each sentence, paragraphs apart by blank lines: `1. Contrast [2] with [3] (20 words)`;
- directions: `5 sentences in 120 words. Cite [1] on lines 1 and 3, [2] on line 2`.
`[n]` is the n-th paper of the list that the section is written from; ids may stand in its place.
"""

from collections.abc import Mapping, Sequence

from nodes.write.plan_language.plan_text import MAX_LINES, read_rows
from nodes.write.plan_language.read_plan import names_to_markers, rows_of, unknown_papers
from state.writing import MARKER, Plan, PlanLine
from tools.errors import InputError

__all__ = ["MAX_LINES", "named_papers", "parse_plan", "plan_text", "with_themes"]


def named_papers(plan: str, papers: Sequence[str], aliases: Mapping[str, str]) -> list[str]:
    """Return the ids of the papers that a plan names, in the order of `papers`.

    Raises:
        InputError: As `names_to_markers`.
    """
    named = set(MARKER.findall(names_to_markers(plan, papers, aliases)))
    return [paper for place, paper in enumerate(papers, start=1) if f"P{place}" in named]


def parse_plan(
    plan: str, papers: Sequence[str], aliases: Mapping[str, str], keys: Mapping[str, str]
) -> Plan:
    """Turn a plan into lines; in their notes the papers are markers.

    Args:
        plan: The researcher's text, not empty.
        papers: Ids in the order in which `[n]` counts them.
        aliases: Other ids of these papers.
        keys: The key (P1, ...) of each paper to be cited, and its id.

    Raises:
        InputError: The plan cannot be followed; the message quotes the piece and says what to write.
    """
    text = names_to_markers(plan, papers, aliases)
    by_id = {paper: key for key, paper in keys.items()}
    key_of = {
        f"P{place}": by_id[paper] for place, paper in enumerate(papers, start=1) if paper in by_id
    }
    if unknown := [name[1:] for name in MARKER.findall(text) if name not in key_of]:
        raise unknown_papers(unknown, len(papers))
    try:
        read = read_rows(list(rows_of(text)))
    except InputError as error:
        raise InputError(MARKER.sub(lambda found: f"[{found[1][1:]}]", str(error))) from error
    return read.model_copy(
        update={
            "lines": tuple(
                line.model_copy(
                    update={
                        "keys": tuple(key_of[key] for key in line.keys),
                        "note": MARKER.sub(lambda found: f"{{{key_of[found[1]]}}}", line.note),
                    }
                )
                for line in read.lines
            )
        }
    )


def with_themes(edited: Plan, before: Plan) -> Plan:
    """Return an edited plan with what the themes that it still names are to argue, which no line tells."""
    named = {line.theme for line in edited.lines}
    known = {_flat(theme.label): theme for theme in before.themes}
    themes = (theme.model_copy(update={"label": label}) for label, theme in known.items())
    return edited.model_copy(update={"themes": tuple(one for one in themes if one.label in named)})


def plan_text(plan: Plan, numbers: Mapping[str, int]) -> str:
    """Return a plan as text that `parse_plan` reads as the same plan, so that a person can edit it.

    What the language has no words for is not in it: who made the plan, and why; lines that code writes.

    Args:
        plan: Its paragraphs are numbered from 1 without a gap, each with one theme.
        numbers: The number `[n]` of each paper by its key; a key that is not here is left out.
    """
    rows = [f"{plan.words} words in all", ""] if plan.words is not None else []
    before: PlanLine | None = None
    lines = [line for line in plan.lines if not line.covers]
    for number, line in enumerate(lines, start=1):
        if before is None or line.paragraph != before.paragraph:
            rows += [""] if before else []
            rows += [f"# {_flat(line.theme)}"] if line.theme.strip() else []
        rows.append(f"{number}. {_line(line, numbers)}")
        before = line
    return "\n".join(rows) + "\n"


def _line(line: PlanLine, numbers: Mapping[str, int]) -> str:
    """Return '[1], [2] (20 words, contrast): note'."""
    known = [key for key in line.keys if key in numbers]
    names = ", ".join(f"[{numbers[key]}]" for key in known)
    words = f"{line.words} words, " if line.words else ""

    def name(key: str) -> str:
        return f"[{numbers[key]}]" if key in known else key

    note = MARKER.sub(lambda found: name(found[1]), _flat(line.note))
    return f"{names} ({words}{line.role})".lstrip() + (f": {note}" if note else "")


def _flat(text: str) -> str:
    return " ".join(text.replace("[", "(").replace("]", ")").split())
