"""What a caller sent: its bytes, and where they wait to be read."""

import base64
import binascii
from collections.abc import Sequence
from pathlib import Path, PurePath
from string import ascii_letters, digits

from state.ingest import FileReport, FileSource, Upload
from tools.errors import DocumentError
from tools.ingest.discover_files import DiscoveredFiles, discover_files, holds_records
from tools.ingest.file_places import UploadSpool, check_paths

_SHORTEST = 24
"""Characters below which what looks like base64 is taken for a word."""


def collect_sources(
    spool: UploadSpool,
    roots: Sequence[Path],
    paths: Sequence[str],
    uploads: Sequence[Upload],
    tags: Sequence[str],
) -> DiscoveredFiles:
    """Return the files that a caller names or sends, the contents of uploads in the spool.

    Raises:
        InputError: A path lies outside the roots, or there is no file of a name.
        OSError: The disk is full, or the spool cannot be written.
    """
    check_paths(paths, roots)
    found = discover_files(paths, roots, tags)
    take_uploads(found, spool, uploads, tags)
    return found


def take_uploads(
    found: DiscoveredFiles, spool: UploadSpool, uploads: Sequence[Upload], tags: Sequence[str]
) -> None:
    """Put the contents of uploads into the spool, each once, and list them as files to be read.

    What cannot be taken is among the reports of `found`.

    Raises:
        OSError: The disk is full, or the spool cannot be written.
    """
    from tools.file_limits import FILE_LIMITS

    names: set[str] = set()
    first: dict[str, str] = {}
    for number, upload in enumerate(uploads, start=1):
        # Only its last part: a browser may send a whole path, which means nothing here.
        sent = upload.name.replace("\\", "/").encode("utf-8", "replace").decode("utf-8")
        given = PurePath(sent).name or f"upload {number}"
        name = given if given not in names else f"{number}-{given}"
        names.add(name)
        try:
            content = contents_of(upload, largest=FILE_LIMITS.bytes)
        except DocumentError as error:
            found.reports.append(
                FileReport(source=name, status="failed", cause=str(error), remedy=error.remedy)
            )
            continue
        digest = spool.put(content)
        if digest in first:
            note = f"its contents are those of {first[digest]}"
            found.reports.append(FileReport(source=name, status="unchanged", notes=(note,)))
            continue
        first[digest] = name
        found.files.append(
            FileSource(
                name=name,
                sha256=digest,
                tags=tuple(tags),
                kind="records" if holds_records(given, content) else "upload",
            )
        )


def contents_of(upload: Upload, *, largest: int) -> bytes:
    """Return the contents of an upload.

    What does not say how it is written is base64 where all of it can be, else text.

    Raises:
        DocumentError: It is empty, larger than `largest` bytes, or not the base64 it says it is.
    """
    text = upload.content
    head, mark, rest = text.partition(",")
    if data_url := mark and head[:5].lower() == "data:" and head.lower().endswith(";base64"):
        text = rest
    packed = "".join(text.split())
    if (
        data_url
        or upload.encoding == "base64"
        or (upload.encoding is None and _looks(packed, text))
    ):
        try:
            content = base64.b64decode(packed, validate=True)
        except (binascii.Error, ValueError) as error:
            raise DocumentError(
                f"its contents are not base64: {error}",
                remedy="send the file's bytes in base64, or its text with encoding 'text'",
            ) from error
    else:
        content = text.encode("utf-8", "replace")
    if len(content) > largest:
        raise DocumentError(
            f"it has more than {largest / 1e6:g} MB",
            remedy="split it, or add it on the command line of the machine that has the library",
        )
    if not content:
        raise DocumentError("it is empty", remedy="send the file's contents as `content`")
    return content


def _looks(packed: str, text: str) -> bool:
    whole = len(packed) >= _SHORTEST and len(packed) % 4 == 0 and " " not in text[:1000]
    return whole and set(packed.removesuffix("=").removesuffix("=")) <= {
        *ascii_letters,
        *digits,
        *"+/",
    }
