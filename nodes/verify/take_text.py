"""Take the text to check, its reference list, and the records of the papers that it cites.

Reads the input of `verify`. Writes `run`, `request`, `strictly`, `body`, `entries`, `source`, `source_file`,
`in_paragraphs`, `stop`, and resets what an earlier run on the same thread may have left; the records go to the store.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from pydantic import ValidationError

from nodes.common.check_input import by_its_key, check_language, parse_input, refusing
from state.bibliography import ReferenceEntry
from state.inputs import CheckedRequest, VerifyInput
from state.paper import Paper, canonical_id
from state.reducers import begin_run
from state.run import Failure
from state.verify import Entry, VerifyState
from tools.bibliography.read_record import RecordError, paper_from
from tools.errors import InputError, counted
from tools.references.manuscript import is_latex, read_manuscript
from tools.references.matching import find_paper
from tools.references.works import paper_of_entry
from tools.run_settings import check_settings
from tools.services import NodeRuntime, open_services
from tools.text.places import PlaceFinder
from tools.text.words import tokens

STAGE = "take_text"
MOST_TEXT_CHARACTERS = 100_000
MAX_REFERENCES = 500
_ABOUT = 1500
"""Characters of the text by which its language is told."""


async def take_text(state: Mapping[str, object], runtime: NodeRuntime) -> VerifyState:
    """Read text, list and records; what cannot be read is a failure."""
    run = uuid4().hex
    services = open_services(runtime, run)
    request, body, entries = CheckedRequest(text=""), list[str](), list[Entry]()
    failures: list[Failure] = []
    strict, source, file, in_paragraphs = False, "", "", False
    with refusing(STAGE) as stopped:
        check_settings(services.context)
        sent = parse_input(VerifyInput, state)
        strict, file, in_paragraphs = sent.strict, sent.file, bool(sent.paragraphs)
        source = _on_disk(sent)
        if len(sent.text) > MOST_TEXT_CHARACTERS:
            raise InputError(
                f"the text has {len(sent.text):,} characters; the maximum is {MOST_TEXT_CHARACTERS:,}: "
                "give one section at a time, with its references"
            )
        read = await asyncio.to_thread(read_manuscript, sent.text)
        body, listed = list(read.body), read.entries
        about = " ".join(body)[:_ABOUT]
        if len(tokens(about)) < 3 or "\x00" in sent.text:
            raise InputError("no text to check: give at least one sentence with a citation")
        code, notes = await check_language(about, composes=services.mind.composes)
        request = CheckedRequest(
            text=about,
            language=code,
            library=sent.library,
            notes=notes,
            sources=tuple(dict.fromkeys(sent.sources)) or ("library",),
        )
        papers, given, failures = _given(sent.papers)
        entries, parsed = _entries(listed, given, papers)
        entries = await asyncio.to_thread(
            placed_entries, entries, source, file, paragraphs=in_paragraphs
        )
        if len(entries) > MAX_REFERENCES:
            raise InputError(
                f"there are {counted(len(entries), 'reference')}: give at most {MAX_REFERENCES}"
            )
        await services.run_store.papers.put([*papers.values(), *parsed])
    return begin_run(
        VerifyState,
        run=run,
        request=request,
        body=body,
        entries=entries,
        strictly=strict,
        source=source,
        source_file=file,
        in_paragraphs=in_paragraphs,
        stop=next(iter(stopped), None),
        failures=[*failures, *stopped],
    )


def _on_disk(sent: VerifyInput) -> str:
    """Return the text of the file, one line a paragraph of a Word file; nothing of a PDF, which has no lines."""
    if not sent.paragraphs:
        return "" if sent.file.lower().endswith(".pdf") else sent.text
    if sum(map(len, sent.paragraphs)) > 2 * MOST_TEXT_CHARACTERS:
        raise InputError("the paragraphs of the Word file are longer than its text can be")
    return "\n".join(" ".join(one.split()) for one in sent.paragraphs)


def placed_entries(
    entries: Sequence[Entry], source: str, file: str, *, paragraphs: bool = False
) -> list[Entry]:
    """Return entries of a list in a text, each with its place there; those of records keep theirs."""
    listed = [item.raw for item in entries if item.raw]
    if not listed:
        return list(entries)
    finder = PlaceFinder(source, file, latex=is_latex(source), paragraphs=paragraphs)
    found = iter(finder.find(listed))
    return [
        item.model_copy(update={"place": (at := next(found)) and at.place()}) if item.raw else item
        for item in entries
    ]


def _given(
    sent: Sequence[str | dict[str, Any]],
) -> tuple[dict[str, Paper], list[Entry], list[Failure]]:
    """Return the records sent by id, an entry for each record or id in order, and what is unusable.

    Records with one id stay two: the second goes by its key.
    """
    papers: dict[str, Paper] = {}
    entries: list[Entry] = []
    failures: list[Failure] = []
    for number, item in enumerate(sent, start=1):
        try:
            if isinstance(item, str):
                entries.append(Entry(label=str(number), wanted=canonical_id(item)))
                continue
            item, places = _parted(item)
            paper = Paper.model_validate(item) if "origin" in item else paper_from(item)
            paper = by_its_key(paper, papers, number)
            papers[paper.id] = paper
            entries.append(Entry(label=str(number), paper=paper.id, **places))
        except (RecordError, ValueError, ValidationError) as error:
            failures.append(
                Failure(
                    stage=STAGE,
                    subject=str(item)[:80],
                    cause=f"not a usable record: {error}"[:300],
                    remedy="CiteLoom treats its citations as unresolved",
                )
            )
    return papers, entries, failures


def _parted(item: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a record, and where it and its fields stand in its file."""
    places = {name: item[name] for name in ("place", "fields") if isinstance(item.get(name), dict)}
    Entry.model_validate(places)
    return {name: value for name, value in item.items() if name not in places}, places


def _entries(
    listed: Sequence[ReferenceEntry], given: Sequence[Entry], papers: dict[str, Paper]
) -> tuple[list[Entry], list[Paper]]:
    """Return the entries of the text's own list, if it has one, each with the record sent for it.

    Records that no entry of the list is for stay entries, to be cited by their keys.
    """
    if not listed:
        return list(given), []
    found = [find_paper(item, papers.values()) for item in listed]
    cited = [paper or paper_of_entry(item) for paper, item in zip(found, listed, strict=True)]
    entries = [
        Entry(label=item.label, raw=item.text, paper=paper.id, confidence=item.confidence)
        for paper, item in zip(cited, listed, strict=True)
    ]
    used = {paper.id for paper in cited}
    rest = [item.model_copy(update={"label": ""}) for item in given if item.paper not in used]
    return [*entries, *rest], [paper for paper in cited if paper.id not in papers]
