"""A model of natural language inference, by name: whether words entail a statement, contradict it, or neither.

A cross-encoder of Sentence Transformers with the labels entailment and contradiction, such as
cross-encoder/nli-deberta-v3-base. It judges citations where there is no LLM, through the same port as one.
"""

from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import Any

from tools.errors import PermanentError

LABELS = ("entailment", "contradiction")


class Entailment:
    """Tells how probable it is that a text entails a statement, and that it contradicts it.

    The model is loaded on first use, and one thread at a time computes.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._lock = Lock()
        self._loaded: Any = None
        self._places: tuple[int, ...] = ()

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, float]]:
        """Return (entails, contradicts) for each (text, statement).

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
def open_entailment(model: str) -> Entailment:
    """Return the process's one model of this name."""
    return Entailment(model)
