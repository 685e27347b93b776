"""Align: find for each line of the synthesis the source lines that it comes from.

Reads `run`, `references_as`, `contexts`, `draft`. Writes `lines`, `lost`, `failures`. A mind is asked
once for each paragraph of the draft, and shown the source lines nearest to its lines; `alignment="pairwise"` asks of
every pair, as LLM-Ref does; coarse references need no mind. Whoever names a source line, code checks
the words copied from it and whether it bears the line out (tools.text.synthesis.origins). A line that
nothing bears out is lost.
"""

import asyncio
from collections.abc import Sequence

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from nodes.synthesize.align_pair import align_pairs
from nodes.synthesize.batches import in_waves
from state.run import Failure
from state.synthesis import Context, Granularity, Line, LostLine
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.llm.task import Task
from tools.services import Services, open_services
from tools.text.language import language
from tools.text.synthesis.alignment import Aligner, draft_lines
from tools.text.synthesis.origins import Named, Sources
from tools.text.synthesis.settling import JudgedLine, settle

STAGE = "align_lines"
_PER_LINE = 6
"""Source lines shown for each line of a paragraph; all lines of the paragraph may name them."""

PROMPT = """\
Each numbered line belongs to one paragraph of a text that was put together from research papers; the
sources are lines of these papers, each with its id. For each line name the sources that it takes its
statements from: all of them where it joins several, the closest where more than one says the same, at
most four. A source on the same topic that does not say it is not named; a line that no source says
gets an empty list. With each id copy from that source, letter by letter, the four to twelve words in
a row that tell most clearly that it is the one. Use only ids and numbers that are given, and answer
for every line.
"""


class ShownLine(BaseModel):
    """A line of the synthesis as the mind sees it."""

    number: int
    text: str


class ShownSource(BaseModel):
    """A source line as the mind sees it."""

    id: str
    text: str


class Source(BaseModel):
    """A source line that the mind names."""

    id: str
    words: str = Field(description="Words of that source line, verbatim.")


class AlignedLine(BaseModel):
    """The sources of one line."""

    number: int
    sources: list[Source]


class Alignment(BaseModel):
    """The mind's answer."""

    lines: list[AlignedLine]


def extract(
    embedder: Embedder, *, lines: Sequence[ShownLine], sources: Sequence[ShownSource]
) -> Alignment:
    """Name the nearest source lines: copies by their words, others by words and meaning."""
    aligner = Aligner([item.text for item in sources], embedder)
    return Alignment(
        lines=[
            AlignedLine(
                number=line.number,
                sources=[
                    Source(id=sources[place].id, words=sources[place].text)
                    for place in aligner.origins(line.text)
                ],
            )
            for line in lines
        ]
    )


# The fast tier: whatever it names is held against the sources by code.
TASK = Task(
    name="align_lines", prompt=PROMPT, answer=Alignment, tier="fast", extract=extract,
    max_output_tokens=1500,
)  # fmt: skip


class Branch(TypedDict):
    """What this node reads."""

    run: str
    references_as: Granularity
    contexts: list[Context]
    draft: str


class Update(TypedDict):
    """What this node writes."""

    lines: list[Line]
    lost: list[LostLine]
    failures: list[Failure]


async def align_lines(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Keep the lines that source lines bear out, with these as their origins."""
    services = open_services(runtime, state["run"])
    paragraphs = await asyncio.to_thread(draft_lines, state["draft"])
    texts = [text for paragraph in paragraphs for text in paragraph]
    if not texts:
        return {"lines": [], "lost": [], "failures": []}
    sources = await _sources(services, state)
    failures: list[Failure] = []
    if state["references_as"] == "coarse" or not sources.lines:
        named = await asyncio.to_thread(lambda: [sources.nearest(text) for text in texts])
    elif services.context.alignment == "pairwise":
        named, failures = await align_pairs(services, sources, texts, STAGE)
    else:
        named, failures = await _by_paragraph(services, sources, paragraphs)
    places = [place for place, paragraph in enumerate(paragraphs, start=1) for _ in paragraph]
    lines, lost = await asyncio.to_thread(_settled, sources, texts, places, named)
    services.progress(STAGE, 1, 1, f"{len(lines)} lines traced, {len(lost)} left out")
    return {"lines": lines, "lost": lost, "failures": failures}


def _settled(
    sources: Sources, texts: Sequence[str], places: Sequence[int], named: Sequence[Sequence[Named]]
) -> tuple[list[Line], list[LostLine]]:
    return settle(
        [
            JudgedLine(text, place, sources.judge(text, found))
            for text, place, found in zip(texts, places, named, strict=True)
        ]
    )


async def _sources(services: Services, state: Branch) -> Sources:
    """Return the source lines of what the draft was made from."""
    contexts = state["contexts"]
    paragraphs = await services.run_store.paragraphs([item.paragraph for item in contexts])
    papers = await services.run_store.papers([item.paper for item in paragraphs.values()])
    entries = await services.run_store.entries()

    def made() -> Sources:
        said = language("\n".join(item.text for item in paragraphs.values()))
        foreign = language(state["draft"]) != said
        embedder = services.clients.embedder
        return Sources(contexts, paragraphs, papers, entries, embedder, foreign=foreign)

    return await asyncio.to_thread(made)


async def _by_paragraph(
    services: Services, sources: Sources, paragraphs: Sequence[list[str]]
) -> tuple[list[list[Named]], list[Failure]]:
    """Ask once for each paragraph of the draft; return the source lines of each line."""
    near = await asyncio.to_thread(
        lambda: {
            text: sources.aligner.candidates(text, _PER_LINE)
            for part in paragraphs
            for text in part
        }
    )

    async def ask(texts: Sequence[str]) -> tuple[list[list[Named]], list[Failure]]:
        asking = _Asking(services, sources, near)
        found = await asking.ask(texts)
        services.tick(STAGE, 1, len(paragraphs))
        return found, asking.failures

    answers = [answer for _, answer in await in_waves(paragraphs, ask)]
    named = [item for found, _ in answers for item in found]
    return named, [failure for _, failed in answers for failure in failed]


class _Asking:
    """The questions for one paragraph of the draft."""

    def __init__(self, services: Services, sources: Sources, near: dict[str, list[int]]) -> None:
        self._desk = services
        self._sources = sources
        self._near = near
        self.failures: list[Failure] = []

    async def ask(self, texts: Sequence[str], most: int = _PER_LINE) -> list[list[Named]]:
        """Return the source lines of each line; in parts where the window does not hold them all."""
        places = sorted({place for text in texts for place in self._near[text][:most]})
        lines = [ShownLine(number=number, text=text) for number, text in enumerate(texts, start=1)]
        shown = [
            ShownSource(id=f"S{number}", text=self._sources.lines[place].text)
            for number, place in enumerate(places, start=1)
        ]
        if self._desk.mind.spare(TASK, lines=lines, sources=shown) < 0:
            if len(texts) > 1:
                half = len(texts) // 2
                return [*await self.ask(texts[:half], most), *await self.ask(texts[half:], most)]
            if most > 1:
                return await self.ask(texts, most // 2)
            return await self._by_words(texts, "the model's window does not hold its source line")
        try:
            answer = await self._desk.mind.do(TASK, lines=lines, sources=shown)
        except (AnswerError, RefusedError) as error:
            return await self._by_words(texts, str(error))
        ids = {item.id: place for item, place in zip(shown, places, strict=True)}
        return _named(answer, len(texts), ids)

    async def _by_words(self, texts: Sequence[str], cause: str) -> list[list[Named]]:
        self.failures.append(
            Failure(
                stage=STAGE, subject=texts[0][:80], cause=cause,
                remedy=f"{len(texts)} lines found their source lines by words and meaning alone",
            )
        )  # fmt: skip
        return await asyncio.to_thread(lambda: [self._sources.nearest(text) for text in texts])


def _named(answer: Alignment, count: int, ids: dict[str, int]) -> list[list[Named]]:
    """Return what the answer names of what there is: unknown numbers and ids are left out."""
    found: list[list[Named]] = [[] for _ in range(count)]
    for line in answer.lines:
        if 1 <= line.number <= count:
            found[line.number - 1] += [
                Named(ids[key], item.words)
                for item in line.sources
                if (key := item.id.strip(" []().").upper()) in ids
            ]
    return found
