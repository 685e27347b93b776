"""Articles in HTML: of LaTeXML, as arXiv and ar5iv serve them, and any other."""

from state.document import BlockKind, Document
from tools.documents.blocks import Blocks
from tools.documents.html_head import Head, read_head
from tools.documents.limits import LIMITS, Limits
from tools.documents.markup import (
    DEEPEST,
    Element,
    children,
    find_all,
    first,
    local,
    math_of,
    parse_html,
)
from tools.documents.tables import table_text
from tools.documents.visible import BLOCKS, classes, inline, is_hidden, is_note, text_of
from tools.errors import DocumentError

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LAYOUT = ("table", *_HEADINGS, "section", "article", "pre")
_EQUATIONS = frozenset({"ltx_equation", "ltx_equationgroup", "ltx_eqn_table"})
_CODE = frozenset({"ltx_listing", "ltx_verbatim"})


class HtmlReader:
    """Reads HTML (tools.documents.port.Reader)."""

    name = "html 1"

    def __init__(self, limits: Limits = LIMITS) -> None:
        self._limits = limits

    def read(self, content: bytes, *, name: str) -> Document:
        """Return what a person sees of the article; see Reader.read."""
        root, unread = parse_html(content, name)
        head = read_head(root)
        walk = _Walk(Blocks(name, self._limits), head)
        walk.element(_main(root), 0)
        walk.flush()
        if not walk.out.blocks:
            raise DocumentError(
                f"{name} has no text that a browser would show",
                remedy="scripts may fill the page in: save it from a browser, or give the PDF",
            )
        return head.document(
            abstract=walk.out.abstract(),
            blocks=walk.out.blocks,
            unread=tuple(unread),
            reader=self.name,
        )


def _main(root: Element) -> Element:
    """Return the element that holds the article: the rest of a page is not its text."""
    for element in root.iter("article", "div"):
        if "ltx_document" in classes(element):
            return element
    found = [one for one in root.iter("article", "main") if not is_hidden(one)]
    whole = _size(root)
    for tag in ("article", "main"):
        same = [one for one in found if local(one) == tag]
        if len(same) == 1 and _size(same[0]) * 2 > whole:
            return same[0]
    body = root.find("body")
    return root if body is None else body


def _size(element: Element) -> int:
    """Return how many characters the paragraphs of an element hold."""
    return sum(len("".join(one.itertext())) for one in find_all(element, "p")) + 1


class _Walk:
    """Goes through the elements; words gather until a block begins or ends."""

    def __init__(self, out: Blocks, head: Head) -> None:
        self.out = out
        self._head = head
        self._words: list[str] = []
        self._notes: list[str] = []
        self._kind: BlockKind = "text"

    def flush(self) -> None:
        """End the block under way, and put its footnotes behind it."""
        self.out.add("".join(self._words), self._kind)
        self._words = []
        notes, self._notes = self._notes, []
        for note in notes:
            self.out.add(note, "footnote")

    def element(self, element: Element, depth: int) -> None:
        """Take in an element, without what follows it."""
        if is_hidden(element):
            return
        tag, names = local(element), classes(element)
        if depth > DEEPEST or tag == "math":
            self._words.append(math_of(element) if tag == "math" else " ".join(element.itertext()))
        elif is_note(element):
            self._note(element)
        elif tag in _HEADINGS:
            self._heading(element, _HEADINGS[tag], names)
        elif (kind := _whole_kind(element, tag, names)) is not None:
            self.flush()
            self.out.add(text_of(element), kind)
        elif tag == "table" and not _is_layout(element):
            self._table(element)
        elif "ltx_abstract" in names or element.get("role") == "doc-abstract":
            self._block(element, "abstract", depth)
        elif tag == "br":
            self._words.append(" ")
        elif tag in BLOCKS:
            listed = tag in {"li", "dt", "dd"} and self._kind == "text"
            self._block(element, "list" if listed else self._kind, depth)
        else:
            self._inside(element, depth)

    def _inside(self, element: Element, depth: int) -> None:
        self._words.append(element.text or "")
        for child in element:
            self.element(child, depth + 1)
            self._words.append(child.tail or "")

    def _block(self, element: Element, kind: BlockKind, depth: int) -> None:
        self.flush()
        before, self._kind = self._kind, kind
        self._inside(element, depth)
        self.flush()
        self._kind = before

    def _table(self, element: Element) -> None:
        self.flush()
        for caption in children(element, "caption"):
            self.out.add(text_of(caption), "caption")
        self.out.add(table_text(element, text_of), "table")

    def _heading(self, element: Element, level: int, names: frozenset[str]) -> None:
        words = text_of(element, notes=False)
        if "ltx_title_theorem" in names:  # 'Theorem 1.' runs into its paragraph
            self.flush()
            self._words.append(f"{words} ")
        elif self._kind == "abstract" and (names or not words.strip()):
            return  # LaTeXML's own heading 'Abstract'
        else:
            self.flush()
            if "ltx_title_document" in names or self._head.is_title(words):
                self.out.end(1)
            else:
                self.out.heading(level, words)

    def _note(self, element: Element) -> None:
        inner = [one for one in element.iter() if "ltx_note_content" in classes(one)]
        self._notes.append("".join(inline(inner[0], depth=1)) if inner else text_of(element))


def _whole_kind(element: Element, tag: str, names: frozenset[str]) -> BlockKind | None:
    """Return the kind of an element that is one block, whatever stands in it."""
    if names & _EQUATIONS or (tag == "div" and "equation" in names):
        return "equation"
    if tag == "figcaption" or "ltx_caption" in names:
        return "caption"
    if tag == "pre" or (names & _CODE and tag != "code"):
        return "code"
    if "ltx_bibitem" in names or element.get("role") == "doc-biblioentry":
        return "reference"
    return None


def _is_layout(table: Element) -> bool:
    """Whether a table is there for the look of the page: what stands in it is read as blocks."""
    return table.get("role") == "presentation" or first(table, *_LAYOUT) is not None
