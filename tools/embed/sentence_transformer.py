"""Any model of Sentence Transformers, by its name at Hugging Face or its folder: on a GPU where there is one."""

from collections.abc import Sequence
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np

from tools.embed.embedder import Vectors, readable
from tools.errors import PermanentError, how_to_install, logger_of

logger = logger_of(__name__)

INSTALL = f"a model by name needs Sentence Transformers: {how_to_install('models')}"
_CHARACTERS = 40 * 8192


class SentenceTransformerEmbedder:
    """The model, loaded on first use. One thread at a time computes; others wait."""

    def __init__(self, model: str) -> None:
        """Name the model, or a folder with its files; its first use downloads one that is not there."""
        self._model = model
        self._lock = RLock()
        self._loaded: Any = None

    @property
    def name(self) -> str:
        """Model and, of one from Hugging Face, its revision; the first read loads it."""
        revision = getattr(self._ready()[0].auto_model.config, "_commit_hash", None)
        stem = Path(self._model).name if Path(self._model).is_dir() else self._model
        return f"{stem}@{revision[:12]}" if revision else stem

    @property
    def size(self) -> int:
        """Length of a vector; the first read loads the model."""
        size: int = self._ready().get_embedding_dimension()
        return size

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of norm 1 for each text; see tools.embed.embedder.Embedder.

        The library sorts texts by length and cuts them at the model's window.
        """
        with self._lock:
            model = self._ready()
            if not texts:
                return np.empty((0, self.size), dtype=np.float32)
            found = model.encode(
                [readable(text, _CHARACTERS) for text in texts],
                normalize_embeddings=True,
                show_progress_bar=False,
                convert_to_numpy=True,
            )
        return np.asarray(found, dtype=np.float32)

    def _ready(self) -> Any:
        with self._lock:
            if self._loaded is None:
                self._loaded = load(self._model, "SentenceTransformer")
                logger.info("loaded %s on %s", self._model, self._loaded.device)
            return self._loaded


def load(model: str, kind: str) -> Any:
    """Return a model of Sentence Transformers, of its class of that name.

    Raises:
        PermanentError: The package or the model is not there; the message says what to do.
    """
    try:
        import sentence_transformers  # type: ignore[import-not-found]
        from transformers.utils import logging as told  # type: ignore[import-not-found]
    except ImportError as error:
        raise PermanentError(INSTALL) from error
    told.disable_progress_bar()  # it would stand in the midst of ours
    try:
        return getattr(sentence_transformers, kind)(model)
    except Exception as error:  # of several libraries, by version
        why = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise PermanentError(
            f"the model {model} cannot be loaded ({why}): give its name at Hugging Face, with a network for "
            "its first use, or a folder that holds its files"
        ) from error
