"""What JATS says of an article beside its text."""

import re

from state.paper import Author
from tools.documents.blocks import clean
from tools.documents.html_head import Head
from tools.documents.markup import Element, attribute, children, find_all, first

_ARXIV = re.compile(r"(?:arxiv:)?(\d{4}\.\d{4,5}|[a-z-]+/\d{7})(?:v\d+)?", re.IGNORECASE)


def read_meta(article: Element) -> Head:
    """Return title, authors, year, venue and identifiers of the article."""
    front = next(children(article, "front", "front-stub"), article)
    meta = first(front, "article-meta")
    meta = front if meta is None else meta
    title = first(meta, "article-title")
    venue = first(front, "journal-title")
    return Head(
        title=_text(title) or None,
        authors=_authors(meta),
        year=_year(meta),
        venue=_text(venue) or None,
        doi=_id(meta, "doi"),
        arxiv=_arxiv(_id(meta, "arxiv")),
    )


def _text(element: Element | None) -> str:
    if element is None:
        return ""
    return clean("".join(_in_order(element)))


def _in_order(element: Element) -> list[str]:
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str) and child.tag.rpartition("}")[2].lower() not in {
            "xref",
            "fn",
        }:
            parts += _in_order(child)
        parts.append(child.tail or "")
    return parts


def _id(meta: Element, kind: str) -> str | None:
    for element in children(meta, "article-id"):
        if attribute(element, "pub-id-type").lower() == kind:
            return _text(element) or None
    return None


def _arxiv(value: str | None) -> str | None:
    found = _ARXIV.fullmatch(value) if value else None
    return found[1] if found else None


def _year(meta: Element) -> int | None:
    years = [_text(first(one, "year")) for one in children(meta, "pub-date")]
    return min(
        (int(year) for year in years if re.fullmatch(r"1[5-9]\d\d|20\d\d", year)), default=None
    )


def _authors(meta: Element) -> tuple[Author, ...]:
    names = [
        name
        for group in children(meta, "contrib-group")
        for contrib in children(group, "contrib")
        if attribute(contrib, "contrib-type").lower() in {"", "author"} and (name := _name(contrib))
    ]
    return tuple(Author(name=name) for name in dict.fromkeys(names))


def _name(contrib: Element) -> str:
    for name in find_all(contrib, "name"):
        surname, given = _text(first(name, "surname")), _text(first(name, "given-names"))
        if surname:
            return f"{surname}, {given}" if given else surname
    for kind in ("string-name", "collab"):
        if (found := first(contrib, kind)) is not None:
            return _text(found)
    return ""
