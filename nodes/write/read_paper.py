"""Read: take the seven key elements out of one paper, or out of the researcher's own text.

Reads `run`, `request` and, per branch, one paper's id. Writes `read`; the elements go to the run store
(ChatCite, section 3.1). A question holds nothing of the run, so that its answer serves every run that
cites the paper. Sentences that command a machine are not shown, and no element rests on them. A text
that the model's window has no room for is read in stretches.
"""

import asyncio
from collections.abc import Sequence

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from nodes.ask_checked import ask_checked
from state.channels import WriteState
from state.paper import Paper
from state.quote import Quote
from state.request import Request
from state.run import Failure
from state.writing import ELEMENTS, Element, KeyElements
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.evidence.prompt_injection import without_injections
from tools.evidence.quotes import quote_input, quote_paper
from tools.llm.prompt import count_tokens
from tools.llm.task import Task
from tools.services import Services, open_services
from tools.text.language import language, language_name
from tools.text.printable import printable
from tools.text.roles import assign_roles
from tools.text.sentences import split_sentences

STAGE = "read_paper"
_UNSHOWN = "(its title is not shown)"
_SURE = 12
"""Words of a sentence whose language is sure."""
_AGAIN = 600
"""Tokens kept free for the quotes that failed, when the question is asked again."""
_LATER = frozenset({"findings", "limitations"})
"""What a text says towards its end: of several stretches the last answer counts."""
_FIRST = ("contribution", "findings", "method", "problem", "data", "limitations", "background")
"""Which element keeps a quote that two of them claim."""

PROMPT = """\
You read a paper's title and abstract for a literature review. Answer seven questions about it:
- background: what situation or field does it start from?
- problem: which problem or gap does it address?
- method: how does it proceed?
- data: which data, experiments or participants does it rest on?
- findings: what did it find?
- contribution: what does it add that was not there before?
- limitations: what does it leave open or admit?

Answer each in one short sentence of your own, in English, and copy, letter by letter, the words that
the answer rests on: other words for each question. Leave a question out when the text does not answer
it. Where quotes_that_failed is given, these words of an earlier answer are not in the text, or serve
two questions: answer anew with words that are there.
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
    """Give each question the sentence whose cues fit it best, among those that can be read."""
    foreign = bool(abstract) and language(abstract) != "en"
    spans = [span for span in split_sentences(abstract) if _readable(span.text, foreign=foreign)]
    roles = assign_roles(tuple(spans))
    return Reading.model_validate(
        {role: {"text": span.text, "quote": span.text} for role, span in roles.items()}
    )


def _readable(sentence: str, *, foreign: bool) -> bool:
    """Whether a sentence may be printed and is in English.

    Of a text in another language (`foreign`) only sentences long enough to be surely English count.
    """
    sure = not foreign or len(sentence.split()) >= _SURE
    return sure and printable(sentence) and language(sentence) == "en"


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


async def read_paper(state: Branch, runtime: Runtime[RunContext]) -> WriteState:
    """Keep the answers whose quotes are there; ask once more when a quote fails."""
    services = open_services(runtime, state["run"])
    key = state["paper"]
    paper = await _paper(services, key, state["request"])
    elements, failures = await _elements(services, paper)
    if not elements and services.mind.name == "extractive":
        failures += await asyncio.to_thread(_unread, paper)
    await services.run_store.elements.put(
        [KeyElements(paper=paper.id, by=services.mind.name, **elements)]
    )
    services.tick(STAGE, 1, state["of"], paper.title[:60])
    return {"read": [key], "failures": failures}


async def _paper(services: Services, key: str, request: Request) -> Paper:
    if key == "input":
        return Paper(
            id="input", title=request.title or "The researcher's text", abstract=request.text
        )
    return (await services.run_store.papers.get([key]))[key]


def _unread(paper: Paper) -> list[Failure]:
    """Say of a paper in another language that the embedded engine has not read it."""
    code = language(paper.abstract) if paper.abstract else "en"
    if code == "en":
        return []
    return [
        Failure(
            stage=STAGE, subject=paper.id,
            cause=f"its text is in {language_name(code)}, and the embedded engine reads English only",
            remedy="set CITELOOM_STRONG_MODEL and an endpoint to have an LLM read it",
        )
    ]  # fmt: skip


async def _elements(services: Services, paper: Paper) -> tuple[dict[str, Element], list[Failure]]:
    """Return the paper's elements, and what went wrong with them."""
    title, ordered = without_injections(paper.title)
    text, commands = without_injections(paper.abstract or "")
    failures = _commanding(paper, [*ordered, *commands])
    if not text:
        return {}, failures
    title = title or _UNSHOWN
    results = await asyncio.gather(
        *(_read(services, paper, title, stretch) for stretch in _stretches(services, title, text))
    )
    merged: dict[str, Element] = {}
    for elements, failed in results:
        failures += failed
        for name, element in elements.items():
            if name not in merged or name in _LATER:
                merged[name] = element
    return {name: merged[name] for name in ELEMENTS if name in merged}, failures


def _commanding(paper: Paper, commands: Sequence[str]) -> list[Failure]:
    if not commands:
        return []
    return [
        Failure(
            stage=STAGE, subject=paper.id,
            cause=f"it commands whoever reads it by machine: '{' '.join(commands)[:200]}'",
            remedy="these words were not shown to the mind; look at the paper yourself",
        )
    ]  # fmt: skip


def _stretches(services: Services, title: str, text: str) -> list[str]:
    """Cut a text between sentences so that each stretch fits the window; most texts are one."""
    room = services.mind.spare(TASK, title=title, abstract="") - _AGAIN
    if count_tokens(text) <= room:
        return [text]
    room = max(room, _AGAIN)  # a question that is too large even so fails with a reason
    stretches: list[list[str]] = [[]]
    used = 0
    for piece in _pieces(text, room):
        size = count_tokens(piece) + 1
        if stretches[-1] and used + size > room:
            stretches.append([])
            used = 0
        stretches[-1].append(piece)
        used += size
    return [" ".join(stretch) for stretch in stretches]


def _pieces(text: str, room: float) -> list[str]:
    """Return a text's sentences; one that is too long by itself is cut between words, if it has any."""
    pieces: list[str] = []
    waiting = [span.text for span in reversed(split_sentences(text))]
    while waiting:
        piece = waiting.pop()
        if count_tokens(piece) <= room or len(piece) < 2:
            pieces.append(piece)
            continue
        middle = piece.rfind(" ", 0, len(piece) // 2 + 1)
        middle = middle if middle > 0 else len(piece) // 2
        waiting += [piece[middle:].strip(), piece[:middle].strip()]
    return [piece for piece in pieces if piece]


async def _read(
    services: Services, paper: Paper, title: str, text: str
) -> tuple[dict[str, Element], list[Failure]]:
    """Read one stretch; ask once more where quotes fail, and keep what was good."""
    good: dict[str, Element] = {}

    def failing(reading: Reading) -> list[str]:
        found, failed = _check(reading, paper, good)
        good.update(found)
        return [quote[:200] for quote in failed]

    asked = await ask_checked(
        services.mind,
        TASK,
        {"title": title, "abstract": text},
        failing,
        again_as="quotes_that_failed",
    )
    if asked.error is None:
        return good, []
    return good, [
        Failure(
            stage=STAGE, subject=paper.id, cause=str(asked.error),
            remedy="the paper is described from its abstract's sentences only",
        )
    ]  # fmt: skip


def _check(
    reading: Reading, paper: Paper, kept: dict[str, Element]
) -> tuple[dict[str, Element], list[str]]:
    """Add the elements whose quotes hold to those kept; return also the quotes that do not.

    A quote serves one element; of a text with fewer sentences than questions, as many as needed.
    """
    text = paper.abstract or ""
    good = dict(kept)
    failed: list[str] = []
    uses = -(-len(ELEMENTS) // max(len(split_sentences(text)), 1))
    for name in _FIRST:
        draft: ElementDraft | None = getattr(reading, name)
        if draft is None or not draft.text.strip() or name in kept:
            continue
        quote = (
            quote_input(draft.quote, text)
            if paper.id == "input"
            else quote_paper(draft.quote, paper)
        )
        others = sum(_shares(quote, element.quote) for element in good.values())
        if quote.verified and others < uses and not without_injections(quote.text)[1]:
            good[name] = Element(text=draft.text.strip(), quote=quote)
        else:
            failed.append(draft.quote)
    return good, failed


def _shares(quote: Quote, other: Quote | None) -> bool:
    """Whether two quotes share more than half of the shorter one's words."""
    if other is None or quote.part != other.part or quote.start is None or other.start is None:
        return False
    common = min(quote.end or 0, other.end or 0) - max(quote.start, other.start)
    return 2 * common > min(len(quote.text), len(other.text))
