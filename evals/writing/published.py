"""Texts of other systems, as they were published: checked by the graph `verify`, counted as our own are."""

import re
from collections.abc import Sequence
from typing import Any

from evals.judging.candidates import Candidate
from evals.side_by_side import remembering
from evals.trials import BenchClients, Row, attempted, fresh_home, run_graph
from evals.writing.cases import Case
from evals.writing.trial import Setting, told
from state.paper import Paper, title_key

_AT_CITE = re.compile(r"@cite_(\d+)")
"""How Multi-XScience and what was trained on it cite."""


def try_text(task: tuple[Case, Candidate], setting: Setting) -> Row:
    """Check one published text of one row; whatever goes wrong stands in the result, as of a writer."""
    case, candidate = task
    row: Row = {
        "case": case.id,
        "arm": candidate.arm,
        "text": candidate.text,
        "counts": {},
        "adherence": {},
        "cost": {},
        "tasks": {},
    }
    inputs = {
        "text": _AT_CITE.sub(r"[\1]", candidate.text),
        "papers": [
            paper.model_dump(mode="json") if isinstance(paper, Paper) else {"title": paper}
            for paper in listed(case, candidate.references)
        ],
    }

    def checked() -> dict[str, Any]:
        clients = BenchClients(here, remembering(setting.vectors))
        result = run_graph("verify", inputs, clients, {"mind": setting.mind})
        audit = result.get("audit")
        named = {item.key: item.paper for item in audit.verdicts} if audit else {}
        return {
            **told(case, result, named),
            "printed": {"text": candidate.text, "references": list(candidate.references)},
        }

    with fresh_home() as here:
        return row | attempted(checked)


def listed(case: Case, references: Sequence[str]) -> list[Paper | str]:
    """Return what the numbers of a text stand for: papers of the row, or titles that it does not have.

    Without references of its own a text cites by the keys of the data, where these are numbers, else by
    the order of the row's papers.
    """
    if references:
        titled = {title_key(paper.title): paper for paper in case.papers}
        return [titled.get(title_key(title), title) for title in references]
    numbered = {int(key): case.papers[at] for key, at in case.places.items() if key.isdigit()}
    if not numbered:
        return list(case.papers)
    return [
        numbered.get(number, f"Not in the data: {number}") for number in range(1, max(numbered) + 1)
    ]
