"""Revise: write the section anew as the researcher asks, from the papers it has.

Reads `run`, `request`, `keys`, `final`, `outline`, `told`. Writes `final`, `outline`. What comes of
it is checked like any draft; where nothing usable comes, the section stays as it was.
"""

import re
from collections.abc import Sequence

from langgraph.runtime import Runtime

from nodes.write.lines import LinePaper, line_papers
from nodes.write.writers.answers import Passage, PassageSentence, Support
from nodes.write.writers.drafting import Outcome, known_papers, own_words
from nodes.write.writers.passage import ask_passage, keep_sentence
from nodes.write.writers.port import Stage
from nodes.write.writers.telling import tell
from state.channels import ReviseState
from state.run import Failure
from state.writing import MARKER, Draft, Part, Plan, PlanLine, Sentence
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.errors import InputError
from tools.llm.task import Task
from tools.services import Services, open_services

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
        numbers = _numbers(without[1])
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


def _numbers(text: str) -> set[int]:
    """Return the numbers of '[2], [4-6]'."""
    numbers: set[int] = set()
    for first, last in re.findall(r"(\d+)(?:\s*[–-]\s*(\d+))?", text):
        numbers |= set(range(int(first), min(int(last or first), int(first) + 500) + 1))
    return numbers


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
    old, outcome = state["final"], Outcome()
    stage = Stage(
        request=state["request"], keys=state["keys"], outline=state["outline"],
        part=Part(number=0, lines=()), position=0, drafts=[],
    )  # fmt: skip
    answer = await _asked(services, stage, state, outcome)
    papers = await known_papers(services, stage, list(state["keys"]))
    kept: list[Sentence] = []
    lines: list[PlanLine] = []
    for item in answer.sentences:
        number = len(kept) + 1
        said = [sentence.text for sentence in kept]
        result = await keep_sentence(services, stage, item, None, number, papers, said)
        if isinstance(result, Sentence):
            kept.append(result)
            lines.append(PlanLine(number=number, keys=result.keys, paragraph=max(item.line, 1)))
            continue
        details = "; ".join(fault.detail for fault in result)
        outcome.failures.append(
            Failure(stage=STAGE, subject=f"sentence {number}", cause=details, remedy=_LEFT_OUT)
        )
    final, outline = old, state["outline"]
    if kept:
        final = Draft(id=f"{old.id}.revised", parent=old.id, sentences=tuple(kept))
        outline = Plan(lines=tuple(lines), origin="user", reasoning=f"Revised: {state['told']}")
    else:
        outcome.failures.append(
            Failure(stage=STAGE, subject="section", cause=_NOTHING, remedy=_AS_IT_WAS)
        )
    return {
        "final": final, "outline": outline, "failures": outcome.failures,
        "rejections": outcome.rejections,
    }  # fmt: skip


async def _asked(services: Services, stage: Stage, state: ReviseState, outcome: Outcome) -> Passage:
    """Return the mind's section; papers are numbered as in the text that is revised."""
    cited = list(dict.fromkeys(key for item in state["final"].sentences for key in item.keys))
    order = [*cited, *(key for key in state["keys"] if key not in cited)]
    inputs = {
        "text": state["request"].text,
        "own": await own_words(services),
        "papers": [
            Numbered(**paper.model_dump(), number=order.index(paper.key) + 1)
            for paper in await line_papers(services, state["keys"], order)
        ],
        "sentences": _shown(state["final"], state["outline"]),
        "instruction": state["told"],
    }
    papers = await known_papers(services, stage, order)
    return await ask_passage(
        services, stage, TASK, inputs, papers, outcome, line_of=lambda _: None, missing=_empty
    )


_LEFT_OUT = "the sentence was left out"
_NOTHING = "no usable text came of the instruction"
_AS_IT_WAS = "the section stands as it was; say it in another way"


def _empty(answer: Passage) -> list[str]:
    return [] if answer.sentences else ["the section is empty"]


def _shown(draft: Draft, outline: Plan) -> list[PassageSentence]:
    paragraphs = {line.number: line.paragraph for line in outline.lines}
    return [
        PassageSentence(
            line=paragraphs.get(item.line, 1), sentence=item.text,
            basis=item.basis.text if item.basis else "",
            support=[
                Support(key=mark.key, quote=mark.quote.text) for mark in item.citations if mark.quote
            ],
        )
        for item in draft.sentences
        if item.keys or item.basis  # a count of papers may be untrue of the revised text
    ]  # fmt: skip
