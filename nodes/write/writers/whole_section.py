"""The section in one answer of plain prose, from the papers that a search has found.

What an LLM writes freely reads better than what it writes under many rules, sentence by sentence
(docs/decisions/0023). So it is asked for a text and nothing else; that each sentence is true is for the
check, which finds the words behind it, and for the revision that follows.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pydantic import BaseModel

from nodes.common.citing_sentences import most_telling, sentences_between
from nodes.write.cited_papers import PaperToCite, load_papers_to_cite
from nodes.write.paper_passages import ShownPassage, full_text, shown_passages, telling
from nodes.write.writers.along_plan import PassageWriter, extract, placed, shown_plan
from nodes.write.writers.draft_answers import NextSentence, SectionAnswer
from nodes.write.writers.drafting import STAGE, DraftQuestion, open_draft_session
from nodes.write.writers.writer import DraftingState, DraftJob
from state.channels import WriteState
from state.writing import MARKER
from tools.embed.embedder import Embedder
from tools.errors import counted
from tools.evidence.own_sentences import without_markers
from tools.llm.task import AnswerT, Task
from tools.services import Services
from tools.text.words import copied_words

_WORDS = 140, 15
"""Words of a section: a start, and so many for each paper that it may cite."""
_LONGEST, _TOO_LONG = 1.25, 1.3
"""How many times its length a section may have, as it is told and before it is a fault."""
_TOKENS_A_PAPER = 70
"""What a paper and its keys take of an answer, with half as much to spare."""
_PASSAGES = 12_000
"""Tokens of full texts that are shown, shared among the papers that have one."""
_COPIED = 8
"""Words in a row that are the input's and not the section's own."""

PROMPT = """\
Write the related-work section of a scientific paper, for its authors. `text` is their title and abstract, idea
or question. `papers` are what a search has found. Each has the key that cites it, its authors' name, year, venue,
title and abstract; `why` tells why it was kept, `cites` which of the papers here it cites; and where its full text
was at hand, `passages` are some of it.

Breadth. First see which lines of work the papers form, and which of these bear on `text`: the task itself and those
who tried it before, what the work builds on, what it is compared with, how it is judged. Each of these lines has its
place, with the papers that readers of the field expect there, those marked `must` among them. `most` is a bound, not
a goal: a paper that only shares a word or a technique with `text` stays out. Works that share a point share a clause,
with a key each: "several systems rank by citation counts {P2, P5, P9}". The works closest to `text` get a sentence or
two of their own: what they do, what they find, and in what this work goes another way.

Argument. A paragraph is one line of work. Bring the line in by its usual name and by the problem that it takes on.
Set its works against one another on what they differ in (what they assume, by what means, on what material, with what
outcome), and say where one takes up, contradicts or limits another. Then turn to `text`: say what these findings are
a reason for, or which property of these works leaves its question open (what they presuppose, where they act, what
they measure; that none of them does it is no reason), and what the authors' work does about it, named as `text` names
it. So each paragraph shows why its line is told, and the next one follows from it; nothing is saved for a closing
paragraph that goes through all the lines again. What `text` itself says of earlier work (what current methods assume,
lack or cannot do) is the strongest ground for this: say it of these works as a whole, in a sentence without key. Of
the works closest to `text` say in what the authors' work parts from them and why that step is more than a transfer.
Do not sum up its results. Say all this in words of your own; no phrase of `text` is copied.

Prose. Write the plain, direct English of a good journal article, for a researcher nearby who has read none of these
papers: every sentence is clear at first reading and without the abstract behind it. Say of a work the one thing that
matters for the point of its paragraph, with enough words to be understood, and leave a detail out rather than squeeze
it in. People and methods do what people and methods do: no figure of speech, no maxim, no verdict that the reader
cannot check. Use the terms that the field uses. Let sentences differ in length and build, joined by cause, contrast or
time. No sentence that only announces, repeats or praises.

Truth. Say of a paper only what its words given here say, as cautiously as they say it; of several that are cited
together, what each of them says. A statement on the field ("most of these", "none of them") is made of the papers
given here, or of what `text` says of the field, and must hold for them. Of the authors' work ("we") say only what
`text` says.

The length is about `words` words, `longest` at most without keys. Where `plan` is given, its paragraphs are these,
each with the papers that it cites. Cite by the key in braces, {P3} or {P3, P7}, and in no other way. Answer with the
section alone: paragraphs with an empty line between them, no heading. Where `faults` are listed, mend them and give
the whole section again.
"""

ON_ONE_ANOTHER = """
`said` are sentences of these papers on one another, word for word: the paper `by` says it of the paper `of`. They are
the best ground to tell how works differ, agree or build on one another. Cite the paper that says it, say no more than
it says, and copy no citation mark of it.
"""
"""What is added to the prompt where the run's library has such sentences."""
_SAID = 24
"""Most of them that are shown, the most telling first."""


class SaidOfAnother(BaseModel):
    """What one paper says of another, as the mind sees it."""

    by: str
    of: str
    type: str | None = None
    sentence: str


class CandidateToCite(PaperToCite):
    """A paper that may be cited, as the mind sees it."""

    must: bool | None = None
    passages: list[ShownPassage] | None = None


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
    return replace(task, max_output_tokens=max(task.max_output_tokens, papers * _TOKENS_A_PAPER))


class WholeWriter(PassageWriter):
    """Drafts the section in one answer; along the researcher's plan, line by line."""

    async def write(self, services: Services, stage: DraftingState, job: DraftJob) -> WriteState:
        """Ask for the section; where no usable sentence comes, the embedded engine writes it."""
        question = await section_question(services, stage)
        if question is None:
            return await super().write(services, stage, job)
        drafting = await open_draft_session(services, stage, list(stage.keys))
        given = await drafting.ask(
            question,
            line_of=lambda _: None,
            missing=partial(section_faults, question, stage),
        )
        if stage.outline.lines:
            given = [placed(item, stage.lines) for item in given]
        kept = await drafting.keep_good(given, None, [])
        if not kept:
            kept = await drafting.quote(question.lines[: stage.most], question.papers)
            return drafting.written(job.draft, kept, len(stage.lines))
        return drafting.written(job.draft, kept, len(stage.lines), whole=True)


async def section_question(services: Services, stage: DraftingState) -> DraftQuestion | None:
    """Return what is asked for a draft; None where it is to be written line by line.

    Of papers that the writer may choose from, those for which the model's window has no room are left
    out, the last first. It is the same whenever it is asked of the same stage.
    """
    if stage.outline.origin == "user":
        return None
    papers = await load_papers_to_cite(services, stage.keys, list(stage.keys))
    most = min(stage.most, len(papers))
    shown = await _with_passages(services, stage, candidates(papers, stage))
    task = with_output_tokens_for(TASK, most)
    said = await said_between(services, stage)
    while len(shown) >= most:
        inputs: dict[str, Any] = {
            "text": stage.request.headed,
            "papers": shown,
            "most": most,
            "words": section_words(most),
            "longest": round(_LONGEST * section_words(most)),
        }
        if stage.outline.lines:
            inputs["plan"] = shown_plan(stage.outline, stage.lines, whole=False)
        keys = {paper.key for paper in shown}
        asked = task
        if known := [one for one in said if {one.by, one.of} <= keys]:
            inputs["said"] = known[:_SAID]
            asked = replace(task, prompt=task.prompt + ON_ONE_ANOTHER)
        if services.mind.spare(asked, **inputs) >= 0:
            return DraftQuestion(asked, inputs, stage.lines, papers[: len(shown)])
        shown = shown[:-1]
    return None


async def said_between(services: Services, stage: DraftingState) -> list[SaidOfAnother]:
    """Return what the papers say of one another in the run's library, the most telling first."""
    known = await services.run_store.papers.get(list(stage.keys.values()))
    found, _ = await sentences_between(  # what fails there is told by the check
        services, stage.request, list(known.values()), stage=STAGE
    )
    keys = {paper: key for key, paper in stage.keys.items()}
    return [
        SaidOfAnother(by=keys[one.citing], of=keys[one.cited], type=one.stance, sentence=one.text)
        for one in most_telling(found)
        if one.citing in keys and one.cited in keys
    ]


def section_words(most: int) -> int:
    """Return how long a section is in words that may cite so many papers."""
    return _WORDS[0] + _WORDS[1] * most


async def _with_passages(
    services: Services, stage: DraftingState, papers: Sequence[CandidateToCite]
) -> list[CandidateToCite]:
    """Return the papers with passages of those full texts that the run's library has."""
    known = await services.run_store.papers.get(list(stage.keys.values()))
    texts = {
        paper.key: text
        for paper in papers
        if (text := await full_text(services, known[stage.keys[paper.key]], stage.request))
    }
    room = _PASSAGES / max(len(texts), 1)
    return [
        paper.model_copy(
            update={"passages": shown_passages(telling(texts[paper.key], room))[0] or None}
        )
        if paper.key in texts
        else paper
        for paper in papers
    ]


def candidates(papers: Sequence[PaperToCite], stage: DraftingState) -> list[CandidateToCite]:
    """Return the papers, marked where they must be cited although there is a choice."""
    asked = set(stage.request.must_include)
    if not stage.freely and len(papers) <= stage.most:  # they were named, and there is room for all
        asked = set(stage.keys.values())
    return [
        CandidateToCite(**vars(paper), must=stage.keys[paper.key] in asked or None)
        for paper in papers
    ]


def section_faults(
    question: DraftQuestion, stage: DraftingState, items: Sequence[NextSentence]
) -> list[str]:
    """Say what is wrong with a section as a whole: papers missing or too many, its length, words of the input."""
    papers: Sequence[CandidateToCite] = question.inputs["papers"]
    most, words = question.inputs["most"], question.inputs["words"]
    texts = [item.sentence for item in items]
    cited = set(MARKER.findall(" ".join(texts)))
    faults = [f"{one.key} is not cited" for one in papers if one.must and one.key not in cited]
    known = cited & {one.key for one in papers}
    if len(known) > most:
        faults.append(f"it cites {counted(len(known), 'paper')}; the maximum is {most}")
    length = sum(len(without_markers(text).split()) for text in texts)
    if length > _TOO_LONG * words:
        longest = question.inputs["longest"]
        faults.append(f"it has {length} words; {longest} at most, better about {words}")
    copied = (copied_words(text, stage.request.headed, _COPIED) for text in texts)
    return faults + [
        f"these are words of `text`, say it in your own: “{one}”" for one in copied if one
    ]
