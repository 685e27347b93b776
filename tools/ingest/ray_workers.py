"""Bulk ingestion on Ray Data: the workers of a Ray cluster read files and embed texts.

The process that was called stays the library's one writer: it lists what there is to read, takes in what
workers have read, and writes the vectors that they make. So the library is what it would be without a
cluster, and what was done stays done: a file whose hash is known is not read again, a text that has
its vector is not embedded again. Ray Data does over what a lost worker was at, and lets workers
wait while the writer is busy.
"""

import logging
import os
import pickle
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path, PurePath
from secrets import token_hex
from socket import create_connection
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any

from state.ingest import FileSource
from tools.bibliography.read_record import BadRecord
from tools.documents.grobid import Grobid
from tools.embed.embedder import Encoded, encode
from tools.embed.open_embedder import embedder
from tools.errors import CiteLoomError, DocumentError, InputError, PermanentError, how_to_install
from tools.file_limits import ReaderLimits
from tools.ingest.discover_files import cut_line, read_dump
from tools.ingest.file_places import fetch_file, is_address
from tools.ingest.ingest_file import KnownDocument, ReadParts, digest_of, read_parts
from tools.ingest.reader_processes import open_workers
from tools.settings import Settings, foreign_variable

_started: list[int] = []
"""How many workers there are to be, where this process has a cluster."""
_PATIENCE = 10.0  # seconds
_SOURCES_KEYS = ("qdrant", "openalex", "semantic_scholar", "serpapi")
"""Whose keys stay with the command: an embedder needs none of them."""
Answer = ReadParts | KnownDocument | BadRecord | DocumentError


def start_ray(workers: int | None = None) -> None:
    """Connect this process to the cluster of RAY_ADDRESS, or to one of its own on this machine.

    Args:
        workers: How many read and embed at once; else one for each CPU of the cluster.

    Raises:
        InputError: Ray is not installed, or no cluster answers at the address.
    """
    # Ray would tell its makers of each cluster, and offers its dashboard to who can reach the port.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    address = foreign_variable("RAY_ADDRESS")
    if address:
        _see_listening(address)
    if not (
        address or _started
    ):  # a Ray of our own listens to all who reach this machine, and runs what they send
        os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token_hex(32)}
    try:
        import ray.data
    except ImportError as error:
        raise InputError(
            f"Ray is not installed: read the files on this machine alone, or {how_to_install('ray')}"
        ) from error
    try:
        if not ray.is_initialized():
            own = {} if address else {"include_dashboard": False, "num_cpus": workers}
            ray.init(log_to_driver=False, logging_level=logging.ERROR, **own)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise InputError(
            f"no Ray cluster answers at {address or 'this machine'}: {error}"
        ) from error
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True
    _started[:] = [workers or int(ray.cluster_resources().get("CPU", 1))]


def _see_listening(address: str) -> None:
    """See that something listens at an address, which Ray itself would try for minutes.

    Raises:
        InputError: Nothing does.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not port.isdigit():  # a name of Ray's own, such as 'auto'
        return
    try:
        create_connection((host.strip("[]"), int(port)), _PATIENCE).close()
    except OSError as error:
        raise InputError(
            f"no Ray cluster answers at {address} ({error}): see RAY_ADDRESS, or unset it to start one here"
        ) from error


def on_ray() -> bool:
    """Whether this process reads and embeds on a cluster."""
    return bool(_started)


def read_on_ray(
    items: Sequence[FileSource], known: Iterable[str], limits: ReaderLimits, grobid: Grobid | None
) -> Iterator[tuple[str, Answer, bytes]]:
    """Yield each file's source and what was read of it, in their order; of a dump, each of its documents.

    With it comes, of a PDF that stood at an address, its bytes.

    Args:
        items: What to read; local paths must lead to the same files on all machines.
        known: The hashes of documents that are not to be read again.
        limits: For each file.
        grobid: What reads PDFs first.
    """
    import ray.data

    read = partial(_read, known=ray.put(frozenset(known)), limits=limits, grobid=grobid)
    rows = ray.data.from_items(
        [{"item": pickle.dumps(item)} for item in items], override_num_blocks=len(items)
    )
    for row in _rows(rows.flat_map(read, num_cpus=1, concurrency=min(_started[0], len(items)))):
        yield row["source"], pickle.loads(row["answer"]), row["content"]


def encode_on_ray(settings: Settings, batches: Iterable[Sequence[str]]) -> Iterator[Encoded]:
    """Yield what the embedder of these settings makes of each batch of texts, in their order."""
    import ray.data

    rows = [{"texts": pickle.dumps(list(texts))} for texts in batches]
    if not rows:
        return
    told = settings.model_copy(update={f"{name}_api_key": None for name in _SOURCES_KEYS})
    made = ray.data.from_items(rows, override_num_blocks=len(rows)).map(
        partial(_encode, settings=told), num_cpus=1, concurrency=min(_started[0], len(rows))
    )
    for row in _rows(made):
        yield pickle.loads(row["made"])


def _rows(data: Any) -> Iterator[dict[str, Any]]:
    """Yield what workers make, as it comes.

    Raises:
        PermanentError: The cluster is gone, or a worker failed as no file makes it fail.
    """
    import ray

    try:
        yield from data.iter_rows()
    except ray.exceptions.RayError as error:
        raise PermanentError(
            f"the Ray cluster failed: {str(error).strip().splitlines()[-1]}; what was added so far is kept: "
            "run the same again"
        ) from error


# --- What runs in the workers of the cluster ---------------------------------------------------------


def _encode(row: dict[str, Any], *, settings: Settings) -> dict[str, Any]:
    # The embedder is the process's, loaded once; it has as many threads as Ray gives it CPUs: one.
    made = encode(embedder(settings), pickle.loads(row["texts"]))
    return {"made": pickle.dumps(made)}


def _read(
    row: dict[str, Any], *, known: Any, limits: ReaderLimits, grobid: Grobid | None
) -> Iterator[dict[str, Any]]:
    item: FileSource = pickle.loads(row["item"])
    with TemporaryDirectory() as folder:
        try:
            away = is_address(item.path)
            path = fetch_file(item.path, Path(folder, "file")) if away else Path(item.path)
            for answer in _answers(item, path, _fetched(known), limits, grobid):
                whole = away and isinstance(answer, ReadParts) and answer.reading.kind == "pdf"
                yield _row(item, answer, path.read_bytes() if whole else b"")
        except (CiteLoomError, OSError) as error:
            remedy = getattr(error, "remedy", "") or "check that the workers may read it"
            yield _row(item, DocumentError(str(error), remedy=remedy))


def _row(item: FileSource, answer: Answer, content: bytes = b"") -> dict[str, Any]:
    return {"source": item.name, "answer": pickle.dumps(answer), "content": content}


def _answers(
    item: FileSource, path: Path, known: frozenset[str], limits: ReaderLimits, grobid: Grobid | None
) -> Iterator[Answer]:
    workers = open_workers(limits)
    if item.kind != "dump":
        digest = digest_of(path)
        # In a process of its own here, too: a file that crashes its reader does not cost the worker.
        yield (
            KnownDocument(digest)
            if digest in known
            else read_parts(workers, Event(), path, PurePath(item.name).name, grobid, {})
        )
        return
    for line, found in enumerate(read_dump(path), start=1):
        if isinstance(found, BadRecord):
            yield found
        elif found.sha256 in known:
            yield KnownDocument(found.sha256)
        else:
            yield cut_line(workers, Event(), found, line)


@lru_cache(maxsize=1)
def _fetched(known: Any) -> frozenset[str]:
    import ray

    found: frozenset[str] = ray.get(known)
    return found
