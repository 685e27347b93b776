"""The walk through the elements of an article, HTML, JATS or TEI, and what its head says of the paper.

A vocabulary says of each element what it is (its role); the walk makes blocks of that. Roles:

    skip       no part of the text                  math       a formula
    block      a paragraph, or what holds some      list       an item of a list
    abstract   a block of the abstract              section    with a heading among its children
    h1 ... h6  a heading of this level              title      the paper's own title
    lead       a label that runs into what follows  break      parted by white space
    note       a footnote amid the text             table      rows of cells
    =KIND      one block of that kind, whatever stands in it; anything else runs on
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from state.document import BlockKind, Document
from state.paper import Author, canonical_id
from tools.bibliography.read_csl import year_in
from tools.documents.markup import ABSTRACT, DEEPEST, BlockCollector, Element, clean, math_of

_MOST_AUTHORS = 5000
StatedRecord = Mapping[str, Sequence[str]]
"""Values by name, such as those of HTML's meta elements or of Markdown's front matter."""
_NAMES = {
    "title": ("citation_title", "dc.title", "dcterms.title", "title"),
    "abstract": ("citation_abstract", "dcterms.abstract", "abstract"),
    "year": ("citation_publication_date", "citation_date", "citation_online_date", "citation_year", "dc.date",
             "dcterms.date", "dcterms.issued", "article:published_time", "date", "year", "published"),
    "venue": ("citation_journal_title", "citation_conference_title", "citation_inbook_title",
              "prism.publicationname", "journal", "venue", "booktitle"),
    "doi": ("citation_doi", "dc.identifier", "prism.doi", "bepress_citation_doi", "doi"),
    "arxiv": ("citation_arxiv_id", "arxiv", "eprint"),
    "authors": ("citation_author", "dc.creator", "dcterms.creator", "citation_authors", "author", "authors", "by"),
}  # fmt: skip
"""Under which names a field is given, the surest first."""


def head_of(said: StatedRecord) -> Document:
    """Return a document without text of what values by name say: of a page, or of front matter."""

    def every(field: str) -> list[str]:
        given = (said[name] for name in _NAMES[field] if said.get(name))
        return [words for value in next(given, ()) if (words := clean(value))]

    def one(field: str) -> str | None:
        return next(iter(every(field)), None)

    authors = every("authors")
    if len(authors) == 1:
        authors = re.split(r"\s*;\s*|\s+and\s+", authors[0])
    every_doi = [value for name in _NAMES["doi"] for value in said.get(name, ())]
    return Document(
        title=one("title"),
        authors=authors_of(authors),
        abstract=one("abstract"),
        year=next((year for date in every("year") if (year := year_in(date))), None),
        venue=one("venue"),
        doi=next((key for value in every_doi if (key := _bare("doi", value))), None),
        arxiv=_bare("arxiv", one("arxiv") or ""),
    )


def authors_of(names: Sequence[str]) -> tuple[Author, ...]:
    """Return authors of names, each once."""
    found = dict.fromkeys(name for name in names if name.strip())
    return tuple(Author(name=name) for name in [*found][:_MOST_AUTHORS])


def _bare(kind: str, value: str) -> str | None:
    """Return a bare identifier where a value is one of this kind."""
    plain = value.strip().split("[")[0]
    forms = (plain, f"{kind}:{plain}") if plain else ()
    keys = (canonical_id(form) for form in forms)
    return next((key.partition(":")[2] for key in keys if key.startswith(f"{kind}:")), None)


MarkupVocabulary = Callable[[Element], str]
_HEADINGS = ("label", "title", "head")
_ROWS, _CELLS = ("tr", "row"), ("td", "th", "cell")
_NAMED = {"ack": "Acknowledgements", "ref-list": "References", "listbibl": "References"}


class ArticleWalker:
    """Goes through the elements; words gather until a block begins or ends."""

    def __init__(
        self, out: BlockCollector, role: MarkupVocabulary, *, inline: bool = False
    ) -> None:
        self.out = out
        self.role = role
        self._inline = inline
        """Whether all of it is one text, in which there are no headings."""
        self._words: list[str] = []
        self._notes: list[str] = []
        self._lead = ""
        self._kind: BlockKind = "text"
        self._level = 0

    def flush(self) -> None:
        """End the block under way, and put its footnotes behind it."""
        words, self._words = "".join(self._words), []
        notes, self._notes = self._notes, []
        self._put(words, self._kind)
        for note in notes:
            self.out.add(note, "footnote")

    def _put(self, words: str, kind: BlockKind) -> None:
        if words.strip():
            self.out.add(self._lead + words, kind)
            self._lead = ""

    def element(self, element: Element, depth: int = 0) -> None:
        """Take in an element, without what follows it."""
        role = self.role(element)
        if role == "skip":
            return
        page = element.get("coords", "").partition(",")[0].strip()
        if (
            page.isdecimal() and 0 < int(page[:6]) < 100_000
        ):  # as GROBID says where something stands
            self.out.page = int(page)
        if role == "break":
            self._words.append(" ")
        if depth > DEEPEST:
            self._words.append(" ".join(element.itertext()))
        elif role == "math":
            self._words.append(math_of(element))
        elif role == "note":
            self._notes.append(self.text(element))
        elif role == "section":
            self._section(element, depth)
        elif role in {"block", "list", "abstract"}:
            self._block(element, role, depth)
        elif role in {"lead", "table"} or role[:1] in {"h", "="}:
            self._apart(element, role)
        elif role == "title":
            self.flush()
            self.out.end(1)
        else:
            self._inside(element, depth)

    def _inside(self, element: Element, depth: int) -> None:
        self._words.append(element.text or "")
        for child in element:
            self.element(child, depth + 1)
            follower = None if child.tail else child.getnext()
            # Two citations that touch: a space that stood between them was lost.
            touching = child.tag == "ref" and follower is not None and follower.tag == "ref"
            self._words.append(" " if touching else child.tail or "")

    def _block(self, element: Element, role: str, depth: int) -> None:
        self.flush()
        before = self._kind
        if role == "abstract" or (role == "list" and before == "text"):
            self._kind = cast(BlockKind, role)
        self._inside(element, depth)
        self.flush()
        self._kind = before

    def _apart(self, element: Element, role: str) -> None:
        """Take in what is a block or a heading by itself."""
        self.flush()
        words = self.text(element)
        if role == "lead":
            self._lead = f"{words} "
        elif role[0] == "=":
            self._put(words, cast(BlockKind, role[1:]))
        elif role == "table":
            self.out.add(self._lead, "caption")
            self._lead = ""
            for caption in element.iterchildren("caption"):
                self.out.add(self.text(caption), "caption")
            self.out.add(self._rows(element), "table")
        elif self._inline:
            self._put(words, "text")
        elif self._kind != "abstract":  # markup has its own heading 'Abstract'
            self.out.heading(int(role[1]), self.text(element, notes=False))

    def _section(self, element: Element, depth: int) -> None:
        """Take in a section whose heading is one of its children, numbered or not."""
        self.flush()
        heads = [child for child in element if child.tag in _HEADINGS]
        number = next((head.get("n") for head in heads if head.get("n")), "")
        words = [number, *(clean(self.text(head)) for head in heads)]
        heading = " ".join(filter(None, words)) or _NAMED.get(element.tag, "")
        if self._kind == "abstract":
            self._lead = f"{heading}: " if heading else ""
        self._level += bool(heading)
        # GROBID writes divisions side by side and numbers them: the number tells the level.
        level = max(self._level, 1 + number.strip(".").count("."))
        if self._kind != "abstract":
            self.out.heading(level, heading)
        for child in element:
            if child not in heads:
                self.element(child, depth + 1)
            self._words.append(child.tail or "")
        self.flush()
        self._level -= bool(heading)
        if heading and not number:
            self.out.end(level)

    def abstract(self, element: Element) -> None:
        """Take in an abstract; its own sections run into it."""
        self._kind = "abstract"
        self.out.heading(1, ABSTRACT[0])
        for child in element:
            if child.tag not in _HEADINGS:
                self.element(child, 1)
        self.flush()
        self.out.end(1)
        self._kind = "text"

    def text(self, element: Element, *, notes: bool = True) -> str:
        """Return the text of an element, formulas as their TeX, blocks set apart by spaces."""
        inner = ArticleWalker(BlockCollector(""), self.role, inline=True)
        if self.role(element) != "skip":
            inner._inside(element, 0)
            inner.flush()
        blocks = inner.out.blocks
        return " ".join(one.text for one in blocks if notes or one.kind != "footnote")

    def _rows(self, table: Element) -> str:
        """Return a table as text: cells apart by bars, rows by semicolons."""
        rows = (
            [self.text(cell) for cell in row.iterchildren(*_CELLS)] for row in table.iter(*_ROWS)
        )
        lines = [" | ".join(words for cell in row if (words := clean(cell))) for row in rows]
        return " ; ".join(line for line in lines if line)
