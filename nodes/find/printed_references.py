"""Lists of references: follow what papers print that they cite, where no source knows it.

The library keeps the lists of its documents. Open copies are the last resort (LitLLM with Deep Research):
one is fetched as `ingest` fetches one (public addresses only, bounded in size and time), read in a
process of its own, and its entries are the run's papers where they are the same work; the others are
looked up in the sources.
"""

import asyncio
from collections.abc import Mapping, Sequence

from state.bibliography import Bibliography
from state.paper import Paper
from state.run import Failure
from tools.errors import DocumentError, InputError, PermanentError, TransientError, counted
from tools.ingest.reader_processes import read_open_copy, run_apart
from tools.references.read_bibliography import read_bibliography
from tools.references.works import merge_works
from tools.scholar.agreement import same_work
from tools.scholar.links import SourceLinks
from tools.scholar.lookup import WorkToLookUp, look_up
from tools.scholar.source import LinkAnswer, Source
from tools.services import Services

_NO_LIST = "CiteLoom could not read its reference list"


async def read_open_copies(
    services: Services, stage: str, papers: Sequence[Paper]
) -> tuple[dict[str, Bibliography], list[Failure]]:
    """Return the lists of references of the open copies of these papers, and what failed."""
    read = await asyncio.gather(*(_copied(services, stage, paper) for paper in papers))
    pairs = list(zip(papers, read, strict=True))
    lists = {paper.id: item for paper, item in pairs if isinstance(item, Bibliography)}
    return lists, [item for item in read if isinstance(item, Failure)]


async def follow_printed_references(
    services: Services,
    stage: str,
    lists: Mapping[str, Bibliography],
    known: Sequence[str],
    sources: Sequence[Source],
    *,
    titles: bool,
) -> tuple[list[SourceLinks], list[Failure]]:
    """Return which works these lists name, by the source that knows them, and what failed.

    Args:
        services: Of the run.
        stage: The step that asks, for failures.
        lists: What papers cite, by their ids.
        known: Ids of all papers of the run.
        sources: Where works are looked up, the first that knows one.
        titles: Whether works are looked up by title too, which is a request for each.
    """
    failures: list[Failure] = []
    if not lists or not sources:
        return [], failures
    entries, works = await asyncio.to_thread(
        merge_works, lists, await services.run_store.papers.values(known)
    )
    answers: list[SourceLinks] = []
    ids = {key: key for key in known}  # of the run, by the id of the work
    for source in sources:
        left = {place: work for place, work in enumerate(works) if work.id not in ids}
        mine = {} if answers else ids
        found, failed = await _looked_up(source, left, stage, titles=titles)
        failures += failed
        mine = mine | {works[place].id: paper.id for place, paper in found.items()}
        ids |= mine
        links = {
            paper: tuple(mine[work] for work in dict.fromkeys(cited) if work in mine)
            for paper, cited in entries.works.items()
        }
        came = {paper.id: paper for paper in found.values()}
        answers.append(SourceLinks(source, LinkAnswer(links=links, papers=came)))
    return answers, failures


async def _copied(services: Services, stage: str, paper: Paper) -> Bibliography | Failure:
    """Fetch the open copy of a paper, and return its list of references."""
    at = services.clients.settings
    try:
        copy = await read_open_copy(paper, run=services.run, ledger=services.ledger, settings=at)
        listed = await run_apart(at, read_bibliography, copy.document)
    except (DocumentError, TransientError, PermanentError, InputError, OSError) as error:
        return _failure(stage, f"the open copy of {paper.id}", str(error))
    return listed if listed.entries else _failure(stage, f"the open copy of {paper.id}", _NO_LIST)


async def _looked_up(
    source: Source, works: Mapping[int, Paper], stage: str, *, titles: bool
) -> tuple[Mapping[int, Paper], list[Failure]]:
    """Return the records of these works, by place, that a source knows; titles it could not be asked."""
    wanted = {
        place: WorkToLookUp(
            tuple(key for key in (work.id, *work.aliases) if not key.startswith("title:")),
            work if titles else None,
        )
        for place, work in works.items()
    }
    try:
        looked = await look_up(source, wanted)
    except (TransientError, PermanentError) as error:
        return {}, [_failure(stage, source.name, str(error))]
    # An id may be printed or read wrongly.
    found = {place: one for place, one in looked.found.items() if same_work(works[place], one)}
    if not looked.failed:
        return found, []
    subject = f"{source.name}: {counted(len(looked.failed), 'work')} of lists of references"
    return found, [_failure(stage, subject, next(iter(looked.failed.values())))]


def _failure(stage: str, subject: str, cause: str) -> Failure:
    return Failure(
        stage=stage,
        subject=subject,
        cause=cause,
        remedy="CiteLoom did not follow its reference list; run again to retry",
    )
