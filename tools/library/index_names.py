"""What tells the vectors of a library from others: who made them, where they are, and when they were begun anew."""

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from uuid import uuid4

from tools.embed.embedder import Embedder, multi_size
from tools.settings import Settings

FOLDER, SERVER = "folder", "server"


class Names(NamedTuple):
    """Which vectors a library has."""

    embedder: str
    size: int
    multi: int | None
    """Length of token vectors, where the embedder makes them."""
    generation: str
    """What tells this index from others of the library."""
    place: str = ""
    """FOLDER or SERVER; catalogs of earlier versions do not say, and go by the settings."""

    def meta(self) -> dict[str, str]:
        """Return them as the catalog remembers them."""
        return {
            "embedder": self.embedder, "size": str(self.size), "multi": str(self.multi or ""),
            "generation": self.generation, "place": self.place,
        }  # fmt: skip

    def fits(self, embedder: Embedder) -> bool:
        """Whether this embedder made the vectors."""
        return (self.embedder, self.size) == (embedder.name, embedder.size)


def place_in(settings: Settings) -> str:
    """Return where these settings put vectors."""
    return SERVER if settings.qdrant_url else FOLDER


def names_for(embedder: Embedder, place: str) -> Names:
    """Return the names of a new index for this embedder."""
    return Names(embedder.name, embedder.size, multi_size(embedder), uuid4().hex[:8], place)


def names_from(meta: Mapping[str, str]) -> Names:
    """Return the names that a catalog's `meta` holds: of the index that its rows speak of."""
    multi = int(meta["multi"]) if meta.get("multi") else None
    return Names(
        meta["embedder"], int(meta["size"]), multi, meta["generation"], meta.get("place", "")
    )


def searched_names(meta: Mapping[str, str]) -> Names:
    """Return the names of the index that is searched: while another is filled, the one before it."""
    return next(iter(_listed(meta, "former")), names_from(meta))


def outdated_names(meta: Mapping[str, str]) -> list[Names]:
    """Return the names of the indexes that are to be deleted."""
    return _listed(meta, "outdated")


def listed(names: Iterable[Names]) -> str:
    """Return names as `meta` holds those that are not of the index which is filled."""
    return json.dumps(list(names))


def _listed(meta: Mapping[str, str], key: str) -> list[Names]:
    return [Names(*values) for values in json.loads(meta.get(key, "[]"))]
