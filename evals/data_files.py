"""The files of the benchmarks: JSON lines that are read, plain or gzip, and figures that are written and read again."""

import gzip
import json
import zlib
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any

from tools.errors import InputError


def json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield what stands in each line that is not empty, with the line's number.

    Raises:
        InputError: The file cannot be read, or a line is no JSON; the message names the line.
    """
    number = 0
    try:
        with _opened(path) as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, json.loads(line)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"the data '{path}' cannot be read: {error}; give a file of JSON lines, plain or gzip"
        ) from error
    except ValueError as error:
        raise InputError(f"line {number} of '{path}' is no JSON: {error}") from error


def _opened(path: Path) -> gzip.GzipFile | BufferedReader:
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return gzip.open(path) if packed else path.open("rb")


def check_file(path: Path | None) -> None:
    """Check that a file can be written to a folder that exists.

    Raises:
        InputError: It cannot.
    """
    if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
        raise InputError(f"'{path}' cannot be written: name a file in a folder that exists")


def write_figures(path: Path | None, found: dict[str, Any]) -> None:
    """Write figures as JSON, as a whole or not at all.

    Raises:
        InputError: They cannot be written.
    """
    if path is None:
        return
    # NaN and infinity are no JSON: better an error here than a file that others cannot read.
    text = json.dumps(found, ensure_ascii=False, indent=1, allow_nan=False)
    temporary = path.with_name(f"{path.name}.part")
    try:
        temporary.write_text(f"{text}\n", encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"'{path}' cannot be written: {error}") from error


def read_figures(path: Path) -> dict[str, Any]:
    """Return figures that a suite wrote with --json.

    Raises:
        InputError: They cannot be read.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"'{path}' cannot be read as figures: {error}") from error
    return found if isinstance(found, dict) else {}
