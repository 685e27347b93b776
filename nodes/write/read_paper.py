"""Read: take the seven key elements out of one paper.

Reads `run`, `request` and, per branch, one paper's id. Writes `read`; the elements go to the run store
(ChatCite, section 3.1). A question holds nothing of the run, so that its answer serves every run that
cites the paper. Sentences that command a machine are not shown, and no element rests on them. Of a text
that the model's window has no room for the first sentences are read.
"""

import asyncio

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from nodes.ask_checked import ask_checked
from state.channels import WriteState
from state.paper import Paper
from state.quote import Quote
from state.run import Failure
from state.writing import ELEMENTS, Element, KeyElements
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.evidence.prompt_injection import without_injections
from tools.evidence.quotes import quote_paper
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


class Branch(WriteState):
    """What one branch of this node reads."""

    paper: str
    of: int
    """How many branches there are."""


async def read_paper(state: Branch, runtime: Runtime[RunContext]) -> WriteState:
    """Keep the answers whose quotes are there; ask once more when a quote fails."""
    services = open_services(runtime, state["run"])
    key = state["paper"]
    papers = await services.run_store.papers.get([key])
    if key not in papers:  # the caller named it, and no source knows it
        return {"read": [key]}
    paper = papers[key]
    elements, failures = await _elements(services, paper)
    if not elements and services.mind.name == "extractive":
        failures += await asyncio.to_thread(_unread, paper)
    await services.run_store.elements.put(
        [KeyElements(paper=paper.id, by=services.mind.name, **elements)]
    )
    services.tick(STAGE, 1, state["of"], paper.title[:60])
    return {"read": [key], "failures": failures}


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
    """Return the paper's elements, and what went wrong; failed quotes are asked for once more."""
    title, ordered = without_injections(paper.title)
    whole, commands = without_injections(paper.abstract or "")
    failures: list[Failure] = []

    def fail(cause: str, remedy: str) -> None:
        failures.append(Failure(stage=STAGE, subject=paper.id, cause=cause, remedy=remedy))

    if told := " ".join([*ordered, *commands]):
        fail(f"it commands whoever reads it by machine: '{told[:200]}'", _LOOK)
    title = title or _UNSHOWN
    text = _fitting(services, title, whole)
    if len(text) < len(whole):
        fail(
            f"the model's window has room for {len(text):,} of its {len(whole):,} characters", _REST
        )
    good: dict[str, Element] = {}

    def failing(reading: Reading) -> list[str]:
        return [quote[:200] for quote in _keep(reading, paper, good)]

    if text:
        inputs = {"title": title, "abstract": text}
        asked = await ask_checked(
            services.mind, TASK, inputs, failing, again_as="quotes_that_failed"
        )
        if asked.error:
            fail(str(asked.error), "the paper is described from its abstract's sentences only")
    return {name: good[name] for name in ELEMENTS if name in good}, failures


_LOOK = "these words were not shown to the mind; look at the paper yourself"
_REST = "the rest was not read for its key elements"


def _fitting(services: Services, title: str, text: str) -> str:
    """Return as many of the first sentences as the window has room for; most often all."""
    room = services.mind.spare(TASK, title=title, abstract="") - _AGAIN
    if count_tokens(text) <= room:
        return text
    end = 0
    for span in split_sentences(text):
        room -= count_tokens(span.text) + 1
        end = span.end if room >= 0 else end
    return text[:end]


def _keep(reading: Reading, paper: Paper, good: dict[str, Element]) -> list[str]:
    """Add to `good` the elements whose quotes hold, and return the quotes that do not; each serves one."""
    failed: list[str] = []
    for name in _FIRST:
        draft: ElementDraft | None = getattr(reading, name)
        if draft is None or not draft.text.strip() or name in good:
            continue
        quote = quote_paper(draft.quote, paper)
        taken = any(_shares(quote, element.quote) for element in good.values())
        if quote.verified and not taken and not without_injections(quote.text)[1]:
            good[name] = Element(text=draft.text.strip(), quote=quote)
        else:
            failed.append(draft.quote)
    return failed


def _shares(quote: Quote, other: Quote | None) -> bool:
    """Whether two quotes share more than half of the shorter one's words."""
    if other is None or quote.part != other.part or quote.start is None or other.start is None:
        return False
    common = min(quote.end or 0, other.end or 0) - max(quote.start, other.start)
    return 2 * common > min(len(quote.text), len(other.text))
