"""The tools that start no run of their own: what the papers of a library say of one another, and watches."""

import asyncio

from pydantic import BaseModel, ConfigDict, Field

from citeloom.report.library_citations import as_rows
from citeloom.runs.runs import Runs, wait_until_resting
from citeloom.runs.watch_record import all_watches, watch_of
from citeloom.service.tool_answers import PAGE, ToolResult, in_pages, part_page
from citeloom.service.watching import begin_watch, check_now, watch_card
from nodes.ingest.type_citations import library_citations
from tools.clients import open_clients
from tools.library.open_library import settings_for
from tools.settings import settings


class ReadCitations(BaseModel):
    """Of which library, and of which of its papers."""

    model_config = ConfigDict(extra="forbid")

    library: str = Field(description="Name of the library.", examples=["my-papers"])
    paper: str = Field(
        default="",
        description="Id, title or a part of the title: what others say of this paper, and it of them. "
        "All papers by default.",
    )
    page: int = Field(default=1, ge=1, description="Page of the sentences, from 1 to `pages`.")


async def read_citations(asked: ReadCitations, caller: str) -> ToolResult:
    """Return a page of what stands in a library of the caller's.

    Raises:
        InputError: There is no such paper or page.
        LibraryError: There is no such library.
    """
    here = settings()
    library = await open_clients(here).opened(asked.library, caller)
    told = await library_citations(library, settings_for(asked.library, caller, here), asked.paper)
    page = part_page("citations", "items", in_pages(as_rows(told)), asked.page)
    return ToolResult(status="completed", next="", **page)


class WatchSearch(BaseModel):
    """What to watch, or which watch to check."""

    model_config = ConfigDict(extra="forbid")

    what: str = Field(
        default="",
        description="Begins a watch: the `run` of find_papers or review, or a question or abstract.",
        examples=["20261123-084500-1a2b3c"],
    )
    name: str = Field(
        default="", description="With `what`, how to call it; alone, the watch to check now."
    )
    library: str = Field(default="", description="The library to search for a question.")
    sources: list[str] = Field(
        default=[],
        description="Where to search for a question; by default the library, or openalex and arxiv.",
    )
    max_usd: float | None = Field(
        default=None, ge=0, description="Maximum cost of one check, USD; by default 0.50."
    )
    wait_seconds: float = Field(
        default=50, ge=0, le=600, description="How long to wait for a check; it goes on after that."
    )


async def watch_search(asked: WatchSearch, runs: Runs) -> ToolResult:
    """Begin a watch, check one, or list them.

    Args:
        asked: Which of these.
        runs: Of this machine.

    Raises:
        InputError: There is no such run, source, library or watch.
        TransientError: The check was stopped, or failed.
    """
    if asked.what:
        given = asked.model_dump(exclude={"wait_seconds"})
        watch = await begin_watch(runs, given.pop("what"), **given)
        return ToolResult(
            status="completed", next=f"call this tool with the name '{watch.name}' to check it"
        )
    if not asked.name:
        return ToolResult(
            status="completed", next="", items=[watch_card(folder) for folder in all_watches()]
        )
    digests: list[str] = []

    async def follow(runs: Runs, run: str) -> None:
        async with asyncio.timeout(asked.wait_seconds):
            await wait_until_resting(runs, run)

    try:
        check, unsent = await check_now(
            asked.name, runs, follow, lambda number, text: digests.append(text)
        )
    except TimeoutError:
        return ToolResult(
            run=watch_of(asked.name).history().begun,
            status="working",
            next="call this tool again to go on",
        )
    text = "\n".join(digests) or "Nothing new."
    if len(text) > PAGE:
        text = f"{text[:PAGE]}\n\n(cut; {watch_of(asked.name).digest(check.number)} has the whole)"
    return ToolResult(
        run=check.run, graph="find", status="completed", next="", text=text, problem=unsent
    )
