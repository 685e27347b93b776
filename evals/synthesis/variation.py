"""What is varied between arms: chunks, the temperature of the writing tasks, and the run (LLM-Ref, A.1 and Table 5).

A temperature reaches the tasks that write the answer and no other, as in LLM-Ref ("during the generation stage").
Another run asks everything anew, summaries of paragraphs among it: it is another sample to the cache of answers.
That cache is the user's own, so that a killed benchmark pays nothing twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from evals.synthesis.chunks import ChunkMethod
from nodes.synthesize.synthesize_answer import FIRST, RESTORE, SHORTEN, UPDATE
from tools.cache import open_cache
from tools.clients import Clients
from tools.ledger.budget import BudgetLimits
from tools.ledger.run_ledger import ledger_of_run
from tools.llm.language_model import LanguageModel
from tools.llm.task import AnswerT, Exchange, Task, TaskModel
from tools.settings import settings

PARAGRAPHS: Final = "paragraphs"
BASELINES: tuple[ChunkMethod, ...] = ("basic", "parent_document", "ensemble")
_WRITING = frozenset(task.name for task in (FIRST, UPDATE, RESTORE, SHORTEN))
_SAMPLES = 1000
"""Between the samples of one run and of the next: no task asks so often for the same."""


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One way of finding contexts, and what is varied in it."""

    method: Literal["paragraphs"] | ChunkMethod = PARAGRAPHS
    size: int | None = None
    """Characters of a chunk."""
    temperature: float | None = None
    run: int | None = None

    @property
    def name(self) -> str:
        """Such as 'basic-512, temperature 0.1, run 2'."""
        parts = [self.method if self.size is None else f"{self.method}-{self.size}"]
        parts += [] if self.temperature is None else [f"temperature {self.temperature:g}"]
        return ", ".join(parts if self.run is None else [*parts, f"run {self.run}"])


def arms_of(
    sizes: Sequence[int] = (), temperatures: Sequence[float] = (), runs: int = 1
) -> tuple[Arm, ...]:
    """Return the paragraphs and each baseline in each of these sizes, at each temperature, in each run."""
    ways = [Arm(), *(Arm(method=one, size=size) for one in BASELINES for size in sizes or (None,))]
    return tuple(
        replace(way, temperature=temperature, run=run)
        for temperature in temperatures or (None,)
        for run in (range(1, runs + 1) if runs > 1 else (None,))
        for way in ways
    )


def base_of(arm: str) -> str:
    """Return the name of the paragraphs' arm at an arm's temperature and in its run."""
    return ", ".join([PARAGRAPHS, *arm.split(", ")[1:]])


class VariedMind:
    """An LLM at another temperature where it writes, with samples of its own."""

    def __init__(self, inner: TaskModel, arm: Arm) -> None:
        self._inner = inner
        self._arm = arm
        self._samples = _SAMPLES * ((arm.run or 1) - 1)
        self.composes, self.judges, self.varies = inner.composes, inner.judges, inner.varies

    @property
    def name(self) -> str:
        """The model's, and the run: what one run has kept of a paper is not another's."""
        return self._inner.name + (f", run {self._arm.run}" if self._samples else "")

    def spare(
        self, task: Task[AnswerT], *, after: Exchange | None = None, **inputs: object
    ) -> float:
        """Return the tokens left in the window; see TaskModel.spare."""
        return self._inner.spare(task, after=after, **inputs)

    async def do(
        self,
        task: Task[AnswerT],
        *,
        after: Exchange | None = None,
        sample: int = 0,
        temperature: float = 0.0,
        **inputs: object,
    ) -> AnswerT:
        """Answer `task`; see TaskModel.do."""
        if task.name in _WRITING and self._arm.temperature is not None:
            temperature = self._arm.temperature
        sample += self._samples
        return await self._inner.do(
            task, after=after, sample=sample, temperature=temperature, **inputs
        )


class VariedClients(Clients):
    """The product's clients with a mind that is varied as an arm says."""

    arm = Arm()

    def mind(self, run: str, limits: BudgetLimits, kind: str) -> TaskModel:
        """Open the mind of a run; the embedded engine does not vary."""
        if kind != "llm":
            return super().mind(run, limits, kind)
        ledger = ledger_of_run(run, limits, self.settings.home)
        answers = open_cache(settings().home / "answers.sqlite", settings().cache_mb)
        return VariedMind(LanguageModel(self.settings, ledger, answers), self.arm)
