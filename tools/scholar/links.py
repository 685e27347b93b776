"""Who cites whom, from whichever sources know it at the least price.

The rule: what came along with a record costs nothing and is always used; sources whose lists are
free are all asked, because no one of them has every link; a source that charges for a list is
asked only about the papers for which the free ones gave nothing; and last, where one is given, a
source that is not searched itself (Crossref). A source that fails is reported and the others go on.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from state.paper import Paper
from tools.errors import CiteLoomError, PermanentError, TransientError
from tools.scholar.source import LinkAnswer, Source


@dataclass(frozen=True)
class SourceLinks:
    """What one source said."""

    source: Source
    linked: LinkAnswer


@dataclass
class GatheredLinks:
    """What all sources said, in the order in which they were asked."""

    answers: list[SourceLinks] = field(default_factory=list)
    failures: list[tuple[Source, CiteLoomError]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """Papers for which every source that was asked answered, and none had a link."""


async def references_of(
    papers: Sequence[Paper], sources: Sequence[Source], *, last: Source | None = None
) -> GatheredLinks:
    """Return what these papers cite."""
    gathered = GatheredLinks()
    linking = [source for source in sources if source.offer.links]
    for source in sorted(linking, key=lambda source: bool(source.offer.list_usd)):
        # A record's own references come along with it, so these cost no call.
        carried = [paper for paper in papers if _carries(paper, source)]
        rest = [
            paper for paper in papers_without_links(papers, gathered) if not _carries(paper, source)
        ]
        wanted = [*carried, *rest] if source.offer.list_usd else papers
        await _ask(gathered, source, source.references, wanted)
    if last is not None:
        await _ask(gathered, last, last.references, papers_without_links(papers, gathered))
    if linking and not gathered.failures:
        gathered.missing = [paper.id for paper in papers_without_links(papers, gathered)]
    return gathered


async def citations_of(
    papers: Sequence[Paper], sources: Sequence[Source], *, limit: int
) -> GatheredLinks:
    """Return what cites these papers, at most about `limit` works for each."""
    gathered = GatheredLinks()
    linking = [source for source in sources if source.offer.links]
    for source in sorted(linking, key=lambda source: source.offer.list_usd):
        wanted = papers_without_links(papers, gathered) if source.offer.list_usd else papers
        await _ask(gathered, source, partial(source.citations, limit=limit), wanted)
    return gathered


async def _ask(
    gathered: GatheredLinks,
    source: Source,
    follow: Callable[[Sequence[Paper]], Awaitable[LinkAnswer]],
    papers: Sequence[Paper],
) -> None:
    if not papers:
        return
    try:
        gathered.answers.append(SourceLinks(source, await follow(papers)))
    except (TransientError, PermanentError) as error:
        gathered.failures.append((source, error))


def papers_without_links(papers: Sequence[Paper], gathered: GatheredLinks) -> list[Paper]:
    """Return those papers for which no answer has a link yet."""
    linked = {
        key for answer in gathered.answers for key, ends in answer.linked.links.items() if ends
    }
    return [paper for paper in papers if paper.id not in linked]


def _carries(paper: Paper, source: Source) -> bool:
    return any(key.startswith(f"{source.name}:") for key in paper.references)
