"""Opening a library for a command."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citeloom.settings import Settings
    from tools.library.library import Library


def process_settings() -> "Settings":
    """Return the settings of the process; what loads them is loaded on use, so that help comes at once."""
    from citeloom.settings import settings

    return settings()


@contextmanager
def opened(name: str) -> "Iterator[Library]":
    """Open a library whose vectors may be of another embedder, which only searches mind."""
    from tools.embed.open import embedder
    from tools.library.open import open_library

    library = open_library(name, process_settings(), embedder(), any_embedder=True)
    try:
        yield library
    finally:
        library.close()
