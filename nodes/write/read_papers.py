"""Read: copy out of papers the words that answer ChatCite's seven guiding questions, some papers at a time.

Reads `run`, `request` and, per branch, the ids of up to eight papers. Writes `read`; the elements go to the run
store (ChatCite, section 3.1). An LLM reads abstracts and, where the run's library has a paper's full text,
passages of it. Only words that code finds in the paper are kept. Sentences that command a machine are not shown, and no
element rests on them. Of an abstract that the model's window has no room for the first sentences are read.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NotRequired

from pydantic import BaseModel

from nodes.common.ask_model import ask_with_check
from nodes.cost.kept_budget import saving_services
from nodes.write.paper_passages import ShownPaper, full_text, shown_passages, telling
from state.channels import WriteState
from state.paper import Paper
from state.passage import Passage
from state.results import TABLE_FACETS
from state.run import Failure
from state.writing import ELEMENTS, Element, KeyElements
from tools.embed.embedder import Embedder
from tools.evidence.prompt_injection import LEFT_OUT, own_words, without_injections
from tools.evidence.quotes import MIN_LENGTH, quote_fault, quotes_of
from tools.llm.task import Task, count_tokens
from tools.services import NodeRuntime, Services
from tools.text.quotable import is_quotable
from tools.text.roles import assign_roles
from tools.text.words import language, language_name, split_sentences

STAGE = "read_papers"
AT_ONCE = 8
"""Papers of one question."""
_UNSHOWN = "(its title is not shown)"
_SURE = 12
"""Words of a sentence whose language is sure."""
_AGAIN = 600
"""Tokens kept free for the quotes that failed, when the question is asked again."""
_PASSAGES = 6000
"""Tokens of full texts that one question shows."""
_TABLE = ("contribution", *TABLE_FACETS)
"""Questions whose answers the comparison table shows; other writers than the beam need no more."""
_TOKENS_EACH, _TOKENS_BESIDE = 350, 150
"""Of an answer."""

PROMPT = f"""\
You read papers for a literature review. Each of the `papers` has its key, title and abstract and, where they are
at hand, `passages` of its full text under their sections. Of these questions answer those that `asked` names, about
each paper, in its own words:
- background: what situation or field does it start from?
- problem: which problem or gap does it address?
- method: how does it proceed?
- data: which data, experiments or participants does it rest on?
- findings: what did it find, with its figures?
- contribution: what does it add that was not there before?
- limitations: what does it leave open or admit?

An answer is one stretch of the paper, copied letter by letter, at least {MIN_LENGTH} characters long, no longer than
it must be and not pieced together. Two questions may share words. Where a paper does not answer a question, and for
a question that is not asked, give null. Where `faults` of an earlier answer are listed, give only the papers and
questions that they name.
"""


class Reading(BaseModel):
    """One paper's answers: its own words, or null where it gives none."""

    key: str
    background: str | None = None
    problem: str | None = None
    method: str | None = None
    data: str | None = None
    findings: str | None = None
    contribution: str | None = None
    limitations: str | None = None

    def filled(self) -> dict[str, str]:
        """Return the answers that are there, by question."""
        given = {name: getattr(self, name) for name in ELEMENTS}
        return {name: text for name, text in given.items() if text and text.strip()}


class Readings(BaseModel):
    """The mind's answer."""

    papers: list[Reading]


def extract(embedder: Embedder, *, papers: Sequence[ShownPaper], **_: object) -> Readings:
    """Give each question the sentence whose cues fit it best, among those that can be read."""
    return Readings(papers=[_extracted(paper) for paper in papers])


def _extracted(paper: ShownPaper) -> Reading:
    foreign = bool(paper.abstract) and language(paper.abstract) != "en"
    spans = [
        span for span in split_sentences(paper.abstract) if _readable(span.text, foreign=foreign)
    ]
    roles = assign_roles(tuple(spans))
    return Reading(key=paper.key, **{role: span.text for role, span in roles.items()})


def _readable(sentence: str, *, foreign: bool) -> bool:
    """Whether a sentence may be printed and is in English.

    Of a text in another language (`foreign`) only sentences long enough to be surely English count.
    """
    sure = not foreign or len(sentence.split()) >= _SURE
    return sure and is_quotable(sentence) and language(sentence) == "en"


TASK = Task(
    name="read_papers",
    prompt=PROMPT,
    answer=Readings,
    tier="fast",
    extract=extract,
    max_output_tokens=_TOKENS_BESIDE + AT_ONCE * _TOKENS_EACH,
)


class Branch(WriteState):
    """What one branch of this node reads."""

    papers_to_read: list[str]
    paper: NotRequired[str]
    """The one paper, in a branch that was waiting when papers were still read one by one."""
    of: int
    """How many papers all branches read."""
    drafted: bool
    """Whether what the section says of papers is written already."""


@dataclass
class _Read:
    """A paper, what of it is shown, and the answers that hold."""

    paper: Paper
    shown: ShownPaper
    passages: list[Passage] = field(default_factory=list)
    good: dict[str, Element] = field(default_factory=dict)


async def read_papers(state: Branch, runtime: NodeRuntime) -> WriteState:
    """Keep the answers whose quotes are there; ask once more about those that are not."""
    services = saving_services(state, runtime, drafted=state.get("drafted", False))
    wanted = state.get("papers_to_read") or [state["paper"]]
    services.tick(STAGE, 0, state["of"])
    known = await services.run_store.papers.get(wanted)
    # One that is not known the caller named, and no source knows it.
    papers = [known[key] for key in wanted if key in known]
    failures: list[Failure] = []
    shown = [
        await _shown(services, state, paper, len(papers), f"P{number}", failures)
        for number, paper in enumerate(papers, start=1)
    ]
    await _ask(services, [one for one in shown if one.shown.abstract or one.passages], failures)
    for one in shown:
        if not one.good and not services.mind.composes:
            failures += await asyncio.to_thread(_unread, one.paper)
    await services.run_store.elements.put(
        [
            KeyElements(
                paper=one.paper.id,
                by=services.mind.name,
                **{name: one.good[name] for name in ELEMENTS if name in one.good},
            )
            for one in shown
        ]
    )
    services.tick(STAGE, len(wanted), state["of"], papers[-1].title[:60] if papers else "")
    return {"read": wanted, "failures": failures}


async def _shown(
    services: Services,
    state: Branch,
    paper: Paper,
    of: int,
    key: str,
    failures: list[Failure],
) -> _Read:
    """Return a paper as it is shown beside others, `of` in all, and tell what is not shown."""

    def fail(cause: str, remedy: str) -> None:
        failures.append(Failure(stage=STAGE, subject=paper.id, cause=cause, remedy=remedy))

    title, ordered = without_injections(paper.title)
    whole, commands = without_injections(paper.abstract or "")
    shown = ShownPaper(key=key, title=title or _UNSHOWN)
    text = _fitting(services, shown, whole, of)
    if len(text) < len(whole):
        fail(
            f"the model's window has room for {len(text):,} of its {len(whole):,} characters", _REST
        )
    shown.abstract = text
    passages: list[Passage] = []
    if services.mind.composes:
        room = min(services.mind.spare(_task(of), papers=[shown]) - _AGAIN, _PASSAGES) / of
        passages = telling(await full_text(services, paper, state["request"]), room)
    if passages:
        shown.passages, told = shown_passages(passages)
        commands = [*commands, *told]
    if told_all := " ".join([*ordered, *commands]):
        fail(f"it gives commands to machine readers: '{told_all[:200]}'", LEFT_OUT)
    return _Read(paper, shown, passages)


def _task(papers: int) -> Task[Readings]:
    return replace(TASK, max_output_tokens=_TOKENS_BESIDE + papers * _TOKENS_EACH)


async def _ask(services: Services, shown: Sequence[_Read], failures: list[Failure]) -> None:
    """Ask about these papers in one question, or in two where the window has no room for it."""
    if not shown:
        return
    whole = services.context.writer == "beam" and services.context.key_elements
    asked_for = ELEMENTS if whole else _TABLE
    inputs: dict[str, Any] = {"asked": list(asked_for), "papers": [one.shown for one in shown]}
    task = _task(len(shown))
    if len(shown) > 1 and services.mind.spare(task, **inputs) < _AGAIN:
        middle = len(shown) // 2
        await _ask(services, shown[:middle], failures)
        await _ask(services, shown[middle:], failures)
        return
    by_key = {one.shown.key: one for one in shown}
    asked = await ask_with_check(services.mind, task, inputs, lambda answer: _keep(answer, by_key))
    if asked.error:
        lost = asked.answer is None
        failures += [
            Failure(
                stage=STAGE, subject=one.paper.id, cause=str(asked.error), remedy=_LESS, lost=lost
            )
            for one in shown
            if lost or not one.good
        ]


def _unread(paper: Paper) -> list[Failure]:
    """Say of a paper in another language that the embedded engine has not read it."""
    code = language(paper.abstract) if paper.abstract else "en"
    if code == "en":
        return []
    return [
        Failure(
            stage=STAGE,
            subject=paper.id,
            cause=f"its text is in {language_name(code)}, but embedded mode reads only English",
            remedy="set CITELOOM_STRONG_MODEL and an endpoint to have an LLM read it",
        )
    ]


_REST = "CiteLoom did not read the rest"
_LESS = "the comparison table leaves it out"


def _fitting(services: Services, shown: ShownPaper, text: str, of: int) -> str:
    """Return as many of the first sentences as a paper's share of the window has room for; most often all."""
    room = (services.mind.spare(_task(of), papers=[shown]) - _AGAIN) / of
    if count_tokens(text) <= room:
        return text
    end = 0
    for span in split_sentences(text):
        room -= count_tokens(span.text) + 1
        end = span.end if room >= 0 else end
    return text[:end]


def _keep(answer: Readings, papers: Mapping[str, _Read]) -> list[str]:
    """Keep the answers that stand in their papers, and say what is wrong with the others."""
    faults: list[str] = []
    for reading in answer.papers:
        if (one := papers.get(reading.key)) is None:
            continue
        texts = [one.paper.abstract or "", one.paper.title, *(item.text for item in one.passages)]
        for name, words in reading.filled().items():
            if name in one.good:
                continue
            if quote := own_words(words, one.paper, quotes_of(one.passages)):
                one.good[name] = Element(text=quote.text, quote=quote)
            else:
                wrong = quote_fault(words, texts)
                why = wrong[1] if wrong else "CiteLoom does not quote these words"
                faults.append(f"{reading.key}, {name}: {why}")
    return faults
