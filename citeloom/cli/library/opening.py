"""Opening a library for a command."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from citeloom.settings import settings

if TYPE_CHECKING:
    from tools.library.library import Library


@contextmanager
def opened(name: str) -> "Iterator[Library]":
    """Open a library whose vectors may be of another embedder, which only searches mind."""
    from tools.embed.open import embedder
    from tools.library.open import open_library

    library = open_library(name, settings(), embedder(), any_embedder=True)
    try:
        yield library
    finally:
        library.close()
