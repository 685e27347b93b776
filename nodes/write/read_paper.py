"""Read: take the seven key elements out of one paper.

Reads `run`, `request` and, per branch, one paper's id. Writes `read`; the elements go to the run store
(ChatCite, section 3.1). An LLM reads the abstract and, where the run's library has the paper's full
text, passages of it. A question holds nothing of the run, so that its answer serves every run that
cites the paper. Sentences that command a machine are not shown, and no element rests on them. Of an
abstract that the model's window has no room for the first sentences are read.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from nodes.common.ask_model import ask_with_check
from nodes.cost.kept_budget import saving_services
from nodes.judge.full_text import library_text
from state.channels import WriteState
from state.inputs import CheckedRequest
from state.paper import Paper
from state.passage import Passage
from state.quote import Quote
from state.run import Failure
from state.writing import ELEMENTS, Element, KeyElements
from tools.embed.embedder import Embedder
from tools.evidence.prompt_injection import without_injections
from tools.evidence.quotes import MIN_LENGTH, find_quote, quote_fault, quote_paper
from tools.llm.task import Task, count_tokens
from tools.run_settings import RunSettings
from tools.services import Services
from tools.text.quotable import printable
from tools.text.roles import assign_roles
from tools.text.sentences import split_sentences
from tools.text.words import language, language_name

STAGE = "read_paper"
_UNSHOWN = "(its title is not shown)"
_SURE = 12
"""Words of a sentence whose language is sure."""
_AGAIN = 600
"""Tokens kept free for the quotes that failed, when the question is asked again."""
_PASSAGES = 6000
"""Tokens of a full text's passages that are shown."""
_SECTIONS = (
    re.compile("introduc|motivation", re.I),
    re.compile("method|approach|material|design|model|system|setup", re.I),
    re.compile("result|experiment|evaluation|finding|analysis", re.I),
    re.compile("limit|discussion|conclusion|threat|future", re.I),
)
"""Sections that tell most about the questions; each has its turn before other sections have any."""

PROMPT = f"""\
You read a paper for a literature review: its title, its abstract and, where they are at hand, passages
of its full text, each under its section. Answer seven questions about it:
- background: what situation or field does it start from?
- problem: which problem or gap does it address?
- method: how does it proceed?
- data: which data, experiments or participants does it rest on?
- findings: what did it find, with its figures?
- contribution: what does it add that was not there before?
- limitations: what does it leave open or admit?

For each question first copy, letter by letter, the words that answer it: one stretch of at least
{MIN_LENGTH} characters from one place, not pieced together. Two questions may rest on the same words.
Then answer it in one short sentence of your own, in English, that says no more than these words. Leave
a question out when the text does not answer it. Where `faults` of an earlier answer are listed, answer
those questions anew, and only those.
"""


class ElementDraft(BaseModel):
    """One answer as the mind gives it."""

    quote: str = Field(description="Words of the paper, verbatim.")
    text: str


class ShownPassage(BaseModel):
    """A passage as the mind sees it."""

    section: str
    text: str


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
    name="read_paper",
    prompt=PROMPT,
    answer=Reading,
    tier="fast",
    extract=extract,
    max_output_tokens=1500,
)


class Branch(WriteState):
    """What one branch of this node reads."""

    paper: str
    of: int
    """How many branches there are."""
    drafted: bool
    """Whether what the section says of papers is written already."""


async def read_paper(state: Branch, runtime: Runtime[RunSettings]) -> WriteState:
    """Keep the answers whose quotes are there; ask once more when a quote fails."""
    services = saving_services(state, runtime, drafted=state.get("drafted", False))
    key = state["paper"]
    papers = await services.run_store.papers.get([key])
    if key not in papers:  # the caller named it, and no source knows it
        services.tick(STAGE, 1, state["of"])
        return {"read": [key]}
    paper = papers[key]
    elements, failures = await _elements(services, paper, state["request"])
    if not elements and not services.mind.composes:
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
            stage=STAGE,
            subject=paper.id,
            cause=f"its text is in {language_name(code)}, and the embedded engine reads English only",
            remedy="set CITELOOM_STRONG_MODEL and an endpoint to have an LLM read it",
        )
    ]


async def _elements(
    services: Services, paper: Paper, request: CheckedRequest
) -> tuple[dict[str, Element], list[Failure]]:
    """Return the paper's elements, and what went wrong; failed quotes are asked for once more."""
    title, ordered = without_injections(paper.title)
    whole, commands = without_injections(paper.abstract or "")
    failures: list[Failure] = []

    def fail(cause: str, remedy: str, *, lost: bool = False) -> None:
        told = Failure(stage=STAGE, subject=paper.id, cause=cause, remedy=remedy, lost=lost)
        failures.append(told)

    inputs: dict[str, Any] = {"title": title or _UNSHOWN, "abstract": whole}
    inputs["abstract"] = text = _fitting(services, inputs["title"], whole)
    if len(text) < len(whole):
        fail(
            f"the model's window has room for {len(text):,} of its {len(whole):,} characters", _REST
        )
    passages: list[Passage] = []
    if services.mind.composes:
        room = min(services.mind.spare(TASK, **inputs) - _AGAIN, _PASSAGES)
        passages = telling(await _full_text(services, paper, request), room)
    if passages:
        cleaned = [without_injections(item.text) for item in passages]
        commands = [*commands, *(told for _, found in cleaned for told in found)]
        inputs["passages"] = [
            ShownPassage(section=" > ".join(item.section), text=shown)
            for item, (shown, _) in zip(passages, cleaned, strict=True)
        ]
    if told := " ".join([*ordered, *commands]):
        fail(f"it commands whoever reads it by machine: '{told[:200]}'", _LOOK)
    good: dict[str, Element] = {}
    if text or passages:
        asked = await ask_with_check(
            services.mind, TASK, inputs, lambda reading: _keep(reading, paper, passages, good)
        )
        if asked.error:
            remedy = "the paper is described from its abstract's sentences only"
            fail(str(asked.error), remedy, lost=asked.answer is None)
    return {name: good[name] for name in ELEMENTS if name in good}, failures


async def _full_text(services: Services, paper: Paper, request: CheckedRequest) -> list[Passage]:
    """Return the passages of the paper's fullest document in the library; 'starter' has none."""
    if request.library == "starter" or "library" not in request.sources:
        return []
    library = await services.library(request.library)
    return await asyncio.to_thread(library_text, library, paper)


def telling(passages: Sequence[Passage], room: float) -> list[Passage]:
    """Return passages of so many tokens in reading order: the first of each telling section, and so on."""
    turns: Counter[int] = Counter()
    order: list[tuple[int, int, int]] = []
    for place, item in enumerate(passages):
        heading = " ".join(item.section)
        kind = next((at for at, known in enumerate(_SECTIONS) if known.search(heading)), None)
        turns[-1 if kind is None else kind] += 1
        order.append((1_000_000 + place, 0, place) if kind is None else (turns[kind], kind, place))
    taken: list[int] = []
    for *_, place in sorted(order):
        room -= count_tokens(passages[place].text) + 10
        taken += [place] if room >= 0 else []
    return [passages[place] for place in sorted(taken)]


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


def _keep(
    reading: Reading, paper: Paper, passages: Sequence[Passage], good: dict[str, Element]
) -> list[str]:
    """Add to `good` the answers whose quotes hold, and say what is wrong with the others."""
    faults: list[str] = []
    texts = [paper.abstract or "", paper.title, *(item.text for item in passages)]
    for name in ELEMENTS:
        draft: ElementDraft | None = getattr(reading, name)
        if draft is None or not draft.text.strip() or name in good:
            continue
        quote = _quote(draft.quote, paper, passages)
        if quote.verified and not without_injections(quote.text)[1]:
            good[name] = Element(text=draft.text.strip(), quote=quote)
        else:
            wrong = quote_fault(draft.quote, texts)
            faults.append(f"{name}: {wrong[1] if wrong else 'these words may not be quoted'}")
    return faults


def _quote(claimed: str, paper: Paper, passages: Sequence[Passage]) -> Quote:
    """Check words against the paper's abstract and title, then its passages."""
    quote = quote_paper(claimed, paper)
    for item in passages if not quote.verified else ():
        if span := find_quote(claimed, item.text):
            return Quote(
                text=span.text,
                paper=paper.id,
                part=item.part,
                start=item.start + span.start,
                end=item.start + span.end,
                verified=True,
            )
    return quote
