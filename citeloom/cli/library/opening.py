"""Opening a library for a command, and saying in one sentence why it cannot be done."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from tools.errors import CiteLoomError

if TYPE_CHECKING:
    from citeloom.settings import Settings
    from tools.library.library import Library


def process_settings() -> "Settings":
    """Return the settings of the process; read on use, so that a test may change them."""
    from citeloom.settings import settings

    return settings()


@contextmanager
def told_errors() -> Iterator[None]:
    """Print an error of CiteLoom as one sentence and exit with 2."""
    try:
        yield
    except CiteLoomError as error:
        typer.echo(f"Error: {error}", err=True)
        raise typer.Exit(2) from error
    except OSError as error:
        where = error.filename or process_settings().home
        typer.echo(
            f"Error: {where} cannot be used ({error.strerror}): set CITELOOM_HOME to a folder of yours",
            err=True,
        )
        raise typer.Exit(2) from error


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
