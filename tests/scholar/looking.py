"""Look a title up as a run does."""

from state.paper import Paper
from tools.scholar.lookup import WorkToLookUp, look_up
from tools.scholar.source import Source


async def under_title(source: Source, title: str, year: int | None = None) -> Paper | None:
    """Return the paper that a source is found to have under a title."""
    wanted = WorkToLookUp((), Paper(id="title:x", title=title, year=year))
    return (await look_up(source, {0: wanted})).found.get(0)
