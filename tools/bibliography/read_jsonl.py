"""JSON Lines: one record on each line, read in constant memory."""

import json
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, TypeVar

from tools.bibliography.read_record import BadRecord, RecordError, bad_record

T = TypeVar("T")
_LONGEST = (
    10_000_000  # bytes of one record: an abstract has some thousand, a references list some more
)


Read = Callable[[dict[str, Any], list[str]], T]
"""Makes something of a line, and adds to the list what of it could not be read."""


def read_jsonl(stream: BinaryIO, read: Read[T]) -> Iterator[T | BadRecord]:
    """Yield what `read` makes of each line of a file, and what is wrong with them."""
    number = 0
    try:
        while line := stream.readline(_LONGEST):
            number += 1
            if len(line) < _LONGEST or line.endswith(b"\n"):
                if line.strip():
                    yield from _record(number, line, read)
                continue
            yield bad_record(number, f"it is longer than {_LONGEST // 1_000_000} MB", line)
            while line and not line.endswith(b"\n"):
                line = stream.readline(_LONGEST)
    except (EOFError, OSError, zlib.error) as error:
        reason = f"the file breaks off or is damaged here ({error}); what follows is not read"
        yield bad_record(number + 1, reason, "")


def _record(number: int, line: bytes, read: Read[T]) -> Iterator[T | BadRecord]:
    notes: list[str] = []
    try:
        fields = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
        if not isinstance(fields, dict):
            raise RecordError("it is not a JSON object")
        yield read(fields, notes)
        yield from (bad_record(number, note, line, lost=False) for note in notes)
    except UnicodeDecodeError as error:
        reason = f"it is not UTF-8 (byte {error.start + 1} of the line)"
        yield bad_record(number, reason, line)
    except json.JSONDecodeError as error:
        yield bad_record(number, f"it is not JSON: {error.msg}, column {error.colno}", line)
    except RecordError as error:
        yield bad_record(number, str(error), line)
    except (ValueError, RecursionError):
        reason = "its JSON has a number too long or is nested too deeply"
        yield bad_record(number, reason, line)
