"""What a command says on standard error, besides its result."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from tools.errors import counted


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
    print_status(f"The other files are next to it.  (run {name}, {seconds:.0f} s)")


def _shown(path: Path) -> str:
    from rich.markup import escape

    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return f"[bold]{escape(str(shown))}[/bold]"
