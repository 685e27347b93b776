"""What a command says on standard error, besides its result."""

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from errno import ENOSPC
from pathlib import Path
from typing import Any

import typer

from tools.counting import counted
from tools.disk import is_damaged, why_unusable
from tools.errors import CiteLoomError, InputError, LibraryError


def print_status(text: str) -> None:
    """Print a line to standard error, with rich's markup."""
    from rich.console import Console

    Console(stderr=True, highlight=False, soft_wrap=True, emoji=False).print(text)


def print_notice(sign: str, text: str) -> None:
    """Say 'Sign: text'; the text may be of papers and users, and is no markup."""
    from rich.markup import escape

    print_status(f"[yellow]{sign}:[/yellow] {escape(text)}")


def tell_error(text: object) -> None:
    """Say why a command could not be done."""
    from rich.markup import escape

    print_status(f"[red]citeloom:[/red] {escape(str(text))}")


def print_outcome(
    values: Mapping[str, Any], *, told: Collection[tuple[str, str]] = frozenset()
) -> None:
    """Say what the caller should know, what went wrong, and why nothing more could be done.

    A failure that is `told` by subject and cause, or by the stop, is not repeated, nor is a stop that
    the answer tells of.
    """
    for note in (*getattr(values.get("request"), "notes", ()), *(values.get("notes") or ())):
        print_notice("Note", f"{note}.")
    stop = values.get("stop")
    from citeloom.report.account import failure_lines

    for line in failure_lines(
        failure
        for failure in values.get("failures") or ()
        if not failure.fatal
        and (failure.subject, failure.cause) not in told
        and not (stop and failure.cause in stop.cause)
    ):
        print_notice("Not done", line)
    if asked := [item for item in values.get("usage") or () if item.input_tokens]:
        thought = sum(item.thinking_tokens for item in asked)
        print_notice(
            "LLM",
            f"{counted(sum(item.calls for item in asked), 'call')}, "
            f"{sum(item.input_tokens for item in asked):,} tokens in, "
            f"{sum(item.output_tokens for item in asked):,} out"
            f"{f', {thought:,} of them thinking' if thought else ''}.",
        )
    if stop and (stop.remedy or stop.cause not in str(values.get("answer", ""))):
        tell_error(f"{stop.cause} — {stop.remedy}" if stop.remedy else stop.cause)


def tell_lost(values: Mapping[str, Any]) -> None:
    """Say, before the result, what stands in the place of answers that the model did not give."""
    from citeloom.report.account import lost_answers

    sign, _, text = lost_answers(values).partition(": ")
    if text:
        print_notice(sign, text)


def tell_folder(folder: Path, name: str, seconds: float) -> None:
    """Say where the results are."""
    print_status(f"Results are in {_shown(folder)}  (run {name}, {seconds:.0f} s)")


def tell_page(page: Path, name: str, seconds: float) -> None:
    """Say first which page to open."""
    print_status(f"Open {_shown(page)}")
    print_status(f"The other files are beside it.  (run {name}, {seconds:.0f} s)")


def _shown(path: Path) -> str:
    from rich.markup import escape

    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return f"[bold]{escape(str(shown))}[/bold]"


@contextmanager
def exit_on_error(*, home: bool = True) -> Iterator[None]:
    """End the program with one clear sentence where it cannot go on.

    Its exit code is 2 for what the user gave, a library included, and 1 for all else.

    Args:
        home: Whether the command needs CITELOOM_HOME. The error then names a home that cannot be used,
            instead of showing an empty one.
    """
    from citeloom.cli.files import check_home
    from tools.settings import SettingsError, settings
    from tools.telemetry.logs import start_logs

    try:
        start_logs()
        if home:
            check_home(settings().home)
        yield
    except SettingsError as error:
        raise _ended(str(error), 2) from error
    except CiteLoomError as error:
        raise _ended(
            str(error), 2 if isinstance(error, InputError | LibraryError) else 1
        ) from error
    except BrokenPipeError:  # the reader has enough, such as `head`; Typer ends the program quietly
        raise
    except OSError as error:
        where = error.filename or settings().home
        code = 1 if error.errno == ENOSPC else 2
        raise _ended(f"{where} cannot be used: {why_unusable(error)}. {_AGAIN}", code) from error
    except sqlite3.Error as error:
        why = f"what is kept in {settings().home} cannot be used: {why_unusable(error)}. {_AGAIN}"
        if damaged := [path for path in settings().home.glob("*.sqlite") if is_damaged(path)]:
            why = f"{' and '.join(map(str, damaged))} is damaged ({error}): {_AWAY}"
        raise _ended(why, 1) from error


def _ended(why: str, code: int) -> typer.Exit:
    tell_error(why)
    return typer.Exit(code)


_AWAY = (
    "put it back from a backup, or move it away and give the command again; results stay where they were "
    "written, but runs that were begun with it cannot go on"
)
_AGAIN = "Then give the command again; a run goes on with --resume"
