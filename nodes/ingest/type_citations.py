"""Type citations: what the sentences of a library's papers do with the papers of it that they cite.

Code finds the sentences (tools.library.citing_sentences). A model says of each what it does; without one, phrases of
their own words say it for a few (tools.text.cue_phrases), and the others are not typed. What a model said is kept with
the library as it comes, so that nothing is asked twice.
"""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any

from pydantic import BaseModel, Field

from nodes.common.ask_model import ask_in_batches, failures_by_cause
from state.citing import CUE_WORDS, CitingSentence, LibraryCitations, PaperName, Stance
from state.paper import NO_AUTHOR, Paper
from state.run import Failure
from tools.documents.document_cache import DocumentStore
from tools.embed.embedder import Embedder
from tools.errors import BudgetError, DocumentError
from tools.evidence.prompt_injection import without_injections
from tools.ingest.reader_processes import run_apart
from tools.library.citing_sentences import CitingSentences
from tools.library.library import Library
from tools.library.vector_index import (
    Progress,
)
from tools.llm.task import Task, TaskModel
from tools.references.read_bibliography import read_bibliography
from tools.settings import Settings
from tools.text.cue_phrases import stance_by_cues

STAGE = "type_citations"
_TOGETHER = 20
"""Sentences in one question, all of one paper."""
_LONGEST = 1500
"""Characters of a sentence that are shown."""

PROMPT = """\
You say what sentences of scientific papers do with the works that they cite. Each of the `citations` has its id, a
`sentence` with the sentences `before` and `after` it, the `marker` in the sentence that cites, and what it `cites`: the
work's authors, year and title.

Answer for each, under its id, what the sentence does with this one work:
- supports: it says that a finding or claim agrees with this work's, confirms it or is consistent with it.
- contrasts: it sets a method, a finding or a view apart from this work's: it disagrees, differs, does better, or names
  what this work lacks.
- uses: the sentence's authors take something over from this work: a method, data, code, a measure, a definition; or
  extend it.
- background: it only tells what this work is, did or found, likens something to it, points to it for details, or names
  it as an example or source of a general fact.
- unclear: the words do not tell which.

Where a sentence cites several works, judge what it says of the one at the `marker`. Where it does two of these,
contrasts goes before supports, supports before uses, and uses before background. What counts is what the `sentence`
itself says, which is all that a reader is shown; `before` and `after` tell what its words refer to. Judge by the words
given here alone.
"""


class ShownCitation(BaseModel):
    """A sentence that cites, as the model sees it."""

    id: str
    sentence: str
    marker: str
    cites: str
    before: str | None = None
    after: str | None = None


class Typed(BaseModel):
    """What one sentence does."""

    id: str = Field(description="The citation's id, as given.")
    stance: Stance


class Types(BaseModel):
    """The model's answer."""

    citations: list[Typed] = Field(description="One for each citation, in their order.")


def extract(embedder: Embedder, *, citations: Sequence[ShownCitation], **_: object) -> Types:
    """Type those of which a phrase says it; the others are left out."""
    told = ((one.id, stance_by_cues(one.sentence, one.marker)) for one in citations)
    return Types(citations=[Typed(id=id_, stance=stance) for id_, stance in told if stance])


TASK = Task(
    name="type_citations",
    prompt=PROMPT,
    answer=Types,
    tier="fast",
    extract=extract,
    max_output_tokens=200 + 25 * _TOGETHER,
)


@dataclass(frozen=True)
class _Asking:
    """Who is asked outside of a run."""

    mind: TaskModel


async def library_citations(
    library: Library,
    settings: Settings,
    paper: str = "",
    mind: TaskModel | None = None,
    progress: Progress | None = None,
) -> LibraryCitations:
    """Return what the papers of a library say of one another, or what others say of one paper and it of them.

    Args:
        library: Whose papers.
        settings: Of its home.
        paper: Id, title or a part of the title; all papers if empty.
        mind: Who types what no model has typed yet; nobody if None.
        progress: Called with (documents or sentences done, of how many).

    Raises:
        InputError: No paper is called so, or several are.
        LibraryError: The library is damaged or cannot be written.
        TransientError, PermanentError: The model's endpoint is out of reach or refuses.
    """
    named = (await asyncio.to_thread(library.called, paper)).id if paper else ""
    sentences, failures = await read_citing_sentences(library, settings, progress=progress)
    if mind is not None:
        failures += await type_citations(library, sentences, mind, progress)
    found = [
        item
        for item in await asyncio.to_thread(sentences.found)
        if named in ("", item.cited, item.citing)
    ]
    ids = {key for item in found for key in (item.citing, item.cited)}
    known = await asyncio.to_thread(library.get, {*ids, named})
    return LibraryCitations(
        library=library.name,
        paper=named,
        papers={
            key: PaperName(
                name=one.citation if one.authors else NO_AUTHOR, year=one.year, title=one.title
            )
            for key, one in known.items()
        },
        sentences=tuple(found),
        failures=tuple(failures),
    )


async def read_citing_sentences(
    library: Library,
    settings: Settings,
    papers: Collection[str] | None = None,
    progress: Progress | None = None,
) -> tuple[CitingSentences, list[Failure]]:
    """Look through the documents of these papers, or of all, that have changed; return what is found, and what failed.

    Args:
        library: Whose papers.
        settings: Of its home, where documents are kept.
        papers: Ids of citing papers.
        progress: Called with (documents read, of how many).

    Raises:
        LibraryError: The library is damaged or cannot be written.
    """
    sentences = CitingSentences(library, DocumentStore(settings.home))
    failures: list[Failure] = []
    unread = await asyncio.to_thread(sentences.unread, papers)
    for done, one in enumerate(unread, start=1):
        document, entries = await asyncio.to_thread(sentences.document, one)
        try:
            cites = await run_apart(settings, read_bibliography, document, entries)
        except DocumentError as error:
            failures.append(
                Failure(
                    stage=STAGE,
                    subject=one.paper,
                    cause=str(error),
                    remedy="CiteLoom does not show what this paper says of others",
                )
            )
        else:
            await asyncio.to_thread(sentences.put, one, document, cites)
        if progress:
            progress(done, len(unread))
    return sentences, failures


async def type_citations(
    library: Library, sentences: CitingSentences, mind: TaskModel, progress: Progress | None = None
) -> list[Failure]:
    """Have a model type the sentences that none has typed, and keep what it says; return what failed.

    Raises:
        TransientError, PermanentError: The model's endpoint is out of reach or refuses; what was typed is kept.
    """
    if not mind.judges:
        return []
    items = await asyncio.to_thread(sentences.found)
    waiting = {
        f"C{at}": item for at, item in enumerate(items, start=1) if item.by in {"", CUE_WORDS}
    }
    papers = await asyncio.to_thread(library.get, {item.cited for item in waiting.values()})
    parts = [list(keys) for _, keys in groupby(waiting, key=lambda key: waiting[key].citing)]
    done = 0

    def inputs(group: Sequence[str]) -> dict[str, Any]:
        shown = [_shown(key, waiting[key], papers[waiting[key].cited]) for key in group]
        return {"citations": shown}

    async def take(group: Sequence[str], answer: Types) -> None:
        nonlocal done
        said = {one.id: one.stance for one in answer.citations if one.id in group}
        typed = [
            waiting[key].model_copy(update={"stance": stance, "by": mind.name})
            for key, stance in said.items()
        ]
        await asyncio.to_thread(sentences.type, sorted(typed, key=attrgetter("document")))
        done += len(group)
        if progress:
            progress(done, len(waiting))

    remedy = "only cue words type these sentences; run again to continue"
    try:
        causes = await ask_in_batches(_Asking(mind), TASK, parts, _TOGETHER, inputs, take)
    except BudgetError as error:
        return [Failure(stage=STAGE, subject="budget", cause=str(error), remedy=remedy)]
    return failures_by_cause(STAGE, causes, "sentence", remedy)


def _shown(key: str, item: CitingSentence, cited: Paper) -> ShownCitation:
    title = without_injections(cited.title)[0]
    return ShownCitation(
        id=key,
        sentence=item.text[:_LONGEST],
        marker=item.marker,
        cites=f"{cited.citation} ({cited.year or 'n.d.'}): {title}",
        before=item.before[:_LONGEST] or None,
        after=item.after[:_LONGEST] or None,
    )
