"""Align: find for each line of the synthesis the sentences of the papers that it comes from.

Reads `run`, `request`, `contexts`, `draft`. Writes `lines`, `lost`, `failures`. A line that is a source's
own sentence is known to be so. The others are put to a mind, several in one question, beside the whole
paragraphs in which the nearest sentences stand, under their papers' names (LLM-Ref, section 3.4.2, asks
of every pair of lines). What it names and says is held against the sources by code
(nodes.synthesize.line_origins). A line that nothing bears out is lost, and so is one behind it that
cannot be read without it.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from nodes.ask_in_groups import ask_in_groups, failures_of
from nodes.synthesize.line_origins import Judged, LineOrigins
from nodes.synthesize.packing import Shown
from state.run import Failure
from state.synthesis import Entries, Line, LostLine, SynthesizeState
from state.writing import Support
from tools.context import RunContext
from tools.counting import counted
from tools.embed.port import Embedder
from tools.llm.task import Task
from tools.services import Services, open_services
from tools.text.language import language
from tools.text.self_reference import leans
from tools.text.sentences import split_sentences

STAGE = "align_lines"
_TOGETHER = 24
"""Lines in one question."""
_SAYS = {"yes": "supported", "partly": "partly", "no": "not_in_source"}
_CAUSES: Mapping[Support, str] = {
    "contradicted": "the sources say the opposite",
    "not_checked": "nobody could say which line of the sources bears it out",
}
_NOWHERE = "no line of the sources bears it out"
_LEANING = "it leans on a line that was left out"
_OPENING = 8
"""Words in which a line shows that it leans on the one before it; further on it speaks of itself."""
_QUOTED = re.compile("“[^“”]*([^“”])”")
"""A quotation, as one word that ends in its last sign."""
_EMPTY_LINE = re.compile(r"\n[^\S\n]*\n\s*")

PROMPT = """\
You trace a text back to the research papers that it was put together from. `lines` are numbered sentences
of that text, in its order; the text answers `question`. `sources` gives paragraphs of the papers, by
paper: its title, how a sentence names its authors, and the paragraphs, each sentence behind its id, such as
[S4]. "We" in a paragraph are the authors of that paper.

Answer for every line, under its number:
1. `sources`: the sentences that it takes its statements from, four at most, and of each statement the one
   that says it most fully. A line that sums up or compares takes from each paper that it speaks of. A
   sentence on the same topic that does not say it is not named; where none says it, the list is empty.
   With each id copy, letter by letter, words in a row from that sentence: 20 characters or more, or the
   whole sentence where that is shorter.
2. `check`: in at most 30 words, hold the line against these sentences and the paragraphs around them, part
   by part: who (the paper's authors, or others of whom it tells), what, how much, in which direction,
   under which conditions, how surely.
3. `says`: 'yes' where they say all of it, or all of it follows from them taken together; 'partly' where
   they say less; 'no' where who, what, a number, a negation or a direction is another one there, or where
   they do not say it.

Example: a paragraph of Ruiz has "[S1] Okafor lost a third of all hives on roofs. [S2] We lost 12%." and a
line is "Ruiz lost a third of all hives on roofs." Then `sources` has S1 with "lost a third of all hives",
`check` is "The third was lost by Okafor; Ruiz lost 12%.", and `says` is 'no'.
"""


class ShownLine(BaseModel):
    """A line of the synthesis as the mind sees it."""

    number: int
    text: str


class Source(BaseModel):
    """A sentence of a source that the mind names."""

    id: str
    words: str = Field(description="Words of that sentence, verbatim.")


class AlignedLine(BaseModel):
    """The sources of one line, and whether they bear it out."""

    number: int
    sources: list[Source]
    check: str = Field(description="The line held against them, part by part.")
    says: Literal["yes", "partly", "no"]


class Alignment(BaseModel):
    """The mind's answer."""

    lines: list[AlignedLine]


def extract(
    embedder: Embedder, *, question: str, sources: Sequence[Shown], lines: Sequence[ShownLine]
) -> Alignment:
    """Name nothing: only a source's own sentence is known to be one without a mind that reads."""
    return Alignment(lines=[])


# The fast tier: whatever it names is held against the sources by code.
TASK = Task(
    name="align_lines", prompt=PROMPT, answer=Alignment, tier="fast", extract=extract,
    max_output_tokens=3000,
)  # fmt: skip


async def align_lines(state: SynthesizeState, runtime: Runtime[RunContext]) -> SynthesizeState:
    """Keep the lines that source lines bear out, with these as their origins."""
    services = open_services(runtime, state["run"])
    paragraphs = await asyncio.to_thread(draft_lines, state["draft"])
    if not paragraphs:
        return {"lines": [], "lost": [], "failures": []}
    origins = await _origins(services, state)
    texts = dict.fromkeys(text for part in paragraphs for text in part)
    known = await asyncio.to_thread(lambda: {text: origins.known(text) for text in texts})
    judged = {text: found for text, found in known.items() if found}
    unknown = [text for text in texts if text not in judged]
    asked, failures = await _ask(services, state["request"].text, origins, unknown)
    lines, lost = settle(paragraphs, {**asked, **judged})
    services.progress(STAGE, 1, 1, f"{counted(len(lines), 'line')} traced, {len(lost)} left out")
    return {"lines": lines, "lost": lost, "failures": failures}


def draft_lines(draft: str) -> list[list[str]]:
    """Return the lines of each paragraph of a draft, white space folded; a quotation is not split."""
    found = []
    for part in map(" ".join, map(str.split, _EMPTY_LINE.split(draft))):
        masked = _QUOTED.sub(lambda quoted: "X" + "x" * (len(quoted[0]) - 2) + quoted[1], part)
        found.append([part[span.start : span.end] for span in split_sentences(masked)])
    return [part for part in found if part]


def settle(
    paragraphs: Sequence[Sequence[str]], judged: Mapping[str, Judged]
) -> tuple[list[Line], list[LostLine]]:
    """Return the lines that are borne out, numbered, and the others with their causes."""
    lines: list[Line] = []
    lost: list[LostLine] = []
    number = 0
    for part in paragraphs:
        gap, begun = False, False
        for text in part:
            found = judged.get(text, Judged("not_checked"))
            bad = not found.origins
            if bad or (gap and leans(" ".join(text.split()[:_OPENING]))):
                cause = (
                    "; ".join([_CAUSES.get(found.verdict, _NOWHERE), *found.why])
                    if bad
                    else _LEANING
                )
                lost.append(LostLine(text=text, cause=cause))
                gap = True
                continue
            number += not begun
            gap, begun = False, True
            lines.append(
                Line(
                    number=len(lines) + 1, paragraph=number, text=text, origins=found.origins,
                    verdict=found.verdict,
                )
            )  # fmt: skip
    return lines, lost


async def _origins(services: Services, state: SynthesizeState) -> LineOrigins:
    """Return the source lines of what the draft was made from."""
    contexts = state["contexts"]
    paragraphs = await services.run_store.paragraphs.get([item.paragraph for item in contexts])
    papers = await services.run_store.papers.get([item.paper for item in paragraphs.values()])
    entries = await services.run_store.entries.last() or Entries()

    def made() -> LineOrigins:
        said = language("\n".join(item.text for item in paragraphs.values()))
        foreign = language(state["draft"]) != said
        embedder = services.clients.embedder
        return LineOrigins(contexts, paragraphs, papers, entries, embedder, foreign=foreign)

    return await asyncio.to_thread(made)


async def _ask(
    services: Services, question: str, origins: LineOrigins, texts: Sequence[str]
) -> tuple[dict[str, Judged], list[Failure]]:
    """Ask for the sources of these lines; those that nobody could be asked about are left out."""
    if not origins.lines or not texts:
        return {}, []
    rows = await asyncio.to_thread(origins.nearest, texts)
    near = dict(zip(texts, rows, strict=True))
    judged: dict[str, Judged] = {}

    def inputs(group: Sequence[str]) -> dict[str, Any]:
        sources, _ = origins.shown(place for text in group for place in near[text])
        lines = [ShownLine(number=number, text=text) for number, text in enumerate(group, start=1)]
        return {"question": question, "sources": sources, "lines": lines}

    async def take(group: Sequence[str], answer: Alignment) -> None:
        _, ids = origins.shown(place for text in group for place in near[text])
        said = {line.number: line for line in reversed(answer.lines)}  # of two the first counts
        for number, text in enumerate(group, start=1):
            line = said.get(number, AlignedLine(number=number, sources=[], check="", says="no"))
            named = [
                (ids[key], item.words)
                for item in line.sources
                if (key := item.id.strip(" []().").upper()) in ids and item.words.strip()
            ]
            found = await asyncio.to_thread(origins.judge, text, named, _SAYS[line.says])
            told = line.check if line.says == "no" else ""
            judged[text] = replace(found, why=(*found.why, *filter(None, [told.strip()])))

    causes = await ask_in_groups(services, TASK, [texts], _TOGETHER, inputs, take)
    remedy = "they could not be traced, and were left out"
    return judged, failures_of(STAGE, causes, "line", remedy)
