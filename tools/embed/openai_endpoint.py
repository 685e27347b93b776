"""Embeddings of any endpoint that speaks OpenAI's protocol: POST /v1/embeddings."""

import logging
import random
import re
import time
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from tools.embed.port import Vectors
from tools.errors import CiteLoomError, PermanentError, TransientError
from tools.llm.faults import Place
from tools.retry_after import retry_after

if TYPE_CHECKING:
    from openai import OpenAI

logger = logging.getLogger(f"citeloom.{__name__}")

OPENAI = "https://api.openai.com/v1"
TRIES = 5
LONGEST_PAUSE = 60.0
"""Seconds; an endpoint that asks for more gets no further try."""
_CHARACTERS = 24_000  # about OpenAI's window of 8,191 tokens; what is still too long is halved
_SHORTEST = 200  # a text still too long at so many characters is not too long
_EMPTY = "(no text)"  # OpenAI refuses an empty input
_BUSY = frozenset({408, 409, 425, 429})
_QUOTA = re.compile(r"insufficient[_ ](?:quota|balance|credit|funds)|payment required", re.I)
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
        backoff: float = 0.5,
    ) -> None:
        """Name the model; nothing is asked yet.

        Args:
            model: As the endpoint calls it.
            base_url: Ends in /v1 mostly; OpenAI's own if not given.
            api_key: None for an endpoint that wants none.
            batch: Texts sent in one request.
            timeout: Seconds for one request.
            backoff: First pause in seconds before a failed request is sent again; it doubles.
        """
        self._url = base_url or OPENAI
        self._model = model
        self._key = api_key or ""
        self._batch = batch
        self._backoff = backoff
        self._place = Place(
            url=re.sub(r"//[^/@]*@", "//", self._url),  # a password may stand in it
            model=model,
            setting="CITELOOM_EMBEDDER",
            seconds=timeout,
            secret=self._key,
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
        """Return one row of norm 1 for each text; see tools.embed.port.Embedder."""
        if not texts:
            return np.empty((0, self.size), dtype=np.float32)
        ready = [_readable(text) for text in texts]
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
        tried = 0
        while True:
            try:
                return self._request(texts)
            except TransientError as error:
                tried += 1
                pause = error.retry_after
                if pause is None:
                    pause = self._backoff * 2 ** (tried - 1) * random.uniform(0.8, 1.2)
                if tried >= TRIES or pause > LONGEST_PAUSE:
                    raise
                logger.info("try %d for embeddings: %s", tried, error)
                time.sleep(pause)

    def _request(self, texts: list[str]) -> Vectors:
        import httpx2
        import openai

        try:
            answer = self._connected().embeddings.create(
                model=self._model, input=texts, encoding_format="float"
            )
            return self._vectors(answer, len(texts))
        except openai.APIStatusError as error:
            raise self._status_error(error) from None  # its text may quote the key
        except (openai.APITimeoutError, httpx2.TimeoutException) as error:
            raise TransientError(
                f"{self._place.url} gave no embeddings within {self._place.seconds:g} s"
            ) from error
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL) as error:
            cause = self._place.tell(str(error.__cause__ or error))
            if isinstance(error.__cause__, httpx2.InvalidURL | httpx2.UnsupportedProtocol):
                raise PermanentError(
                    f"{self._place.url} is no address: {cause}; check CITELOOM_EMBEDDINGS_BASE_URL"
                ) from None
            raise TransientError(
                f"the connection to {self._place.url} failed: {cause}; check that the endpoint "
                "runs and that CITELOOM_EMBEDDINGS_BASE_URL leads to it"
            ) from None
        except (ValueError, TypeError, AttributeError, KeyError, IndexError) as error:
            raise PermanentError(
                f"what {self._place.url} answered is no list of embeddings "
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
                    max_retries=0,
                    http_client=DefaultHttpxClient(),
                )
            return self._client

    def _vectors(self, answer: Any, count: int) -> Vectors:
        rows = sorted(answer.data, key=lambda row: row.index)
        if [row.index for row in rows] != list(range(count)):
            raise ValueError(f"{len(rows)} vectors for {count} texts")
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

    def _status_error(self, error: Any) -> CiteLoomError | _TooLongError:
        status, words = error.status_code, f"{error.message} {error.body}"
        said, url = self._place.tell(words), self._place.url
        if status in {401, 403}:
            return PermanentError(
                f"{url} rejects the API key: check CITELOOM_EMBEDDINGS_API_KEY: {said}"
            )
        if status == 402 or (status in {400, 429} and _QUOTA.search(words)):
            return PermanentError(f"the account at {url} has no credit or quota left: {said}")
        if status == 413 or (status in {400, 422, 500} and _LONG.search(words)):
            return _TooLongError(said)
        if status in _BUSY or status >= 500:
            return TransientError(
                f"{url} is busy or broken for now (HTTP {status}): {said}",
                retry_after=retry_after(error.response.headers),
            )
        return PermanentError(
            f"{url} makes no embeddings with the model '{self._model}' (HTTP {status}): {said}; "
            "check CITELOOM_EMBEDDER and CITELOOM_EMBEDDINGS_BASE_URL"
        )


def _readable(text: str) -> str:
    cut = text[:_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
    return cut if cut.strip() else _EMPTY
