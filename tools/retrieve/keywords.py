"""Keywords of passages, and passages by keywords, after Keyword Augmented Retrieval.

KAR (Purwar and Sundar, 2023) lets a small model name the keywords of each piece of text once, and
compares a question's keywords with them. Here a mind names those of passages where it is asked to
(nodes.ingest.name_keywords); the phrases that stand out in a passage by count stand in for the rest,
and its headings count as keywords of it. They are kept in the catalog; its full-text index (SQLite
FTS5, stems, BM25) ranks passages by the question's. No text is embedded for any of it.
"""

from collections.abc import Iterator, Mapping, Sequence

from state.passage import Passage, PassageHit
from tools.library.library import Library
from tools.library.passages import PassageCatalog, filter_sql
from tools.library.port import Progress
from tools.retrieve.port import PassageFilter
from tools.text.keyphrases import keyphrases
from tools.text.words import STOP_WORDS, tokens

COMPUTED = "counts"
"""Who named the keywords that no mind did."""
_KEPT = 20
_BATCH = 500
_LONGEST_WORD = 40


def name_missing(library: Library, progress: Progress | None = None) -> int:
    """Find keywords for the passages that have none; return for how many.

    Raises:
        LibraryError: The library is damaged, or locked for too long.
    """
    with library.catalog.database.reading() as db:
        sql = "SELECT COUNT(*) FROM texts WHERE role >= 2 AND named_by IS NULL"
        (total,) = db.execute(sql).fetchone()
    done = 0
    for page in unnamed(library, _BATCH):
        put(
            library,
            {item.id: [p.text for p in keyphrases(item.text, limit=_KEPT)] for item in page},
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
    return PassageCatalog(library.catalog.database).pages(size, condition)


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


def by_keywords(
    library: Library, question: str, *, limit: int, wanted: PassageFilter
) -> list[PassageHit]:
    """Return at most `limit` passages that share a keyword with the question, best first."""
    name_missing(library)
    words = {
        word: None
        for word in tokens(question)
        if word not in STOP_WORDS and len(word) <= _LONGEST_WORD
    }
    if not words or limit < 1:
        return []
    papers = set(library.catalog.points(wanted.papers).values())
    conditions, values = filter_sql(wanted, papers)
    sql = (
        "SELECT s.id, -bm25(keyword_index) AS score FROM keyword_index k"
        " JOIN texts s ON s.point = k.rowid JOIN papers p ON p.point = s.paper"
        f" WHERE keyword_index MATCH ? AND s.role >= 2{conditions}"
        " ORDER BY bm25(keyword_index), s.point LIMIT ?"
    )
    match = " OR ".join(f'"{word}"' for word in words)
    with library.catalog.database.reading() as db:
        rows = db.execute(sql, (match, *values, limit)).fetchall()
    return [
        PassageHit(passage=key, score=round(score, 6), rank=rank)
        for rank, (key, score) in enumerate(rows, 1)
    ]
