"""What a command says on standard error, besides its result."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from tools.errors import CiteLoomError, InputError


def say(text: str) -> None:
    """Print a line to standard error, with rich's markup."""
    from rich.console import Console

    Console(stderr=True, highlight=False, soft_wrap=True, emoji=False).print(text)


def tell(sign: str, text: str) -> None:
    """Say 'Sign: text'; the text may be of papers and users, and is no markup."""
    from rich.markup import escape

    say(f"[yellow]{sign}:[/yellow] {escape(text)}")


def tell_error(text: object) -> None:
    """Say why a command could not be done."""
    from rich.markup import escape

    say(f"[red]citeloom:[/red] {escape(str(text))}")


def tell_notes(values: Mapping[str, Any]) -> None:
    """Say what the caller should know."""
    for note in (*getattr(values.get("request"), "notes", ()), *(values.get("notes") or ())):
        tell("Note", f"{note}.")


def tell_failures(
    values: Mapping[str, Any], *, told: Collection[tuple[str, str]] = frozenset()
) -> None:
    """Say what went wrong and did not end the run; what is `told` by subject and cause is not repeated."""
    for failure in values.get("failures") or ():
        if not failure.fatal and (failure.subject, failure.cause) not in told:
            tell("Not done", f"{failure.subject}: {failure.cause} ({failure.remedy})")


def tell_stop(values: Mapping[str, Any]) -> None:
    """Say why nothing more could be done, if that is so."""
    if stop := values.get("stop"):
        tell_error(f"{stop.cause} — {stop.remedy}" if stop.remedy else stop.cause)


def tell_folder(folder: Path, name: str, seconds: float) -> None:
    """Say where the results are."""
    from rich.markup import escape

    shown = folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder
    say(f"Results are in [bold]{escape(str(shown))}[/bold]  (run {name}, {seconds:.0f} s)")


@contextmanager
def errors_told() -> Iterator[None]:
    """End the program where CiteLoom raises an error: 2 for what the user gave, 1 for all else."""
    try:
        yield
    except CiteLoomError as error:
        tell_error(error)
        raise typer.Exit(2 if isinstance(error, InputError) else 1) from error
