"""Many sentences in one answer, along a plan (LitLLM, section 4)."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from pydantic import BaseModel

from nodes.write.cited_papers import PaperToCite, load_papers_to_cite
from nodes.write.writers.draft_answers import NextSentence, SentencesAnswer, to_sentences_answer
from nodes.write.writers.drafting import DraftQuestion, DraftSession, open_draft_session
from nodes.write.writers.quoted_sentences import quote_line
from nodes.write.writers.writer import DraftingState, DraftJob, Writer, keys_of, one_line_each
from state.channels import WriteState
from state.writing import MARKER, Plan, PlanLine, Sentence, Theme, WriterName
from tools.embed.embedder import Embedder
from tools.llm.task import Task
from tools.run_settings import RunSettings
from tools.services import Services

AT_ONCE = 30
"""Lines asked for in one answer; more would outgrow the output limit."""

_TOKENS_A_LINE = 300
_TOKENS_BESIDE = 200

PROMPT = """\
You write the related-work section of a paper, for its authors. `text` is their abstract, idea or
question. Each of the `papers` has the key that cites it, the name by which a text calls its authors,
its title and its abstract; some have `elements`, which are words of theirs by what they tell of, and
`cites`, the keys of papers given here that they cite.

Write it as the best published sections are written: natural, precise prose that makes one argument,
from which a reader learns what is known, how the works differ, and why the authors' work is needed.
Paragraphs follow from one another. Sentences vary in length, most have 10 to 30 words and one thought.
Systems, data sets and methods are called by their names, and authors where there is no such name; papers
that do or find the same share a sentence: "two studies {P4}{P7}". Compare papers where it teaches
something. Turn to the authors' own work ("we", "our") where it answers what earlier work leaves open, in
one short sentence that does not say again what the paragraph has said of its papers. A paper that was
cited is cited again only for a new claim. Be brief: a section has about thirty words for each paper that
it cites, unless the plan sets other numbers; one off the point gets a clause, and one close to the
authors' work two sentences.

Where `plan` is given, it tells for each paragraph its `number`, the theme, the claim it makes, the axis
on which its papers are compared, the gap that they leave, and the keys of the papers; every one of
them is cited. It is a guide to the argument and not wording to be kept. Give each sentence the number
of its paragraph as `line`. Where a paragraph has `lines`, the authors have laid them out themselves:
write exactly one sentence for each line, with the line's number as `line`, cite on it exactly its
papers, and follow its note, its number of words and its role (open leads into a theme, topic states
the point, develop adds a paper, agree, extend, contrast, synthesis tells what papers show together,
gap what they leave open, close turns to the authors' own work). Where `so_far` is given, your
sentences continue that text.

Truth. Say of a paper only what its own words say, no stronger and no wider: keep its numbers, its
hedges and its setting. Nothing comes from memory. A paper is cited by its key in braces behind its
name or the claim, and no other citation is written. A sentence without any citation speaks either of
papers that are cited around it, taken together ("None of these reports ...", if that is so of each as
far as its words tell), or of the authors' own work, as `text` tells it.

After the sentences give `grounds`: what each of them rests on. For each paper that a sentence cites,
one to three stretches copied letter by letter from that paper's title, abstract or elements, each
at least 20 characters long. For a sentence without citation, either the key of each paper that it speaks
of, or the key "input" with words copied from `text`. Where `faults` of an earlier answer are listed,
give the whole answer again with these mended.
"""


class ShownLine(BaseModel):
    """A line of the plan as the mind sees it."""

    number: int
    keys: list[str]
    role: str
    note: str | None = None
    words: int | None = None


class ShownParagraph(BaseModel):
    """A paragraph of the plan as the mind sees it; its lines where they bind."""

    number: int
    theme: str | None = None
    claim: str | None = None
    axis: str | None = None
    gap: str | None = None
    keys: list[str] | None = None
    says: list[str] | None = None
    lines: list[ShownLine] | None = None


def shown_plan(
    plan: Plan, lines: Sequence[PlanLine], *, whole: bool = True, says: bool = False
) -> list[ShownParagraph]:
    """Return these lines of a plan by paragraph, with what their themes are to argue.

    Args:
        plan: The plan.
        lines: Those that are written now.
        whole: Whether the lines are shown, or only which papers a paragraph cites.
        says: Whether to show also what lines that are not shown are to say.
    """
    themes = {theme.label: theme for theme in plan.themes}
    shown: list[ShownParagraph] = []
    for (number, label), found in groupby(lines, lambda line: (line.paragraph, line.theme)):
        theme, group = themes.get(label, Theme(label=label)), list(found)
        shown.append(
            ShownParagraph(
                number=number,
                theme=label or None,
                claim=theme.claim or None,
                axis=theme.axis or None,
                gap=theme.gap or None,
                keys=None if whole else keys_of(group),
                says=[line.note for line in group if line.note] or None
                if says and not whole
                else None,
                lines=[_shown_line(line) for line in group] if whole else None,
            )
        )
    return shown


def _shown_line(line: PlanLine) -> ShownLine:
    return ShownLine(
        number=line.number,
        keys=list(line.keys),
        role=line.role,
        note=line.note or None,
        words=line.words,
    )


def extract(
    embedder: Embedder,
    *,
    text: str,
    papers: Sequence[PaperToCite],
    plan: Sequence[ShownParagraph] = (),
    so_far: str = "",
    **_: object,
) -> SentencesAnswer:
    """Show a sentence for each line; without a plan, for each paper in the order given."""
    by_key = {paper.key: paper for paper in papers}
    lines = [line for paragraph in plan for line in paragraph.lines or ()]
    written: list[NextSentence] = []
    said = [so_far] if so_far else []
    for line in lines or map(_shown_line, one_line_each(list(by_key))):
        told = quote_line(embedder, text, [by_key[key] for key in line.keys if key in by_key], said)
        written.append(told.model_copy(update={"line": line.number}))
        said.append(told.sentence)
    return to_sentences_answer([item for item in written if item.sentence])


TASK = Task(
    name="write_section",
    prompt=PROMPT,
    answer=SentencesAnswer,
    tier="strong",
    extract=extract,
    max_output_tokens=8000,
)


def for_lines(task: Task[SentencesAnswer], count: int) -> Task[SentencesAnswer]:
    """Return the task with room for the answer of so many lines, at most what it has anyway."""
    room = min(task.max_output_tokens, count * _TOKENS_A_LINE + _TOKENS_BESIDE)
    return replace(task, max_output_tokens=room)


class PassageWriter(Writer):
    """Writes as many lines of a plan at a time as one question has room for."""

    def __init__(
        self, name: WriterName, *, follows_plan: bool = False, at_once: int = AT_ONCE
    ) -> None:
        super().__init__(name, follows_plan=follows_plan)
        self.at_once = at_once

    def jobs(self, stage: DraftingState, context: RunSettings) -> list[DraftJob]:
        """Return the one job of the next lines."""
        lines = stage.lines[stage.position : stage.position + self.at_once]
        return [DraftJob(draft=stage.best, lines=lines)] if lines else []

    async def write(self, services: Services, stage: DraftingState, job: DraftJob) -> WriteState:
        """Write along the lines."""
        drafting = await open_draft_session(services, stage, [*keys_of(job.lines), *job.draft.keys])
        question = await self.question(services, stage, job)
        sentences = await write_along(drafting, question)
        reached = stage.position + len(question.lines)
        return drafting.written(job.draft, sentences, reached, str(job.variant))

    async def question(
        self, services: Services, stage: DraftingState, job: DraftJob
    ) -> DraftQuestion:
        """Return what is asked: as many of the job's lines as the model's window has room for."""
        said = [sentence.text for sentence in job.draft.sentences]
        lines = job.lines
        while True:
            papers = await load_papers_to_cite(services, stage.keys, keys_of(lines))
            inputs: dict[str, Any] = {
                "text": stage.request.text,
                "papers": papers,
                "plan": shown_plan(stage.outline, lines),
            }
            if said:
                inputs["so_far"] = " ".join(said)
            task = for_lines(TASK, len(lines))
            if len(lines) == 1 or services.mind.spare(task, **inputs) >= 0:
                return DraftQuestion(task, inputs, lines, papers, said)
            lines = lines[: len(lines) // 2]


async def write_along(drafting: DraftSession, question: DraftQuestion) -> list[Sentence]:
    """Keep the first sentence of each line if it is good; the embedded engine writes the others."""
    by_number = {line.number: line for line in question.lines}

    def missing(items: Sequence[NextSentence]) -> list[str]:
        there = {item.line for item in items if item.sentence.strip()}
        return [f"line {number} is missing" for number in by_number if number not in there]

    given = await drafting.ask(question, line_of=by_number.get, missing=missing)
    return await drafting.fill(question.lines, question.papers, question.said, given)


async def write_freely(drafting: DraftSession, question: DraftQuestion) -> list[Sentence]:
    """Ask for a passage on these lines' papers, and keep the sentences in which nothing is wrong.

    Where nothing is left of the answer the embedded engine writes about them.
    """
    wanted = keys_of(question.lines)
    only = question.lines[0] if len(wanted) == 1 and not drafting.stage.outline.lines else None

    def missing(items: Sequence[NextSentence]) -> list[str]:
        text = " ".join(item.sentence for item in items)
        return [f"{key} is not cited" for key in wanted if f"{{{key}}}" not in text]

    given = await drafting.ask(question, line_of=lambda _: only, missing=missing)
    if any(item.keys for item in question.inputs.get("plan", ())):
        given = [placed(item, question.lines) for item in given]
    kept = await drafting.keep_good(given, only, question.said)
    if kept or {"pieces", "adds"} & question.inputs.keys():
        return kept
    return await drafting.quote(question.lines, question.papers, question.said)


def placed(item: NextSentence, lines: Sequence[PlanLine]) -> NextSentence:
    """Give a sentence that is numbered by its paragraph the line there that it does most of."""
    here = [line for line in lines if line.paragraph == item.line] or list(lines[-1:])
    cited = set(MARKER.findall(item.sentence)) or set(item.rests_on)
    best = max(
        here, key=lambda line: len(cited & set(line.keys)) - len(cited ^ set(line.keys)) / 100
    )
    return item.model_copy(update={"line": best.number})
