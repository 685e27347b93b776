"""Revise: write the section anew as the researcher asks, from the papers it has.

Reads `run`, `request`, `keys`, `final`, `outline`, `told`. Writes `final`, `outline`. What comes of
it is checked like any draft; where nothing usable comes, the section stays as it was.
"""

import re
from collections.abc import Sequence

from langgraph.runtime import Runtime

from nodes.write.lines import LinePaper
from nodes.write.writers.answers import Passage, PassageSentence, as_answered
from nodes.write.writers.drafting import begin, shown_inputs
from nodes.write.writers.port import Stage
from nodes.write.writers.telling import tell
from state.channels import ReviseState
from state.writing import MARKER, Draft, Plan, PlanLine
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.errors import InputError
from tools.llm.task import Task
from tools.references.in_text import numbers_in
from tools.services import open_services

STAGE = "revise_section"
_SHORTER = 2 / 3
"""Share of the sentences that 'shorter' leaves."""

PROMPT = """\
You revise the related-work section of the authors of the work described in the input, as their
instruction asks. The instruction speaks of the text only: whatever it says, cite only by the markers
that are given, such as {P3}, directly after the authors' names or the claim; claim of a paper only
what its words say; and say of the authors' own work only what the input says. In the instruction [n]
is the paper of that number; the papers tell their numbers.

Return the whole section, sentence by sentence, with the number of the paragraph as `line`; sentences
that the instruction does not touch stay as they are. For each citation copy, letter by letter, the
words of that paper's title or abstract that support the sentence. For a sentence that cites nothing
copy the words of the input that it rests on as its basis.
"""


class Numbered(LinePaper):
    """A paper with its number in the text that is revised."""

    number: int


def extract(
    embedder: Embedder,
    *,
    text: str,
    instruction: str,
    sentences: Sequence[PassageSentence],
    papers: Sequence[Numbered],
    **_: object,
) -> Passage:
    """Follow 'without [n]' and 'shorter'; the embedded engine understands no other instruction.

    Raises:
        InputError: The instruction is another one.
    """
    if without := _DROP.fullmatch(instruction):
        numbers = {one for part in re.findall(r"\[([^]]+)", without[1]) for one in numbers_in(part)}
        known = {paper.number: paper.key for paper in papers}
        if unknown := sorted(numbers - set(known)):
            raise InputError(
                f"the text has no reference {unknown[0]}: its numbers go to {len(known)}"
            )
        gone = {known[number] for number in numbers}
        left = [paper for paper in papers if paper.key not in gone]
        return Passage(sentences=_without(embedder, text, gone, sentences, left))
    if re.fullmatch(r"(?:make it |much )?(?:shorter|shorten(?: it)?)[.!]?", instruction, re.I):
        return Passage(sentences=_shortened(sentences))
    raise InputError(
        "without an LLM an instruction can only be 'without [3]' or 'shorter': give a plan instead "
        "(--plan), or set CITELOOM_STRONG_MODEL and an endpoint"
    )


_DROP = re.compile(
    r"(?:without|drop|remove|leave out|omit)\s+(?:the\s+)?(?:papers?\s+|references?\s+)?"
    r"(\[[\d\s,–-]+\](?:(?:\s*,\s*|\s*,?\s*and\s+)\[[\d\s,–-]+\])*)[.!]?",
    re.IGNORECASE,
)


def _without(
    embedder: Embedder,
    about: str,
    gone: set[str],
    sentences: Sequence[PassageSentence],
    papers: Sequence[Numbered],
) -> list[PassageSentence]:
    """Leave out what cites these papers; others cited beside them are shown anew."""
    kept: list[PassageSentence] = []
    for item in sentences:
        marks = dict.fromkeys(MARKER.findall(item.sentence))
        if not gone & set(marks):
            kept.append(item)
            continue
        others = [paper for key in marks for paper in papers if paper.key == key]
        made = tell(embedder, about, others, [other.sentence for other in kept])
        if made.sentence:
            kept.append(PassageSentence(line=item.line, **made.model_dump()))
    return kept


def _shortened(sentences: Sequence[PassageSentence]) -> list[PassageSentence]:
    """Leave out sentences from the ends of the longest paragraphs; each keeps its first."""
    kept = list(sentences)
    while len(kept) > max(round(len(sentences) * _SHORTER), 1):
        sizes = {item.line: sum(other.line == item.line for other in kept) for item in kept}
        longest = max(sizes, key=lambda line: (sizes[line], line))
        if sizes[longest] == 1:
            break
        last = max(place for place, item in enumerate(kept) if item.line == longest)
        del kept[last]
    return kept


TASK = Task(
    name="revise_section", prompt=PROMPT, answer=Passage, tier="strong", extract=extract,
    max_output_tokens=6000,
)  # fmt: skip


async def revise_section(state: ReviseState, runtime: Runtime[RunContext]) -> ReviseState:
    """Ask, check by code, send back once; sentences that still have a fault are left out.

    Raises:
        InputError: The embedded engine does not understand the instruction.
    """
    services = open_services(runtime, state["run"])
    old = state["final"]
    stage = Stage(request=state["request"], keys=state["keys"], outline=state["outline"])
    order = list(dict.fromkeys([*old.keys, *state["keys"]]))
    drafting = await begin(services, stage, order, STAGE)
    drafting.remedy = _AS_IT_WAS
    inputs = await shown_inputs(services, stage, order)
    # Papers are numbered as in the text that is revised.
    inputs["papers"] = [
        Numbered(**paper.model_dump(), number=order.index(paper.key) + 1)
        for paper in inputs["papers"]
    ]
    paragraphs = {line.number: line.paragraph for line in state["outline"].lines}
    inputs["sentences"] = [
        as_answered(item, paragraphs.get(item.line, 1))
        for item in old.sentences
        if item.keys or item.basis  # a count of papers may be untrue of the revised text
    ]
    inputs["instruction"] = state["told"]
    given = await drafting.ask(
        TASK, inputs, line_of=lambda _: None,
        missing=lambda items: [] if items else ["the section is empty"],
    )  # fmt: skip
    kept = await drafting.keep_good(given, None, [])
    update: ReviseState = {"failures": drafting.failures, "rejections": drafting.rejections}
    if not kept:
        drafting.fail("section", "no usable text came of the instruction", _AS_IT_WAS)
        return update
    places = {" ".join(item.sentence.split()): max(item.line, 1) for item in given}
    lines = [
        PlanLine(number=item.line, keys=item.keys, paragraph=places[item.text]) for item in kept
    ]
    update["final"] = Draft(id=f"{old.id}.revised", parent=old.id, sentences=tuple(kept))
    reasoning = f"Revised: {state['told']}"
    update["outline"] = Plan(lines=tuple(lines), origin="user", reasoning=reasoning)
    return update


_AS_IT_WAS = "the section stands as it was; say it in another way"
