"""Writing documents and passages into the catalog, within a transaction of the caller."""

import json
import sqlite3
import zlib
from collections.abc import Sequence
from hashlib import sha256
from typing import Literal, NamedTuple

from state.document import Block, Document, DocumentEntry
from state.paper import Paper
from state.passage import LARGEST, Passage, passage_id
from tools.documents.passages import cut as cut_document
from tools.library.headings import folded_section

PutOutcome = Literal["added", "updated", "unchanged"]
ABSTRACT = 0
"""The number of the document that a record's own abstract counts as."""
_SECTIONS = {"abstract": "Abstract", "annotation": "Annotation"}


class Cut(NamedTuple):
    """One passage as a row holds it, but for its paper and document."""

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
) -> PutOutcome:
    """Make the catalog hold this document with these passages and no earlier version of it."""
    cuts = [_cut(paper_id, passage) for passage in passages]
    digest = _digest(paper_id, entry, text, cuts)
    row = db.execute(
        "SELECT number, paper, digest FROM documents WHERE sha256 = ?", (entry.sha256,)
    ).fetchone()
    earlier = db.execute(
        "SELECT number FROM documents WHERE paper = ? AND name = ? AND sha256 != ?",
        (paper, entry.name, entry.sha256),
    ).fetchall()
    tagged = add_tags(db, paper, entry.tags)
    if row and row[1:] == (paper, digest) and not earlier:
        return "updated" if tagged else "unchanged"
    for (number,) in earlier[bool(not row) :]:  # without a row, the first is taken over
        remove_document(db, number)
    number = row[0] if row else earlier[0][0] if earlier else None
    entry = entry.model_copy(update={"tags": (), "passages": 0, "paper": paper_id})
    values = (
        entry.sha256, paper, entry.name, entry.model_dump_json(exclude_defaults=True), digest,
        zlib.compress(text.encode("utf-8", "replace"), 6),
    )  # fmt: skip
    if number is None:
        sql = (
            "INSERT INTO documents (sha256, paper, name, entry, digest, text) VALUES (?,?,?,?,?,?)"
        )
        number = db.execute(sql, values).lastrowid or 0
    else:
        sql = (
            "UPDATE documents SET sha256 = ?, paper = ?, name = ?, entry = ?, digest = ?, text = ?"
            " WHERE number = ?"
        )
        db.execute(sql, (*values, number))
    if row and row[1] != paper:  # it was taken for another paper's
        _drop_rows(db, "document = ?", number)
        settle(db, row[1])
    _write(db, paper, number, cuts)
    settle(db, paper)
    return "updated" if row or earlier else "added"


def keep_abstract(db: sqlite3.Connection, paper: int, record: Paper) -> None:
    """Make the passages of the record's own abstract what the record says; `settle` must follow.

    An abstract of more than 300 words makes several.
    """
    cuts = []
    if record.abstract:
        section = (_SECTIONS[record.abstract_kind],)
        whole = Document(blocks=(Block(text=record.abstract, section=section),), reader="record")
        parts = cut_document(whole, paper=record.id, title=record.title, sha256="", target=LARGEST)
        cuts = [_cut(record.id, part) for part in parts]
    _write(db, paper, ABSTRACT, cuts)


def record_changed(db: sqlite3.Connection, paper: int, old: Paper, new: Paper) -> None:
    """Keep a paper's passages in step with its changed record."""
    if old.id != new.id:
        rename(db, paper, new.id)
    if old.title != new.title:
        _touch(db, paper, vectors=True)
    elif _filtered(old) != _filtered(new):
        _touch(db, paper, vectors=False)
    keep_abstract(db, paper, new)
    settle(db, paper)


def rename(db: sqlite3.Connection, paper: int, paper_id: str) -> None:
    """Give the passages of a paper the ids that they have under the paper's new id."""
    rows = db.execute("SELECT point, text FROM passages WHERE paper = ?", (paper,)).fetchall()
    ids = [(passage_id(paper_id, text), point) for point, text in rows]
    db.executemany("UPDATE passages SET id = ? WHERE point = ?", ids)
    _touch(db, paper, vectors=False)


def move(db: sqlite3.Connection, paper: int, into: int) -> None:
    """Make the documents and tags of one paper those of another, which it turned out to be."""
    target = db.execute("SELECT id FROM papers WHERE point = ?", (into,)).fetchone()[0]
    _drop_rows(db, "document = 0 AND paper = ?", paper)
    db.execute("UPDATE OR IGNORE tags SET paper = ? WHERE paper = ?", (into, paper))
    db.execute("UPDATE documents SET paper = ? WHERE paper = ?", (into, paper))
    db.execute("UPDATE passages SET paper = ? WHERE paper = ?", (into, paper))
    _touch(db, into, vectors=True)
    rename(db, into, target)
    settle(db, into)


def forget_texts(db: sqlite3.Connection, paper: int) -> None:
    """Delete what there is of a paper besides its record."""
    _drop_rows(db, "paper = ?", paper)
    db.execute("DELETE FROM documents WHERE paper = ?", (paper,))
    db.execute("DELETE FROM tags WHERE paper = ?", (paper,))


def remove_document(db: sqlite3.Connection, number: int) -> None:
    """Delete a document; words that stand elsewhere in the paper stay searchable."""
    (paper,) = db.execute("SELECT paper FROM documents WHERE number = ?", (number,)).fetchone()
    _drop_rows(db, "document = ?", number)
    db.execute("DELETE FROM documents WHERE number = ?", (number,))
    settle(db, paper)


def add_tags(db: sqlite3.Connection, paper: int, tags: Sequence[str]) -> bool:
    """Give a paper these tags; return whether one was new."""
    before = db.total_changes
    rows = [(paper, _readable(tag)) for tag in tags]
    db.executemany("INSERT OR IGNORE INTO tags VALUES (?, ?)", rows)
    if db.total_changes == before:
        return False
    _touch(db, paper, vectors=False)
    return True


def remove_tags(db: sqlite3.Connection, paper: int, tags: Sequence[str]) -> bool:
    """Take these tags from a paper; return whether it had one."""
    before = db.total_changes
    rows = [(paper, tag) for tag in tags]
    db.executemany("DELETE FROM tags WHERE paper = ? AND tag = ?", rows)
    if db.total_changes == before:
        return False
    _touch(db, paper, vectors=False)
    return True


def settle(db: sqlite3.Connection, paper: int) -> None:
    """Make exactly one row of each passage id active: a document's before the abstract's."""
    rows = db.execute(
        "SELECT point, id, active FROM passages WHERE paper = ?"
        " ORDER BY document = 0, document, position",
        (paper,),
    ).fetchall()
    chosen: dict[str, int] = {}
    for point, key, _ in rows:
        chosen.setdefault(key, point)
    hidden = [(point,) for point, key, active in rows if active and chosen[key] != point]
    shown = [(point,) for point, key, active in rows if not active and chosen[key] == point]
    db.executemany("UPDATE passages SET active = 0, indexed = 0 WHERE point = ?", hidden)
    db.executemany("INSERT OR IGNORE INTO dropped_passages VALUES (?)", hidden)
    db.executemany(
        "UPDATE passages SET active = 1, indexed = 0, version = version + 1 WHERE point = ?", shown
    )
    db.executemany("DELETE FROM dropped_passages WHERE point = ?", shown)


def _write(db: sqlite3.Connection, paper: int, number: int, cuts: Sequence[Cut]) -> None:
    scope = (number, paper)
    stored = dict(
        db.execute("SELECT id, point FROM passages WHERE document = ? AND paper = ?", scope)
    )
    wanted = {cut.id: cut for cut in reversed(cuts)}  # of a text that stands twice, the first place
    gone = [point for key, point in stored.items() if key not in wanted]
    for point in gone:
        _drop_rows(db, "point = ?", point)
    for position, cut in enumerate(wanted[key] for key in dict.fromkeys(c.id for c in cuts)):
        if cut.id in stored:
            db.execute(
                "UPDATE passages SET indexed = CASE WHEN section = ? THEN indexed ELSE 0 END,"
                " version = version + (section != ?), position = ?, section = ?, headings = ?,"
                " page = ?, start = ?, end = ?, text = ? WHERE point = ?",
                (cut.section, cut.section, position, *cut[1:], stored[cut.id]),
            )
        else:
            db.execute(
                "INSERT INTO passages (paper, document, position, id, section, headings, page,"
                " start, end, text) VALUES (?,?,?,?,?,?,?,?,?,?)",
                (paper, number, position, *cut),
            )


def _drop_rows(db: sqlite3.Connection, condition: str, *values: object) -> None:
    _note_dropped(db, condition, *values)
    db.execute(f"DELETE FROM passages WHERE {condition}", values)


def _note_dropped(db: sqlite3.Connection, condition: str, *values: object) -> None:
    sql = f"INSERT OR IGNORE INTO dropped_passages SELECT point FROM passages WHERE {condition}"
    db.execute(sql, values)


def _touch(db: sqlite3.Connection, paper: int, *, vectors: bool) -> None:
    """Note that what the index holds of a paper's passages is no longer right."""
    stale = "0" if vectors else "CASE indexed WHEN 1 THEN 2 ELSE indexed END"
    db.execute(
        f"UPDATE passages SET indexed = {stale}, version = version + 1 WHERE paper = ?", (paper,)
    )


def _filtered(paper: Paper) -> tuple[object, ...]:
    return paper.id, paper.venue, paper.year, paper.published


def _cut(paper: str, passage: Passage) -> Cut:
    text = _readable(passage.text)
    section = tuple(_readable(heading) for heading in passage.section)
    return Cut(
        passage_id(paper, text),
        json.dumps(section, ensure_ascii=False),
        json.dumps(folded_section(section), ensure_ascii=False),
        passage.page, passage.start, passage.end, text,
    )  # fmt: skip


def _digest(paper: str, entry: DocumentEntry, text: str, cuts: Sequence[Cut]) -> bytes:
    plain = entry.model_copy(update={"tags": (), "passages": 0, "paper": paper})
    whole = sha256(plain.model_dump_json().encode("utf-8", "replace"))
    for part in (text, json.dumps(cuts)):
        whole.update(sha256(part.encode("utf-8", "replace")).digest())
    return whole.digest()


def _readable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")  # SQLite takes no lone surrogates
