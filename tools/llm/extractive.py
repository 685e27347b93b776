"""The mind that needs no language model."""

import asyncio

from tools.embed.port import Embedder
from tools.ledger.ledger import RunLedger
from tools.llm.task import AnswerT, Task


class ExtractiveMind:
    """Answers tasks by their extractive way: fast, free, and the same each time."""

    name = "extractive"

    def __init__(self, embedder: Embedder, ledger: RunLedger) -> None:
        self._embedder = embedder
        self._ledger = ledger

    def spare(self, task: Task[AnswerT], **inputs: object) -> float:
        """Return infinity: there is no window."""
        return float("inf")

    async def do(
        self, task: Task[AnswerT], *, sample: int = 0, temperature: float = 0.0, **inputs: object
    ) -> AnswerT:
        """Answer `task` in a worker thread; see Mind.do. Samples do not differ.

        Raises:
            BudgetError: The run's calls or minutes are spent.
        """
        async with self._ledger.spend(task.name, self.name) as spending:
            spending.begin()
            return await asyncio.to_thread(task.extract, self._embedder, **inputs)
