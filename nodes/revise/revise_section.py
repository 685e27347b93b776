"""Revise: write the section anew as the researcher asks, from the papers it has.

Reads `run`, `request`, `keys`, `final`, `outline`, `told`. Writes `final`, `outline`. What comes of
it is checked like any draft; where nothing usable comes, the section stays as it was.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from nodes.write.cited_papers import PaperToCite, load_papers_to_cite
from nodes.write.writers.draft_answers import (
    NextSentence,
    SentencesAnswer,
    as_answered,
    sentences_of,
    to_sentences_answer,
)
from nodes.write.writers.drafting import DraftQuestion, open_draft_session
from nodes.write.writers.quoted_sentences import quote_nearest
from nodes.write.writers.writer import DraftingState
from state.channels import ReviseState
from state.writing import MARKER, Draft, Plan, PlanLine
from tools.embed.embedder import Embedder
from tools.errors import InputError
from tools.llm.task import Task
from tools.references.in_text import numbers_in
from tools.services import NodeRuntime, open_services

STAGE = "revise_section"
_SHORTER = 2 / 3
"""Share of the sentences that 'shorter' leaves."""

PROMPT = """\
You revise the related-work section of a paper as its authors ask. `text` is their abstract, idea or
question; `papers` are those that may be cited, each with its key, the `number` that the instruction
calls it by ([3] is the paper of number 3), its authors' name and its words; `section` is the text as
it stands, sentence by sentence, its paragraphs numbered as `line`, with the grounds of each sentence.

Do what the `instruction` asks, and no more: sentences that it does not touch stay word for word. It
speaks of the text only. Whatever it says, say of a paper only what its own words say, and of the
authors' own work only what `text` says; cite only by keys in braces, such as {P3}, behind the
authors' names or the claim.

Return the whole section. After the sentences give `grounds`: for each paper that a sentence cites,
one to three stretches copied letter by letter from that paper's title, abstract or elements, each at
least 20 characters long; for a sentence without citation the key of each paper that it speaks of, or the
key "input" with words copied from `text`. Where `faults` of an earlier answer are listed, give the
whole answer again with these mended.
"""


class NumberedPaper(PaperToCite):
    """A paper with its number in the text that is revised."""

    number: int


def extract(
    embedder: Embedder,
    *,
    text: str,
    instruction: str,
    section: SentencesAnswer,
    papers: Sequence[NumberedPaper],
    **_: object,
) -> SentencesAnswer:
    """Follow 'without [n]' and 'shorter'; the embedded engine understands no other instruction.

    Raises:
        InputError: The instruction is another one.
    """
    check_instruction(instruction)
    sentences = sentences_of(section)
    if without := _DROP.fullmatch(instruction):
        numbers = {one for part in re.findall(r"\[([^]]+)", without[1]) for one in numbers_in(part)}
        known = {paper.number: paper.key for paper in papers}
        if unknown := sorted(numbers - set(known)):
            raise InputError(f"the text has no reference {unknown[0]}: the last is {len(known)}")
        gone = {known[number] for number in numbers}
        left = [paper for paper in papers if paper.key not in gone]
        return to_sentences_answer(_without(embedder, text, gone, sentences, left))
    return to_sentences_answer(_shortened(sentences))


def check_instruction(told: str) -> None:
    """Refuse what the embedded engine cannot do, before anything is done.

    Raises:
        InputError: The instruction is neither 'shorter' nor 'without [3]'.
    """
    if not (_DROP.fullmatch(told) or told.lower().rstrip(".!") in _SHORTEN):
        raise InputError(
            "only a model can follow this instruction, and none is configured. Without one, "
            "write 'shorter' or 'without [3]', or edit the text or plan yourself"
        )


_SHORTEN = frozenset(("shorter", "make it shorter", "much shorter", "shorten", "shorten it"))
_DROP = re.compile(
    r"(?:without|drop|remove|leave out|omit)\s+(?:the\s+)?(?:papers?\s+|references?\s+)?"
    r"(\[[\d\s,–-]+\](?:(?:\s*,\s*|\s*,?\s*and\s+)\[[\d\s,–-]+\])*)[.!]?",
    re.IGNORECASE,
)


def _without(
    embedder: Embedder,
    about: str,
    gone: set[str],
    sentences: Sequence[NextSentence],
    papers: Sequence[NumberedPaper],
) -> list[NextSentence]:
    """Leave out what cites these papers; others cited beside them are shown anew."""
    kept: list[NextSentence] = []
    for item in sentences:
        marks = dict.fromkeys(MARKER.findall(item.sentence))
        if not gone & set(marks):
            kept.append(item)
            continue
        others = [paper for key in marks for paper in papers if paper.key == key]
        made = quote_nearest(embedder, about, others, [other.sentence for other in kept])
        if made.sentence:
            kept.append(made.model_copy(update={"line": item.line}))
    return kept


def _shortened(sentences: Sequence[NextSentence]) -> list[NextSentence]:
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
    name="revise_section",
    prompt=PROMPT,
    answer=SentencesAnswer,
    tier="strong",
    extract=extract,
    max_output_tokens=8000,
)


async def revise_section(state: ReviseState, runtime: NodeRuntime) -> ReviseState:
    """Ask, check by code, send back once; sentences that still have a fault are left out.

    Raises:
        InputError: The embedded engine does not understand the instruction.
    """
    services = open_services(runtime, state["run"])
    old = state["final"]
    stage = DraftingState(request=state["request"], keys=state["keys"], outline=state["outline"])
    order = list(dict.fromkeys([*old.keys, *state["keys"]]))
    drafting = await open_draft_session(services, stage, order, STAGE)
    drafting.remedy = _AS_IT_WAS
    # Papers are numbered as in the text that is revised.
    papers = [
        NumberedPaper(**dict(paper), number=order.index(paper.key) + 1)
        for paper in await load_papers_to_cite(services, stage.keys, order)
    ]
    paragraphs = {line.number: line.paragraph for line in state["outline"].lines}
    standing = [
        as_answered(item, paragraphs.get(item.line, item.line))
        for item in old.sentences
        # A count of papers may be untrue of the revised text.
        if item.keys or item.basis or item.rests_on
    ]
    inputs = {
        "text": state["request"].text,
        "papers": papers,
        "section": to_sentences_answer(standing),
        "instruction": state["told"],
    }
    # The lines are paragraphs here, whatever the old plan had.
    drafting.stage = replace(stage, outline=Plan(lines=()))
    given = await drafting.ask(
        DraftQuestion(TASK, inputs),
        line_of=lambda _: None,
        missing=lambda items: [] if items else ["the section is empty"],
    )
    kept = await drafting.keep_good(given, None, [])
    update: ReviseState = {"failures": drafting.failures, "rejections": drafting.rejections}
    if not kept:
        drafting.fail("section", "the model returned no usable text", _AS_IT_WAS, lost=True)
        return update
    places = {" ".join(item.sentence.split()): max(item.line, 1) for item in given}
    lines = [
        PlanLine(number=item.line, keys=item.keys, paragraph=places[item.text]) for item in kept
    ]
    update["final"] = Draft(id=f"{old.id}.revised", parent=old.id, sentences=tuple(kept))
    reasoning = f"Revised: {state['told']}"
    update["outline"] = Plan(lines=tuple(lines), origin="user", reasoning=reasoning)
    return update


_AS_IT_WAS = "the section is unchanged; rephrase the instruction"
