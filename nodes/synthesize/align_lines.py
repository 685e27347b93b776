"""Align: find for each line of the synthesis the sentences of the papers that it comes from.

Reads `run`, `request`, `contexts`, `draft`. Writes `lines`, `lost`, `failures`. A line that is a source's
own sentence is known to be so. The others are judged by the papers of the nearest sentences, of which all paragraphs
are shown where a quarter of the window holds those of all papers, else those of the nearest sentences
(nodes.judge.judge_claims; LLM-Ref, section 3.4.2, asks of every pair of lines); a line comes from the sentences that
the judge quotes. A line that nothing bears out is lost, and so is one behind it that cannot be
read without it.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence

from nodes.judge.judge_claims import AT_ONCE, Bench, Item, Ruling, judge_claims
from nodes.synthesize.line_origins import Judged, LineOrigins
from state.run import Failure
from state.synthesis import DroppedLine, EntryWorks, Line, SynthesizeState
from state.writing import SupportVerdict
from tools.errors import counted
from tools.evidence.facts import standing_nowhere
from tools.evidence.unmarked_citations import invented_citations
from tools.llm.task import count_tokens
from tools.services import NodeRuntime, Services, open_services
from tools.text.self_reference import needs_context
from tools.text.words import language, split_sentences

STAGE = "align_lines"
_CAUSES: Mapping[SupportVerdict, str] = {
    "contradicted": "the sources say the opposite",
    "not_checked": "not checked: no judge could find a supporting line",
}
_NOWHERE = "no line of the sources supports it"
_LEANING = "it depends on a line that was left out"
_OPENING = 8
"""Words in which a line shows that it leans on the one before it; further on it speaks of itself."""
_QUOTED = re.compile("“[^“”]*([^“”])”")
"""A quotation, as one word that ends in its last sign."""
_EMPTY_LINE = re.compile(r"\n[^\S\n]*\n\s*")


async def align_lines(state: SynthesizeState, runtime: NodeRuntime) -> SynthesizeState:
    """Keep the lines that source lines bear out, with these as their origins."""
    services = open_services(runtime, state["run"])
    paragraphs = await asyncio.to_thread(draft_lines, state["draft"])
    if not paragraphs:
        return {"lines": [], "lost": [], "failures": []}
    origins = await _origins(services, state)
    texts = dict.fromkeys(text for part in paragraphs for text in part)
    known = await asyncio.to_thread(lambda: {text: origins.known(text) for text in texts})
    judged = {text: found for text, found in known.items() if found}
    asked, failures = await _judge(services, state["request"].text, origins, list(texts), judged)
    lines, lost = settle_line_verdicts(paragraphs, {**asked, **judged})
    services.progress(STAGE, 1, 1, f"{counted(len(lines), 'line')} traced, {len(lost)} left out")
    return {"lines": lines, "lost": lost, "failures": failures}


def draft_lines(draft: str) -> list[list[str]]:
    """Return the lines of each paragraph of a draft, white space folded; a quotation is not split."""
    found = []
    for part in map(" ".join, map(str.split, _EMPTY_LINE.split(draft))):
        masked = _QUOTED.sub(lambda quoted: "X" + "x" * (len(quoted[0]) - 2) + quoted[1], part)
        found.append([part[span.start : span.end] for span in split_sentences(masked)])
    return [part for part in found if part]


def settle_line_verdicts(
    paragraphs: Sequence[Sequence[str]], judged: Mapping[str, Judged]
) -> tuple[list[Line], list[DroppedLine]]:
    """Return the lines that are borne out, numbered, and the others with their causes."""
    lines: list[Line] = []
    lost: list[DroppedLine] = []
    number = 0
    for part in paragraphs:
        gap, begun = False, False
        for text in part:
            found = judged.get(text, Judged("not_checked"))
            bad = not found.origins
            if bad or (gap and needs_context(" ".join(text.split()[:_OPENING]))):
                cause = (
                    "; ".join([_CAUSES.get(found.verdict, _NOWHERE), *found.why])
                    if bad
                    else _LEANING
                )
                lost.append(DroppedLine(text=text, cause=cause))
                gap = True
                continue
            number += not begun
            gap, begun = False, True
            lines.append(
                Line(
                    number=len(lines) + 1,
                    paragraph=number,
                    text=text,
                    origins=found.origins,
                    verdict=found.verdict,
                )
            )
    return lines, lost


async def _origins(services: Services, state: SynthesizeState) -> LineOrigins:
    """Return the source lines of what the draft was made from."""
    contexts = state["contexts"]
    paragraphs = await services.run_store.paragraphs.get([item.paragraph for item in contexts])
    papers = await services.run_store.papers.get([item.paper for item in paragraphs.values()])
    entries = await services.run_store.entries.last() or EntryWorks()

    def made() -> LineOrigins:
        said = language("\n".join(item.text for item in paragraphs.values()))
        foreign = language(state["draft"]) != said
        embedder = services.clients.embedder
        return LineOrigins(contexts, paragraphs, papers, entries, embedder, foreign=foreign)

    return await asyncio.to_thread(made)


async def _judge(
    services: Services,
    question: str,
    origins: LineOrigins,
    texts: Sequence[str],
    known: Mapping[str, Judged],
) -> tuple[dict[str, Judged], list[Failure]]:
    """Judge the lines that are no source's own; those that nobody could be asked about are left out."""
    unknown = [text for text in texts if text not in known]
    if not origins.lines or not unknown or not services.judge.judges:
        return {}, []
    rows = await asyncio.to_thread(origins.nearest, unknown)
    places = {text: number for number, text in enumerate(texts, start=1)}
    near = {places[text]: row for text, row in zip(unknown, rows, strict=True)}
    items = [Item(str(number), number, origins.keys_of(row)) for number, row in near.items()]
    bench = Bench(
        services, STAGE, {number: text for text, number in places.items()}, {}, about=question
    )
    every = range(len(origins.lines))
    length = sum(count_tokens(line.plain) for line in origins.lines)
    fits = length <= services.clients.settings.llm_context_tokens // 4
    groups = [items[at : at + AT_ONCE] for at in range(0, len(items), AT_ONCE)]
    answers = await asyncio.gather(
        *(
            judge_claims(
                bench.with_evidence(
                    origins.evidence(
                        every if fits else (one for item in group for one in near[item.sentence])
                    )
                ),
                group,
            )
            for group in groups
        )
    )
    rulings = {id_: one for answer in answers for id_, one in answer.items()}

    def settled() -> dict[str, Judged]:
        return {
            bench.sentences[item.sentence]: _judged(origins, item, bench, rulings[item.id])
            for item in items
            if item.id in rulings
        }

    return await asyncio.to_thread(settled), bench.failures


def _judged(origins: LineOrigins, item: Item, bench: Bench, ruling: Ruling) -> Judged:
    """Return what a ruling comes to: a line that stands has origins, and no number or name from nowhere."""
    if ruling.verdict in {"supported", "partly"}:
        text, read = bench.sentences[item.sentence], origins.read_of(item.sources)
        nowhere = standing_nowhere(text, read)
        nowhere += [f"the citation {one}" for one in invented_citations(text, read)]
        found = origins.origins(ruling.quotes)
        if found and not nowhere:
            return Judged(ruling.verdict, found)
        return Judged(
            "not_in_source", why=tuple(f"{one} does not appear in them" for one in nowhere)
        )
    return Judged(ruling.verdict, why=(ruling.reason,) if ruling.reason else ())
