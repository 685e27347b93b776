"""Misspelt words of a question, judged by the words that the library has."""

from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Protocol

from tools.retrieve.keywords_file import KeywordsFile
from tools.text.words import ACADEMIC_WORDS, STOP_WORDS, stem, tokens

_SHORTEST = 5
"""Letters; a shorter word is near too many others."""
_OFTEN = 3
"""Passages that must have a word before a question's word is taken for it."""
_LONG = 8
"""Letters from which a word may differ by two edits, not one."""
_CLEAR = 5
"""A word must be in so many times more passages than another one that is as near."""


class HasFolder(Protocol):
    """A library, of which only its folder is read."""

    @property
    def folder(self) -> Path:
        """Where its files are."""
        ...


class _Words:
    """The words of one library, read again when they have changed."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "keywords.sqlite"
        self._file = KeywordsFile(self._path)
        self._lock = Lock()
        self._version = -1
        self._counts: dict[str, int] = {}
        self._stems: frozenset[str] = frozenset()
        self._often: dict[int, list[str]] = {}

    def read(self) -> tuple[Mapping[str, int], frozenset[str], Mapping[int, list[str]]]:
        """Return counts by word, the stems there are, and frequent words by length."""
        with self._lock:
            if self._path.exists():
                with self._file.reading() as db:
                    version = self._file.version(db)
                    if version != self._version:
                        rows = db.execute("SELECT word, stem, count FROM words").fetchall()
                        self._take(rows, version)
                self._file.close()
            return self._counts, self._stems, self._often

    def _take(self, rows: list[tuple[str, str, int]], version: int) -> None:
        self._counts = {word: count for word, _, count in rows}
        self._stems = frozenset(item for _, item, _ in rows)
        self._often = {}
        for word, _, count in rows:
            if count >= _OFTEN and word.isalpha():
                self._often.setdefault(len(word), []).append(word)
        self._version = version


_lock = Lock()
_known: dict[Path, _Words] = {}


def spellings(library: HasFolder, question: str) -> dict[str, str]:
    """Return the words of a question that the library lacks, each with the word likely meant.

    Only words of small letters that are near a word which the library has often: names, numbers
    and acronyms that are near nothing stay, and so does every word that occurs, in any form, in
    the library or in everyday or academic English. A library without keywords corrects nothing.

    Raises:
        LibraryError: The library's keywords are damaged.
    """
    with _lock:
        words = _known.setdefault(library.folder, _Words(library.folder))
    counts, stems, often = words.read()
    if not counts:
        return {}
    found: dict[str, str] = {}
    for place, (word, written) in enumerate(_asked(question).items()):
        known = word in counts or word in STOP_WORDS or word in ACADEMIC_WORDS
        if known or stem(word) in stems or not _may_be_misspelt(written, first=place == 0):
            continue
        if near := _near(word, often, counts):
            found[written] = near
    return found


def _asked(question: str) -> dict[str, str]:
    """Return the question's words as they are written, by their small letters."""
    written = {word.lower(): word for word in question.replace("?", " ").split()}
    parts = {part: part for part in tokens(question)}
    for lowered, word in written.items():
        plain = lowered.strip(".,;:!\"'()[]“”‘’")
        if plain in parts:
            parts[plain] = word.strip(".,;:!\"'()[]“”‘’")
    return parts


def _may_be_misspelt(word: str, *, first: bool) -> bool:
    # A capital marks a name or an acronym, but for that of the question's first word.
    small = word[1:] if first else word
    return len(word) >= _SHORTEST and word.isalpha() and small == small.lower()


def _near(word: str, often: Mapping[int, list[str]], counts: Mapping[str, int]) -> str | None:
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    allowed = 2 if len(word) >= _LONG else 1
    choices = [
        other
        for length in range(len(word) - allowed, len(word) + allowed + 1)
        for other in often.get(length, [])
    ]
    rows = extract(word, choices, scorer=OSA.distance, score_cutoff=allowed, limit=None)
    # People rarely get the first letter wrong: another one is taken for another word.
    near = [(distance, other) for other, distance, _ in rows if other[0] == word[0]]
    if not near:
        return None
    least = min(distance for distance, _ in near)
    best = sorted((other for distance, other in near if distance == least), key=counts.__getitem__)
    rivals = [other for other in best[:-1] if stem(other) != stem(best[-1])]
    if rivals and counts[best[-1]] < _CLEAR * counts[rivals[-1]]:
        return None
    return best[-1]
