"""Present: number the references, print the text, and show where each line comes from.

Reads all that the run has. Writes the output of `synthesize`. A run that was stopped shows the text as
far as it came, and says that its lines were not traced.
"""

import asyncio
from collections.abc import Sequence
from functools import partial

from langchain_core.messages import AIMessage

from nodes.ask.take_question import STOPPED
from nodes.synthesize.align_lines import draft_lines
from state.results import Reference
from state.run import Failure, fatal_failure, outcome_of
from state.synthesis import (
    EntryWorks,
    Line,
    NumberedReference,
    SynthesizeOutput,
    SynthesizeState,
)
from tools.bibliography.write_bibtex import to_bibtex
from tools.errors import counted
from tools.ingest.file_places import UploadSpool
from tools.references.numbering import number_works, with_numbers, works_of
from tools.services import NodeRuntime, open_services
from tools.text.source_lines import origin_of

STAGE = "present_synthesis"
LISTED = {"primary": "Primary references", "secondary": "Secondary references"}


async def present_synthesis(state: SynthesizeState, runtime: NodeRuntime) -> SynthesizeOutput:
    """Number and print what there is."""
    services = open_services(runtime, state["run"])
    stop = fatal_failure(state.get("failures", []))
    granularity = state.get("references_as", "fine")
    contexts = state.get("contexts", [])
    taken = contexts[: state.get("folded", 0)]
    paragraphs = await services.run_store.paragraphs.get([item.paragraph for item in taken])
    entries = await services.run_store.entries.last() or EntryWorks()
    lines = await asyncio.to_thread(_lines, state, stop)
    used = [
        origin_of(item, 0, len(item.text), works_of(item, entries)) for item in paragraphs.values()
    ]
    origins = [*used, *(origin for line in lines for origin in line.origins)]
    listed = [key for origin in origins for key in (origin.paper, *origin.works)]
    papers = await services.run_store.papers.get(listed)
    stacked = state.get("stacked", [])
    # A paper that came twice is the first of its name.
    read = {item.paper: item.key for item in reversed(stacked) if item.paper}
    cited = await services.run_store.bibliographies.get(list(read.values()))
    number = partial(
        number_works,
        lines,
        list(paragraphs.values()),
        entries,
        papers,
        granularity,
        sources=[item.paper for item in stacked if item.paper],
        bibliographies={paper: cited[key] for paper, key in read.items() if key in cited},
        resolved=state.get("resolved", {}),
    )
    lines, references = await asyncio.to_thread(number)
    answer = _answer(lines, state, stop)
    await asyncio.to_thread(UploadSpool(services.clients.settings.home, services.run).clear)
    return {
        "answer": answer,
        "lines": lines,
        "references": references,
        "lost": state.get("lost", []),
        "contexts": contexts,
        "used": used,
        "stacked": stacked,
        "granularity": granularity,
        "bibtex": await asyncio.to_thread(
            to_bibtex,
            [
                Reference(number=item.number, key=item.key, entry=item.entry, paper=item.paper)
                for item in references
            ],
            keywords={item.key: item.role for item in references},  # which tell the two kinds apart
        ),
        "messages": [AIMessage(answer + _listed(references), id=f"answer-{state['run']}")],
        "seconds": {key: round(value, 3) for key, value in state.get("times", {}).items()},
        "usage": await services.usage(),
        "source_usage": await services.source_usage(),
        "mind": services.mind_name,
        "outcome": outcome_of(lines, state.get("failures", [])),
        "stop": stop,
    }


def _lines(state: SynthesizeState, stop: Failure | None) -> list[Line]:
    """Return the lines as they were traced; of those changed since nobody has said that they hold.

    Where the run was stopped before they were traced, return those of the draft.
    """
    parts = enumerate(draft_lines(state.get("draft", "")), start=1)
    told = [(number, text) for number, part in parts for text in part]
    if traced := state.get("lines", []):
        known = {text for _, text in told}
        return [
            line if line.text in known else line.model_copy(update={"verdict": "not_checked"})
            for line in traced
        ]
    if not stop:
        return []
    return [
        Line(number=place, paragraph=number, text=text)
        for place, (number, text) in enumerate(told, start=1)
    ]


def _answer(lines: Sequence[Line], state: SynthesizeState, stop: Failure | None) -> str:
    paragraphs: dict[int, list[str]] = {}
    for line in lines:
        paragraphs.setdefault(line.paragraph, []).append(with_numbers(line))
    text = "\n\n".join(" ".join(parts) for parts in paragraphs.values())
    if stop:
        return f"{text}\n\n{STOPPED} {stop.cause}".strip()
    if text:
        return text
    count = sum(not source.cause for source in state.get("stacked", []))
    which = "the paper does" if count == 1 else f"the {counted(count, 'paper')} do"
    return f"No answer: {which} not say ({state['request'].text})."


def _listed(references: Sequence[NumberedReference]) -> str:
    """Return the lists of references, for a message."""
    entries = {
        role: [f"[{item.number}] {item.entry}" for item in references if item.role == role]
        for role in LISTED
    }
    return "".join(
        "\n".join(["", "", f"{LISTED[role]}:", *printed])
        for role, printed in entries.items()
        if printed
    )
