"""Show on standard error how work goes on."""

from collections.abc import Callable, Mapping
from time import monotonic
from types import TracebackType
from typing import Any

_NAMES = {
    "read_input": "Reading the input",
    "generate_queries": "Generating queries",
    "search_source": "Searching",
    "merge_records": "Merging records",
    "screen_papers": "Screening",
    "shortlist_papers": "Choosing papers to judge",
    "judge_papers": "Judging papers",
    "expand_citations": "Expanding citations",
    "reflect_on_sufficiency": "Judging sufficiency",
    "check_retractions": "Checking retractions",
    "select_papers": "Selecting",
    "estimate_completeness": "Coverage",
    "take_papers": "Taking papers",
    "resolve_references": "Looking up references",
    "read_papers": "Reading papers",
    "read_stack_paper": "Reading papers",
    "plan_section": "Planning the section",
    "write": "Writing",
    "check": "Checking citations",
    "full_texts": "Reading full texts",
    "plan_search": "Planning the search",
    "search_passages": "Searching passages",
    "choose_passages": "Choosing passages",
    "extract_claims": "Extracting claims",
    "judge_sufficiency": "Judging sufficiency",
    "answer_in_one_call": "Answering",
    "compose_answer": "Writing the answer",
    "check_answer": "Checking the answer",
    "merge_references": "Merging references",
    "summarize_paragraphs": "Summarising paragraphs",
    "judge_relevance": "Judging paragraphs",
    "synthesize_answer": "Writing the synthesis",
    "align_lines": "Aligning lines",
    "resolve_works": "Looking up references",
    "take_records": "Reading records",
    "read_source": "Reading files",
    "index_passages": "Indexing passages",
    "index_papers": "Indexing papers",
    "name_keywords": "Naming keywords",
    "index_keywords": "Finding keywords",
    "make_vectors": "Making vectors",
}
_EVERY = 10.0
"""Seconds between such lines."""
_WIDTH = 80
"""Characters of a line at most, where there are no bars."""


class Progress:
    """A live bar for each stage on a terminal; elsewhere a line when a stage ends.

    With `often` there is also a line when a stage begins, and one now and then while it lasts; and
    stages without a name here are not shown.
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
        if self._often and stage not in _NAMES:
            return
        name, note = _NAMES.get(stage, stage), str(event.get("note", ""))
        if self._live:
            self._draw(stage, name, done, total, note)
        elif done >= total and (total or not self._often):
            self._told.pop(stage, None)
            line = f"{name} ({total})" if total > 1 else name
            self._say(f"{line}: {note}" if note else line)
        elif self._often and monotonic() - self._told.get(stage, -_EVERY) >= _EVERY:
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
