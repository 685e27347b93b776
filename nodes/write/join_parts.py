"""Join: lay the parts of the section one behind another.

Reads `run`, `parts`, `joins`, `outline`. Writes `final`, `joins`. It runs again when the closing line is
written.
"""

from collections.abc import Sequence

from langgraph.runtime import Runtime

from state.channels import WriteState
from state.run import Failure
from state.writing import Draft, Plan, Sentence
from tools.context import RunContext
from tools.text.words import SAME, resemblance

STAGE = "join_parts"


async def join_parts(state: WriteState, runtime: Runtime[RunContext]) -> WriteState:
    """Join the parts in their order; a sentence that an earlier part has is left out and reported."""
    joined, failures = join(state.get("parts", []), state["outline"])
    return {"final": joined, "joins": state.get("joins", 0) + 1, "failures": failures}


def join(parts: Sequence[Draft], plan: Plan) -> tuple[Draft, list[Failure]]:
    """Return the parts as one draft, and what was left out because it was there twice.

    A line that counts papers goes where one of them is not cited after all.
    """
    kept: list[Sentence] = []
    failures: list[Failure] = []
    lines: set[int] = set()
    ordered = sorted(parts, key=lambda draft: draft.part)
    for draft in ordered:
        # The closing part stands behind a copy of the others.
        for sentence in (item for item in draft.sentences if item.line not in lines):
            if any(resemblance(sentence.text, item.text) >= SAME for item in kept):
                failures.append(
                    Failure(
                        stage=STAGE, subject=f"line {sentence.line}",
                        cause="it says what an earlier part of the section says",
                        remedy="the sentence was left out",
                    )
                )  # fmt: skip
                continue
            kept.append(sentence)
        lines |= {sentence.line for sentence in draft.sentences}
    untrue = untrue_counts(plan, [key for sentence in kept for key in sentence.keys])
    true = sorted((item for item in kept if item.line not in untrue), key=lambda item: item.line)
    name = "+".join(draft.id for draft in ordered) or "d"
    return Draft(id=name, sentences=tuple(true)), failures


def untrue_counts(plan: Plan, cited: Sequence[str]) -> set[int]:
    """Return the lines that count papers of which one is not cited, 'Three papers ...'."""
    return {line.number for line in plan.lines if not set(cited) >= set(line.covers)}
