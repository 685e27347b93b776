"""The tool that tells what the papers of a library say of one another; it starts no run and asks no model."""

from pydantic import BaseModel, ConfigDict, Field

from citeloom.report.library_citations import as_rows
from citeloom.service.tool_answers import ToolResult, in_pages, part_page
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
