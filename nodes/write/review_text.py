"""Review: let a person edit the section before it is printed.

Reads `run`, `request`, `selected`, `keys`, `outline`, `final`, `verdicts`, `audit`, `removed`, `edited`, `settled`.
Writes `final`, `verdicts`, `keys`, `outline`, `removed`, `edited`, `settled`. The graph stops here as the run's
setting `review_text` asks. What was edited is checked like any other sentence: where the check finds that it
does not stand the person is asked again, and what is left so is taken out.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from nodes.common.ask_person import CLOSING, ask_person, make_paper_cards, should_ask
from nodes.write.cited_papers import lines_with_wrong_count
from nodes.write.number_references import paragraph_numbers
from nodes.write.plan_language.plan_rows import names_to_markers
from nodes.write.review_plan import with_new_keys
from nodes.write.rewrite_unsupported import fault_text, remove_sentences
from state.channels import SavedSection, WriteState
from state.paper import Paper, index_by_ids
from state.questions import TextQuestion
from state.run import fatal_failure
from state.writing import (
    INPUT,
    MARKER,
    UNBORNE,
    Citation,
    CitationVerdict,
    PlanLine,
    Sentence,
)
from tools.errors import InputError
from tools.services import NodeRuntime, open_services

ASKED = (
    "Edit the text: one line per sentence, an empty line between paragraphs; [n] "
    f"cites paper n of the list. CiteLoom checks your edits. {CLOSING}"
)
_FAULTY = "your edits did not pass the check: {}. Fix them, or send an empty answer to remove them"
Place = tuple[int, str]
"""A sentence with markers, and its paragraph."""


async def review_text(state: WriteState, runtime: NodeRuntime) -> WriteState:
    """Stop for a person; after an edit once more where the check found faults with it."""
    done: WriteState = {"settled": True, "edited": False}
    services = open_services(runtime, state["run"])
    if (
        fatal_failure(state.get("failures", []))
        or state.get("settled")
        or not state["final"].sentences
    ):
        return done
    sentences, findings, edited = state["final"].sentences, state["audit"].reasons, state["edited"]
    faulty = [item for item in state["verdicts"] if edited and item.verdict in UNBORNE]
    why = "; ".join([*findings, *(["CiteLoom removed sentences"] if state["removed"] else [])])
    if not (faulty if edited else should_ask(services.context.review_text, why)):
        return done
    order = list(dict.fromkeys([*state["selected"], *state["keys"].values()]))
    places = {paper: number for number, paper in enumerate(order, start=1)}
    numbers = {key: places[paper] for key, paper in state["keys"].items()}
    papers = await services.run_store.papers.get(order)
    cited = {state["keys"][key] for key in state["final"].keys}
    told = (f"sentence {item.sentence}: {fault_text(item)}" for item in faulty)
    rows = [_row(item, numbers) for item in sentences]
    question = TextQuestion(
        instructions=ASKED,
        why=why,
        findings=findings,
        error=_FAULTY.format("; ".join(told)) if faulty else "",
        proposal=_printed(rows, paragraph_numbers(sentences, state["outline"])),
        papers=make_paper_cards(
            {places[key]: papers[key] for key in order if key in papers}, chosen=cited.__contains__
        ),
    )

    async def read(text: str) -> WriteState:
        known = {row: item.text for row, item in zip(rows, sentences, strict=True)}
        keys, found = read_edited_text(
            text, known, state["keys"], order, index_by_ids(papers.values())
        )
        return _edited(state, keys, found)

    given = await ask_person(question, read)
    if given is not None:
        return {**given, "edited": True}
    out = remove_sentences(state, sorted({item.sentence for item in faulty})) if faulty else {}
    return {**out, **done}


def edited_section(
    section: SavedSection, text: str, order: Sequence[str], papers: Iterable[Paper]
) -> dict[str, Any]:
    """Return what of a section is other once a person has edited its text.

    Raises:
        InputError: It cites a paper that is not in `order`, or has no sentence.
    """
    places = {paper: number for number, paper in enumerate(order, start=1)}
    numbers = {key: places[paper] for key, paper in section.keys.items()}
    known = {_row(item, numbers): item.text for item in section.final.sentences}
    keys, found = read_edited_text(text, known, section.keys, order, index_by_ids(papers))
    before = WriteState(outline=section.outline, final=section.final, verdicts=[])
    return {**_edited(before, keys, found)}


def _row(sentence: Sentence, numbers: Mapping[str, int]) -> str:
    return " ".join(MARKER.sub(lambda found: f"[{numbers[found[1]]}]", sentence.text).split())


def _printed(rows: Sequence[str], paragraphs: Sequence[int]) -> str:
    blocks = groupby(zip(paragraphs, rows, strict=True), key=itemgetter(0))
    return "\n\n".join("\n".join(row for _, row in block) for _, block in blocks)


def read_edited_text(
    text: str,
    known: Mapping[str, str],
    keys: Mapping[str, str],
    order: Sequence[str],
    aliases: Mapping[str, str],
) -> tuple[dict[str, str], list[Place]]:
    """Return the keys with those of papers newly cited, and the sentences of an edited text.

    Args:
        text: As it came back.
        known: The sentences by their lines as they were shown; what stayed is not read anew.
        keys: The key of each paper that may be cited.
        order: The papers, as `[n]` counts them.
        aliases: Other ids of these.

    Raises:
        InputError: It cites a paper that is not in the list, or there is no sentence.
    """
    rows = [" ".join(row.split()) for row in text.splitlines()]
    marked = {
        row: names_to_markers(row, order, aliases, what="text")
        for row in rows
        if row and row not in known
    }
    named = [order[int(key[1:]) - 1] for row in marked.values() for key in MARKER.findall(row)]
    more = with_new_keys(keys, list(dict.fromkeys(named)))
    key_of = {paper: key for key, paper in more.items()}

    def mark(found: re.Match[str]) -> str:
        return f"{{{key_of[order[int(found[1][1:]) - 1]]}}}"

    blocks = (list(block) for filled, block in groupby(rows, key=bool) if filled)
    places = [
        (paragraph, known.get(row) or MARKER.sub(mark, marked[row]))
        for paragraph, block in enumerate(blocks, start=1)
        for row in block
    ]
    if not places:
        raise InputError("no sentence left: leave at least one line, or answer 'stop'")
    return more, places


def _edited(state: WriteState, keys: Mapping[str, str], found: Sequence[Place]) -> WriteState:
    """Return the text as edited; sentences that stayed keep what is known of them, the others are unchecked.

    Raises:
        InputError: A sentence that stayed counts papers that are not cited any more.
    """
    before = {
        item.text: (number, item) for number, item in enumerate(state["final"].sentences, start=1)
    }
    plan = state["outline"]
    lines = {line.number: line for line in plan.lines}
    cited: dict[int, list[str]] = {}
    for paragraph, text in found:
        cited.setdefault(paragraph, []).extend(MARKER.findall(text))
    untrue = lines_with_wrong_count(plan, [key for named in cited.values() for key in named])
    for _, text in found:
        if text in before and before[text][1].line in untrue:
            raise InputError(
                f"'{text[:80]}' counts papers that you no longer cite: edit or delete it"
            )
    sentences: list[Sentence] = []
    verdicts: list[CitationVerdict] = []
    for number, (paragraph, text) in enumerate(found, start=1):
        mine = tuple(dict.fromkeys(MARKER.findall(text)))
        place, old = before.get(text, (0, None))
        if old is None:
            around = tuple(dict.fromkeys(cited[paragraph]))
            rests = () if mine else (*around, INPUT)
            line = max(lines, default=0) + 1 if lines else paragraph
            old = Sentence(
                text=text,
                line=line,
                citations=tuple(Citation(key=key) for key in mine),
                rests_on=rests,
            )
        elif not lines:
            old = old.model_copy(update={"line": paragraph})
        if lines:
            asked = lines.get(old.line) or PlanLine(number=old.line, keys=mine)
            lines[old.line] = asked.model_copy(update={"paragraph": paragraph})
        sentences.append(old)
        verdicts += [
            item.model_copy(update={"sentence": number})
            for item in state["verdicts"]
            if item.sentence == place
        ]
    final = state["final"]
    return {
        "keys": dict(keys),
        "outline": plan.model_copy(update={"lines": tuple(lines.values())}),
        "final": final.model_copy(
            update={"id": f"{final.id}.edited", "parent": final.id, "sentences": tuple(sentences)}
        ),
        "verdicts": verdicts,
    }
