"""What the papers of a run say of one another, in sentences of their texts in the run's library."""

import asyncio
from collections.abc import Iterable, Sequence

from nodes.ingest.type_citations import read_citing_sentences
from state.citing import CitingSentence, Stance
from state.inputs import CheckedRequest
from state.paper import Paper, index_by_ids
from state.run import Failure
from tools.errors import LibraryError
from tools.library.open_library import settings_for
from tools.services import Services

_TELLING: tuple[Stance | None, ...] = (
    "contrasts",
    "supports",
    "uses",
    "unclear",
    None,
    "background",
)


def most_telling(found: Iterable[CitingSentence]) -> list[CitingSentence]:
    """Return sentences in the order of how much they tell of two works: how these differ first."""
    return sorted(found, key=lambda item: _TELLING.index(item.stance))


async def sentences_between(
    services: Services, request: CheckedRequest, papers: Sequence[Paper], *, stage: str
) -> tuple[list[CitingSentence], list[Failure]]:
    """Return the sentences in which one of these papers cites another, by their ids in the run, and what failed.

    Each is typed as the library has it; no model is asked. The library 'starter' has no texts.
    """
    if len(papers) < 2 or request.library == "starter" or "library" not in request.sources:
        return [], []
    known = index_by_ids(papers)
    try:
        library = await services.library(request.library)
        at = settings_for(request.library, services.caller, services.clients.settings)
        there = await asyncio.to_thread(library.get, list(known))
        here = {paper.id: known[key] for key, paper in there.items()}
        sentences, failures = await read_citing_sentences(library, at, list(here))
        found = await asyncio.to_thread(sentences.found, list(here))
    except LibraryError as error:
        failure = Failure(
            stage=stage,
            subject=f"library '{request.library}'",
            cause=str(error),
            remedy="CiteLoom does not show what papers say of one another",
        )
        return [], [failure]
    return [
        item.model_copy(update={"citing": here[item.citing], "cited": here[item.cited]})
        for item in found
        if item.cited in here and here[item.cited] != here[item.citing]
    ], failures
