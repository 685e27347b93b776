"""An LLM as a judge of a benchmark: what it costs is told and asked for first, and its answers are kept.

A killed run begins again with the answers that it had, which cost nothing then.
"""

import asyncio
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Sequence
from typing import Annotated, Any, TypeVar
from uuid import uuid4

import typer

from evals.figures import spent
from evals.runner import say
from evals.trials import Row
from nodes.common.ask_model import AnswerCheck, ask_with_check
from tools.clients import open_clients
from tools.errors import BudgetError, InputError
from tools.ledger.budget import BudgetLimits, Cost
from tools.ledger.run_ledger import ledger_of_run
from tools.llm.endpoint import model_price
from tools.llm.open_model import open_model
from tools.llm.task import AnswerT, Task, TaskModel, count_tokens, render_inputs
from tools.settings import settings

ItemT = TypeVar("ItemT")
Question = tuple[Task[Any], dict[str, object], int]
"""What is asked, of what, and about how many tokens come back."""
MostUsd = Annotated[
    str | None,
    typer.Option(metavar="USD", help="What the LLM may cost at most; then it is asked no more."),
]
"""The option by which a benchmark's spending is limited."""


def tell_cost(questions: Iterable[Question], mind: str, max_usd: str | None) -> None:
    """Say what these questions cost, and ask whether they are worth it where a person is there.

    Raises:
        InputError: No LLM is to judge, or the person says no.
    """
    if mind != "llm":
        raise InputError("this asks an LLM: give --mind llm")
    count = shown = told = 0
    for task, inputs, answer in questions:
        count += 1
        shown += count_tokens(task.prompt) + count_tokens(render_inputs(inputs))
        told += answer
    price = model_price(settings(), "strong")
    usd = (
        f"about {Cost.of(count, shown, told, price).usd:.2f} USD" if price else "at no known price"
    )
    say(
        f"{count} questions to {settings().strong_model}, about {shown:,} tokens in and {told:,} out: {usd}; "
        "answers at hand cost nothing"
    )
    usd_of(max_usd)
    if max_usd is None and sys.stdin.isatty() and not typer.confirm("Is it worth that?"):
        raise InputError("nobody was asked, and nothing was paid")


def judged_by_llm(
    items: Sequence[ItemT], judge: Callable[[TaskModel, ItemT], Awaitable[Row]], max_usd: str | None
) -> Generator[Row]:
    """Yield what a judge makes of each item as it is done; closing the iterator ends what is under way.

    Raises:
        BudgetError: The budget is spent.
    """
    at = settings()
    limits, run = BudgetLimits(usd=usd_of(max_usd)), f"judge-{uuid4().hex}"
    mind = open_model(run, limits, "llm", at, open_clients(at).embedder)
    ledger = ledger_of_run(run, limits, at.home)
    done = _as_done([judge(mind, item) for item in items])

    async def following() -> Row | None:
        return await anext(done, None)

    with asyncio.Runner() as runner:
        try:
            while (row := runner.run(following())) is not None:
                yield {**row, "judging": spent(ledger.usage())}
        finally:
            runner.run(done.aclose())


async def asked(
    mind: TaskModel,
    task: Task[AnswerT],
    inputs: dict[str, object],
    faults: AnswerCheck[AnswerT],
    sample: int = 0,
) -> tuple[AnswerT | None, str]:
    """Return an answer without faults, or None and why there is none.

    Raises:
        BudgetError: The budget is spent, which concerns every question.
    """
    found = await ask_with_check(mind, task, inputs, faults, sample=sample)
    if isinstance(found.error, BudgetError):
        raise found.error
    if found.stands:
        return found.answer, ""
    return None, "; ".join(found.faults) or str(found.error)


async def _as_done(rows: Sequence[Awaitable[Row]]) -> AsyncGenerator[Row]:
    tasks = [asyncio.ensure_future(row) for row in rows]
    try:
        for done in asyncio.as_completed(tasks):
            yield await done
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def usd_of(given: str | None) -> float | None:
    """Return the limit that was given, if one was.

    Raises:
        InputError: It is no number.
    """
    try:
        return float(given) if given is not None else None
    except ValueError as error:
        raise InputError(f"--max-usd '{given}' is no number") from error
