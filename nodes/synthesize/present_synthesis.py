"""Present: number the references, print the text, and show where each line comes from.

Reads all that the run has. Writes the output of `synthesize`. A run that was stopped shows the text as
far as it came, and says that its lines were not traced.
"""

import asyncio
from collections.abc import Sequence
from functools import partial

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.ask.conversation import REFUSED
from state.bibliography import Bibliography
from state.paper import Paper
from state.results import Reference
from state.run import Failure, Outcome, SourceUsage, Usage, halt
from state.synthesis import (
    Context,
    Entries,
    Granularity,
    Line,
    LostLine,
    NumberedReference,
    Origin,
    SourcePaper,
    SynthesizeState,
)
from tools.bibliography.write_bibtex import to_bibtex
from tools.context import RunContext
from tools.ingest.spool import Spool
from tools.references.numbering import number_references, with_numbers, works_of
from tools.services import Services, open_services
from tools.text.sentences import split_sentences
from tools.text.source_lines import origin_of

STAGE = "present_synthesis"
LISTED = {"primary": "Primary references", "secondary": "Secondary references"}


class Update(TypedDict):
    """What this node writes."""

    answer: str
    lines: list[Line]
    references: list[NumberedReference]
    lost: list[LostLine]
    contexts: list[Context]
    used: list[Origin]
    stacked: list[SourcePaper]
    granularity: Granularity
    bibtex: str
    messages: list[AnyMessage]
    seconds: dict[str, float]
    usage: list[Usage]
    source_usage: list[SourceUsage]
    mind: str
    outcome: Outcome
    stop: Failure | None


async def present_synthesis(state: SynthesizeState, runtime: Runtime[RunContext]) -> Update:
    """Number and print what there is."""
    services = open_services(runtime, state["run"])
    stop = halt(state.get("failures", []))
    granularity = state.get("references_as", "fine")
    contexts = state.get("contexts", [])
    taken = contexts[: state.get("folded", 0)]
    paragraphs = await services.run_store.paragraphs.get([item.paragraph for item in taken])
    entries = await services.run_store.entries.last() or Entries()
    lines = state.get("lines", []) or _untraced(state.get("draft", ""), stop)
    used = [
        origin_of(item, 0, len(item.text), works_of(item, entries)) for item in paragraphs.values()
    ]
    papers = await _papers(services, used, lines)
    bibliographies = await _bibliographies(services, state.get("stacked", []))
    number = partial(
        number_references, lines, list(paragraphs.values()), entries, papers, granularity,
        sources=[item.paper for item in state.get("stacked", []) if item.paper],
        bibliographies=bibliographies,
        resolved=state.get("resolved", {}),
    )  # fmt: skip
    lines, references = await asyncio.to_thread(number)
    answer = _answer(lines, state, stop)
    await asyncio.to_thread(Spool(services.clients.settings.home, services.run).clear)
    return {
        "answer": answer,
        "lines": lines,
        "references": references,
        "lost": state.get("lost", []),
        "contexts": contexts,
        "used": used,
        "stacked": state.get("stacked", []),
        "granularity": granularity,
        "bibtex": await asyncio.to_thread(_bibtex, references),
        "messages": [AIMessage(answer + _listed(references), id=f"answer-{state['run']}")],
        "seconds": {key: round(value, 3) for key, value in state.get("times", {}).items()},
        "usage": await services.usage(),
        "source_usage": await services.source_usage(),
        "mind": services.mind_name,
        "outcome": _outcome(lines, stop),
        "stop": stop,
    }


async def _bibliographies(
    services: Services, stacked: Sequence[SourcePaper]
) -> dict[str, Bibliography]:
    """Return what each source cites, by its id; a paper that came twice is the first of its name."""
    first: dict[str, str] = {}
    for source in stacked:
        if source.paper:
            first.setdefault(source.paper, source.key)
    found = await services.run_store.bibliographies.get(list(first.values()))
    return {paper: found[key] for paper, key in first.items() if key in found}


def _untraced(draft: str, stop: Failure | None) -> list[Line]:
    """Return the lines of a text that nobody has traced, because the run was stopped before."""
    if not stop:
        return []
    lines: list[Line] = []
    for number, paragraph in enumerate(filter(None, draft.split("\n\n")), start=1):
        lines += [
            Line(number=len(lines) + place, paragraph=number, text=span.text)
            for place, span in enumerate(split_sentences(paragraph), start=1)
        ]
    return lines


async def _papers(
    services: Services, used: Sequence[Origin], lines: Sequence[Line]
) -> dict[str, Paper]:
    """Return the records of all papers and works that may be listed."""
    origins = [*used, *(origin for line in lines for origin in line.origins)]
    keys = [key for origin in origins for key in (origin.paper, *origin.works)]
    return await services.run_store.papers.get(keys)


def _answer(lines: Sequence[Line], state: SynthesizeState, stop: Failure | None) -> str:
    paragraphs: dict[int, list[str]] = {}
    for line in lines:
        paragraphs.setdefault(line.paragraph, []).append(with_numbers(line))
    text = "\n\n".join(" ".join(parts) for parts in paragraphs.values())
    if stop:
        return f"{text}\n\n{REFUSED} {stop.cause}".strip()
    if text:
        return text
    count = sum(not source.cause for source in state.get("stacked", []))
    which = "the paper does" if count == 1 else f"the {count} papers do"
    return f"I don't know: {which} not tell ({state['request'].text})."


def _listed(references: Sequence[NumberedReference]) -> str:
    """Return the lists of references, for a message."""
    parts = []
    for role, heading in LISTED.items():
        entries = [f"[{item.number}] {item.entry}" for item in references if item.role == role]
        if entries:
            parts.append("\n".join(["", "", f"{heading}:", *entries]))
    return "".join(parts)


def _bibtex(references: Sequence[NumberedReference]) -> str:
    """Return all references as BibTeX; a keyword tells the two kinds apart."""
    listed = [
        Reference(number=item.number, key=item.key, entry=item.entry, paper=item.paper)
        for item in references
    ]
    return to_bibtex(listed, keywords={item.key: item.role for item in references})


def _outcome(lines: Sequence[Line], stop: Failure | None) -> Outcome:
    if not lines:
        return "nothing"
    return "partial" if stop else "complete"
