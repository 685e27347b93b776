"""Opening a library for a command."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tools.errors import InputError

if TYPE_CHECKING:
    from tools.library.library import Library
    from tools.settings import Settings


NAMED = Annotated[
    str | None,
    typer.Option(
        "--library", "-l", help="The library, whose name may also come first.", metavar="NAME"
    ),
]


ENGINE = Annotated[
    Literal["local", "ray"],
    typer.Option(
        help="What reads and embeds: this process, or a Ray cluster: that of RAY_ADDRESS, or one started "
        "on this machine (needs the extra ray)."
    ),
]


def named(library: str | None, given: Sequence[str], what: str = "") -> tuple[str, str]:
    """Return the library of a command, from its option or its first argument, and the other words.

    Raises:
        InputError: There is none, or nothing else where `what` says that there must be.
    """
    name, *rest = ([library] if library else []) + list(given) or [""]
    if not name or (what and not rest):
        raise InputError(f"give {what or 'a library'}, with the library's name: --library NAME")
    return name, " ".join(rest)


def process_settings() -> "Settings":
    """Return the settings of the process; what loads them is loaded on use, so that help comes at once."""
    from tools.settings import settings

    return settings()


@contextmanager
def opened(name: str) -> "Iterator[Library]":
    """Open a library whose vectors may be of another embedder, which only searches mind."""
    from tools.embed.open_embedder import embedder
    from tools.library.open_library import open_library

    library = open_library(name, process_settings(), embedder(), any_embedder=True)
    try:
        yield library
    finally:
        library.close()
