"""Writing without a plan: all papers at once, or paper by paper and then joined (LitLLM, section 4)."""

from collections.abc import Mapping, Sequence
from typing import Any

from nodes.write.lines import LinePaper, line_papers
from nodes.write.writers import passage
from nodes.write.writers.answers import Passage, PassageSentence, Support
from nodes.write.writers.drafting import STAGE, Outcome, cited_keys, known_papers, own_words
from nodes.write.writers.passage import (
    AT_ONCE,
    ask_passage,
    for_lines,
    keep_sentence,
    keys_of,
    longer,
)
from nodes.write.writers.port import Job, Settled, Stage, Written, one_line_each, whole
from state.paper import Paper
from state.run import Failure
from state.writing import Draft, Part, Plan, PlanLine, Schedule, Sentence, WriterName
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.llm.task import Task
from tools.services import Services
from tools.text.words import SAME, resemblance

CITED_PROMPT = """\
You prepare a related-work section for the authors of the work described in the input. Write one or
two sentences about the one paper given: what it does that matters to the work of the authors, and how
it relates to that work. Cite it in each sentence by its marker, such as {P3}, directly after its
authors' names. Claim only what its title and abstract say, and copy, letter by letter, the words that
support each sentence.
"""

JOIN_PROMPT = """\
You join the pieces of a related-work section, each written about one paper, into one text for the
authors of the work described in the input. Put them into an order that makes sense, relate the papers
to each other and to the work with fitting connectives, and drop what is said twice. Keep every marker,
such as {P3}, with what it supports; use no other. Add no claim. For each citation copy, letter by
letter, the words of that paper's title or abstract that support the sentence.
"""


def extract_cited(
    embedder: Embedder, *, text: str, papers: Sequence[LinePaper], **_: object
) -> Passage:
    """Show the paper's most telling sentence."""
    return passage.extract(embedder, text=text, papers=papers, lines=[], so_far=[])


def extract_joined(
    embedder: Embedder, *, pieces: Sequence[PassageSentence], **_: object
) -> Passage:
    """Leave the pieces in the order in which the papers came."""
    return Passage(sentences=list(pieces))


CITED = Task(
    name="write_cited", prompt=CITED_PROMPT, answer=Passage, tier="strong", extract=extract_cited,
    max_output_tokens=700,
)  # fmt: skip
JOINED = Task(
    name="join_cited", prompt=JOIN_PROMPT, answer=Passage, tier="strong", extract=extract_joined,
    max_output_tokens=4000,
)  # fmt: skip


class ZeroShotWriter:
    """Writes from the papers alone, as many at a time as one question has room for."""

    name: WriterName = "zero_shot"
    follows_plan = False

    def parts(self, plan: Plan, keys: Sequence[str], schedule: Schedule) -> list[Part]:
        """Return one part, with a line for each paper to tell how far it has come."""
        return whole(one_line_each(keys))

    def jobs(self, stage: Stage, context: RunContext) -> list[Job]:
        """Return one job: all papers that are left."""
        left = stage.part.lines[stage.position :]
        return [Job(draft=stage.best, lines=left)] if left else []

    async def write(self, services: Services, stage: Stage, job: Job) -> Written:
        """Write about as many of the papers as one question has room for."""
        lines = job.lines[:AT_ONCE]
        while True:
            inputs = await _inputs(services, stage, keys_of(lines), job.draft)
            task = for_lines(passage.TASK, len(lines))
            if len(lines) == 1 or services.mind.spare(task, **inputs) >= 0:
                break
            lines = lines[: len(lines) // 2]
        reached = stage.position + len(lines)
        return await _written(services, stage, task, inputs, job.draft, lines, reached)

    async def settle(
        self, services: Services, stage: Stage, candidates: Sequence[Draft]
    ) -> Settled:
        """Go on with the one draft, behind the papers that it has come to."""
        drafts = list(candidates[:1])
        reached = max((draft.round for draft in drafts), default=0)
        return Settled(drafts=drafts, position=max(reached, stage.position + 1))


class PerCiteWriter:
    """Writes about each paper apart, side by side, then joins the pieces."""

    name: WriterName = "per_cite"
    follows_plan = False

    def parts(self, plan: Plan, keys: Sequence[str], schedule: Schedule) -> list[Part]:
        """Return one part, with a line for each paper."""
        return whole(one_line_each(keys))

    def jobs(self, stage: Stage, context: RunContext) -> list[Job]:
        """Return a job for each paper; then one that joins what came of them."""
        lines = stage.part.lines
        if stage.position == 0:
            return [
                Job(draft=stage.empty, lines=(line,), variant=number)
                for number, line in enumerate(lines)
            ]
        return [Job(draft=stage.best, lines=lines)] if stage.position == 1 else []

    async def write(self, services: Services, stage: Stage, job: Job) -> Written:
        """Write about one paper, or join all."""
        keys = keys_of(job.lines)
        if stage.position == 0:
            inputs = await _inputs(services, stage, keys, stage.empty)
            written = await _written(services, stage, CITED, inputs, stage.empty, job.lines, 1)
            name = f"{stage.empty.id}.{job.variant:03d}"
            return Written(
                draft=written.draft.model_copy(update={"id": name}),
                failures=written.failures, rejections=written.rejections,
            )  # fmt: skip
        return await self._joined(services, stage, job.draft, job.lines)

    async def _joined(
        self, services: Services, stage: Stage, draft: Draft, lines: Sequence[PlanLine]
    ) -> Written:
        pieces = [
            PassageSentence(
                sentence=item.text,
                support=[
                    Support(key=mark.key, quote=mark.quote.text)
                    for mark in item.citations
                    if mark.quote
                ],
            )
            for item in draft.sentences
        ]
        inputs = {
            "text": stage.request.text,
            "papers": await line_papers(services, stage.keys, keys_of(lines)),
            "pieces": pieces,
        }
        task = for_lines(JOINED, len(pieces))
        if services.mind.spare(task, **inputs) < 0:
            cause = "the pieces together do not fit the model's window"
            failure = Failure(
                stage=STAGE,
                subject="join_cited",
                cause=cause,
                remedy="they stand as they were written",
            )
            return Written(draft=draft, failures=[failure])
        written = await _written(services, stage, task, inputs, stage.empty, lines, 2)
        return written if written.draft.sentences else Written(draft=draft)

    async def settle(
        self, services: Services, stage: Stage, candidates: Sequence[Draft]
    ) -> Settled:
        """Lay the pieces one behind another, in the order of the papers."""
        if stage.position > 0:
            return Settled(drafts=list(candidates[:1]), position=2)
        sentences: list[Sentence] = []
        for draft in sorted(candidates, key=lambda draft: draft.id):
            for item in draft.sentences:
                if all(resemblance(item.text, earlier.text) < SAME for earlier in sentences):
                    sentences.append(item)
        laid = Draft(
            id=f"{stage.empty.id}.laid",
            parent=stage.empty.id,
            sentences=tuple(
                item.model_copy(update={"line": number})
                for number, item in enumerate(sentences, start=1)
            ),
            round=1,
            part=stage.part.number,
        )
        return Settled(drafts=[laid], position=1)


async def _inputs(
    services: Services, stage: Stage, keys: Sequence[str], draft: Draft
) -> dict[str, Any]:
    return {
        "text": stage.request.text,
        "own": await own_words(services),
        "papers": await line_papers(services, stage.keys, keys),
        "lines": [],
        "so_far": [sentence.text for sentence in draft.sentences],
    }


async def _written(
    services: Services,
    stage: Stage,
    task: Task[Passage],
    inputs: dict[str, Any],
    draft: Draft,
    lines: Sequence[PlanLine],
    reached: int,
) -> Written:
    """Ask for a passage on these lines' papers, and keep the sentences in which nothing is wrong.

    Where nothing is left of the answer the embedded engine writes about them.
    """
    outcome = Outcome()
    keys = keys_of(lines)
    papers = await known_papers(services, stage, [*keys, *cited_keys(draft)])
    only = lines[0] if len(lines) == 1 else None

    def missing(answer: Passage) -> list[str]:
        text = " ".join(item.sentence for item in answer.sentences)
        return [f"{key} is not cited" for key in keys if f"{{{key}}}" not in text]

    answer = await ask_passage(
        services, stage, task, inputs, papers, outcome, line_of=lambda _: only, missing=missing
    )
    said = [sentence.text for sentence in draft.sentences]
    kept = await _good(services, stage, answer, only, papers, said, outcome)
    if not kept and "pieces" not in inputs:
        ours = passage.extract(services.clients.embedder, **inputs)
        kept = await _good(services, stage, ours, only, papers, said, outcome)
    return Written(
        draft=longer(draft, stage, kept, reached, outcome),
        failures=outcome.failures, rejections=outcome.rejections,
    )  # fmt: skip


async def _good(
    services: Services,
    stage: Stage,
    answer: Passage,
    line: PlanLine | None,
    papers: Mapping[str, Paper],
    said: Sequence[str],
    outcome: Outcome,
) -> list[Sentence]:
    """Return the sentences in which nothing is wrong; what is left out is told."""
    kept: list[Sentence] = []
    for item in answer.sentences:
        number = len(said) + len(kept) + 1
        before = [*said, *(sentence.text for sentence in kept)]
        result = await keep_sentence(services, stage, item, line, number, papers, before)
        if isinstance(result, Sentence):
            kept.append(result)
            continue
        details = "; ".join(fault.detail for fault in result)
        outcome.failures.append(
            Failure(stage=STAGE, subject=f"sentence {number}", cause=details, remedy=_LEFT_OUT)
        )
    return kept


_LEFT_OUT = "the sentence was left out"
