"""An input that is only an id of a paper: the review is about what that paper is about."""

from state.paper import Paper, canonical_id
from state.request import Request
from tools.errors import InputError, PermanentError, TransientError
from tools.services import Services

_LONGEST = 300
"""Characters beyond which nothing is an id."""


def id_in(text: str) -> str | None:
    """Return the id that the text consists of (a DOI or arXiv id, or an address of one), or None."""
    named = text.strip()
    if not named or len(named) > _LONGEST or len(named.split()) > 1:
        return None
    key = canonical_id(named)
    return None if key.startswith(("local:", "title:")) else key


async def text_of(key: str, request: Request, services: Services) -> str:
    """Return the title, as a heading, and the abstract of a paper, from the first source that has both.

    Raises:
        InputError: No source has its abstract; the message says what to do.
        LibraryError: There is no such library.
    """
    known: Paper | None = None
    failed: list[str] = []
    for name in request.sources:
        source = await services.source(name, request)
        try:
            found = (await source.get([key])).get(key)
        except (TransientError, PermanentError) as error:
            failed.append(f"{name} did not answer ({error})")
            continue
        if found and found.abstract and found.abstract_kind == "abstract":
            return f"# {found.title}\n\n{found.abstract}"
        known = known or found
    told = f"of {key} no source has the abstract" if known else f"no source knows the paper {key}"
    why = f": {'; '.join(failed)}" if failed else f"; asked: {', '.join(request.sources)}"
    raise InputError(
        f"{told}{why}. Name another source (such as openalex or arxiv), or give its abstract as the input"
    )
