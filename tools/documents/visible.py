"""What a person sees of an HTML element."""

import re
from collections.abc import Iterator

from tools.documents.markup import DEEPEST, Element, local, math_of

_NEVER_NAMES = """
script style nav template noscript form button svg canvas iframe object embed select input
textarea dialog head audio video map aside link meta title
"""
_NEVER = frozenset(_NEVER_NAMES.split())
_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "menu", "toolbar", "dialog"})
_CLASSES_NAMES = """
ltx_page_navbar ltx_page_footer ltx_page_header ltx_toc ltx_authors ltx_dates
ltx_page_logo ltx_note_mark ltx_tag_note ltx_note_type package-alerts noprint navbar
mw-editsection toc visually-hidden sr-only breadcrumb breadcrumbs cookie-banner
"""
_CLASSES = frozenset(_CLASSES_NAMES.split())
_HIDDEN = re.compile(
    r"(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0*)?\s*(?:;|$)"
    r"|font-size\s*:\s*0(?:\.0*)?(?:px|pt|em|rem|%)?\s*(?:;|!|$))",
    re.IGNORECASE,
)
_BLOCKS_NAMES = """
p div section article main body html header footer ul ol dl dd dt li blockquote center
address figure figcaption hr details summary fieldset tbody thead tfoot tr td th table
caption pre h1 h2 h3 h4 h5 h6
"""
BLOCKS = frozenset(_BLOCKS_NAMES.split())
_APART = frozenset({"ltx_note", "ltx_tag", "ltx_bibblock"})


def classes(element: Element) -> frozenset[str]:
    """Return an element's classes in lower case."""
    return frozenset((element.get("class") or "").lower().split())


def is_hidden(element: Element) -> bool:
    """Whether an element is no part of what a reader of the article sees."""
    tag = local(element)
    if not tag or tag in _NEVER or element.get("hidden") is not None:
        return True
    if (element.get("aria-hidden") or "").lower() == "true":
        return True
    if (element.get("role") or "").lower() in _ROLES or _HIDDEN.search(element.get("style") or ""):
        return True
    if tag in {"header", "footer"}:
        return not any(
            local(one) in {"article", "main", "section"} for one in element.iterancestors()
        )
    return bool(_CLASSES & classes(element))


def is_note(element: Element) -> bool:
    """Whether an element is a footnote that stands within the text."""
    return local(element) == "span" and "ltx_note" in classes(element)


def inline(element: Element, *, notes: bool = True, depth: int = 0) -> Iterator[str]:
    """Yield the visible text of an element, formulas as their TeX, blocks set apart by spaces."""
    tag = local(element)
    if is_hidden(element) or (is_note(element) and not notes):
        return
    if tag == "math":
        yield math_of(element)
        return
    if depth > DEEPEST:
        yield " ".join(element.itertext())
        return
    apart = " " if tag in BLOCKS or tag == "br" or classes(element) & _APART else ""
    yield apart
    yield element.text or ""
    for child in element:
        yield from inline(child, notes=notes, depth=depth + 1)
        yield child.tail or ""
    yield apart


def text_of(element: Element, *, notes: bool = True) -> str:
    """Return the visible text of an element."""
    return "".join(inline(element, notes=notes))
