"""Ask a source as a run does: a query in words, a title."""

from state.paper import Paper
from state.search import Facet, SearchQuery
from tools.scholar.lookup import WorkToLookUp, look_up
from tools.scholar.source import Source


def query(text: str, facet: Facet = "problem") -> SearchQuery:
    return SearchQuery(text=text, facet=facet, reason="a test")


async def under_title(source: Source, title: str, year: int | None = None) -> Paper | None:
    """Return the paper that a source is found to have under a title."""
    wanted = WorkToLookUp((), Paper(id="title:x", title=title, year=year))
    return (await look_up(source, {0: wanted})).found.get(0)
