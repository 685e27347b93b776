"""Show how work on a library goes on: a bar with rate and time left, or lines."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

import typer

_NAMES = {
    "take_records": "Reading records",
    "read_source": "Reading files",
    "index_passages": "Indexing passages",
    "index_papers": "Indexing papers",
    "name_keywords": "Naming keywords",
    "index_keywords": "Finding keywords",
    "make_vectors": "Making vectors",
}
_EVERY = 10.0
"""Seconds between lines where there is no terminal to draw on."""


class Show(Protocol):
    """Shows one progress event, of the graph `ingest` or one like it."""

    def __call__(self, event: Mapping[str, Any]) -> None:
        """Show it."""


@contextmanager
def showing(*, quiet: bool) -> Iterator[Show]:
    """Draw on a terminal, print lines elsewhere, and nothing at all where it is to be quiet."""
    from rich.console import Console

    console = Console(stderr=True)
    if quiet:
        yield lambda event: None
    elif console.is_terminal:
        with _drawing(console) as show:
            yield show
    else:
        yield _Lines()


def counted(show: Show, stage: str) -> Callable[[int, int | None], None]:
    """Return what tells `show` how many of a stage are done, and of how many."""
    return lambda done, total: show({"stage": stage, "done": done, "total": total or 0})


class _Lines:
    """A line when a stage begins, one now and then, and one at its end."""

    def __init__(self) -> None:
        self._stage = ""
        self._shown = 0.0
        self._began = 0.0

    def __call__(self, event: Mapping[str, Any]) -> None:
        name = _NAMES.get(event["stage"])
        done, total = event["done"], event["total"]
        if name is None:
            return
        if total and not done:  # a stage begins, perhaps not for the first time
            self._stage = ""
            return
        now = time.monotonic()
        if event["stage"] != self._stage:
            self._stage, self._began, self._shown = event["stage"], now, -_EVERY
        if now - self._shown < _EVERY and not (total and done >= total):
            return
        self._shown = now
        of = f" of {total}" if total else ""
        typer.echo(f"{name}: {done}{of}{_rate(done, now - self._began)}", err=True)


def _rate(done: int, seconds: float) -> str:
    return f" ({done / seconds:.1f}/s)" if seconds > 1 else ""


@contextmanager
def _drawing(console: Any) -> Iterator[Show]:
    from rich.markup import escape
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    began: dict[str, tuple[Any, float]] = {}
    with Progress(
        TextColumn("{task.description:<18}"), BarColumn(bar_width=24), MofNCompleteColumn(),
        TextColumn("{task.fields[rate]:>7.1f}/s"), TimeRemainingColumn(),
        TextColumn("[dim]{task.fields[note]}"), console=console, transient=True,
    ) as bars:  # fmt: skip

        def show(event: Mapping[str, Any]) -> None:
            stage, done, total = event["stage"], event["done"], event["total"]
            if stage not in _NAMES:
                return
            if stage in began and total and not done:
                task, _ = began[stage]
                bars.reset(task, total=total, rate=0.0, note="")
                began[stage] = (task, time.monotonic())
            elif stage not in began:
                task = bars.add_task(_NAMES[stage], total=None, rate=0.0, note="")
                began[stage] = (task, time.monotonic())
            task, start = began[stage]
            rate = done / max(time.monotonic() - start, 0.001)
            note = escape(str(event.get("note", ""))[:40])
            bars.update(task, completed=done, total=total or None, rate=rate, note=note)

        yield show
