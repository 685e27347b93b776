"""Join: lay the parts of the section one behind another.

Reads `run`, `parts`, `openings`, `joins`, `outline`. Writes `final`, `joins`. It runs again when the parts'
openings have been smoothed and the closing line is written.
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
    joined, failures = join(state.get("parts", []), state.get("openings", []), state["outline"])
    return {"final": joined, "joins": state.get("joins", 0) + 1, "failures": failures}


def join(
    parts: Sequence[Draft], openings: Sequence[Sentence], plan: Plan
) -> tuple[Draft, list[Failure]]:
    """Return the parts as one draft, and what was left out because it was there twice.

    A line that counts papers goes where one of them is not cited after all.
    """
    smooth = {sentence.line: sentence for sentence in openings}
    kept: list[Sentence] = []
    failures: list[Failure] = []
    lines: set[int] = set()
    ordered = sorted(parts, key=lambda draft: draft.part)
    for draft in ordered:
        for written in draft.sentences:
            if written.line in lines:
                continue  # the closing part stands behind a copy of the others
            sentence = smooth.get(written.line, written)
            if any(resemblance(sentence.text, item.text) >= SAME for item in kept):
                failures.append(
                    Failure(
                        stage=STAGE, subject=f"line {written.line}",
                        cause="it says what an earlier part of the section says",
                        remedy="the sentence was left out",
                    )
                )  # fmt: skip
                continue
            kept.append(sentence)
        lines |= {sentence.line for sentence in draft.sentences}
    cited = {key for sentence in kept for key in sentence.keys}
    untrue = {line.number for line in plan.lines if not cited >= set(line.covers)}
    kept = [sentence for sentence in kept if sentence.line not in untrue]
    best = ordered[0] if ordered else Draft(id="d")
    name = best.id if len(ordered) == 1 else "+".join(draft.id for draft in ordered)
    return best.model_copy(update={"id": name, "sentences": tuple(kept)}), failures
