"""The comparative beam of ChatCite: extend every surviving draft, vote, keep the best.

`incremental` writes the whole section in one beam, line by line of the plan (the document's beam has
no plan and goes paper by paper). `themed` has a beam for
each theme, side by side; how they are joined stands in nodes.write.join_parts.
"""

from collections.abc import Sequence

from nodes.write.writers.drafting import draft_sentence
from nodes.write.writers.port import Job, Settled, Stage, Written, one_line_each, whole
from nodes.write.writers.voting import hold_votes
from state.writing import Draft, DraftRound, Part, Plan, PlanLine, Schedule, WriterName
from tools.context import RunContext
from tools.services import Services


class BeamWriter:
    """Extends each survivor in `samples` ways, holds `votes` votes, keeps `beam` drafts."""

    name: WriterName = "beam"
    follows_plan = True

    def parts(self, plan: Plan, keys: Sequence[str], schedule: Schedule) -> list[Part]:
        """Return a part for each theme or paragraph, and one for the lines that close the section."""
        if schedule == "incremental":
            return whole(plan.lines)
        groups: list[list[PlanLine]] = []
        for line in plan.lines:
            if groups and _place(groups[-1][-1]) == _place(line):
                groups[-1].append(line)
            else:
                groups.append([line])
        return [
            Part(number=number, lines=tuple(lines), themes_before=number)
            for number, lines in enumerate(groups)
        ]

    def jobs(self, stage: Stage, context: RunContext) -> list[Job]:
        """Return a job for each surviving draft and each way of extending it."""
        if stage.position >= len(stage.part.lines):
            return []
        line = stage.part.lines[stage.position]
        return [
            Job(draft=draft, lines=(line,), variant=variant)
            for draft in stage.drafts or [stage.empty]
            for variant in range(max(context.samples, 1))
        ]

    async def write(self, services: Services, stage: Stage, job: Job) -> Written:
        """Write one sentence more; markers and quotes of the answer are checked by code."""
        line, draft = job.lines[0], job.draft
        outcome = await draft_sentence(services, stage, draft, line, job.variant)
        added = (outcome.sentence,) if outcome.sentence else ()
        child = Draft(
            id=f"{draft.id}.{job.variant}",
            parent=draft.id,
            sentences=(*draft.sentences, *added),
            round=stage.position + 1,
            part=stage.part.number,
            repairs=tuple(outcome.notes),
        )
        return Written(draft=child, failures=outcome.failures, rejections=outcome.rejections)

    async def settle(
        self, services: Services, stage: Stage, candidates: Sequence[Draft]
    ) -> Settled:
        """Hold the votes and keep the `beam` drafts with most of them; all go on record."""
        drafts, votes, failures = await hold_votes(services, stage, candidates)
        survivors = drafts[: max(services.context.beam, 1)]
        await services.run_store.rounds.put([DraftRound(
                round=stage.position + 1, part=stage.part.number,
                line=stage.part.lines[stage.position].number, drafts=tuple(drafts),
                votes=tuple(votes), survivors=tuple(draft.id for draft in survivors),
            )])  # fmt: skip
        return Settled(drafts=survivors, position=stage.position + 1, failures=failures)


def _place(line: PlanLine) -> tuple[str, int, bool]:
    return line.theme, 0 if line.theme else line.paragraph, line.role == "close"


class SentenceWriter(BeamWriter):
    """LitLLM's sentence by sentence: one draft, a sentence for each paper, no votes."""

    name: WriterName = "sentence_by_sentence"

    def parts(self, plan: Plan, keys: Sequence[str], schedule: Schedule) -> list[Part]:
        """Return one part: the plan's lines, or a line for each paper."""
        return whole(plan.lines or one_line_each(keys))

    def jobs(self, stage: Stage, context: RunContext) -> list[Job]:
        """Return the one job of the next line."""
        return super().jobs(stage, context)[:1]

    async def settle(
        self, services: Services, stage: Stage, candidates: Sequence[Draft]
    ) -> Settled:
        """Go on with the one draft there is."""
        return Settled(drafts=list(candidates[:1]), position=stage.position + 1)
