"""Misspelt words of a question, judged by the words that the library has."""

import sqlite3

from tools.library.library import Library
from tools.text.words import ACADEMIC_WORDS, STOP_WORDS, stem, tokens

_SHORTEST = 5
"""Letters; a shorter word is near too many others."""
_OFTEN = 3
"""Passages that must have a word before a question's word is taken for it."""
_LONG = 8
"""Letters from which a word may differ by two edits, not one."""
_CLEAR = 5
"""A word must be in so many times more passages than another one that is as near."""
_ROOT = 3
"""Letters that all forms of a word share."""


def spellings(library: Library, question: str) -> dict[str, str]:
    """Return the words of a question that the library lacks, each with the word likely meant.

    Only words of small letters that are near a word which the library has often: names, numbers
    and acronyms that are near nothing stay, and so does every word that occurs, in any form, in a
    passage or title of the library or in everyday or academic English.

    Raises:
        LibraryError: The library is damaged.
    """
    found: dict[str, str] = {}
    with library.catalog.database.reading() as db:
        for place, (word, written) in enumerate(_asked(question).items()):
            everyday = word in STOP_WORDS or word in ACADEMIC_WORDS
            if everyday or not _may_be_misspelt(written, first=place == 0):
                continue
            if not _is_known(db, word) and (near := _near(db, word)):
                found[written] = near
    return found


def _is_known(db: sqlite3.Connection, word: str) -> bool:
    forms = {stem(term) for term, _ in _terms(db, word[:_ROOT])}
    titled = "SELECT 1 FROM papers WHERE instr(lower(json_extract(record, '$.title')), ?) LIMIT 1"
    return stem(word) in forms or db.execute(titled, (word,)).fetchone() is not None


def _terms(db: sqlite3.Connection, start: str) -> list[tuple[str, int]]:
    """Return the words that begin so, each with the number of its passages."""
    sql = "SELECT term, doc FROM vocabulary WHERE term >= ?1 AND term < ?1 || char(1114111)"
    return db.execute(sql, (start,)).fetchall()


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


def _near(db: sqlite3.Connection, word: str) -> str | None:
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    allowed = 2 if len(word) >= _LONG else 1
    # People rarely get the first letter wrong: another one is taken for another word.
    counts = {
        term: count
        for term, count in _terms(db, word[0])
        if count >= _OFTEN and term.isalpha() and abs(len(term) - len(word)) <= allowed
    }
    near = extract(word, list(counts), scorer=OSA.distance, score_cutoff=allowed, limit=None)
    if not near:
        return None
    least = min(distance for _, distance, _ in near)
    best = sorted((term for term, distance, _ in near if distance == least), key=counts.__getitem__)
    rivals = [term for term in best[:-1] if stem(term) != stem(best[-1])]
    if rivals and counts[best[-1]] < _CLEAR * counts[rivals[-1]]:
        return None
    return best[-1]
