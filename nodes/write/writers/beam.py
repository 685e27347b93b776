"""Writing line by line; the comparative beam of ChatCite: extend each surviving draft, vote, keep the best.

`incremental` writes the whole section in one beam, line by line of the plan (the document's beam has
no plan and goes paper by paper). `themed` has a beam for
each theme, side by side; how they are joined stands in nodes.write.join_parts.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from nodes.write.lines import line_papers
from nodes.write.writers.drafting import Drafting, begin, shown_inputs
from nodes.write.writers.port import Job, Stage, Writer
from nodes.write.writers.sentence import TASK, Discussed
from nodes.write.writers.telling import counted
from nodes.write.writers.voting import hold_votes
from state.channels import PartState
from state.writing import Draft, DraftRound, Part, Plan, PlanLine, Schedule, Sentence
from tools.context import RunContext
from tools.services import Services

_RECENT = 6
"""Sentences shown whole where the window has no room for all."""


class SentenceWriter(Writer):
    """LitLLM's sentence by sentence: one draft, a sentence for each paper, no votes."""

    def jobs(self, stage: Stage, context: RunContext) -> list[Job]:
        """Return the one job of the next line."""
        return [
            Job(draft=stage.best, lines=(line,))
            for line in stage.part.lines[stage.position : stage.position + 1]
        ]

    async def write(self, services: Services, stage: Stage, job: Job) -> PartState:
        """Write one sentence more; where the mind fails twice the embedded engine writes it."""
        line, draft = job.lines[0], job.draft
        drafting = await begin(services, stage, [*line.keys, *draft.keys])
        made = await _sentence(drafting, draft, line, job.variant)
        return drafting.written(draft, [made] if made else [], stage.position + 1, str(job.variant))


async def _sentence(
    drafting: Drafting, draft: Draft, line: PlanLine, variant: int
) -> Sentence | None:
    services, stage = drafting.services, drafting.stage
    if line.covers:
        covered = await line_papers(services, stage.keys, line.covers)
        return Sentence(text=counted(line.theme, covered), line=line.number)
    discussed = await line_papers(services, stage.keys, draft.keys)
    inputs = {
        **await shown_inputs(services, stage, line.keys),
        "themes": list(dict.fromkeys(item.theme for item in stage.outline.lines if item.theme)),
        "line": line,
        "discussed": [
            Discussed(key=item.key, name=item.name, title=item.title) for item in discussed
        ],
        "so_far": [sentence.text for sentence in draft.sentences],
        "variant": variant,
    }
    given = await drafting.ask(
        TASK, fitted(drafting, inputs, line), line_of=lambda _: line, sample=variant,
        subject=f"line {line.number}", temperature=0.7 if drafting.composed else 0.0,
    )  # fmt: skip
    return await drafting.fill(line, next(iter(given), None), inputs["papers"], inputs["so_far"])


def fitted(drafting: Drafting, inputs: dict[str, Any], line: PlanLine) -> dict[str, Any]:
    """Return inputs that the model's window has room for, as far as something can be left out; that is told."""
    if drafting.services.mind.spare(TASK, **inputs) >= 0:
        return inputs
    bare = [
        paper.model_copy(update={"abstract": ""}) if paper.elements else paper
        for paper in inputs["papers"]
    ]
    cause = (
        "the model's window has no room for all; left out: the titles of papers discussed before, all but "
        f"the last {_RECENT} sentences, abstracts of which the key elements were shown"
    )
    drafting.fail(f"line {line.number}", cause, "the sentence was written and checked without them")
    return {**inputs, "discussed": [], "so_far": inputs["so_far"][-_RECENT:], "papers": bare}


class BeamWriter(SentenceWriter):
    """Extends each survivor in `samples` ways, holds `votes` votes, keeps `beam` drafts."""

    def parts(self, plan: Plan, keys: Sequence[str], schedule: Schedule) -> list[Part]:
        """Return a part for each theme or paragraph, and one for the lines that close the section."""
        if schedule == "incremental":
            return super().parts(plan, keys, schedule)
        groups = [tuple(lines) for _, lines in groupby(plan.lines, _place)]
        return [Part(number=number, lines=lines) for number, lines in enumerate(groups)]

    def jobs(self, stage: Stage, context: RunContext) -> list[Job]:
        """Return a job for each surviving draft and each way of extending it."""
        return [
            Job(draft=draft, lines=job.lines, variant=variant)
            for job in super().jobs(stage, context)
            for draft in stage.drafts or [stage.empty]
            for variant in range(max(context.samples, 1))
        ]

    async def settle(
        self, services: Services, stage: Stage, candidates: Sequence[Draft]
    ) -> PartState:
        """Hold the votes and keep the `beam` drafts with most of them; all go on record."""
        drafts, votes, failures = await hold_votes(services, stage, candidates)
        survivors = drafts[: max(services.context.beam, 1)]
        await services.run_store.rounds.put([DraftRound(
                round=stage.position + 1, part=stage.part.number,
                line=stage.part.lines[stage.position].number, drafts=tuple(drafts),
                votes=tuple(votes), survivors=tuple(draft.id for draft in survivors),
            )])  # fmt: skip
        return {"drafts": survivors, "position": stage.position + 1, "failures": failures}


def _place(line: PlanLine) -> tuple[str, int, bool]:
    return line.theme, 0 if line.theme else line.paragraph, line.role == "close"
