"""Drafting: ask for sentences, check them by code, send back once, and attach verified quotes."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nodes.common.ask_model import ask_with_check
from nodes.write.adherence import needs_language_model
from nodes.write.cited_papers import PaperToCite, full_text_quotes, load_papers_to_cite
from nodes.write.writers.draft_answers import (
    Action,
    Answer,
    NextSentence,
    Revision,
    SentenceFault,
    best_quotes,
    false_quotes,
    faults_of,
    sentences_of,
)
from nodes.write.writers.quoted_sentences import count_sentence, quote_line
from nodes.write.writers.writer import DraftingState
from state.channels import WriteState
from state.paper import Paper
from state.quote import Quote
from state.run import Failure
from state.writing import INPUT, MARKER, Citation, Draft, PlanLine, Rejection, Sentence
from tools.evidence.quotes import quote_input
from tools.llm.task import Exchange, Task
from tools.services import Services

STAGE = "write_draft"
REPLACED = "CiteLoom wrote it in embedded mode instead"
LEFT_OUT = "left out: CiteLoom found no checked quote for it"
_OWN_WORDS = "CiteLoom quotes the papers instead; configure an LLM to write it"


@dataclass(frozen=True)
class DraftQuestion:
    """What is asked at once: the lines, and what is shown for them."""

    task: Task[Any]
    """Answered as `SentencesAnswer`, as `SectionAnswer` or as `Revision`."""
    inputs: Mapping[str, Any]
    lines: Sequence[PlanLine] = ()
    papers: Sequence[PaperToCite] = ()
    said: Sequence[str] = ()
    """The sentences that stand before."""
    sample: int = 0
    temperature: float = 0.0
    after: Exchange | None = None
    """The draft that is revised, as it was asked for."""
    paragraphs: Sequence[str] = ()
    """Those of the draft that is revised."""


@dataclass
class DraftSession:
    """One piece of writing: which papers it may cite, and what goes wrong on the way."""

    services: Services
    stage: DraftingState
    papers: Mapping[str, Paper]
    """By key."""
    known: Sequence[Quote] = ()
    """Verified words of their full texts."""
    by: str = STAGE
    """The node that writes."""
    remedy: str = REPLACED
    """What becomes of it where the mind gives no answer."""
    standing: Mapping[str, NextSentence] = field(default_factory=dict)
    """Sentences of a text that is rewritten, by their words: those told again without grounds keep theirs."""
    notes: list[str] = field(default_factory=list)
    """What was sent back, in words."""
    failures: list[Failure] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)

    def fail(self, subject: str, cause: str, remedy: str, *, lost: bool = False) -> None:
        """Record a failure, and go on with less; see Failure.lost."""
        failure = Failure(stage=self.by, subject=subject, cause=cause, remedy=remedy, lost=lost)
        self.failures.append(failure)

    def reject(
        self,
        answer: NextSentence,
        faults: Sequence[SentenceFault],
        line: int | None,
        action: Action,
    ) -> None:
        """Record what is wrong with a mind's sentence; what the embedded engine lacks is no lie."""
        if not self.services.mind.composes:
            return
        told = [(fault, action) for fault in faults]
        told += [(fault, "replaced") for fault in false_quotes(answer, self.papers, self.known)]
        self.rejections += [
            Rejection(
                stage=self.by,
                line=line,
                sentence=answer.sentence,
                key=fault.key,
                paper=self.stage.keys.get(fault.key, ""),
                cause=fault.cause,
                detail=fault.detail,
                action=done,
                by=self.services.mind.name,
            )
            for fault, done in told
        ]

    async def ask(
        self,
        question: DraftQuestion,
        *,
        line_of: Callable[[int], PlanLine | None],
        missing: Callable[[Sequence[NextSentence]], list[str]] = lambda _: [],
    ) -> list[NextSentence]:
        """Return a mind's sentences, after one chance to mend what is wrong with them.

        Args:
            question: What is asked.
            line_of: The plan's line by its number; None where any paper may be cited.
            missing: Tells, in words, what the answer lacks as a whole.
        """
        task, inputs = question.task, question.inputs
        if self.services.mind.spare(task, after=question.after, **inputs) < 0:
            told = "the question does not fit in the model's window"
            self.fail(task.name, told, self.remedy, lost=True)
            return []
        actions: list[Action] = ["replaced", "asked_again"]

        def faulty(answer: Answer | Revision) -> list[str]:
            told, said, action = list[str](), list[str](), actions.pop()
            items = self._sentences(answer, question.paragraphs)
            for item in items:
                line = line_of(item.line)
                faults = faults_of(item, line, self.papers, self.stage.request.text, said)
                self.reject(item, faults, line.number if line else None, action)
                shown = " ".join(item.sentence.split()[:8])
                told += [f"“{shown} ...”: {fault.detail}" for fault in faults]
                said.append(item.sentence)
            told += missing(items)
            self.notes = told or self.notes
            return told

        asked = await ask_with_check(
            self.services.mind,
            task,
            inputs,
            faulty,
            after=question.after,
            sample=question.sample,
            temperature=question.temperature,
        )
        if asked.error:
            self.notes.append(str(asked.error))
            self.fail(task.name, str(asked.error), self.remedy, lost=asked.answer is None)
        return self._sentences(asked.answer, question.paragraphs) if asked.answer else []

    def _sentences(
        self, answer: Answer | Revision, paragraphs: Sequence[str]
    ) -> list[NextSentence]:
        if isinstance(answer, Revision):
            answer = answer.applied_to(paragraphs)
        return [
            item
            if item.support or item.basis or item.sentence not in self.standing
            else self.standing[item.sentence].model_copy(update={"line": item.line})
            for item in sentences_of(answer)
        ]

    async def keep(
        self, item: NextSentence, line: PlanLine | None, number: int, so_far: Sequence[str]
    ) -> Sentence | list[SentenceFault]:
        """Return a sentence with verified quotes, or what is wrong with it."""
        faults = faults_of(item, line, self.papers, self.stage.request.text, so_far)
        return faults or attach_quotes(
            item, number, self.papers, self.stage.request.text, self.known
        )

    async def keep_good(
        self, items: Sequence[NextSentence], line: PlanLine | None, so_far: Sequence[str]
    ) -> list[Sentence]:
        """Return the sentences in which nothing is wrong, for their lines; what is left out is told.

        Where there is no plan their lines are paragraphs.
        """
        kept: list[Sentence] = []
        planned = {one.number for one in self.stage.outline.lines}
        for item in items:
            number = len(so_far) + len(kept) + 1
            known = item.line in planned if planned else item.line > 0
            place = item.line if known else max(planned, default=1)
            said = [*so_far, *(sentence.text for sentence in kept)]
            result = await self.keep(item, line, place, said)
            if isinstance(result, Sentence):
                kept.append(result)
            else:
                self.fail(f"sentence {number}", _details(result), "CiteLoom left the sentence out")
        return kept

    async def quote(
        self, lines: Sequence[PlanLine], papers: Sequence[PaperToCite], said: Sequence[str] = ()
    ) -> list[Sentence]:
        """Return what the embedded engine writes on these lines: one paragraph where there is no plan."""
        if not self.stage.outline.lines:
            lines = [line.model_copy(update={"number": 1}) for line in lines]
        return await self.fill(lines, papers, said)

    async def fill(
        self,
        lines: Sequence[PlanLine],
        papers: Sequence[PaperToCite],
        said: Sequence[str],
        given: Sequence[NextSentence] = (),
    ) -> list[Sentence]:
        """Return a sentence for each line: the mind's if nothing is wrong with it, else the embedded engine's.

        Args:
            lines: Of the plan; one for which nothing can be shown is left out.
            papers: Those that the lines cite.
            said: What stands before.
            given: What the mind wrote.
        """
        kept: list[Sentence] = []
        for line in lines:
            mine = next((item for item in given if item.line == line.number), None)
            cited = [paper for key in line.keys for paper in papers if paper.key == key]
            made = await self._on_line(line, mine, cited, [*said, *(item.text for item in kept)])
            kept += [made] if made else []
        return kept

    async def _on_line(
        self,
        line: PlanLine,
        given: NextSentence | None,
        papers: Sequence[PaperToCite],
        so_far: Sequence[str],
    ) -> Sentence | None:
        if line.covers:
            covered = await load_papers_to_cite(self.services, self.stage.keys, line.covers)
            return Sentence(text=count_sentence(line.theme, covered), line=line.number)
        if given:
            result = await self.keep(given, line, line.number, so_far)
            if isinstance(result, Sentence):
                return result
        told = await asyncio.to_thread(
            quote_line, self.services.clients.embedder, self.stage.request.text, papers, so_far
        )
        result = await self.keep(told, line, line.number, so_far)
        if not isinstance(result, Sentence):
            self.fail(f"line {line.number}", _details(result), LEFT_OUT)
            return None
        names = {paper.key: paper.name for paper in papers}
        if asked := needs_language_model(line, self.stage.outline, names):
            cause = f"embedded mode does not write text, so not done: {asked}"
            self.fail(f"line {line.number}", cause, _OWN_WORDS)
        return result

    def written(
        self,
        draft: Draft,
        sentences: Sequence[Sentence],
        reached: int,
        name: str = "0",
        *,
        whole: bool = False,
    ) -> WriteState:
        """Return what came of a draft by these sentences."""
        grown = Draft(
            id=f"{draft.id}.{name}",
            parent=draft.id,
            sentences=(*draft.sentences, *sentences),
            round=reached,
            repairs=tuple(self.notes),
            whole=whole,
        )
        return {
            "candidates": [grown],
            "failures": self.failures,
            "rejections": self.rejections,
        }


async def open_draft_session(
    services: Services, stage: DraftingState, keys: Sequence[str], by: str = STAGE
) -> DraftSession:
    """Begin to write from the papers of these keys."""
    wanted = {key: stage.keys[key] for key in keys if key in stage.keys}
    papers = await services.run_store.papers.get(list(wanted.values()))
    return DraftSession(
        services,
        stage,
        {key: papers[paper] for key, paper in wanted.items() if paper in papers},
        await full_text_quotes(services, list(wanted.values())),
        by,
    )


def attach_quotes(
    answer: NextSentence,
    line: int,
    papers: Mapping[str, Paper],
    own_text: str,
    known: Sequence[Quote] = (),
) -> Sentence:
    """Attach to each citation verified quotes: the mind's, or the closest sentence of the paper."""
    text = " ".join(answer.sentence.split())
    given = {item.key: item.quotes for item in answer.support}
    basis = quote_input(answer.basis, own_text) if answer.basis else None
    citations: list[Citation] = []
    for key in dict.fromkeys(MARKER.findall(text)):
        if key in papers:
            quotes = best_quotes(papers[key], given.get(key, []), text, known)
            first = next(iter(quotes), None)
            citations.append(Citation(key=key, quote=first, further=tuple(quotes[1:])))
    return Sentence(
        text=text,
        citations=tuple(citations),
        line=line,
        basis=basis if basis and basis.verified else None,
        rests_on=()
        if citations
        else tuple(key for key in answer.rests_on if key in {*papers, INPUT}),
    )


def _details(faults: Sequence[SentenceFault]) -> str:
    return "; ".join(fault.detail for fault in faults)
