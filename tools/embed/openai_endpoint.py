"""Embeddings of any endpoint that speaks OpenAI's protocol: POST /v1/embeddings."""

import re
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from tools.embed.embedder import Vectors, readable
from tools.errors import PermanentError, counted
from tools.http.hosts import without_password
from tools.llm.endpoint_errors import CallPlace, endpoint_error

if TYPE_CHECKING:
    from openai import OpenAI

OPENAI = "https://api.openai.com/v1"
_CHARACTERS = 24_000  # about OpenAI's window of 8,191 tokens; what is still too long is halved
_SHORTEST = 200  # a text still too long at so many characters is not too long
_EMPTY = "(no text)"  # OpenAI refuses an empty input
_LONG = re.compile(
    r"context[_ ](?:length|window|size)|maximum (?:context|input|sequence)|too (?:long|many tokens|large)"
    r"|exceed\w* the (?:configured|available|model|maximum)|batch size",
    re.I,
)


class _TooLongError(Exception):
    """The endpoint takes a shorter input, or fewer at once."""


class OpenAiEmbedder:
    """One model at one endpoint. Its vectors' length is learnt from its first answer."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        batch: int = 64,
        timeout: float = 60.0,
        tries: int = 5,
    ) -> None:
        """Name the model; nothing is asked yet.

        Args:
            model: As the endpoint calls it.
            base_url: Ends in /v1 mostly; OpenAI's own if not given.
            api_key: None for an endpoint that wants none.
            batch: Texts sent in one request.
            timeout: Seconds for one request.
            tries: How often a request is sent to an endpoint that is busy or does not answer.
        """
        self._url = base_url or OPENAI
        self._model = model
        self._key = api_key or ""
        self._batch = batch
        self._tries = tries
        self._place = CallPlace(
            url=without_password(self._url),
            model=model,
            setting="CITELOOM_EMBEDDER",
            seconds=timeout,
            secret=self._key,
            prefix="CITELOOM_EMBEDDINGS",
            wanted="list of embeddings",
            slow="",
        )
        self._lock = Lock()
        self._client: OpenAI | None = None
        self._size: int | None = None

    @property
    def name(self) -> str:
        """The model's name: an endpoint tells no version."""
        return f"openai:{self._model}"

    @property
    def size(self) -> int:
        """Length of a vector; if nothing was embedded yet, one word is now."""
        if self._size is None:
            self.embed(["size"])
        assert self._size is not None
        return self._size

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of norm 1 for each text; see tools.embed.embedder.Embedder."""
        if not texts:
            return np.empty((0, self.size), dtype=np.float32)
        cut = [readable(text, _CHARACTERS) for text in texts]
        ready = [text if text.strip() else _EMPTY for text in cut]
        parts = [ready[i : i + self._batch] for i in range(0, len(ready), self._batch)]
        return np.concatenate([self._embed(part) for part in parts])

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _embed(self, texts: list[str]) -> Vectors:
        try:
            return self._ask(texts)
        except _TooLongError as error:
            if len(texts) > 1:
                half = len(texts) // 2
                return np.concatenate([self._embed(texts[:half]), self._embed(texts[half:])])
            if len(texts[0]) <= _SHORTEST:
                raise PermanentError(
                    f"{self._place.url} rejects a text of {len(texts[0])} characters: {error}"
                ) from error
            return self._embed([texts[0][: len(texts[0]) // 2]])

    def _ask(self, texts: list[str]) -> Vectors:
        import httpx2
        import openai

        try:
            answer = self._connected().embeddings.create(
                model=self._model, input=texts, encoding_format="float"
            )
            return self._vectors(answer, len(texts))
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL) as error:
            fault = endpoint_error(error, self._place)
            long = fault.status in {400, 422, 500} and _LONG.search(fault.text)
            # The SDK's own exceptions may quote the key.
            if long or fault.status == 413:
                raise _TooLongError(self._place.tell(fault.text)) from None
            raise fault.error from None
        except (ValueError, TypeError, AttributeError, KeyError, IndexError) as error:
            raise PermanentError(
                f"{self._place.url} did not answer with embeddings "
                f"({self._place.tell(str(error))}): check CITELOOM_EMBEDDINGS_BASE_URL, which "
                "mostly ends in /v1"
            ) from None

    def _connected(self) -> "OpenAI":
        from openai import DefaultHttpxClient, OpenAI

        with self._lock:
            if self._client is None:
                self._client = OpenAI(
                    base_url=self._url,
                    api_key=self._key or "none",  # else the SDK takes the environment's
                    timeout=self._place.seconds,
                    max_retries=self._tries
                    - 1,  # after the time that the endpoint names, if two minutes at most
                    http_client=DefaultHttpxClient(),
                )
            return self._client

    def _vectors(self, answer: Any, count: int) -> Vectors:
        rows = sorted(answer.data, key=lambda row: row.index)
        if [row.index for row in rows] != list(range(count)):
            raise ValueError(f"{counted(len(rows), 'vector')} for {counted(count, 'text')}")
        vectors = np.asarray([row.embedding for row in rows], dtype=np.float32)
        if vectors.ndim != 2 or not vectors.shape[1] or not np.isfinite(vectors).all():
            raise ValueError("vectors of unequal length, or with values that are no numbers")
        with self._lock:
            known = self._size = self._size or vectors.shape[1]
        if vectors.shape[1] != known:
            raise ValueError(f"vectors of {vectors.shape[1]} numbers after such of {known}")
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not norms.all():
            raise ValueError("a vector of zeros")
        return np.asarray(vectors / norms, dtype=np.float32)
