"""What a terminal shows while work goes on, and how a person stops it."""

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from types import TracebackType
from typing import Any

from tools.step_titles import step_title

INTERRUPTED = 130
"""Exit code of a command that was stopped."""
_EVERY = 10.0
"""Seconds between such lines."""
_WIDTH = 80
"""Characters of a line at most, where there are no bars."""


class Progress:
    """A live bar for each stage on a terminal; elsewhere a line when a stage ends.

    With `often` there is also a line when a stage begins, and one now and then while it lasts.
    """

    def __init__(self, *, quiet: bool, often: bool = False) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
        )
        from rich.progress import Progress as Bars
        from rich.table import Column

        self._console = Console(stderr=True, highlight=False, quiet=quiet, emoji=False)
        self._live = self._console.is_terminal and not quiet
        self._bars = Bars(
            SpinnerColumn(finished_text="[green]✓[/green]"),
            TextColumn("{task.description:<22}"),
            BarColumn(bar_width=10),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn(
                "[dim]{task.fields[note]}",
                table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1),
            ),
            console=self._console,
            disable=not self._live,
            expand=True,
        )
        self._often = often
        self._tasks: dict[str, Any] = {}
        self._told: dict[str, float] = {}

    def __enter__(self) -> "Progress":
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bars.stop()

    def show(self, event: Mapping[str, Any]) -> None:
        """Draw one progress event of a graph."""
        stage, done, total = event["stage"], event["done"], event["total"]
        name, note = event.get("title") or step_title(stage), str(event.get("note", ""))
        if self._live:
            self._draw(stage, name, done, total, note)
        elif done >= total and (total or not self._often):
            self._told.pop(stage, None)
            line = f"{name} ({total})" if total > 1 else name
            self._say(f"{line}: {note}" if note else line)
        elif (
            self._often
            and (done or total)
            and monotonic() - self._told.get(stage, -_EVERY) >= _EVERY
        ):
            self._told[stage] = monotonic()
            of = f" of {total}" if total else ""
            self._say(f"{name}: {done}{of}")

    def _say(self, line: str) -> None:
        short = line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1].rstrip()}…"
        self._console.print(short, markup=False, soft_wrap=True)

    def _draw(self, stage: str, name: str, done: int, total: int, note: str) -> None:
        from rich.markup import escape

        task = self._tasks.get(stage)
        if task is None or self._bars.tasks[task].finished:
            task = self._tasks[stage] = self._bars.add_task(name, total=None, note="")
        self._bars.update(
            task,
            completed=done if total else 1,
            total=max(total, 1),
            note=escape(note),
        )

    def counted(self, stage: str) -> Callable[[int, int | None], None]:
        """Return what shows how many of a stage are done, and of how many."""
        return lambda done, total: self.show({"stage": stage, "done": done, "total": total or 0})


@contextmanager
def cancelled_by_signals() -> Iterator[None]:
    """Let Ctrl-C, or SIGTERM, cancel the task that runs this at its next step, not the program."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    handled = (signal.SIGINT, signal.SIGTERM) if sys.platform != "win32" else ()
    for number in handled:
        if task:
            loop.add_signal_handler(number, task.cancel)
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)
