"""JSON Lines: one record on each line, read in constant memory."""

import json
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from state.paper import Paper
from tools.bibliography.read_record import BadRecord, RecordError, bad_record, paper_from

_LONGEST = (
    10_000_000  # bytes of one record: an abstract has some thousand, a references list some more
)


def read_jsonl(stream: BinaryIO) -> Iterator[Paper | BadRecord]:
    """Yield the papers of a file of JSON Lines, and what is wrong with the lines that are none."""
    for number, line in _lines(stream):
        if isinstance(line, BadRecord):
            yield line
        elif line.strip():
            yield _record(number, line)


def _record(number: int, line: bytes) -> Paper | BadRecord:
    try:
        text = line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        return bad_record(number, f"it is not UTF-8 (byte {error.start + 1} of the line)", line)
    try:
        fields = json.loads(text)
    except json.JSONDecodeError as error:
        return bad_record(number, f"it is not JSON: {error.msg}, column {error.colno}", text)
    except (ValueError, RecursionError):
        return bad_record(number, "its JSON has a number too long or is nested too deeply", text)
    if not isinstance(fields, dict):
        return bad_record(number, "it is not a JSON object", text)
    try:
        return paper_from(fields)
    except RecordError as error:
        return bad_record(number, str(error), text)


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes | BadRecord]]:
    number = 0
    while True:
        number += 1
        try:
            line = stream.readline(_LONGEST)
            whole = line
            while len(whole) == _LONGEST and not whole.endswith(b"\n"):
                whole = stream.readline(_LONGEST)
        except (EOFError, OSError, zlib.error) as error:
            reason = f"the file breaks off or is damaged here ({error}); what follows is not read"
            yield number, bad_record(number, reason, "")
            return
        if not line:
            return
        if whole is line:
            yield number, line
        else:
            reason = f"it is longer than {_LONGEST // 1_000_000} MB"
            yield number, bad_record(number, reason, line)
