"""Keywords of passages, passages by keywords, and misspelt words of questions.

KAR (Purwar and Sundar, 2023) lets a small model name the keywords of each piece of text once, and
compares a question's keywords with them. Here a mind names those of passages where it is asked to
(nodes.ingest.index_passages); the phrases that stand out in a passage by count stand in for the rest,
and its headings count as keywords of it. They are kept in the catalog; its full-text index (SQLite
FTS5, stems, BM25) ranks passages by the question's. No text is embedded for any of it.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence

from state.passage import Passage, PassageHit
from tools.library.library import Library
from tools.library.search_types import PassageFilter, filter_sql
from tools.library.vector_index import (
    Progress,
)
from tools.text.keyphrases import keyphrases
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
COMPUTED = "counts"
"""Who named the keywords that no mind did."""
_KEPT = 20
_BATCH = 500
_LONGEST_WORD = 40


def fill_missing_keywords(library: Library, progress: Progress | None = None) -> int:
    """Find keywords for the passages that have none; return for how many.

    Raises:
        LibraryError: The library is damaged, or locked for too long.
    """
    sql = "SELECT COUNT(*) FROM texts WHERE role >= 2 AND named_by IS NULL"
    ((total,),) = library.catalog.database.rows(sql)
    done = 0
    for page in unnamed(library, _BATCH):
        put(
            library,
            {item.id: computed_keywords(item.text) for item in page},
            COMPUTED,
        )
        done += len(page)
        if progress:
            progress(done, max(done, total))
    return done


def unnamed(library: Library, size: int, *, mind: bool = False) -> Iterator[list[Passage]]:
    """Yield passages without keywords in batches; with `mind`, those for which no mind named any."""
    condition = (
        f"COALESCE(s.named_by, '{COMPUTED}') = '{COMPUTED}'" if mind else "s.named_by IS NULL"
    )
    return library.texts.pages(size, condition)


def put(library: Library, keywords: Mapping[str, Sequence[str]], by: str) -> None:
    """Keep the keywords of passages, by id, and who found them; they take the place of others."""
    found = library.texts.get(keywords)
    rows = [
        ("\n".join([*keywords[key], *passage.section, passage.title]), by, key)
        for key, passage in found.items()
    ]
    with library.catalog.database.writing() as db:
        db.executemany(
            "UPDATE texts SET keywords = ?, named_by = ? WHERE role >= 2 AND id = ?", rows
        )


def keyword_maker(library: Library) -> str:
    """Return who named the keywords of most passages: a model by its name, or COMPUTED."""
    sql = "SELECT named_by FROM texts WHERE role >= 2 GROUP BY named_by ORDER BY COUNT(*) DESC LIMIT 1"
    rows = library.catalog.database.rows(sql)
    return (rows and rows[0][0]) or COMPUTED


def computed_keywords(text: str) -> list[str]:
    """Return the phrases that stand out in a text by count."""
    return [phrase.text for phrase in keyphrases(text, limit=_KEPT)]


def search_keywords(
    library: Library, question: str, *, limit: int, wanted: PassageFilter
) -> list[PassageHit]:
    """Return at most `limit` passages that share a keyword with the question, best first."""
    fill_missing_keywords(library)
    words = {
        word: None
        for word in tokens(question)
        if word not in STOP_WORDS and len(word) <= _LONGEST_WORD
    }
    if not words or limit < 1:
        return []
    conditions, values = filter_sql(wanted, set(library.catalog.points(wanted.papers).values()))
    sql = (
        "SELECT s.id, -bm25(keyword_index) AS score FROM keyword_index k"
        " JOIN texts s ON s.point = k.rowid JOIN papers p ON p.point = s.paper"
        f" WHERE keyword_index MATCH ? AND s.role >= 2{conditions}"
        " ORDER BY bm25(keyword_index), s.point LIMIT ?"
    )
    match = " OR ".join(f'"{word}"' for word in words)
    rows = library.catalog.database.rows(sql, (match, *values, limit))
    return [
        PassageHit(passage=key, score=round(score, 6), rank=rank)
        for rank, (key, score) in enumerate(rows, 1)
    ]


def correct_spelling(library: Library, question: str) -> dict[str, str]:
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
