"""BGE-M3 (Chen et al., 2024) through FlagEmbedding: dense vectors, term weights, token vectors."""

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np

from tools.embed.embedder import Encoded, TermWeights, Vectors, readable
from tools.errors import PermanentError, how_to_install, logger_of

logger = logger_of(__name__)

MODEL = "BAAI/bge-m3"
WINDOW = 1024
"""Tokens, more than a passage has. The model itself takes 8192."""
_CHARACTERS = 40 * WINDOW  # no window is longer; keeps the tokenizer from reading a whole book
_NEEDED = ("config.json", "sparse_linear.pt", "colbert_linear.pt")
_WEIGHTS = ("model.safetensors", "pytorch_model.bin", "model.safetensors.index.json")
_INSTALL = f"the embedder bge-m3 needs FlagEmbedding: {how_to_install('bge')}"
_SAMPLE = 1 << 20  # bytes read at each end of a large file to tell its version


class BgeM3:
    """The model, loaded on first use. One thread at a time computes; others wait.

    `model` is the model's name at Hugging Face, from where its first use downloads it (2.3 GB), or
    a folder with its files. A model once downloaded is used as it is, without asking for a newer
    one: a library must be searched with the version that it was made with. FlagEmbedding tries out
    the first batch of each call to see whether it fits into memory, so few long calls cost less
    than many short ones.
    """

    def __init__(self, model: str | Path = MODEL, *, batch: int | None = None) -> None:
        """Name the model; nothing is loaded yet.

        Args:
            model: Its name at Hugging Face, or a folder.
            batch: Texts computed at once; 64 on a GPU and 12 without one if not given.
        """
        self._model = model
        self._batch = batch
        self._lock = RLock()
        self._folder: Path | None = None
        self._name: str | None = None
        self._loaded: Any = None

    @property
    def name(self) -> str:
        """Model and revision; the first read may download the model."""
        with self._lock:
            if self._name is None:
                folder = self._files()
                hub = isinstance(self._model, str) and not Path(self._model).expanduser().is_dir()
                version = folder.name if hub else _digest(folder)
                self._name = f"{self._model if hub else 'bge-m3'}@{version[:12]}"
            return self._name

    @property
    def size(self) -> int:
        """Length of a dense vector: 1024 in the published model."""
        return int(self._config()["hidden_size"])

    @property
    def multi_size(self) -> int:
        """Length of a token's vector: FlagEmbedding projects to the size of the dense one."""
        return self.size

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of norm 1 for each text; see tools.embed.embedder.Embedder."""
        return self._run(texts, whole=False).dense

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Return dense vectors, term weights and token vectors; see tools.embed.embedder.encode."""
        return self._run(texts, whole=True)

    def _run(self, texts: Sequence[str], *, whole: bool) -> Encoded:
        if not texts:
            return Encoded(np.empty((0, self.size), dtype=np.float32), (), ())
        with self._lock:
            model = self._ready()
            found = model.encode(
                [readable(text, _CHARACTERS) for text in texts],
                batch_size=model.batch_size,
                max_length=min(WINDOW, self._positions()),
                return_dense=True,
                return_sparse=whole,
                return_colbert_vecs=whole,
            )
        dense = _normed(found["dense_vecs"])
        if not whole:
            return Encoded(dense)
        return Encoded(
            dense,
            tuple(_weights(item) for item in found["lexical_weights"]),
            tuple(_normed(item) for item in found["colbert_vecs"]),
        )

    def _ready(self) -> Any:
        if self._loaded is None:
            folder = self._files()
            try:
                import torch  # type: ignore[import-not-found]
                from FlagEmbedding import BGEM3FlagModel  # type: ignore[import-not-found]
            except ImportError as error:
                raise PermanentError(f"{_INSTALL} ({error})") from error
            _silence()
            gpu = bool(torch.cuda.is_available())
            try:
                self._loaded = BGEM3FlagModel(
                    str(folder),
                    use_fp16=gpu,  # CPUs gain nothing by half precision
                    devices="cuda:0" if gpu else "cpu",
                    batch_size=self._batch or (64 if gpu else 12),
                )
            except (OSError, ValueError, RuntimeError, KeyError) as error:
                raise PermanentError(
                    f"the model in {folder} cannot be loaded ({error}): download {MODEL} again"
                ) from error
            logger.info("loaded %s on %s", self.name, "a GPU" if gpu else "the CPU")
        return self._loaded

    def _config(self) -> dict[str, Any]:
        config: dict[str, Any] = json.loads((self._files() / "config.json").read_text("utf-8"))
        return config

    def _positions(self) -> int:
        # XLM-RoBERTa counts positions from the padding token's number plus one.
        return int(self._config().get("max_position_embeddings", 8194)) - 2

    def _files(self) -> Path:
        with self._lock:
            if self._folder is None:
                folder = Path(self._model).expanduser()
                if not folder.is_dir() and (folder.is_absolute() or isinstance(self._model, Path)):
                    raise PermanentError(
                        f"there is no folder {folder}: CITELOOM_EMBEDDER=bge-m3:FOLDER names one "
                        f"that holds the files of {MODEL}"
                    )
                if not folder.is_dir():
                    folder = _downloaded(str(self._model))
                elif missing := _missing(folder):
                    raise PermanentError(
                        f"the folder {folder} holds no BGE-M3: it has no {missing}; put all files "
                        f"of {MODEL} there"
                    )
                self._folder = folder
            return self._folder


def _downloaded(model: str) -> Path:
    """Return the folder of a model of Hugging Face, downloaded now if it is not there."""
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import LocalEntryNotFoundError
    except ImportError as error:
        raise PermanentError(_INSTALL) from error
    ignored = ["onnx/*", "imgs/*", "*.msgpack", "*.h5", "*.ot"]
    try:
        kept = Path(snapshot_download(model, local_files_only=True))
        if not _missing(kept):
            return kept
    except LocalEntryNotFoundError:
        logger.info("downloading %s: 2.3 GB", model)
    try:
        return Path(snapshot_download(model, ignore_patterns=ignored))
    except Exception as error:  # of several HTTP libraries, by version
        raise PermanentError(
            f"the model {model} is not on this machine and cannot be downloaded ({_first(error)}): "
            "connect to huggingface.co once, with HF_HUB_OFFLINE unset; or copy its files here and "
            "set CITELOOM_EMBEDDER=bge-m3:FOLDER (or HF_HOME to a cache that has them); or set "
            "CITELOOM_EMBEDDER=minilm, which needs no download"
        ) from error


def _missing(folder: Path) -> str | None:
    for name in _NEEDED:
        if not (folder / name).is_file():
            return name
    return None if any((folder / name).is_file() for name in _WEIGHTS) else _WEIGHTS[0]


def _digest(folder: Path) -> str:
    """Tell one version of a model from another: small files whole, large ones by both ends."""
    digest = sha256()
    names = (*_NEEDED, *_WEIGHTS, "tokenizer.json", "sentencepiece.bpe.model")
    for path in (folder / name for name in names):
        if not path.is_file():
            continue
        size = path.stat().st_size
        digest.update(f"{path.name} {size}\n".encode())
        with path.open("rb") as file:
            digest.update(file.read(_SAMPLE))
            file.seek(max(size - _SAMPLE, 0))
            digest.update(file.read(_SAMPLE))
    return digest.hexdigest()


def _silence() -> None:
    """Take FlagEmbedding's own progress bars away, which would stand in the midst of ours."""
    from FlagEmbedding.inference.embedder.encoder_only import (  # type: ignore[import-not-found]
        m3,
    )

    m3.tqdm = lambda items, **_: items
    m3.trange = lambda *bounds, **_: range(*bounds)


def _weights(found: dict[str, Any]) -> TermWeights:
    pairs = sorted((int(token), float(weight)) for token, weight in found.items())
    return TermWeights(tuple(token for token, _ in pairs), tuple(value for _, value in pairs))


def _normed(found: Any) -> Vectors:
    rows = np.asarray(found, dtype=np.float32)
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))


def _first(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
