"""Articles in HTML: of LaTeXML, as arXiv and ar5iv serve them, and any other."""

import re
from itertools import chain

from state.document import Document
from state.paper import title_key
from tools.documents.article_walk import ArticleWalker, authors_of, head_of
from tools.documents.markup import (
    BlockCollector,
    Element,
    clean,
    parse_html,
)
from tools.errors import DocumentError
from tools.file_limits import FILE_LIMITS, FileLimits
from tools.text.headings import is_abstract, is_references
from tools.text.identifiers import arxiv_in

_TAGS = {
    "skip": "script style nav template noscript form button svg canvas iframe object embed select input "
    "textarea dialog head audio video map aside link meta title",
    "block": "p div section article main body html header footer ul ol dl blockquote center address figure hr "
    "details summary fieldset tbody thead tfoot tr td th caption",
    "list": "li dt dd",
    "break": "br",
    "math": "math",
    "=caption": "figcaption",
    "=code": "pre",
    "h1": "h1",
    "h2": "h2",
    "h3": "h3",
    "h4": "h4",
    "h5": "h5",
    "h6": "h6",
}
_CLASSES = {
    "skip": "ltx_page_navbar ltx_page_footer ltx_page_header ltx_toc ltx_authors ltx_dates ltx_page_logo "
    "ltx_note_mark ltx_tag_note ltx_note_type package-alerts noprint navbar mw-editsection toc "
    "visually-hidden sr-only breadcrumb breadcrumbs cookie-banner",
    "title": "ltx_title_document",
    "lead": "ltx_title_theorem",
    "note": "ltx_note",
    "abstract": "ltx_abstract",
    "=caption": "ltx_caption",
    "=reference": "ltx_bibitem",
    "=equation": "ltx_equation ltx_equationgroup ltx_eqn_table equation language-math",
    "=code": "ltx_listing ltx_verbatim",
    "break": "ltx_bibblock",
}
_BY_TAG = {tag: role for role, tags in _TAGS.items() for tag in tags.split()}
_BY_CLASS = {name: role for role, names in _CLASSES.items() for name in names.split()}
_BY_ROLE = {
    **dict.fromkeys(
        ("navigation", "banner", "contentinfo", "search", "menu", "toolbar", "dialog"), "skip"
    ),
    "doc-abstract": "abstract",
    "doc-biblioentry": "=reference",
}
_HIDDEN = re.compile(
    r"(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0*)?\s*(?:;|$)"
    r"|font-size\s*:\s*0(?:\.0*)?(?:px|pt|em|rem|%)?\s*(?:;|!|$))",
    re.IGNORECASE,
)
_NO_NAME = frozenset("0123456789@\\{}:/")
_LAYOUT = ("table", "h1", "h2", "h3", "h4", "h5", "h6", "section", "article", "pre")


def read_html(content: bytes, *, name: str, limits: FileLimits = FILE_LIMITS) -> Document:
    """Return what a person sees of the article; see tools.documents.open_document.read_document."""
    root, unread = parse_html(content, name)
    document = read_article(root, BlockCollector(name, limits))
    if not document.blocks:
        raise DocumentError(
            f"{name} has no text that a browser would show",
            remedy="scripts may fill the page in: save it from a browser, or give the PDF",
        )
    return document.model_copy(update={"unread": tuple(unread)})


def read_article(root: Element, out: BlockCollector, own: Document | None = None) -> Document:
    """Return what stands in a page; `own` is what is known of the article beside it."""
    head = _head(root) if own is None or not own.title else own
    title = title_key(head.title or "")

    def role(element: Element) -> str:
        found = role_of(element)
        if found == "h1" and title and title_key("".join(element.itertext())) == title:
            return "title"
        return found

    walk = ArticleWalker(out, role)
    walk.element(_main(root))
    walk.flush()
    abstract = out.abstract() or head.abstract
    return head.model_copy(update={"abstract": abstract, "blocks": out.blocks})


def role_of(element: Element) -> str:
    """Return what an element is to a reader of the page (see tools.documents.article_walk)."""
    tag, get = element.tag, element.get
    if (
        get("hidden") is not None
        or get("aria-hidden", "").lower() == "true"
        or _HIDDEN.search(get("style", ""))
    ):
        return "skip"
    role = _BY_TAG.get(tag, "")
    if role == "skip":
        return role
    for name in (get("class") or "").lower().split():
        found = _BY_CLASS.get(name, "")
        if found and (tag != "code" or found != "=code"):
            return found
    if found := _BY_ROLE.get(get("role", "").lower(), ""):
        return found
    if tag in {"header", "footer"} and (
        next(element.iterancestors("article", "main", "section"), None) is None
    ):
        return "skip"
    if tag == "table":
        return "block" if get("role") == "presentation" or _holds(element, _LAYOUT) else "table"
    if tag == "pre" and _holds(element, ("code",)):
        return "=equation" if "language-math" in (element[0].get("class") or "") else "=code"
    return role


def _holds(element: Element, tags: tuple[str, ...]) -> bool:
    return any(one is not element for one in element.iter(*tags))


def _main(root: Element) -> Element:
    """Return the element that holds the article: the rest of a page is not its text."""
    of_latexml = (
        element
        for element in root.iter("article", "div")
        if "ltx_document" in (element.get("class") or "").split()
    )
    seen = (
        [one for one in root.iter(tag) if role_of(one) != "skip"] for tag in ("article", "main")
    )
    single = (same[0] for same in seen if len(same) == 1)
    return next(chain(of_latexml, single, root.iter("body")), root)


def _head(root: Element) -> Document:
    """Read the meta elements of a page, and what LaTeXML writes at the top of an article."""
    said: dict[str, list[str]] = {}
    for element in root.iter("meta"):
        key = (element.get("name") or element.get("property") or "").strip().lower()
        said.setdefault(key, []).append(element.get("content") or "")
    plain = ArticleWalker(BlockCollector(""), role_of)
    page_title = clean(root.findtext(".//title") or "")
    stamp, closed, behind = page_title.removeprefix("[").partition("] ")
    stamped = page_title.startswith("[") and closed and stamp[-1:].isdigit()
    tops = [one for one in root.iter("h1") if role_of(one) != "skip"]
    titles = [one for one in tops if role_of(one) == "title"]
    titles = titles or [one for one in tops if not _is_of_part(one)]
    heading = clean(plain.text(titles[0], notes=False)) if len(titles) == 1 else ""
    if heading and role_of(titles[0]) == "title":
        said["citation_title"] = [heading]
    said["title"] = [
        heading or said.get("og:title", [""])[0] or (behind if stamped else page_title)
    ]
    said["arxiv"] = [arxiv_in(_own_address(root)) or (stamp if stamped else "")]
    said["author"] = []
    head = head_of(said)
    authors = head.authors or authors_of(_latexml_authors(root, plain))
    more = {"title": head.title and head.title[:500], "authors": authors}
    return head.model_copy(update=more)


def _is_of_part(heading: Element) -> bool:
    """Whether a heading is that of the abstract or of the list of references, and no title."""
    words = clean("".join(heading.itertext()))
    return is_references(words) or is_abstract(words)


def _own_address(root: Element) -> str:
    """Return the address that an article gives itself, and arXiv's mark on the page."""
    own = root.xpath("//base/@href|//link[translate(@rel, 'CANOIL', 'canoil')='canonical']/@href")
    marks = root.xpath("//*[starts-with(@id, 'watermark')]//text()")
    return " ".join(
        [*(f"arxiv.org{one}" if one.startswith("/html/") else one for one in own), *marks]
    )


def _latexml_authors(root: Element, plain: ArticleWalker) -> list[str]:
    """Return names only where they can be told from affiliations: one wrong name spoils identity."""
    names: list[str] = []
    for element in root.iter("span", "div"):
        if "ltx_personname" not in (element.get("class") or "").split():
            continue
        words = element.text or ""
        for child in element:
            if child.tag in {"br", "sup", "math"} or role_of(child) == "note":
                break
            words += plain.text(child) + (child.tail or "")
        for name in re.split(r"\s*(?:&|,|;|\band\b)\s*", clean(words)):
            if name and (not _NO_NAME.isdisjoint(name) or not 2 <= len(name.split()) <= 6):
                return []
            names.append(name)
    return names
