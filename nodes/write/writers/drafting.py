"""Drafting one sentence: ask, check by code, send back once, and attach verified quotes."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nodes.ask_checked import ask_checked
from nodes.write.adherence import asks_an_llm
from nodes.write.lines import LinePaper, line_papers, verified_words
from nodes.write.writers.answers import NextSentence
from nodes.write.writers.faults import (
    Action,
    Fault,
    best_quote,
    false_quotes,
    faults_of,
    rejected,
)
from nodes.write.writers.misplaced import misplaced
from nodes.write.writers.port import Stage
from nodes.write.writers.sentence import TASK, Discussed, extract
from nodes.write.writers.telling import counted
from state.paper import Paper
from state.run import Failure
from state.writing import MARKER, Citation, Draft, Plan, PlanLine, Rejection, Sentence
from tools.evidence.quotes import quote_input
from tools.services import Services

STAGE = "write_lines"
REPLACED = "the line was written by the embedded engine instead"
LEFT_OUT = "the line was left out: nothing with a checked quote could be written"
_RECENT = 6
"""Sentences shown whole where the window has no room for all."""


@dataclass
class Outcome:
    """A sentence that may stand, or none, and what happened on the way."""

    sentence: Sentence | None = None
    notes: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)


async def draft_sentence(
    services: Services, stage: Stage, draft: Draft, line: PlanLine, variant: int
) -> Outcome:
    """Write one line behind a draft; where the mind fails twice the embedded engine writes it."""
    outcome = Outcome()
    if line.covers:
        covered = await line_papers(services, stage.keys, line.covers)
        outcome.sentence = Sentence(text=counted(line.theme, covered), line=line.number)
        return outcome
    inputs = await line_inputs(services, stage, draft, line, variant)
    papers = await known_papers(services, stage, [*line.keys, *cited_keys(draft)])
    answer: NextSentence | None = None
    faults: list[Fault] = []
    ours = services.mind.name == "extractive"
    shown = _fitted(services, inputs, line, outcome)
    if shown is not None:
        answer, faults = await _ask(services, stage, shown, line, papers, variant, outcome)
    if answer is None or faults:
        ours = True
        answer = await asyncio.to_thread(extract, services.clients.embedder, **inputs)
        left = faults_of(answer, line, papers, stage.request.text, inputs["so_far"])
        if left:
            details = "; ".join(fault.detail for fault in left)
            outcome.failures.append(failure_of(line, details, LEFT_OUT))
            return outcome
    outcome.failures += beyond_the_engine(line, stage.outline) if ours else []
    outcome.sentence = attach(answer, line.number, papers, stage)
    return outcome


async def _ask(
    services: Services,
    stage: Stage,
    inputs: dict[str, Any],
    line: PlanLine,
    papers: Mapping[str, Paper],
    variant: int,
    outcome: Outcome,
) -> tuple[NextSentence | None, list[Fault]]:
    """Return the mind's sentence and what is wrong with it, after one chance to mend it."""
    faults: list[Fault] = []
    actions: list[Action] = ["replaced", "asked_again"]

    async def faulty(answer: NextSentence) -> list[str]:
        faults[:] = faults_of(answer, line, papers, stage.request.text, inputs["so_far"])
        faults.extend(await misplaced(services, stage, answer.sentence))
        note_faults(outcome, answer, faults, line, actions.pop(), services, stage)
        false = false_quotes(answer, papers)
        note_faults(outcome, answer, false, line, "replaced", services, stage)
        outcome.notes = [fault.detail for fault in faults] or outcome.notes
        return [*outcome.notes, f"it was: {answer.sentence}"] if faults else []

    llm = services.mind.name != "extractive"
    asked = await ask_checked(
        services.mind, TASK, inputs, faulty, sample=variant, temperature=0.7 if llm else 0.0
    )
    if asked.error:
        outcome.notes.append(str(asked.error))
        outcome.failures.append(failure_of(line, str(asked.error), REPLACED))
        return None, []
    return asked.answer, faults


def beyond_the_engine(line: PlanLine, plan: Plan) -> list[Failure]:
    """Say what a researcher's line asks for that nobody but an LLM can do."""
    asked = asks_an_llm(line, plan)
    cause = f"without an LLM nothing is composed, so not: {asked}"
    return [failure_of(line, cause, _OWN_WORDS)] if asked else []


_OWN_WORDS = "the papers' own sentences stand there; configure an LLM to have it written"


def note_faults(
    outcome: Outcome,
    answer: NextSentence,
    faults: Sequence[Fault],
    line: PlanLine | None,
    action: Action,
    services: Services,
    stage: Stage,
) -> None:
    """Record what was wrong with a mind's sentence; what the embedded engine lacks is no lie."""
    if services.mind.name != "extractive":
        outcome.rejections += rejected(
            faults, answer.sentence, stage=STAGE, line=line.number if line else None,
            action=action, by=services.mind.name, keys=stage.keys,
        )  # fmt: skip


def failure_of(line: PlanLine, cause: str, remedy: str) -> Failure:
    """Return the failure of a line."""
    return Failure(stage=STAGE, subject=f"line {line.number}", cause=cause, remedy=remedy)


def cited_keys(draft: Draft) -> list[str]:
    """Return the keys that a draft cites, each once, in order."""
    return list(dict.fromkeys(key for sentence in draft.sentences for key in sentence.keys))


async def known_papers(services: Services, stage: Stage, keys: Sequence[str]) -> dict[str, Paper]:
    """Return the papers behind these keys."""
    wanted = {key: stage.keys[key] for key in keys if key in stage.keys}
    papers = await services.run_store.papers.get(list(wanted.values()))
    return {key: papers[paper] for key, paper in wanted.items() if paper in papers}


async def line_inputs(
    services: Services, stage: Stage, draft: Draft, line: PlanLine, variant: int
) -> dict[str, Any]:
    """Return what is shown for a line, that which stays the same between calls first."""
    said = cited_keys(draft)
    discussed = await line_papers(services, stage.keys, said)
    return {
        "text": stage.request.text,
        "own": await own_words(services),
        "themes": themes_of(stage),
        "line": line,
        "papers": await line_papers(services, stage.keys, line.keys),
        "before": discussed[-1] if discussed else None,
        "discussed": [
            Discussed(key=item.key, name=item.name, title=item.title) for item in discussed
        ],
        "so_far": [sentence.text for sentence in draft.sentences],
        "themes_before": stage.part.themes_before,
        "variant": variant,
    }


async def own_words(services: Services) -> dict[str, str]:
    """Return the verified words of the researcher's text by key element."""
    return verified_words((await services.run_store.elements.get(["input"])).get("input"))


def themes_of(stage: Stage) -> list[str]:
    """Return the themes of the whole section, in order."""
    return list(dict.fromkeys(line.theme for line in stage.outline.lines if line.theme))


def _fitted(
    services: Services, inputs: dict[str, Any], line: PlanLine, outcome: Outcome
) -> dict[str, Any] | None:
    """Return inputs that the model's window has room for; None when nothing can be left out.

    What is left out is told in the failures, never dropped in silence.
    """
    if services.mind.spare(TASK, **inputs) >= 0:
        return inputs
    so_far = inputs["so_far"]
    steps: list[tuple[str, dict[str, Any]]] = [
        ("the abstract of the paper discussed last", {"before": None}),
        ("the titles of papers discussed before", {"discussed": []}),
        (f"all but the last {_RECENT} sentences", {"so_far": so_far[-_RECENT:]}),
        ("abstracts, of which the key elements were shown", {"papers": _bare(inputs["papers"])}),
        ("the input, of which the key elements were shown", {"text": ""}),
    ]
    left: list[str] = []
    for what, change in steps:
        inputs = {**inputs, **change}
        left.append(what)
        if services.mind.spare(TASK, **inputs) >= 0:
            cause = f"the model's window has no room for all; left out: {', '.join(left)}"
            outcome.failures.append(
                failure_of(line, cause, "the sentence was written and checked without them")
            )
            return inputs
    outcome.failures.append(
        failure_of(line, "the question does not fit the model's window", REPLACED)
    )
    return None


def _bare(papers: Sequence[LinePaper]) -> list[LinePaper]:
    return [
        paper.model_copy(update={"abstract": ""}) if paper.elements else paper for paper in papers
    ]


def attach(answer: NextSentence, line: int, papers: Mapping[str, Paper], stage: Stage) -> Sentence:
    """Attach to each citation a verified quote: the mind's, or the closest sentence of the paper."""
    text = " ".join(answer.sentence.split())
    given = {item.key: item.quote for item in answer.support}
    basis = quote_input(answer.basis, stage.request.text) if answer.basis else None
    return Sentence(
        text=text,
        citations=tuple(
            Citation(key=key, quote=best_quote(papers[key], given.get(key, ""), text))
            for key in dict.fromkeys(MARKER.findall(text))
            if key in papers
        ),
        line=line,
        basis=basis if basis and basis.verified else None,
    )
