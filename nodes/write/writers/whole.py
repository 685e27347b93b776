"""The section in one answer of plain prose, from the papers that a search has found.

What an LLM writes freely reads better than what it writes under many rules, sentence by sentence
(docs/decisions/0023). So it is asked for a text and nothing else; that each sentence is true is for the
check, which finds the words behind it, and for the revision that follows.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from nodes.write.cited_papers import PaperToCite, load_papers_to_cite
from nodes.write.writers.draft_answers import NextSentence, SectionAnswer
from nodes.write.writers.drafting import DraftQuestion, open_draft_session
from nodes.write.writers.passage import PassageWriter, extract, placed, shown_plan
from nodes.write.writers.writer import DraftingState, DraftJob
from state.channels import WriteState
from state.writing import MARKER
from tools.counting import counted
from tools.embed.embedder import Embedder
from tools.llm.task import AnswerT, Task
from tools.services import Services

WORDS_A_PAPER = 32
"""Words of a section for each paper that it cites."""
_TOKENS_A_PAPER = 70
"""What they and the keys take of an answer, with half as much to spare."""

PROMPT = """\
Write the related-work section of a scientific paper, for its authors. `text` is their abstract, idea or
question. `papers` are what a search has found: each with the key that cites it, its authors' name, title
and abstract, and where they were read, `elements`, words of its full text.

Write it as the best authors of the field would: flowing prose in a few paragraphs, each of which makes a
point, that tells a reader what is known, how the works differ where that matters, and what they leave
open that this work takes up. Cite the papers that it needs, at most `most` of them, those marked `must`
among them; leave the others out. Its length is about `words` words. Where `plan` is given, its paragraphs
are these, each with the papers that it cites.

Cite by the key in braces, {P3} or {P3, P7}, and in no other way. Say of a paper only what its words given
here say, as cautiously as they say it, and of the authors' own work ("we") only what `text` says.

Answer with the section alone: paragraphs with an empty line between them, no heading. Where `faults` of an
earlier answer are listed, give the whole section again with these mended.
"""


class Candidate(PaperToCite):
    """A paper that may be cited, as the mind sees it."""

    must: bool | None = None


def quote_each_paper(
    embedder: Embedder, *, text: str, papers: Sequence[PaperToCite], **_: object
) -> SectionAnswer:
    """Show a sentence of each paper."""
    told = extract(embedder, text=text, papers=papers)
    return SectionAnswer(text=" ".join(item.text for item in told.sentences))


TASK = Task(
    name="draft_section",
    prompt=PROMPT,
    answer=SectionAnswer,
    tier="strong",
    extract=quote_each_paper,
    max_output_tokens=4000,
)


def with_output_tokens_for(task: Task[AnswerT], papers: int) -> Task[AnswerT]:
    """Return the task with room for a section that cites so many papers."""
    most = max(task.max_output_tokens, papers * _TOKENS_A_PAPER)
    return replace(task, max_output_tokens=most)


class WholeWriter(PassageWriter):
    """Drafts the section in one answer; along the researcher's plan, line by line."""

    async def write(self, services: Services, stage: DraftingState, job: DraftJob) -> WriteState:
        """Ask for the section; where no usable sentence comes, the embedded engine writes it."""
        question = await _question(services, stage)
        if question is None:
            return await super().write(services, stage, job)
        drafting = await open_draft_session(services, stage, list(stage.keys))
        given = await drafting.ask(
            question,
            line_of=lambda _: None,
            missing=partial(citations_missing, question.inputs["papers"], question.inputs["most"]),
        )
        if stage.outline.lines:
            given = [placed(item, stage.lines) for item in given]
        kept = await drafting.keep_good(given, None, [])
        if not kept:
            kept = await drafting.quote(question.lines[: stage.most], question.papers)
            return drafting.written(job.draft, kept, len(stage.lines))
        return drafting.written(job.draft, kept, len(stage.lines), whole=True)


async def _question(services: Services, stage: DraftingState) -> DraftQuestion | None:
    """Return what is asked; None where it is to be written line by line.

    Of papers that the writer may choose from, those for which the model's window has no room are left
    out, the last first.
    """
    if stage.outline.origin == "user":
        return None
    papers = await load_papers_to_cite(services, stage.keys, list(stage.keys))
    most, shown = min(stage.most, len(papers)), candidates(papers, stage)
    task = with_output_tokens_for(TASK, most)
    while len(shown) >= most:
        inputs: dict[str, Any] = {
            "text": stage.request.text,
            "papers": shown,
            "most": most,
            "words": most * WORDS_A_PAPER,
        }
        if stage.outline.lines:
            inputs["plan"] = shown_plan(stage.outline, stage.lines, whole=False)
        if services.mind.spare(task, **inputs) >= 0:
            return DraftQuestion(task, inputs, stage.lines, papers[: len(shown)])
        shown = shown[:-1]
    return None


def candidates(papers: Sequence[PaperToCite], stage: DraftingState) -> list[Candidate]:
    """Return the papers, marked where they must be cited although there is a choice."""
    musts = set(stage.request.must_include) if len(papers) > stage.most else set()
    return [
        Candidate(**vars(paper), must=stage.keys[paper.key] in musts or None) for paper in papers
    ]


def citations_missing(
    papers: Sequence[Candidate], most: int, items: Sequence[NextSentence]
) -> list[str]:
    """Say what a section lacks: papers that must be cited, or fewer of them."""
    cited = set(MARKER.findall(" ".join(item.sentence for item in items)))
    wanted = [item.key for item in papers if item.must or len(papers) <= most]
    known = cited & {item.key for item in papers}
    many = [f"it cites {counted(len(known), 'paper')}, and at most {most} can be cited"]
    return [f"{key} is not cited" for key in wanted if key not in cited] + many * (
        len(known) > most
    )
