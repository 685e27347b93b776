"""A person at the terminal decides on papers, one after the other."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import typer

from citeloom.report.escaping import one_line
from citeloom.report.screening import recall_line
from citeloom.service.screening import LOOK
from state.paper import Paper
from state.screening import ScreeningDecision, Stage
from tools.errors import InputError, counted
from tools.screening.screening import Screening

_KEYS = {"i": "include", "e": "exclude", "m": "maybe", "n": "not_retrieved"}


def papers_to_decide(
    screening: Screening, by: str, stage: Stage, *, random: bool
) -> Iterator[Paper]:
    """Yield the paper to read next, skipped ones left out, and say once when the screener may stop."""
    shown: set[str] = set()
    told = stage != "title_abstract"
    while True:
        left = screening.next_papers(by, stage, 1 + len(shown), random=random)
        paper = next((one for one in left if one.id not in shown), None)
        if not told and len(shown) % LOOK == 0 and screening.recall(by).may_stop:
            told = True
            typer.echo(recall_line(by, screening.recall(by)))
        if paper is None:
            typer.echo(f"{counted(len(left), 'paper')} skipped." if left else "No paper is left.")
            return
        shown.add(paper.id)
        yield paper


def ask_decisions(
    screening: Screening,
    papers: Iterable[Paper],
    by: str,
    stage: Stage,
    said: Mapping[str, Mapping[str, ScreeningDecision]],
    **more: Any,
) -> None:
    """Show each paper, with what was `said` of it, and ask until the decision can be used: 'i', or 'e E1'."""
    retrieved = "n not retrieved, " if stage == "full_text" else ""
    undo = "" if "kind" in more else "u undo, "
    left = iter(papers)
    while paper := next(left, None):
        typer.echo(
            f"\n{one_line(f'{paper.byline}: {paper.title}')}\n\n{one_line(paper.abstract or 'No abstract.')}\n"
        )
        for number, text in screening.protocol.criteria.items():
            typer.echo(f"  {number}  {text}")
        for one in said.get(paper.id, {}).values():
            typer.echo(f"  {one_line(f'{one.by}: {one.decision} {one.reason} {one.note}')}")
            for item in one.criteria:
                words = f": “{one_line(item.quote.text)}”" if item.quote else ""
                typer.echo(f"    {item.criterion} {item.met.replace('_', ' ')}{words}")
        key = ""
        while key not in {"s", *_KEYS}:
            try:
                answer = typer.prompt(
                    f"i include, e CRITERION exclude, m maybe, {retrieved}{undo}s skip, q quit"
                )
            except typer.Abort:
                return
            word, _, reason = answer.strip().partition(" ")
            key = word[:1].casefold()
            if key == "q":
                return
            try:
                if key == "u" and undo:
                    left = chain([screening.withdraw(by, stage), paper], left)
                    break
                if key not in _KEYS:
                    continue
                choice: Any = _KEYS[key]
                made = ScreeningDecision(
                    paper=paper.id, stage=stage, by=by, decision=choice, reason=reason, **more
                )
                screening.decide([made])
            except InputError as error:
                typer.echo(f"{error}")
                key = ""
