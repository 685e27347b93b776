"""A model of natural language inference, by name: whether words entail a statement, contradict it, or neither.

A cross-encoder of Sentence Transformers with the labels entailment and contradiction, such as
cross-encoder/nli-deberta-v3-base. It judges citations where there is no LLM, through the same port as one.
"""

import asyncio
from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import Any, Protocol

from tools.errors import PermanentError
from tools.ledger.run_ledger import RunLedger
from tools.llm.task import AnswerT, Exchange, Task

LABELS = ("entailment", "contradiction")


class Entailment(Protocol):
    """Tells how probable it is that a text entails a statement, and that it contradicts it."""

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, float]]:
        """Return (entails, contradicts) for each (text, statement). Synchronous and CPU-bound."""
        ...


class CrossEncoderEntailment:
    """The model, loaded on first use. One thread at a time computes."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._lock = Lock()
        self._loaded: Any = None
        self._places: tuple[int, ...] = ()

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, float]]:
        """Return probabilities; see Entailment.

        Raises:
            PermanentError: The model is not there, or is of another kind.
        """
        with self._lock:
            if self._loaded is None:
                self._load()
            if not pairs:
                return []
            rows = self._loaded.predict(list(pairs), apply_softmax=True, show_progress_bar=False)
        entails, contradicts = self._places
        return [(float(row[entails]), float(row[contradicts])) for row in rows]

    def _load(self) -> None:
        from tools.embed.sentence_transformer import load

        loaded = load(self._model, "CrossEncoder")
        labels = {name.casefold(): int(at) for at, name in (loaded.config.id2label or {}).items()}
        if missing := [label for label in LABELS if label not in labels]:
            raise PermanentError(
                f"{self._model} has no label '{missing[0]}', so it is not an inference model: set "
                "CITELOOM_JUDGE_MODEL to one, such as cross-encoder/nli-deberta-v3-base"
            )
        self._loaded, self._places = loaded, tuple(labels[label] for label in LABELS)


@cache
def open_entailment(model: str) -> CrossEncoderEntailment:
    """Return the process's one model of this name."""
    return CrossEncoderEntailment(model)


class EntailmentModel:
    """Answers the tasks that a model of inference can answer; see tools.llm.task.TaskModel."""

    composes, judges, varies = False, True, False

    def __init__(self, name: str, model: Entailment, ledger: RunLedger) -> None:
        self.name = name
        self._model = model
        self._ledger = ledger

    def spare(
        self, task: Task[AnswerT], *, after: Exchange | None = None, **inputs: object
    ) -> float:
        """Return infinity: pairs are asked one by one."""
        return float("inf")

    async def do(
        self,
        task: Task[AnswerT],
        *,
        after: Exchange | None = None,
        sample: int = 0,
        temperature: float = 0.0,
        **inputs: object,
    ) -> AnswerT:
        """Answer `task` in a worker thread; see TaskModel.do.

        Raises:
            PermanentError: The task is none that this model can answer, or the model is not there.
        """
        if task.entail is None:
            raise PermanentError(f"{self.name} cannot answer {task.name}")
        async with self._ledger.spend(task.name, self.name) as spending:
            spending.begin()
            shown = {**(after.shown if after else {}), **inputs}
            return await asyncio.to_thread(task.entail, self._model, **shown)
