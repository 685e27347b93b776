"""The library that comes with CiteLoom: annotated papers on literature review by machine, with their vectors."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np

from state.paper import Paper
from tools.bibliography.read_record import BadRecord
from tools.bibliography.read_records import read_records
from tools.embed.embedder import Embedder, Vectors
from tools.embed.minilm import MiniLm
from tools.errors import LibraryError
from tools.library.library import Library
from tools.program import PROGRAM, logger_of

_VECTORS = files("tools.library") / "starter" / "vectors.npz"


class ShippedVectors:
    """An embedder that knows the vectors of the starter library's texts, and asks `model` for others."""

    def __init__(self, model: Embedder) -> None:
        self._model = model
        self.name = model.name
        self.size = model.size
        with as_file(_VECTORS) as path, np.load(path) as held:
            self._held = dict(zip(held["texts"].tolist(), held["vectors"], strict=True))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of norm 1 for each text; see tools.embed.embedder."""
        rows = [self._held.get(digest(text)) for text in texts]
        missing = [place for place, row in enumerate(rows) if row is None]
        if missing:
            made = self._model.embed([texts[place] for place in missing])
            for place, row in zip(missing, made, strict=True):
                rows[place] = row
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.size)


def with_packaged_vectors(embedder: Embedder) -> Embedder:
    """Return the embedder with what it is known to say, if the shipped vectors are its own."""
    known = embedder.name == MiniLm.name and _VECTORS.is_file()
    return ShippedVectors(embedder) if known else embedder


def digest(text: str) -> int:
    """Return what a text is known by."""
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big")


logger = logger_of(__name__)

STARTER = "starter"
_WAIT = 300.0  # seconds: another process may be building it
_HASH = "starter_sha256"


@contextmanager
def starter_papers(other: Path | None = None) -> Iterator[Path]:
    """The file of packaged records, or `other`.

    Raises:
        LibraryError: The packaged file is missing.
    """
    if other is not None:
        yield other
        return
    packaged = files("tools.library") / "starter" / "papers.jsonl"
    if not packaged.is_file():
        raise LibraryError(
            "this installation has no starter library: install CiteLoom again, or add your own "
            f"papers with `{PROGRAM} library add` and name that library"
        )
    with as_file(packaged) as path:
        yield path


def sync_starter(library: Library, source: Path) -> None:
    """Make `library` hold the records of `source` and nothing else; quick if it does already.

    The hash of the source is noted last: a build that was killed goes on at the next use, and a
    second process waits for the first.
    """
    wanted = sha256(source.read_bytes()).hexdigest()
    if library.meta().get(_HASH) == wanted:
        return
    with library.writing(_WAIT):
        if library.meta().get(_HASH) == wanted:
            return
        logger.info("building the starter library from %s", source.name)
        papers = list(_annotated(source))
        library.add(papers, replace=True)
        # By what the library calls them: a paper may have come under another of its ids.
        kept = {paper.id for paper in library.get([paper.id for paper in papers]).values()}
        library.remove([key for key in library.ids() if key not in kept])
        library.remember(**{_HASH: wanted})


def _annotated(source: Path) -> Iterator[Paper]:
    for record in read_records(source):
        if isinstance(record, BadRecord):
            raise LibraryError(
                f"{source.name}, line {record.line}, cannot be read ({record.reason}): the starter "
                "library is damaged; install CiteLoom again"
            )
        yield record.model_copy(update={"abstract_kind": "annotation"})
