"""What every source of papers offers."""

from collections.abc import Collection, Sequence
from datetime import date
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from state.paper import Paper
from state.query import SearchQuery


class Source(Protocol):
    """A place to search for papers. Every method raises TransientError or PermanentError.

    A source that could not answer raises; an empty answer means that there is nothing.
    """

    @property
    def name(self) -> str:
        """How it is named in the search log."""
        ...

    @property
    def searches_meaning(self) -> bool:
        """Whether a whole abstract is a useful query here."""
        ...

    async def search(self, query: SearchQuery, *, before: date | None, limit: int) -> list[Paper]:
        """Return at most `limit` papers, best first; those past the cut-off may be among them."""
        ...

    async def get(self, ids: Sequence[str]) -> dict[str, Paper]:
        """Return the papers it knows, by the id asked for."""
        ...

    async def references(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return, by citing paper, the papers it cites that this source can give."""
        ...

    async def citations(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return, by cited paper, the papers that cite it and that this source can give."""
        ...

    async def vectors(self, ids: Collection[str]) -> dict[str, NDArray[np.float32]]:
        """Return stored vectors of the embedder in use, where it has them; else nothing."""
        ...

    async def same_work(self, title: str, abstract: str) -> str | None:
        """Return the id of the paper whose title or abstract this is, if it has it."""
        ...
