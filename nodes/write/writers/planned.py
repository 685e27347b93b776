"""Writing along a plan, the researcher's or one that the mind has made (LitLLM, section 4)."""

from collections.abc import Mapping, Sequence
from typing import Any

from nodes.write.lines import line_papers
from nodes.write.writers import sentence as single
from nodes.write.writers.answers import Passage, PassageSentence
from nodes.write.writers.drafting import (
    LEFT_OUT,
    Outcome,
    beyond_the_engine,
    cited_keys,
    failure_of,
    known_papers,
    own_words,
)
from nodes.write.writers.faults import Fault
from nodes.write.writers.passage import (
    AT_ONCE,
    TASK,
    ask_passage,
    for_lines,
    keep_sentence,
    keys_of,
    longer,
)
from nodes.write.writers.port import Job, Settled, Stage, Written, whole
from state.paper import Paper
from state.writing import Draft, Part, Plan, PlanLine, Schedule, Sentence, WriterName
from tools.context import RunContext
from tools.services import Services


class PlanWriter:
    """Writes a stretch of lines at a time, the whole plan if it fits; every line gets its sentence."""

    follows_plan = True

    def __init__(self, name: WriterName, *, follows_plan: bool) -> None:
        self.name: WriterName = name
        self.follows_plan = follows_plan

    def parts(self, plan: Plan, keys: Sequence[str], schedule: Schedule) -> list[Part]:
        """Return the plan as one part."""
        return whole(plan.lines)

    def jobs(self, stage: Stage, context: RunContext) -> list[Job]:
        """Return one job: all lines that are left."""
        left = stage.part.lines[stage.position :]
        return [Job(draft=stage.best, lines=left)] if left else []

    async def write(self, services: Services, stage: Stage, job: Job) -> Written:
        """Write as many of the lines as one question has room for."""
        outcome = Outcome()
        lines, inputs = await self._stretch(services, stage, job)
        by_number = {line.number: line for line in lines}
        papers = await known_papers(services, stage, [*keys_of(lines), *cited_keys(job.draft)])

        def missing(answer: Passage) -> list[str]:
            there = {item.line for item in answer.sentences if item.sentence.strip()}
            return [f"line {number} is missing" for number in by_number if number not in there]

        answer = await ask_passage(
            services, stage, for_lines(TASK, len(lines)), inputs, papers, outcome,
            line_of=lambda item: by_number.get(item.line), missing=missing,
        )  # fmt: skip
        sentences = await self._sentences(
            services, stage, job.draft, lines, answer, papers, outcome
        )
        draft = longer(job.draft, stage, sentences, stage.position + len(lines), outcome)
        return Written(draft=draft, failures=outcome.failures, rejections=outcome.rejections)

    async def settle(
        self, services: Services, stage: Stage, candidates: Sequence[Draft]
    ) -> Settled:
        """Go on with the one draft, behind the lines that it has written."""
        drafts = list(candidates[:1])
        reached = max((draft.round for draft in drafts), default=0)
        return Settled(drafts=drafts, position=max(reached, stage.position + 1))

    async def _stretch(
        self, services: Services, stage: Stage, job: Job
    ) -> tuple[tuple[PlanLine, ...], dict[str, Any]]:
        """Return the lines to write now: all, or half and half again until the question fits."""
        lines = job.lines[:AT_ONCE]
        while True:
            inputs: dict[str, Any] = {
                "text": stage.request.text,
                "own": await own_words(services),
                "papers": await line_papers(services, stage.keys, keys_of(lines)),
                "lines": list(lines),
                "so_far": [sentence.text for sentence in job.draft.sentences],
            }
            if len(lines) == 1 or services.mind.spare(for_lines(TASK, len(lines)), **inputs) >= 0:
                return lines, inputs
            lines = lines[: len(lines) // 2]

    async def _sentences(
        self,
        services: Services,
        stage: Stage,
        draft: Draft,
        lines: Sequence[PlanLine],
        answer: Passage,
        papers: Mapping[str, Paper],
        outcome: Outcome,
    ) -> list[Sentence]:
        """Keep the first sentence of each line if it is good; the embedded engine writes the others."""
        said = [sentence.text for sentence in draft.sentences]
        shown = {item.key: item for item in await line_papers(services, stage.keys, keys_of(lines))}
        kept: list[Sentence] = []
        for line in lines:
            given = (item for item in answer.sentences if item.line == line.number)
            made = single.extract(
                services.clients.embedder, text=stage.request.text, line=line,
                papers=[shown[key] for key in line.keys if key in shown], so_far=said,
            )  # fmt: skip
            ours = PassageSentence(line=line.number, **made.model_dump())
            faults: list[Fault] = []
            llm = services.mind.name != "extractive"
            for item in (*(list(given)[:1] if llm else ()), ours):
                result = await keep_sentence(
                    services, stage, item, line, line.number, papers, said
                )  # fmt: skip
                if isinstance(result, Sentence):
                    kept.append(result)
                    said.append(result.text)
                    outcome.failures += (
                        beyond_the_engine(line, stage.outline) if item is ours else []
                    )
                    break
                faults = result
            else:
                details = "; ".join(fault.detail for fault in faults)
                outcome.failures.append(failure_of(line, details, LEFT_OUT))
        return kept
