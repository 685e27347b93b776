"""Show a run's progress on standard error."""

from types import TracebackType
from typing import Any

_NAMES = {
    "understand": "Reading the input",
    "plan_queries": "Planning queries",
    "search_source": "Searching",
    "unite": "Uniting records",
    "screen": "Screening",
    "shortlist": "Choosing papers to judge",
    "rank_papers": "Judging papers",
    "expand": "Following citations",
    "reflect": "Reflecting",
    "check_retractions": "Checking retractions",
    "select_papers": "Selecting",
    "estimate_completeness": "Estimating what is missing",
    "take_papers": "Taking papers",
    "resolve_references": "Looking up references",
    "read_paper": "Reading papers",
    "plan_section": "Planning the section",
    "write": "Writing",
    "check": "Checking citations",
    "plan_search": "Planning the search",
    "search_passages": "Searching passages",
    "choose_passages": "Choosing passages",
    "draw_claims": "Drawing claims",
    "judge_sufficiency": "Judging what is there",
    "compose_answer": "Writing the answer",
    "check_answer": "Checking the answer",
    "merge_references": "Uniting references",
    "summarize_paragraphs": "Summarising paragraphs",
    "judge_relevance": "Judging paragraphs",
    "retrieve_contexts": "Finding contexts",
    "synthesize_answer": "Writing the synthesis",
    "align_lines": "Aligning lines",
    "resolve_works": "Looking up references",
}


def say(text: str) -> None:
    """Print a line to standard error, with rich's markup."""
    from rich.console import Console

    Console(stderr=True, highlight=False, soft_wrap=True, emoji=False).print(text)


class Progress:
    """A line for each stage; a live bar on a terminal, one line at its end elsewhere."""

    def __init__(self, *, quiet: bool) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
        )
        from rich.progress import Progress as Bars

        self._console = Console(stderr=True, highlight=False, quiet=quiet, emoji=False)
        self._live = self._console.is_terminal and not quiet
        self._bars = Bars(
            SpinnerColumn(finished_text="[green]✓[/green]"), TextColumn("{task.description:<22}"),
            BarColumn(bar_width=16), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("[dim]{task.fields[note]}"),
            console=self._console, disable=not self._live,
        )  # fmt: skip
        self._tasks: dict[str, Any] = {}

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

    def show(self, event: dict[str, Any]) -> None:
        """Draw one progress event of a graph."""
        from rich.markup import escape

        stage, done, total = event["stage"], event["done"], event["total"]
        name, note = _NAMES.get(stage, stage), event.get("note", "")[:70]
        if self._live:
            task = self._tasks.get(stage)
            if task is None or self._bars.tasks[task].finished:
                task = self._tasks[stage] = self._bars.add_task(
                    name, total=max(total, 1), note=escape(note)
                )
            self._bars.update(
                task, completed=done if total else 1, total=max(total, 1), note=escape(note)
            )
        elif done >= total:
            line = f"{name}: {total} {note}" if total > 1 else f"{name} {note}"
            self._console.print(line.rstrip(), markup=False, soft_wrap=True)
