"""In which portions files are read."""

from collections.abc import Sequence

from state.ingesting import FileSource

LARGEST = 1000
"""Files of a wave: what was read is indexed, and can be found, before the next wave."""


def wave(files: Sequence[FileSource], done: int) -> list[FileSource]:
    """Return the files to be read next: first all record files, then documents in portions.

    A document finds the record of its paper in the library only if that was read before it.
    """
    rest = files[done:]
    records = [item for item in rest if item.kind == "records"]
    return (records or list(rest))[:LARGEST]
