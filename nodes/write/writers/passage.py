"""Many sentences in one answer, along a plan or from the papers alone (LitLLM, section 4)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nodes.write.lines import LinePaper
from nodes.write.writers import sentence as single
from nodes.write.writers.answers import Passage, PassageSentence
from nodes.write.writers.drafting import Drafting, begin, shown_inputs
from nodes.write.writers.port import Job, Stage, Writer, keys_of, one_line_each
from state.channels import PartState
from state.writing import PlanLine, Sentence
from tools.embed.port import Embedder
from tools.llm.task import Task
from tools.services import Services

AT_ONCE = 12
"""Lines asked for in one answer; more would outgrow the output limit."""

_TOKENS_A_LINE = 300
_TOKENS_BESIDE = 200

PROMPT = """\
You write a related-work section for the authors of the work described in the input, from the papers
given.

- Where there are lines of a plan, write exactly one sentence for each line, in their order, with the
  line's number; cite on it the papers that the line names and no others, and follow its note and its
  number of words. Without lines write as many sentences as the papers need and cite each paper.
- Compare the papers with each other and with the work of the authors (shares, extends, differs,
  contradicts), with fitting connectives. Do not list, and do not repeat what stands in so_far, which
  your sentences continue.
- Cite by markers, such as {P3}, directly after the authors' names or the claim. Use only markers that
  are given. A sentence that cites nothing may only say what the input says; copy the words of the
  input that it rests on as its basis.
- Claim only what the papers' words say. For each citation copy, letter by letter, the words of that
  paper's title or abstract that support the sentence.
"""


def extract(
    embedder: Embedder,
    *,
    text: str,
    papers: Sequence[LinePaper],
    lines: Sequence[PlanLine] = (),
    so_far: Sequence[str] = (),
    **_: object,
) -> Passage:
    """Write line after line; without a plan, a sentence for each paper in the order given."""
    by_key = {paper.key: paper for paper in papers}
    written: list[PassageSentence] = []
    said = list(so_far)
    for line in lines or one_line_each(list(by_key)):
        mine = [by_key[key] for key in line.keys if key in by_key]
        answer = single.extract(embedder, text=text, line=line, papers=mine, so_far=said)
        written.append(PassageSentence(line=line.number, **answer.model_dump()))
        said.append(answer.sentence)
    return Passage(sentences=written)


TASK = Task(
    name="write_section", prompt=PROMPT, answer=Passage, tier="strong", extract=extract,
    max_output_tokens=4000,
)  # fmt: skip


def for_lines(task: Task[Passage], count: int) -> Task[Passage]:
    """Return the task with room for the answer of so many lines, at most what it has anyway."""
    room = min(task.max_output_tokens, count * _TOKENS_A_LINE + _TOKENS_BESIDE)
    return replace(task, max_output_tokens=room)


class PassageWriter(Writer):
    """Writes as many lines at a time as one question has room for; a line without a plan is a paper."""

    async def write(self, services: Services, stage: Stage, job: Job) -> PartState:
        """Write along the lines, each of which gets its sentence; or freely from their papers."""
        along = bool(stage.outline.lines)
        said = [sentence.text for sentence in job.draft.sentences]
        lines = job.lines[:AT_ONCE]
        while True:
            inputs = {
                **await shown_inputs(services, stage, keys_of(lines)),
                "lines": list(lines) if along else [],
                "so_far": said,
            }
            task = for_lines(TASK, len(lines))
            if len(lines) == 1 or services.mind.spare(task, **inputs) >= 0:
                break
            lines = lines[: len(lines) // 2]
        drafting = await begin(services, stage, [*keys_of(lines), *job.draft.keys])
        writing = _along if along else write_freely
        sentences = await writing(drafting, task, inputs, lines)
        return drafting.written(job.draft, sentences, stage.position + len(lines))


async def _along(
    drafting: Drafting, task: Task[Passage], inputs: dict[str, Any], lines: Sequence[PlanLine]
) -> list[Sentence]:
    """Keep the first sentence of each line if it is good; the embedded engine writes the others."""
    by_number = {line.number: line for line in lines}

    def missing(items: list[PassageSentence]) -> list[str]:
        there = {item.line for item in items if item.sentence.strip()}
        return [f"line {number} is missing" for number in by_number if number not in there]

    given = await drafting.ask(task, inputs, line_of=by_number.get, missing=missing)
    kept: list[Sentence] = []
    for line in lines:
        mine = next((item for item in given if item.line == line.number), None)
        papers = [paper for key in line.keys for paper in inputs["papers"] if paper.key == key]
        said = [*inputs["so_far"], *(item.text for item in kept)]
        made = await drafting.fill(line, mine, papers, said)
        kept += [made] if made else []
    return kept


async def write_freely(
    drafting: Drafting, task: Task[Passage], inputs: dict[str, Any], lines: Sequence[PlanLine]
) -> list[Sentence]:
    """Ask for a passage on these lines' papers, and keep the sentences in which nothing is wrong.

    Where nothing is left of the answer the embedded engine writes about them.
    """
    only = lines[0] if len(lines) == 1 else None

    def missing(items: list[PassageSentence]) -> list[str]:
        text = " ".join(item.sentence for item in items)
        return [f"{key} is not cited" for key in keys_of(lines) if f"{{{key}}}" not in text]

    given = await drafting.ask(task, inputs, line_of=lambda _: only, missing=missing)
    said = inputs.get("so_far", [])
    kept = await drafting.keep_good(given, only, said)
    if kept or "pieces" in inputs:
        return kept
    told = extract(drafting.services.clients.embedder, **inputs)
    return await drafting.keep_good(told.sentences, only, said)
