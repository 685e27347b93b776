"""Papers in TEI, as GROBID writes it."""

import re
from collections.abc import Iterator, Mapping

from state.document import BlockKind, Document
from state.paper import Author
from tools.documents.blocks import ABSTRACT, Blocks, clean
from tools.documents.html_head import Head, year_of
from tools.documents.limits import LIMITS, Limits
from tools.documents.markup import (
    DEEPEST,
    Element,
    attribute,
    children,
    find_all,
    first,
    local,
    parse_xml,
)
from tools.documents.tables import table_text
from tools.documents.tei_references import labels_of, reference_text
from tools.errors import DocumentError

_WHOLE: dict[str, BlockKind] = {
    "p": "text", "item": "list", "formula": "equation", "bibl": "reference",
    "note": "footnote", "ab": "text", "l": "text", "quote": "text",
}  # fmt: skip
_SPACED = frozenset({"biblstruct", "analytic", "monogr", "imprint", "author", "persname"})
_NEVER = frozenset({"graphic", "fw", "pb", "lb", "facsimile", "figure-graphic"})
_NONE: Mapping[str, str] = {}
_PAGE = re.compile(r"\s*(\d{1,5}),")


class TeiReader:
    """Reads TEI (tools.documents.port.Reader)."""

    name = "tei 2"

    def __init__(self, limits: Limits = LIMITS) -> None:
        self._limits = limits

    def read(self, content: bytes, *, name: str) -> Document:
        """Return the paper; see Reader.read."""
        root, unread = parse_xml(content, name)
        out = Blocks(name, self._limits)
        header, text = first(root, "teiheader"), first(root, "text")
        abstract = None if header is None else first(header, "abstract")
        if abstract is not None:
            out.heading(1, ABSTRACT[0])
            _take(out, abstract, 2)
            out.end(1)
        labels = {} if text is None else labels_of(text)
        for part in [] if text is None else children(text, "front", "body", "back"):
            _take(out, part, 1, labels)
        if not out.blocks:
            raise DocumentError(
                f"{name} has no text in it", remedy="give the PDF that it was made of"
            )
        head = Head() if header is None else _head(header)
        return head.document(
            abstract=out.abstract(), blocks=out.blocks, unread=tuple(unread), reader=self.name
        )


def _take(out: Blocks, element: Element, depth: int, labels: Mapping[str, str] = _NONE) -> None:
    tag = local(element)
    if tag in _NEVER or not tag or depth > DEEPEST:
        return
    if found := _PAGE.match(attribute(element, "coords")):
        out.page = int(found[1]) or None
    if tag == "div":
        _division(out, element, depth, labels)
    elif tag == "biblstruct":
        label = labels.get(attribute(element, "id"), "")
        out.add(reference_text(element, label) or "".join(_inline(element)), "reference")
    elif tag in _WHOLE:
        out.add("".join(_inline(element)), _WHOLE[tag])
    elif tag == "figure":
        _figure(out, element)
    elif tag == "listbibl":
        out.heading(1, "References")
        for child in element:
            _take(out, child, depth + 1, labels)
        out.end(1)
    else:
        for child in element:
            _take(out, child, depth, labels)


def _division(out: Blocks, element: Element, depth: int, labels: Mapping[str, str]) -> None:
    head = next(children(element, "head"), None)
    if head is not None:
        number = attribute(head, "n")
        words = clean("".join(_inline(head)))
        level = 1 + number.strip(".").count(".") if number else depth
        # GROBID writes divisions side by side and numbers them: the number tells the level.
        out.heading(max(level, depth), f"{number} {words}" if number else words)
    for child in element:
        if child is not head:
            _take(out, child, depth + 1, labels)
    if head is not None and not attribute(head, "n"):
        out.end(depth)


def _figure(out: Blocks, element: Element) -> None:
    parts = [clean("".join(_inline(one))) for one in children(element, "head", "figdesc")]
    out.add(" ".join(parts), "caption")
    for table in find_all(element, "table"):
        out.add(table_text(table, lambda cell: "".join(_inline(cell))), "table")


def _inline(element: Element, depth: int = 0) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if depth < DEEPEST and local(child) not in _NEVER:
            yield from _inline(child, depth + 1)
        yield child.tail or ""
        if local(element) in _SPACED or (
            local(child) == "ref" and not child.tail and _ref_follows(child)
        ):
            yield " "


def _ref_follows(element: Element) -> bool:
    """Whether two references touch: a space that stood between them was lost."""
    follower = element.getnext()
    return follower is not None and local(follower) == "ref"


def _head(header: Element) -> Head:
    source = first(header, "sourcedesc")
    work = header if source is None else source
    ids = {
        attribute(one, "type").lower(): clean("".join(_inline(one)))
        for one in find_all(work, "idno")
    }
    analytic, monograph = first(work, "analytic"), first(work, "monogr")
    title = first(header, "title")
    venue = None if monograph is None else first(monograph, "title")
    dates = [attribute(one, "when") or "".join(_inline(one)) for one in find_all(header, "date")]
    return Head(
        title=clean("".join(_inline(title))) or None if title is not None else None,
        authors=_authors(work if analytic is None else analytic),
        year=next((year for date in dates if (year := year_of(date))), None),
        venue=clean("".join(_inline(venue))) or None if venue is not None else None,
        doi=ids.get("doi") or None,
        arxiv=ids.get("arxiv", "").removeprefix("arXiv:").split("v")[0].split(" ")[0] or None,
    )


def _authors(work: Element) -> tuple[Author, ...]:
    names = []
    for author in children(work, "author"):
        family = clean(" ".join("".join(_inline(one)) for one in find_all(author, "surname")))
        given = clean(" ".join("".join(_inline(one)) for one in find_all(author, "forename")))
        if family:
            names.append(f"{family}, {given}" if given else family)
    return tuple(Author(name=name) for name in dict.fromkeys(names))
