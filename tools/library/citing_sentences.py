"""The sentences of a library's papers that cite another of its papers, and what a model said of them.

They are kept in the catalog by document, with the version of its text and what its list of references leads
to: a document that was read anew, or of whose list another work came into the library, is looked through
anew. What a model said stays with a sentence that is still there. Where a label leads to two entries, or an
entry to two papers, nothing is kept: rather none than a wrong one.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from operator import attrgetter

from state.bibliography import Bibliography, ReferenceEntry
from state.citing import CUE_WORDS, CitingSentence
from state.document import Document
from state.paper import Paper, title_key
from tools.documents.document_cache import DocumentStore
from tools.documents.paragraphs import paragraphs_of, rebuilt
from tools.embed.embedder import readable
from tools.evidence.prompt_injection import without_injections
from tools.library.library import Library
from tools.text.cue_phrases import stance_by_cues
from tools.text.source_lines import source_lines

_TABLE = """CREATE TABLE IF NOT EXISTS citing (
    document INTEGER PRIMARY KEY, -- its number, which it keeps when its file changes
    version BLOB NOT NULL,        -- of its text, its list, and the papers that this leads to
    sentences TEXT NOT NULL)"""
_STORED = "FROM citing c JOIN documents d ON d.number = c.document"


@dataclass(frozen=True)
class UnsearchedDocument:
    """A document that was not looked through since it, or what its list leads to, changed."""

    sha256: str
    paper: str
    version: bytes
    places: frozenset[int]
    """Places of its list that are one paper of the library each, and not this one."""


class CitingSentences:
    """Reads and keeps the sentences of one library. Synchronous; reads the disk."""

    def __init__(self, library: Library, kept: DocumentStore) -> None:
        self._library, self._kept = library, kept
        self._database = library.catalog.database
        self._links: dict[str, dict[int, int]] = {}
        """By document: the point of the paper that each place of its list is."""
        self._versions: dict[str, bytes] = {}

    def unread(self, papers: Collection[str] | None = None) -> list[UnsearchedDocument]:
        """Return the documents to be looked through, of these papers or of all."""
        listed = self._library.catalog.printed_links()
        points = set(self._library.catalog.points(papers).values()) if papers is not None else None
        with self._database.reading() as db:
            known = db.execute(
                "SELECT d.sha256, p.id, p.point, d.digest FROM documents d JOIN papers p"
                " ON p.point = d.paper ORDER BY d.number"
            ).fetchall()
            db.execute(_TABLE)
            stored = dict(db.execute(f"SELECT d.sha256, version {_STORED}"))
        found: list[UnsearchedDocument] = []
        for document, paper, point, digest in known:
            pairs = listed.get(document, [])
            papers_at = Counter(place for place, _ in pairs)
            links = {at: to for at, to in pairs if papers_at[at] == 1 and to != point}
            self._links[document] = links
            whole = (digest.hex(), sorted(links.items()))
            version = self._versions[document] = sha256(json.dumps(whole).encode()).digest()
            if (points is None or point in points) and links and stored.get(document) != version:
                found.append(UnsearchedDocument(document, paper, version, frozenset(links)))
        return found

    def document(self, one: UnsearchedDocument) -> tuple[Document, list[ReferenceEntry]]:
        """Return a document with its list, as the library has them."""
        texts = self._library.texts
        entry = next(item for item in texts.documents(one.paper) if item.sha256 == one.sha256)
        text, document = texts.text(one.sha256), self._kept.latest(one.sha256)
        if document is None or readable(document.text) != text:
            mine = [item for item in texts.of_paper(one.paper) if item.document == one.sha256]
            document = rebuilt(entry, text, mine)
        sql = (
            "SELECT c.entry FROM cited c JOIN documents d ON d.number = c.document"
            " WHERE d.sha256 = ? ORDER BY c.position"
        )
        rows = self._database.rows(sql, (one.sha256,))
        return document, [ReferenceEntry.model_validate_json(row) for (row,) in rows]

    def put(self, one: UnsearchedDocument, document: Document, cites: Bibliography) -> None:
        """Keep the sentences of a document; those that a model typed before stay typed.

        Raises:
            LibraryError: The library cannot be written.
        """
        made = list(sentences_of(one, self._library.texts.text(one.sha256), document, cites))
        with self._database.writing() as db:
            db.execute("DELETE FROM citing WHERE document NOT IN (SELECT number FROM documents)")
            db.execute(
                "INSERT OR REPLACE INTO citing SELECT number, ?, ? FROM documents WHERE sha256 = ?",
                (one.version, _typed(made, _read(db, one.sha256)), one.sha256),
            )

    def type(self, items: Sequence[CitingSentence]) -> None:
        """Keep what a model said of these sentences; those of one document stand together."""
        for document, said in groupby(items, key=attrgetter("document")):
            with self._database.writing() as db:
                db.execute(
                    "UPDATE citing SET sentences = ?"
                    " WHERE document IN (SELECT number FROM documents WHERE sha256 = ?)",
                    (_typed(_read(db, document), said), document),
                )

    def found(self, citing_papers: Collection[str] | None = None) -> list[CitingSentence]:
        """Return what was found in documents of these papers, or of all, each sentence of a paper once.

        In order of document and place. Call `unread` first, which says what lists of references lead to now.
        """
        texts = self._library.texts
        among = [None] if citing_papers is None else [*citing_papers]
        entries = {one.sha256: one.paper for paper in among for one in texts.documents(paper)}
        points = {point for links in self._links.values() for point in links.values()}
        papers = self._library.catalog.papers(points)
        citing = self._library.get(set(entries.values()))
        found: dict[tuple[str, str, str], CitingSentence] = {}
        with self._database.reading() as db:
            kept = {
                one: _read(db, one, self._versions[one]) for one in entries if one in self._versions
            }
        for document, items in kept.items():
            paper = entries[document]
            for item in items:
                cited = papers.get(self._links.get(document, {}).get(item.entry, -1))
                if cited is None or paper not in citing:
                    continue
                told = {
                    "citing": paper,
                    "cited": cited.id,
                    "own": share_an_author(citing[paper], cited),
                }
                if not item.by and (stance := stance_by_cues(item.text, item.marker)):
                    told |= {"stance": stance, "by": CUE_WORDS}
                found.setdefault(
                    (paper, cited.id, title_key(item.text)), item.model_copy(update=told)
                )
        return list(found.values())


def _read(
    db: sqlite3.Connection, document: str, version: bytes | None = None
) -> list[CitingSentence]:
    """Return what is kept of a document, of this version or whichever."""
    sql = f"SELECT sentences {_STORED} WHERE d.sha256 = ?1 AND version = coalesce(?2, version)"
    rows = db.execute(sql, (document, version)).fetchall()
    return [CitingSentence.model_validate(item) for (row,) in rows for item in json.loads(row)]


def _typed(items: Iterable[CitingSentence], typed: Iterable[CitingSentence]) -> str:
    """Return sentences of a document as they are kept; those among `typed` are typed as these are."""
    said = {(one.text, one.entry): {"stance": one.stance, "by": one.by} for one in typed}
    rows = [item.model_copy(update=said.get((item.text, item.entry), {})) for item in items]
    return json.dumps([row.model_dump(mode="json", exclude_defaults=True) for row in rows])


def sentences_of(
    one: UnsearchedDocument, text: str, document: Document, cites: Bibliography
) -> Iterator[CitingSentence]:
    """Yield the sentences of a document that cite at the places wanted, one for each work that they cite.

    Sentences that command a machine are left out, and what does not stand in `text`, the document's as the
    library has it.
    """
    sure = [
        item.model_copy(update={"entries": tuple(set(item.entries) - set(item.unsure))})
        for item in cites.citations
    ]
    blocks = {block.text: block for block in document.blocks}
    at = 0
    for paragraph in paragraphs_of(
        document, cites.model_copy(update={"citations": tuple(sure)}), one.paper
    ):
        at = max(text.find(paragraph.text, at), 0)
        lines = source_lines(paragraph)
        told = [without_injections(line.text)[0] for line in lines]
        for place, line in enumerate(lines):
            start = at + line.start
            if told[place] != line.text or text[start : start + len(line.text)] != line.text:
                continue
            block = blocks[paragraph.text]
            first_marks = {
                entry: paragraph.text[mark.start : mark.end]
                for mark in reversed(paragraph.citations)
                if mark.start < line.end and line.start < mark.end
                for entry in one.places & set(mark.entries)
            }
            for entry, marker in first_marks.items():
                yield CitingSentence(
                    text=line.text,
                    marker=marker,
                    before=told[place - 1] if place else "",
                    after=told[place + 1] if place + 1 < len(told) else "",
                    section=paragraph.section,
                    page=next(
                        (page for turn, page in reversed(block.turns) if turn <= line.start),
                        block.page,
                    ),
                    document=one.sha256,
                    start=start,
                    entry=entry,
                )


def share_an_author(one: Paper, other: Paper) -> bool:
    """Whether two papers have an author in common."""
    mine, theirs = (
        {(title_key(author.family), title_key(author.given)[:1]) for author in paper.authors}
        for paper in (one, other)
    )
    return bool(mine & theirs)
