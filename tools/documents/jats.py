"""Articles in JATS, the XML of PubMed Central and of many publishers, and its forerunner NLM."""

from collections.abc import Iterator

from state.document import BlockKind, Document
from tools.documents.blocks import ABSTRACT, Blocks, clean
from tools.documents.jats_meta import read_meta
from tools.documents.limits import LIMITS, Limits
from tools.documents.markup import (
    DEEPEST,
    Element,
    attribute,
    children,
    first,
    local,
    math_of,
    parse_xml,
)
from tools.documents.tables import table_text
from tools.errors import DocumentError

_NEVER_NAMES = """
graphic inline-graphic media object-id table-wrap-foot-link permissions alt-text long-desc
processing-meta supplementary-material x label-alternatives
"""
_NEVER = frozenset(_NEVER_NAMES.split())
_WHOLE: dict[str, BlockKind] = {
    "caption": "caption", "code": "code", "preformat": "code", "table-wrap-foot": "footnote",
    "ref": "reference", "disp-formula": "equation", "mixed-citation": "reference",
    "element-citation": "reference", "fn": "footnote", "tex-math": "equation",
}  # fmt: skip
_BLOCKS_NAMES = """
p sec body back disp-quote boxed-text list list-item def-list def-item def term fig
fig-group table-wrap table-wrap-group ack app app-group fn-group glossary statement
verse-group verse-line notes bio floats-group speech disp-formula-group ref-list
alternatives
"""
_BLOCKS = frozenset(_BLOCKS_NAMES.split())
_SECTIONS = frozenset({"sec", "ack", "app", "ref-list", "glossary", "notes", "fn-group", "bio"})
_LISTS = frozenset({"list-item", "def-item"})
_NAMES = {"ack": "Acknowledgements", "ref-list": "References"}
_FORMULAS = frozenset({"math", "tex-math", "inline-formula", "disp-formula"})
_OTHER_ABSTRACTS = frozenset(
    {"graphical", "teaser", "toc", "precis", "video", "key-points", "highlights"}
)


class JatsReader:
    """Reads JATS (tools.documents.port.Reader)."""

    name = "jats 1"

    def __init__(self, limits: Limits = LIMITS) -> None:
        self._limits = limits

    def read(self, content: bytes, *, name: str) -> Document:
        """Return the article, the first of them where the file has several; see Reader.read."""
        root, unread = parse_xml(content, name)
        article = root if local(root) == "article" else first(root, "article")
        if article is None:
            raise DocumentError(f"{name} has no article in it", remedy="give the article's own XML")
        walk = _Walk(Blocks(name, self._limits))
        meta = first(article, "article-meta")
        for abstract in [] if meta is None else children(meta, "abstract"):
            if attribute(abstract, "abstract-type").lower() not in _OTHER_ABSTRACTS:
                walk.abstract(abstract)
        for part in children(article, "body", "back", "floats-group"):
            walk.element(part, 1)
            walk.flush()
        if not walk.out.blocks:
            raise DocumentError(
                f"{name} has neither abstract nor text",
                remedy="it may be a bare record: fetch the article's full text, or its PDF",
            )
        return read_meta(article).document(
            abstract=walk.out.abstract(),
            blocks=walk.out.blocks,
            unread=tuple(unread),
            reader=self.name,
        )


class _Walk:
    """Goes through the elements; words gather until a block begins or ends."""

    def __init__(self, out: Blocks) -> None:
        self.out = out
        self._words: list[str] = []
        self._lead = ""
        self._kind: BlockKind = "text"

    def flush(self) -> None:
        """End the block under way."""
        words, self._words = "".join(self._words), []
        self._put(words, self._kind)

    def _put(self, words: str, kind: BlockKind) -> None:
        if words.strip():
            self.out.add(self._lead + words, kind)
            self._lead = ""

    def abstract(self, element: Element) -> None:
        """Take in an abstract; its own sections run into it."""
        self._kind = "abstract"
        self.out.heading(1, ABSTRACT[0])
        for child in element:
            if local(child) not in {"title", "label"}:
                self.element(child, 2)
        self.flush()
        self.out.end(1)
        self._kind = "text"

    def element(self, element: Element, depth: int) -> None:
        """Take in an element, without what follows it; `depth` is the level of a section."""
        tag = local(element)
        if tag in _NEVER:
            return
        if depth > DEEPEST:
            self._words.append(" ".join(element.itertext()))
        elif tag in _WHOLE:
            self.flush()
            self._put("".join(inline(element)), _WHOLE[tag])
        elif tag in _SECTIONS:
            self._section(element, tag, depth)
        elif tag == "table":
            self.flush()
            self.out.add(table_text(element, lambda cell: "".join(inline(cell))), "table")
        elif tag in _BLOCKS:
            self._block(element, "list" if tag in _LISTS else self._kind, depth)
        elif tag in _FORMULAS:
            self._words.append(math_of(element))
        elif tag == "label":
            self.flush()
            self._lead = f"{''.join(inline(element))} "
        elif tag == "title":
            self.flush()
            self._words.append("".join(inline(element)))
            self.flush()
        else:
            self._inside(element, depth)

    def _inside(self, element: Element, depth: int) -> None:
        self._words.append(element.text or "")
        for child in element:
            self.element(child, depth + 1)
            self._words.append(child.tail or "")

    def _block(self, element: Element, kind: BlockKind, depth: int) -> None:
        self.flush()
        before = self._kind
        self._kind = kind if before == "text" else before
        self._inside(element, depth)
        self.flush()
        self._kind = before

    def _section(self, element: Element, tag: str, depth: int) -> None:
        self.flush()
        heading = " ".join(
            words
            for one in children(element, "label", "title")
            if (words := clean("".join(inline(one))))
        )
        if self._kind == "abstract":
            self._lead = f"{heading}: " if heading else ""
        else:
            self.out.heading(depth, heading or _NAMES.get(tag, ""))
        for child in element:
            if local(child) not in {"label", "title"}:
                self.element(child, depth + 1)
                self._words.append(child.tail or "")
        self.flush()
        self.out.end(depth)


def inline(element: Element, depth: int = 0) -> Iterator[str]:
    """Yield the text of an element, formulas as TeX; parts of a reference apart by spaces."""
    tag = local(element)
    if tag in _NEVER or not tag:
        return
    if tag in {"math", "tex-math"} or (tag in _FORMULAS and depth):
        yield math_of(element)
        return
    if depth > DEEPEST:
        yield " ".join(element.itertext())
        return
    bare = tag in {"element-citation", "name", "person-group", "label", "date", "citation"}
    yield element.text or ""
    for child in element:
        yield from inline(child, depth + 1)
        yield child.tail or ""
        if bare or local(child) in {"p", "title", "label", "list-item", "mixed-citation"}:
            yield " "
