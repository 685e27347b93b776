"""How the names of files of references end."""

from typing import Literal

Kind = Literal["jsonl", "bibtex", "csl", "cff", "ris", "enw", "nbib"]
RECORD_KINDS: dict[str, Kind] = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".bib": "bibtex", ".bibtex": "bibtex", ".ris": "ris",
    ".nbib": "nbib", ".enw": "enw", ".cff": "cff",
}  # fmt: skip
RECORD_SUFFIXES = frozenset({*RECORD_KINDS, ".json", ".csl"})
"""All of them; what is in a .json file shows by its contents."""
