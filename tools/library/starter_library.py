"""The library that comes with CiteLoom: annotated papers on machine-assisted literature review."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.resources import as_file, files
from pathlib import Path

from state.paper import Paper
from tools.bibliography.read import read_records
from tools.bibliography.read_record import BadRecord
from tools.errors import LibraryError
from tools.library.library import Library
from tools.program import PROGRAM, logger_of

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
