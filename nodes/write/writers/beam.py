"""The comparative beam of ChatCite (section 3.2): extend each surviving draft, vote, keep the best."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from nodes.write.writers.drafting import Question
from nodes.write.writers.passage import PassageWriter
from nodes.write.writers.port import Job, Stage
from nodes.write.writers.voting import hold_votes
from state.channels import WriteState
from state.writing import Draft, DraftRound
from tools.context import RunContext
from tools.services import Services


class BeamWriter(PassageWriter):
    """Extends each survivor in `samples` ways, holds `votes` votes, keeps `beam` drafts."""

    def jobs(self, stage: Stage, context: RunContext) -> list[Job]:
        """Return a job for each surviving draft and each way of extending it."""
        lines = stage.lines[stage.position : stage.position + 1]
        if lines and context.schedule == "themed":
            lines = next(
                tuple(group)
                for _, group in groupby(stage.lines[stage.position :], lambda line: line.paragraph)
            )
        return [
            Job(draft=draft, lines=lines, variant=variant)
            for draft in (stage.drafts or [stage.best] if lines else [])
            for variant in range(max(context.samples, 1))
        ]

    async def question(self, services: Services, stage: Stage, job: Job) -> Question:
        """Ask for another text in each variant."""
        question = await super().question(services, stage, job)
        return replace(question, sample=job.variant, temperature=0.7)

    async def settle(
        self, services: Services, stage: Stage, candidates: Sequence[Draft]
    ) -> WriteState:
        """Hold the votes and keep the `beam` drafts with most of them; all go on record."""
        drafts, votes, failures = await hold_votes(services, stage, candidates)
        survivors = drafts[: max(services.context.beam, 1)]
        reached = max(draft.round for draft in drafts)
        await services.run_store.rounds.put([DraftRound(
                round=reached, line=stage.lines[stage.position].number, drafts=tuple(drafts),
                votes=tuple(votes), survivors=tuple(draft.id for draft in survivors),
            )])  # fmt: skip
        return {"drafts": survivors, "position": reached, "failures": failures}
