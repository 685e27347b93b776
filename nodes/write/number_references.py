"""Number: print the citations in the run's style and list the references.

Reads `run`, `keys`, `choices`, `final`, `outline`, `verdicts`, `checks`, `selected`, `table`.
Writes the output of `write`; the section goes to the run store, to be revised.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import cast

from nodes.common.ask_person import SHOWN, make_paper_cards
from nodes.write.plan_language.read_plan import plan_text
from nodes.write.writers.writer import EMPTY_DRAFT
from state.channels import SavedSection, WriteOutput, WriteState
from state.inputs import WriteChoices
from state.paper import Paper
from state.quote import Quote
from state.results import CitedSentence, ComparisonTable
from state.run import Failure, RunOutcome, fatal_failure, outcome_of
from state.writing import INPUT, CitationVerdict, Plan, Sentence
from tools.bibliography.citation_style import DEFAULT, named_style
from tools.bibliography.section_printer import PrintedSection, running_text
from tools.errors import InputError
from tools.run_store import RunStore
from tools.services import NodeRuntime, open_services

STAGE = "number_references"


async def number_references(state: WriteState, runtime: NodeRuntime) -> WriteOutput:
    """Print the section; a run that stopped early prints what it had written by then."""
    services = open_services(runtime, state["run"])
    section, failures = await _assemble(state, services.run_store)
    plan: dict[str, object] = {"plan_text": "", "plan_papers": []}
    if section["sentences"]:
        saved = SavedSection(
            request=state["request"],
            choices=state["choices"],
            selected=tuple(state["selected"]),
            keys=state["keys"],
            outline=state["outline"],
            final=state["final"],
        )
        await services.run_store.section.put([saved])
        plan = await _plan(saved, services.run_store)
    # The numbers of the list, which styles order in their way.
    numbers = {item.paper.id: item.number for item in section["references"]}
    rows = state.get("table", ComparisonTable(rows=())).rows
    rows = tuple(row.model_copy(update={"number": numbers.get(row.paper)}) for row in rows)
    more = {
        **plan,
        "table": ComparisonTable(rows=rows),
        "usage": await services.usage(),
        "source_usage": await services.source_usage(),
        "mind": services.mind_name,
        "stop": fatal_failure(state.get("failures", [])),
        "failures": failures,
    }
    return cast(WriteOutput, {**section, **more})


async def _plan(section: SavedSection, run_store: RunStore) -> dict[str, object]:
    """Return the plan as a person may edit it for `revise`, and the first of the papers that it may name."""
    lines = [  # a person who stepped through the run may have taken papers out
        line.model_copy(update={"keys": tuple(key for key in line.keys if key in section.keys)})
        for line in section.outline.lines
    ]
    outline = section.outline.model_copy(update={"lines": tuple(lines)})
    places = {paper: number for number, paper in enumerate(section.order, start=1)}
    numbers = {key: places[paper] for key, paper in section.keys.items()}
    papers = await run_store.papers.get(section.order[:SHOWN])
    planned = {section.keys[key] for line in lines for key in line.keys}
    shown = {places[key]: paper for key, paper in papers.items()}
    return {
        "plan_text": plan_text(outline, numbers).strip(),
        "plan_papers": list(make_paper_cards(shown, chosen=planned.__contains__)),
    }


async def assemble(state: WriteState, run_store: RunStore) -> WriteOutput:
    """Print what was written, as far as it was written."""
    return (await _assemble(state, run_store))[0]


async def _assemble(state: WriteState, run_store: RunStore) -> tuple[WriteOutput, list[Failure]]:
    keys = state.get("keys", {})
    draft = state.get("final", EMPTY_DRAFT)
    papers = await run_store.papers.get(list(keys.values()))
    by_key = {key: papers[paper] for key, paper in keys.items() if paper in papers}
    texts = [item.text for item in draft.sentences]
    wanted = state.get("choices", WriteChoices()).style
    printed, failures = await asyncio.to_thread(print_section, texts, by_key, wanted)
    plan = state.get("outline", Plan(lines=()))
    verdicts = state.get("verdicts", []) if state.get("checks") else []
    places = zip(draft.sentences, paragraph_numbers(draft.sentences, plan), strict=True)
    sentences = [
        _sentence(number, item, paragraph, printed, verdicts)
        for number, (item, paragraph) in enumerate(places, start=1)
    ]
    cited = {item.paper.id for item in printed.references}
    section = {
        "related_work": running_text(sentences),
        "sentences": sentences,
        "references": printed.references,
        "uncited": [paper for paper in state.get("selected", []) if paper not in cited],
        "outline": plan,
        "outcome": _outcome(state, sentences),
    }
    return cast(WriteOutput, section), failures


def print_section(
    texts: Sequence[str], papers: Mapping[str, Paper], style: str
) -> tuple[PrintedSection, list[Failure]]:
    """Return the section in the style of this name, or in IEEE's if that cannot be had."""
    try:
        return PrintedSection(texts, papers, named_style(style)), []
    except InputError as error:
        failure = Failure(
            stage=STAGE,
            subject=f"style {style[:80]}",
            cause=str(error),
            remedy="CiteLoom used IEEE style instead",
        )
        return PrintedSection(texts, papers, named_style(DEFAULT)), [failure]


def paragraph_numbers(sentences: Sequence[Sentence], plan: Plan) -> list[int]:
    """Return the paragraph of each sentence, from 1: those of the plan that something stands in.

    Without a plan a sentence's line is its paragraph.
    """
    places = {line.number: line.paragraph for line in plan.lines}
    if not places:
        places = {sentence.line: sentence.line for sentence in sentences}
    numbers: list[int] = []
    last: int | None = None
    for sentence in sentences:
        place = places.get(sentence.line, last or 1)
        numbers.append((numbers[-1] if numbers else 0) + (place != last))
        last = place
    return numbers


def _outcome(state: WriteState, sentences: Sequence[CitedSentence]) -> RunOutcome:
    failures = state.get("failures", [])
    if not sentences and outcome_of(failures, failures) == "partial":
        # What `find` found is still there; papers that the caller named are no result.
        return "partial" if state.get("sufficiency") else "nothing"
    judged = [item for text in sentences for item in (*text.citations, text.verdict) if item]
    open_ = any(item.verdict == "not_checked" for item in judged)
    return outcome_of(sentences, failures, whole=bool(state.get("checks")) and not open_)


def _sentence(
    number: int,
    sentence: Sentence,
    paragraph: int,
    printed: PrintedSection,
    verdicts: Sequence[CitationVerdict],
) -> CitedSentence:
    mine = [item for item in verdicts if item.sentence == number]
    uncited = next((item for item in mine if not item.key), None)
    mine = [item for item in mine if item.key]
    papers = {item.marker: item.paper.id for item in printed.references}
    judged = {item.key for item in mine}
    # A run may have stopped before, or between the two checks: what was not checked is shown as such.
    mine += [
        CitationVerdict(
            sentence=number,
            key=key,
            paper=papers[key],
            verdict="not_checked",
            cause="no_verified_quote",
        )
        for key in sentence.keys
        if key in papers and key not in judged
    ]
    rests_on, basis = _behind(sentence, papers, uncited)
    return CitedSentence(
        number=number,
        text=printed.sentence(sentence.text),
        marked=sentence.text,
        paragraph=paragraph,
        citations=tuple(mine),
        verdict=uncited,
        basis=basis,
        rests_on=rests_on,
    )


def _behind(
    sentence: Sentence, papers: Mapping[str, str], verdict: CitationVerdict | None
) -> tuple[tuple[str, ...], Quote | None]:
    """Return the papers and the words of the input that a sentence without citations rests on.

    Those are the ones whose words decided, where there are any.
    """
    maybe = tuple(papers[key] for key in sentence.rests_on if key in papers)
    quotes = [*filter(None, (verdict.quote,)), *verdict.further] if verdict else []
    quoted = {quote.paper for quote in quotes}
    own = next((quote for quote in quotes if quote.part == INPUT), sentence.basis)
    return tuple(paper for paper in maybe if paper in quoted or not quotes), own
