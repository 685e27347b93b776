"""Smooth: let a part of the section take up what stands before it.

Reads `run`, `request`, `keys`, `outline`, `final` and, per branch, the line that opens a part.
Writes `openings`. Parts are written side by side, so none knows how the one before it ends.
"""

from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.write.lines import LinePaper, line_papers
from nodes.write.writers.answers import NextSentence, Support
from nodes.write.writers.drafting import attach, known_papers
from nodes.write.writers.faults import false_quotes, faults_of, rejected
from nodes.write.writers.misplaced import misplaced
from nodes.write.writers.port import Stage
from state.channels import WriteState
from state.request import Request
from state.run import Failure
from state.writing import MARKER, Draft, Part, Plan, PlanLine
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.llm.task import Task
from tools.services import open_services

STAGE = "smooth_opening"

PROMPT = """\
The paragraphs of a related-work section were written apart. Rewrite the sentence that opens one of
them so that it takes up how the paragraph before it ends, in a few words at most, and still opens its
own theme. Keep what it claims and every marker, such as {P3}, with what it supports; add no claim and
no other marker. Return it unchanged if it follows well as it is. For each cited paper copy, letter by
letter, the words of its title or abstract that support the sentence.
"""


def extract(
    embedder: Embedder, *, sentence: str, support: Sequence[Support], **_: object
) -> NextSentence:
    """Leave it: the embedded engine counts themes as it opens them."""
    return NextSentence(sentence=sentence, support=list(support))


TASK = Task(
    name="smooth_opening", prompt=PROMPT, answer=NextSentence, tier="fast", extract=extract,
    max_output_tokens=700,
)  # fmt: skip


class Branch(TypedDict):
    """What one branch of this node reads."""

    run: str
    request: Request
    keys: dict[str, str]
    outline: Plan
    final: Draft
    line: int


async def smooth_opening(state: Branch, runtime: Runtime[RunContext]) -> WriteState:
    """Ask once; an answer with any fault leaves the sentence as it was."""
    services = open_services(runtime, state["run"])
    sentences = state["final"].sentences
    place = next(i for i, item in enumerate(sentences) if item.line == state["line"])
    old = sentences[place]
    stage = Stage(
        request=state["request"], keys=state["keys"], outline=state["outline"],
        part=Part(number=0, lines=()), position=0, drafts=[],
    )  # fmt: skip
    papers: list[LinePaper] = await line_papers(services, state["keys"], old.keys)
    support = [Support(key=item.key, quote=item.quote.text) for item in old.citations if item.quote]
    unchanged: WriteState = {"openings": [old], "failures": [], "rejections": []}
    inputs: dict[str, Any] = {
        "text": state["request"].text, "papers": papers,
        "before": [item.text for item in sentences[max(place - 2, 0) : place]],
        "sentence": old.text, "support": support,
    }  # fmt: skip
    if services.mind.spare(TASK, **inputs) < 0:
        return unchanged
    try:
        answer = await services.mind.do(TASK, **inputs)
    except (AnswerError, RefusedError) as error:
        failure = Failure(
            stage=STAGE, subject=f"line {old.line}", cause=str(error), remedy="it stands as it was"
        )
        return {**unchanged, "failures": [failure]}
    known = await known_papers(services, stage, old.keys)
    line = PlanLine(number=old.line, keys=old.keys)
    others = [item.text for item in sentences if item is not old]
    faults = faults_of(answer, line, known, state["request"].text, others)
    faults += await misplaced(services, stage, answer.sentence)
    said = rejected(
        [*faults, *false_quotes(answer, known)], answer.sentence, stage=STAGE, line=old.line,
        action="replaced", by=services.mind.name, keys=state["keys"],
    )  # fmt: skip
    if faults or set(MARKER.findall(answer.sentence)) != set(old.keys):
        return {**unchanged, "rejections": said}
    return {
        "openings": [attach(answer, old.line, known, stage)],
        "failures": [],
        "rejections": said,
    }
