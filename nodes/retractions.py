"""Retractions: which papers were retracted by now, for every graph that keeps, cites or checks papers.

It is asked anew in each run: an answer that an earlier run has cached may be from before the notice.
"""

from collections.abc import Collection

from state.paper import Paper
from state.request import Request
from state.run import Failure
from tools.errors import InputError, PermanentError, TransientError
from tools.scholar.opening import is_online
from tools.services import Services


async def retracted_now(
    services: Services,
    request: Request,
    papers: Collection[Paper],
    stage: str,
    *,
    records: bool = False,
) -> tuple[dict[str, Paper], list[Failure]]:
    """Return those papers that were retracted and are not marked so, marked; and who could not be asked.

    Without a source on the network nobody but the library is asked.

    Args:
        services: Of the run that asks.
        request: Its sources are asked.
        papers: Whose retraction is in question.
        stage: The node that asks, for its failures.
        records: Whether the sources are asked for the records, too: those of an earlier run may be old.
    """
    open_, marked, failures = {one.id: one for one in papers if not one.retracted}, {}, []
    asked = [name for name in request.sources if records]
    if any(is_online(name) for name in request.sources):
        asked.append("notices")
    for name in asked if open_ else ():
        try:
            told = await _told_by(name, services, request, list(open_.values()))
        except (TransientError, PermanentError, InputError) as error:
            subject = "crossref" if name == "notices" else name
            failures.append(Failure(stage=stage, subject=subject, cause=str(error), remedy=_REMEDY))
            continue
        for key, origin in told.items():
            paper = open_.pop(key)
            update = {"retracted": True, "origin": {**paper.origin, "retracted": origin}}
            marked[key] = paper.model_copy(update=update)
    return marked, failures


_REMEDY = (
    "retractions are known only as far as the other sources mark them; run again when it answers"
)


async def _told_by(
    name: str, services: Services, request: Request, papers: list[Paper]
) -> dict[str, str]:
    """Return who says so, by the id of each paper that a source, or Crossref's notices, call retracted."""
    if name == "notices":
        crossref = await services.crossref(request, refresh=True)
        notices = await crossref.retractions(papers)
        return {key: f"crossref: {notice}" for key, notice in notices.items()}
    source = await services.source(name, request, refresh=True)
    ids = {key: paper.id for paper in papers for key in (paper.id, *paper.aliases)}
    records = await source.get([key for key in ids if not key.startswith("title:")])
    return {ids[key]: name for key, record in records.items() if record.retracted}
