"""The comparative beam of ChatCite (section 3.2): extend each surviving draft, vote, keep the best."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from nodes.write.cited_papers import PaperToCite, load_papers_to_cite, with_elements
from nodes.write.writers.along_plan import (
    PROMPT,
    PassageWriter,
    extract,
    for_lines,
    shown_plan,
    write_along,
    write_freely,
)
from nodes.write.writers.draft_answers import SentencesAnswer, as_answered
from nodes.write.writers.drafting import DraftQuestion, DraftSession, open_draft_session
from nodes.write.writers.voting import hold_votes
from nodes.write.writers.writer import DraftingState, DraftJob, keys_of
from state.channels import WriteState
from state.writing import Draft, DraftRound, PlanLine, Sentence
from tools.llm.task import Task
from tools.run_settings import RunSettings
from tools.services import Services

BY_STEPS = """
The section grows step by step. `so_far` is the whole draft as it stands, and this step adds what `plan`
tells; `says` are the points that the plan makes there, in order: make them in sentences of your own. Set the papers
of this step against those of the draft as well as against each other; `told` are the draft's papers, of which you
say no more than their words do. `later` is what the next steps will argue: leave it to them, and do not announce
it. `axis` is a respect in which this version compares its papers beside the plan's own axis; where the papers do
not tell enough about it, compare them on what they do tell.

Where `abstract` is empty, `elements` are all of the paper's words that there are.

Where `adds` is given, the draft is not continued but rewritten, so that it takes in the papers of `adds`:
give the whole text anew. Put them where the plan has them, and change the sentences around them, or
join or reorder these, as the comparison needs; every paper stays cited, with all that matters of what is
said of it. A sentence that you leave letter by letter needs no grounds again.
"""

AXES = (
    "which problem they take on, and for whom",
    "how they proceed: what one method does that another leaves out",
    "what they were tried on, and how it was judged",
    "what they found, and how far it holds",
    "what changed from the earlier works to the later ones",
)
"""In what respect versions compare (ChatCite, section 3: methods, experiments, data; what is alike)."""

TASK = Task(
    name="extend_draft",
    prompt=f"{PROMPT}{BY_STEPS}",
    answer=SentencesAnswer,
    tier="strong",
    extract=extract,
    max_output_tokens=8000,
)


class BeamWriter(PassageWriter):
    """Extends each survivor in `samples` ways, holds `votes` votes, keeps `beam` drafts."""

    def jobs(self, stage: DraftingState, context: RunSettings) -> list[DraftJob]:
        """Return a job for each surviving draft and each way of extending it."""
        lines = next_lines(stage, context)
        return [
            DraftJob(draft=draft, lines=lines, variant=variant)
            for draft in (stage.drafts or [stage.best] if lines else [])
            for variant in range(max(context.samples, 1))
        ]

    async def write(self, services: Services, stage: DraftingState, job: DraftJob) -> WriteState:
        """Continue the draft; or rewrite it, so that it takes in what the step adds."""
        question = await self.question(services, stage, job)
        drafting = await open_draft_session(
            services, stage, [*keys_of(question.lines), *job.draft.keys]
        )
        name = str(job.variant)
        if "adds" not in question.inputs:
            write = write_along if stage.outline.origin == "user" else write_freely
            sentences = await write(drafting, question)
            return drafting.written(
                job.draft, sentences, stage.position + len(question.lines), name
            )
        drafting.standing = {
            item.text: as_answered(item, item.line) for item in job.draft.sentences
        }
        sentences = await _rewritten(drafting, question, job)
        blank = job.draft.model_copy(update={"sentences": ()})
        return drafting.written(blank, sentences, len(question.lines), name)

    async def question(
        self, services: Services, stage: DraftingState, job: DraftJob
    ) -> DraftQuestion:
        """Return what is asked; a draft that the window has no room to rewrite is continued."""
        rewrites = services.context.schedule == "incremental" and stage.outline.origin == "made"
        anew, lines = rewrites and bool(job.draft.sentences), job.lines
        while True:
            question = await _question(services, stage, job, lines, anew=anew)
            fits = services.mind.spare(question.task, **question.inputs) >= 0
            if fits or (len(lines) == 1 and not anew):
                return question
            lines = lines if anew else lines[: len(lines) // 2]
            anew = False

    async def settle(
        self, services: Services, stage: DraftingState, candidates: Sequence[Draft]
    ) -> WriteState:
        """Hold the votes and keep the `beam` drafts with most of them; all go on record.

        Where every vote is for one draft, the others are not extended, unless all votes are to be cast.
        """
        reached = max(draft.round for draft in candidates)
        abreast = [draft for draft in candidates if draft.round == reached]
        texts = [{item.text for item in draft.sentences} for draft in abreast]
        everywhere = set.intersection(*texts)
        differing = [
            item for draft in abreast for item in draft.sentences if item.text not in everywhere
        ]
        keys = list(dict.fromkeys(key for item in differing for key in item.keys))
        papers = await load_papers_to_cite(services, stage.keys, keys)
        papers = await _with_elements(services, stage, papers)
        drafts, votes, failures = await hold_votes(services, stage, abreast, papers)
        decided = len(votes) > 1 and drafts[0].votes == len(votes)
        agreed = decided and not services.context.every_vote
        survivors = drafts[: 1 if agreed else max(services.context.beam, 1)]
        await services.run_store.rounds.put(
            [
                DraftRound(
                    round=reached,
                    line=stage.lines[stage.position].number,
                    drafts=tuple(drafts),
                    votes=tuple(votes),
                    survivors=tuple(draft.id for draft in survivors),
                )
            ]
        )
        return {"drafts": survivors, "position": reached, "failures": failures}


def next_lines(stage: DraftingState, context: RunSettings) -> tuple[PlanLine, ...]:
    """Return what a step adds: a paragraph's lines, or those up to the next one with a new paper.

    A line without a new paper belongs to the step before, where it stands in the same paragraph.
    """
    left = stage.lines[stage.position :]
    if context.schedule == "at_once":
        return left
    paragraph = next((tuple(lines) for _, lines in groupby(left, lambda line: line.paragraph)), ())
    if context.schedule == "themed":
        return paragraph
    seen = set(keys_of(stage.lines[: stage.position]))
    new = [place for place, line in enumerate(paragraph) if set(line.keys) - seen]
    after = [
        place for place in new if set(paragraph[place].keys) - seen - set(paragraph[new[0]].keys)
    ]
    return paragraph[: after[0]] if after else paragraph


async def _question(
    services: Services,
    stage: DraftingState,
    job: DraftJob,
    lines: Sequence[PlanLine],
    *,
    anew: bool,
) -> DraftQuestion:
    """Return what is asked of these lines, or, to rewrite the draft with them, of all lines so far."""
    reached = stage.position + len(lines)
    shown = stage.lines[:reached] if anew else lines
    papers = await load_papers_to_cite(services, stage.keys, keys_of(shown))
    themes = {theme.label: theme for theme in stage.outline.themes}
    own = next((themes[line.theme].axis for line in lines if line.theme in themes), "")
    beside = AXES[(job.variant + stage.position) % len(AXES)] if job.variant or not own else None
    inputs: dict[str, Any] = {
        "text": stage.request.text,
        "papers": await _with_elements(services, stage, papers),
        "plan": shown_plan(stage.outline, shown, whole=stage.outline.origin == "user", says=True),
        "later": _later(stage, reached),
    }
    said = [item.text for item in job.draft.sentences]
    if said:
        inputs["so_far"] = " ".join(said)
    if anew:
        inputs["adds"] = [key for key in keys_of(lines) if key not in job.draft.keys]
    if beside:
        inputs["axis"] = beside
    task = for_lines(TASK, len(shown))
    before = [key for key in job.draft.keys if key not in keys_of(shown)]
    if before:
        told = await load_papers_to_cite(services, stage.keys, before)
        told = await _with_elements(services, stage, told)
        if services.mind.spare(task, **inputs, told=told) >= 0:
            inputs["told"] = told
    return DraftQuestion(
        task, inputs, shown, papers, [] if anew else said, sample=job.variant, temperature=0.7
    )


async def _with_elements(
    services: Services, stage: DraftingState, papers: Sequence[PaperToCite]
) -> list[PaperToCite]:
    if not services.context.key_elements:
        return list(papers)
    return await with_elements(services, stage.keys, papers)


def _later(stage: DraftingState, reached: int) -> list[str]:
    """Say what is to come: of a theme that has begun line by line, of others what they claim."""
    claims = {theme.label: theme.claim for theme in stage.outline.themes}
    begun = {line.theme for line in stage.lines[:reached]}
    told = [
        line.note if line.theme in begun else f"{line.theme}: {claims.get(line.theme, '')}"
        for line in stage.lines[reached:]
    ]
    return [item for item in dict.fromkeys(told) if item]


async def _rewritten(
    drafting: DraftSession, question: DraftQuestion, job: DraftJob
) -> list[Sentence]:
    """Return the text with the new papers in it; no paper that was cited is lost on the way."""
    old, new = list(job.draft.sentences), set(question.inputs["adds"])
    kept = await write_freely(drafting, question)
    lost = set(job.draft.keys) - {key for item in kept for key in item.keys}
    if not lost:
        return kept
    if kept:
        told = f"the rewritten text lost {', '.join(sorted(lost))}"
        drafting.fail("draft", told, "CiteLoom keeps the text and appends the new part")
    added = [item for item in kept if new & set(item.keys)]
    said = [item.text for item in old]
    return [*old, *(added or await drafting.quote(job.lines, question.papers, said))]
