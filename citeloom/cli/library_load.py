"""Loading files into a library: counting, progress, and what could not be read."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import typer

from state.paper import Paper
from tools.bibliography.read_record import BadRecord

_EVERY = 30.0  # seconds between lines where there is no terminal to draw on


class Load:
    """The records of several files, with an account of the bad ones in a file of their own."""

    def __init__(
        self, sources: list[tuple[Path, Iterator[Paper | BadRecord]]], account: Path
    ) -> None:
        self._sources = sources
        self._account = account
        self._file: TextIO | None = None
        self._first: list[str] = []
        self.good = 0
        self.bad = 0
        self.notes = 0
        account.unlink(missing_ok=True)

    def papers(self) -> Iterator[Paper]:
        """Yield the good records; note the bad ones."""
        for path, records in self._sources:
            for record in records:
                if isinstance(record, Paper):
                    self.good += 1
                    yield record
                else:
                    self._note(path, record)

    def summary(self, shown: int) -> list[str]:
        """Return the first `shown` bad records and notes, and where the others stand."""
        if not self._first:
            return []
        lines = self._first[:shown]
        total = self.bad + self.notes
        if total > len(lines):
            lines.append(f"... and {total - len(lines)} more")
        noun = "record" if self.bad == 1 else "records"
        return [*lines, f"{self.bad} {noun} could not be read; the account is in {self._account}"]

    def close(self) -> None:
        """Close the account."""
        if self._file:
            self._file.close()

    @contextmanager
    def progress(self) -> Iterator[Callable[[int, int | None], None]]:
        """Draw progress while records are read and vectors are made."""
        with bar() as show:
            yield show

    def _note(self, path: Path, record: BadRecord) -> None:
        self.bad += record.lost
        self.notes += not record.lost
        word = "" if record.lost else "note: "
        line = f"{path}:{record.line}: {word}{record.reason}"
        if record.excerpt:
            line += f" | {record.excerpt}"
        if self._file is None:
            self._file = self._account.open("w", encoding="utf-8")
        self._file.write(line + "\n")
        if len(self._first) < 100:
            self._first.append(line)


@contextmanager
def bar() -> Iterator[Callable[[int, int | None], None]]:
    """Draw a bar with rate and time left on a terminal; elsewhere print a line now and then."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines()
        return
    started = time.monotonic()
    with Progress(
        TextColumn("{task.description:<15}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]:.0f}/s"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    ) as drawing:
        task = drawing.add_task("reading records", total=None, rate=0.0)
        making: float | None = None

        def show(done: int, total: int | None) -> None:
            nonlocal making
            if total is None:
                rate = done / max(time.monotonic() - started, 0.001)
                drawing.update(task, completed=done, rate=rate)
                return
            if making is None:
                making = time.monotonic()
                drawing.reset(
                    task, description="making vectors", total=total, completed=done, rate=0.0
                )
            rate = done / max(time.monotonic() - making, 0.001)
            drawing.update(task, completed=done, total=total, rate=rate)

        yield show


def _lines() -> Callable[[int, int | None], None]:
    shown = time.monotonic()

    def show(done: int, total: int | None) -> None:
        nonlocal shown
        if time.monotonic() - shown >= _EVERY:
            shown = time.monotonic()
            what = f"{done} records read" if total is None else f"{done} of {total} vectors made"
            typer.echo(what, err=True)

    return show
