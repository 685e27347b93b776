"""Read: take the seven key elements out of one paper, or out of the researcher's own text.

Reads `run`, `request` and, per branch, one paper's id. Writes `read`; the elements go to the shelf
(ChatCite, section 3.1).
"""

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from state.paper import Paper
from state.quote import Quote
from state.request import Request
from state.run import Failure
from state.writing import ELEMENTS, Element, KeyElements
from tools.context import RunContext
from tools.desk import Desk, open_desk
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.llm.task import Task
from tools.text.quotes import quote_input, quote_paper
from tools.text.roles import assign_roles
from tools.text.sentences import split_sentences

STAGE = "read_paper"

PROMPT = """\
You read a paper's title and abstract for a literature review. Answer seven questions about it:
- background: what situation or field does it start from?
- problem: which problem or gap does it address?
- method: how does it proceed?
- data: which data, experiments or participants does it rest on?
- findings: what did it find?
- contribution: what does it add that was not there before?
- limitations: what does it leave open or admit?

Answer each in one short sentence of your own, and copy, letter by letter, the words that the answer
rests on. Leave a question out when the text does not answer it.
"""


class ElementDraft(BaseModel):
    """One answer as the mind gives it."""

    text: str
    quote: str = Field(description="Words of the paper, verbatim.")


class Reading(BaseModel):
    """The mind's answer; a question that the text does not answer is null."""

    background: ElementDraft | None = None
    problem: ElementDraft | None = None
    method: ElementDraft | None = None
    data: ElementDraft | None = None
    findings: ElementDraft | None = None
    contribution: ElementDraft | None = None
    limitations: ElementDraft | None = None


def extract(embedder: Embedder, *, title: str, abstract: str, **_: object) -> Reading:
    """Give each question the sentence whose cues fit it best."""
    roles = assign_roles(split_sentences(abstract)) if abstract else {}
    return Reading.model_validate(
        {role: {"text": span.text, "quote": span.text} for role, span in roles.items()}
    )


TASK = Task(
    name="read_paper", prompt=PROMPT, answer=Reading, tier="fast", extract=extract,
    max_output_tokens=1500,
)  # fmt: skip


class Branch(TypedDict):
    """What one branch of this node reads."""

    run: str
    request: Request
    paper: str
    of: int
    """How many branches there are."""


class Update(TypedDict):
    """What this node writes."""

    read: list[str]
    failures: list[Failure]


async def read_paper(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Keep the answers whose quotes are there; ask once more when a quote fails."""
    desk = open_desk(runtime, state["run"])
    key, request = state["paper"], state["request"]
    paper = await _paper(desk, key, request)
    failures: list[Failure] = []
    try:
        elements = await _elements(desk, paper, own=key == "input")
    except (AnswerError, RefusedError) as error:
        elements = KeyElements(paper=key, by=desk.mind.name)
        failures = [
            Failure(
                stage=STAGE, subject=key, cause=str(error),
                remedy="the paper is described from its abstract's sentences only",
            )
        ]  # fmt: skip
    await desk.shelf.put_elements(elements)
    desk.tick(STAGE, 1, state["of"], paper.title[:60])
    return {"read": [key], "failures": failures}


async def _paper(desk: Desk, key: str, request: Request) -> Paper:
    if key == "input":
        return Paper(
            id="input", title=request.title or "The researcher's text", abstract=request.text
        )
    return (await desk.shelf.papers([key]))[key]


async def _elements(desk: Desk, paper: Paper, *, own: bool) -> KeyElements:
    first = await desk.mind.do(TASK, title=paper.title, abstract=paper.abstract or "")
    elements, failed = _check(first, paper, own=own)
    if failed:
        second = await desk.mind.do(
            TASK, title=paper.title, abstract=paper.abstract or "", quotes_that_failed=failed
        )
        repaired, _ = _check(second, paper, own=own)
        elements = {**repaired, **elements}
    return KeyElements(paper=paper.id, by=desk.mind.name, **elements)


def _check(reading: Reading, paper: Paper, *, own: bool) -> tuple[dict[str, Element], list[str]]:
    """Return the elements whose quotes hold, and the quotes that do not."""
    good: dict[str, Element] = {}
    failed: list[str] = []
    for name in ELEMENTS:
        draft: ElementDraft | None = getattr(reading, name)
        if draft is None or not draft.text.strip():
            continue
        quote: Quote = (
            quote_input(draft.quote, paper.abstract or "")
            if own
            else quote_paper(draft.quote, paper)
        )
        if quote.verified:
            good[name] = Element(text=draft.text, quote=quote)
        else:
            failed.append(draft.quote)
    return good, failed
