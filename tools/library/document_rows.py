"""Writing documents and the texts that are searched, within a transaction of the caller."""

import json
import sqlite3
from collections.abc import Collection, Sequence
from hashlib import sha256
from typing import Literal, NamedTuple

from state.bibliography import ReferenceEntry
from state.document import Block, Document, DocumentEntry
from state.paper import Paper
from state.passage import LARGEST, Passage, passage_id
from tools.documents.cut_passages import cut_passages
from tools.embed.embedder import readable
from tools.library.database import keep_gaps
from tools.library.same_paper import keys_of
from tools.library.search_types import folded_section

PutOutcome = Literal["added", "updated", "unchanged"]
_RECORD = 0
"""The number of the document that a record's own text counts as."""
_SECTIONS = {"abstract": "Abstract", "annotation": "Annotation"}


class CutPassages(NamedTuple):
    """A row of `texts`, but for its paper, document and position."""

    id: str
    section: str
    headings: str
    page: int | None
    start: int
    end: int
    text: str


def put_document(
    db: sqlite3.Connection,
    paper: int,
    paper_id: str,
    entry: DocumentEntry,
    text: str,
    passages: Sequence[Passage],
    references: Sequence[ReferenceEntry] = (),
) -> PutOutcome:
    """Make the catalog hold this document with these passages and no earlier version of it."""
    cuts = [_cut(paper_id, passage) for passage in passages]
    entry = entry.model_copy(update={"passages": 0, "paper": paper_id})
    tagged = add_tags(db, paper, entry.tags)
    entry = entry.model_copy(update={"tags": ()})
    printed = [(*keys_of(one), one.model_dump_json(exclude_defaults=True)) for one in references]
    digest = _digest(entry, text, cuts, printed)
    known = db.execute(
        "SELECT number, paper, digest FROM documents WHERE sha256 = ?1"
        " OR (paper = ?2 AND name = ?3) ORDER BY sha256 != ?1",
        (entry.sha256, paper, entry.name),
    ).fetchall()
    if [row[1:] for row in known] == [(paper, digest)]:
        return "updated" if tagged else "unchanged"
    for number, _, _ in known[1:]:
        remove_document(db, number)
    values = (entry.sha256, paper, entry.name, entry.model_dump_json(exclude_defaults=True), digest)
    if known:
        number, owner, _ = known[0]
        sql = "sha256 = ?, paper = ?, name = ?, entry = ?, digest = ? WHERE number = ?"
        db.execute(f"UPDATE documents SET {sql}", (*values, number))
        if owner != paper:  # it was taken for another paper's
            db.execute("DELETE FROM texts WHERE document = ?", (number,))
            settle(db, owner)
    else:
        sql = "INSERT INTO documents (sha256, paper, name, entry, digest, length) VALUES"
        number = db.execute(f"{sql} (?, ?, ?, ?, ?, 0)", values).lastrowid or 0
    db.execute("DELETE FROM cited WHERE document = ?", (number,))
    db.executemany(
        "INSERT INTO cited (document, position, id, title, entry) VALUES (?, ?, ?, ?, ?)",
        [(number, position, *row) for position, row in enumerate(printed)],
    )
    spans = sorted((cut.start, cut.end) for cut in _write(db, paper, number, cuts))
    keep_gaps(db, number, readable(text), spans)
    return "updated" if known else "added"


def keep_record(db: sqlite3.Connection, paper: int, record: Paper) -> None:
    """Make the record's own texts what it says: its abstract, and the pieces of one too long for a passage."""
    abstract = readable(record.abstract or "")
    passage = Passage.model_construct(
        paper=record.id,
        section=(_SECTIONS[record.abstract_kind],),
        start=0,
        end=len(abstract),
        text=abstract,
    )
    whole = _cut(record.id, passage)
    block = Block.model_construct(text=abstract, section=passage.section, page=None, kind="text")
    document = Document.model_construct(blocks=(block,))
    pieces = cut_passages(document, paper=record.id, title="", sha256="", target=LARGEST)
    cuts = [_cut(record.id, piece) for piece in pieces]
    _write(db, paper, _RECORD, cuts if cuts == [whole] else [whole._replace(id=""), *cuts])


def rename(db: sqlite3.Connection, paper: int, paper_id: str) -> None:
    """Give the passages of a paper the ids that they have under the paper's new id."""
    rows = db.execute("SELECT text, point FROM texts WHERE paper = ? AND id != ''", (paper,))
    ids = [(passage_id(paper_id, text), point) for text, point in rows.fetchall()]
    db.executemany("UPDATE texts SET id = ? WHERE point = ?", ids)


def move(db: sqlite3.Connection, paper: int, into: int) -> None:
    """Make the documents and tags of one paper those of another, which it turned out to be."""
    (target,) = db.execute("SELECT id FROM papers WHERE point = ?", (into,)).fetchone()
    db.execute("DELETE FROM texts WHERE document = 0 AND paper = ?", (paper,))
    db.execute("INSERT OR IGNORE INTO tags SELECT ?, tag FROM tags WHERE paper = ?", (into, paper))
    db.execute("UPDATE documents SET paper = ? WHERE paper = ?", (into, paper))
    # Behind another title they are other texts.
    db.execute("UPDATE texts SET paper = ?, indexed = 0 WHERE paper = ?", (into, paper))
    rename(db, into, target)
    settle(db, into)


def forget_texts(db: sqlite3.Connection, paper: int) -> None:
    """Delete what there is of a paper besides its record."""
    for table in ("texts", "documents", "tags"):
        db.execute(f"DELETE FROM {table} WHERE paper = ?", (paper,))


def remove_document(db: sqlite3.Connection, number: int) -> None:
    """Delete a document; words that stand elsewhere in the paper stay searchable."""
    (paper,) = db.execute("SELECT paper FROM documents WHERE number = ?", (number,)).fetchone()
    db.execute("DELETE FROM texts WHERE document = ?", (number,))
    db.execute("DELETE FROM documents WHERE number = ?", (number,))
    settle(db, paper)


def add_tags(db: sqlite3.Connection, paper: int, tags: Sequence[str]) -> bool:
    """Give a paper these tags; return whether one was new."""
    rows = [(paper, readable(tag)) for tag in tags]
    return db.executemany("INSERT OR IGNORE INTO tags VALUES (?, ?)", rows).rowcount > 0


def remove_tags(db: sqlite3.Connection, paper: int, tags: Sequence[str]) -> bool:
    """Take these tags from a paper; return whether it had one."""
    rows = [(paper, tag) for tag in tags]
    return db.executemany("DELETE FROM tags WHERE paper = ? AND tag = ?", rows).rowcount > 0


def settle(db: sqlite3.Connection, paper: int) -> None:
    """Give each row of a paper its role; of one passage id a document's row goes before the record's."""
    db.execute(
        "UPDATE texts SET role = found.role FROM (SELECT point,"
        " (document = 0 AND position = 0) + 2 * (id != '' AND ROW_NUMBER() OVER"
        " (PARTITION BY id ORDER BY document = 0, document, position) = 1) AS role"
        " FROM texts WHERE paper = ?) AS found"
        " WHERE texts.point = found.point AND texts.role != found.role",
        (paper,),
    )


def _write(
    db: sqlite3.Connection, paper: int, number: int, cuts: Sequence[CutPassages]
) -> Collection[CutPassages]:
    """Make these the rows of a document, each text once; return them. One of the same words keeps its vector."""
    wanted = {cut.id: cut for cut in reversed(cuts)}  # of a text that stands twice, the first place
    db.execute(
        "DELETE FROM texts WHERE paper = ? AND document = ?"
        " AND id NOT IN (SELECT value FROM json_each(?))",
        (paper, number, json.dumps(list(wanted))),
    )
    places = {cut: place for place, cut in enumerate(dict.fromkeys(cut.id for cut in cuts))}
    db.executemany(
        "INSERT INTO texts (paper, document, position, id, section, headings, page, start, end,"
        " text) VALUES (?,?,?,?,?,?,?,?,?,?) ON CONFLICT (paper, document, id) DO UPDATE SET"
        " position = excluded.position, section = excluded.section, headings = excluded.headings,"
        " page = excluded.page, start = excluded.start, end = excluded.end, text = excluded.text",
        [(paper, number, place, *wanted[key]) for key, place in places.items()],
    )
    settle(db, paper)
    return wanted.values()


def _cut(paper: str, passage: Passage) -> CutPassages:
    text = readable(passage.text)
    section = tuple(readable(heading) for heading in passage.section)
    return CutPassages(
        passage_id(paper, text),
        json.dumps(section, ensure_ascii=False),
        json.dumps(folded_section(section), ensure_ascii=False),
        passage.page,
        passage.start,
        passage.end,
        text,
    )


def _digest(
    entry: DocumentEntry, text: str, cuts: Sequence[CutPassages], printed: Sequence[object]
) -> bytes:
    whole = sha256(entry.model_dump_json().encode("utf-8", "replace"))
    for part in (text, json.dumps(cuts), json.dumps(printed)):
        whole.update(sha256(part.encode("utf-8", "replace")).digest())
    return whole.digest()
