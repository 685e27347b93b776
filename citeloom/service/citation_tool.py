"""The tool that tells what the papers of a library say of one another; it starts no run and asks no model."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from citeloom.report.library_citations import as_rows
from citeloom.service.tool_answers import in_pages, lean_schema
from nodes.ingest.type_citations import library_citations
from state.value import FrozenModel
from tools.clients import open_clients
from tools.errors import InputError
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


class CitationPage(FrozenModel):
    """Sentences in which papers of a library cite one another."""

    library: str
    paper: str = Field(default="", description="Id of the paper asked about.")
    page: int
    pages: int
    items: list[dict[str, Any]] = Field(
        description="`citing` says `sentence` of `cited`; `type` by a model or by 'cue words'."
    )


GIVES = lean_schema(CitationPage)


async def read_citations(asked: ReadCitations, caller: str) -> dict[str, Any]:
    """Return a page of what stands in a library of the caller's.

    Raises:
        InputError: There is no such paper or page.
        LibraryError: There is no such library.
    """
    here = settings()
    library = await open_clients(here).opened(asked.library, caller)
    told = await library_citations(library, settings_for(asked.library, caller, here), asked.paper)
    pages = in_pages(as_rows(told))
    if asked.page > len(pages):
        raise InputError(f"there is no page {asked.page}: the last page is {len(pages)}")
    return CitationPage(
        library=told.library,
        paper=told.paper,
        page=asked.page,
        pages=len(pages),
        items=pages[asked.page - 1],
    ).model_dump(mode="json")
