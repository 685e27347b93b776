"""Many sentences in one answer: the question, its checks, and the one chance to mend it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nodes.ask_checked import ask_checked
from nodes.write.lines import LinePaper
from nodes.write.writers import sentence as single
from nodes.write.writers.answers import Passage, PassageSentence
from nodes.write.writers.drafting import STAGE, Outcome, attach, note_faults
from nodes.write.writers.faults import Action, Fault, false_quotes, faults_of
from nodes.write.writers.misplaced import misplaced
from nodes.write.writers.port import Stage, one_line_each
from state.paper import Paper
from state.run import Failure
from state.writing import Draft, PlanLine, Sentence
from tools.embed.port import Embedder
from tools.llm.task import Task
from tools.services import Services

AT_ONCE = 12
"""Lines asked for in one answer; more would outgrow the output limit."""

_TOKENS_A_LINE = 300
_TOKENS_BESIDE = 200

LineOf = Callable[[PassageSentence], PlanLine | None]
"""Which line of the plan a sentence was written for, if any."""

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
    lines: Sequence[PlanLine],
    so_far: Sequence[str],
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


async def ask_passage(
    services: Services,
    stage: Stage,
    task: Task[Passage],
    inputs: dict[str, Any],
    papers: Mapping[str, Paper],
    outcome: Outcome,
    *,
    line_of: LineOf,
    missing: Callable[[Passage], list[str]],
) -> Passage:
    """Return the mind's passage, after one chance to mend what is wrong with it.

    Args:
        services: The run's services.
        stage: How far the part is.
        task: The question.
        inputs: What is shown.
        papers: The papers that may be cited, by key.
        outcome: Gets what went wrong.
        line_of: Tells the line that a sentence is.
        missing: Tells, in words, what the passage lacks as a whole.
    """
    answer = Passage(sentences=[])
    if services.mind.spare(task, **inputs) < 0:
        outcome.failures.append(
            Failure(stage=STAGE, subject=task.name, cause=_NO_ROOM, remedy=_REMEDY)
        )
        return answer
    actions: list[Action] = ["replaced", "asked_again"]
    said = list(inputs.get("so_far", ()))

    async def faulty(given: Passage) -> list[str]:
        told = await _told(services, stage, given, papers, said, line_of, actions.pop(), outcome)
        told += missing(given)
        outcome.notes = told or outcome.notes
        return told

    asked = await ask_checked(services.mind, task, inputs, faulty)
    if asked.error:
        outcome.notes.append(str(asked.error))
        outcome.failures.append(
            Failure(stage=STAGE, subject=task.name, cause=str(asked.error), remedy=_REMEDY)
        )
    return asked.answer or answer


async def _told(
    services: Services,
    stage: Stage,
    answer: Passage,
    papers: Mapping[str, Paper],
    said: Sequence[str],
    line_of: LineOf,
    action: Action,
    outcome: Outcome,
) -> list[str]:
    """Return what is wrong with each sentence, in words, and record it."""
    told: list[str] = []
    before = list(said)
    for item in answer.sentences:
        line = line_of(item)
        faults = faults_of(item, line, papers, stage.request.text, before)
        if line or action == "asked_again":  # else the check of the whole text will tell
            faults += await misplaced(services, stage, item.sentence)
        note_faults(outcome, item, faults, line, action, services, stage)
        false = false_quotes(item, papers)
        note_faults(outcome, item, false, line, "replaced", services, stage)
        told += [f"{_shown(item)}: {fault.detail}" for fault in faults]
        before.append(item.sentence)
    return told


_NO_ROOM = "the question does not fit the model's window, even for one line"
_REMEDY = "the embedded engine wrote it instead"


def _shown(item: PassageSentence) -> str:
    return f"“{' '.join(item.sentence.split()[:8])} ...”"


async def keep_sentence(
    services: Services,
    stage: Stage,
    item: PassageSentence,
    line: PlanLine | None,
    number: int,
    papers: Mapping[str, Paper],
    said: Sequence[str],
) -> Sentence | list[Fault]:
    """Return the sentence with verified quotes, or what is wrong with it."""
    faults = faults_of(item, line, papers, stage.request.text, said)
    faults += await misplaced(services, stage, item.sentence) if line else []
    return faults or attach(item, number, papers, stage)


def keys_of(lines: Sequence[PlanLine]) -> list[str]:
    """Return the keys that lines name, each once."""
    return list(dict.fromkeys(key for line in lines for key in line.keys))


def longer(
    draft: Draft, stage: Stage, sentences: Sequence[Sentence], reached: int, outcome: Outcome
) -> Draft:
    """Return the draft that came of a draft by these sentences."""
    return Draft(
        id=f"{draft.id}.0", parent=draft.id, sentences=(*draft.sentences, *sentences),
        round=reached, part=stage.part.number, repairs=tuple(outcome.notes),
    )  # fmt: skip
