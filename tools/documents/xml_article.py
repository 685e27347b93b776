"""Articles in XML: JATS, of PubMed Central and many publishers, and TEI, as GROBID writes it.

What differs between the two is in two tables: which element is what, and where each field stands.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from state.document import Document
from tools.documents.blocks import Blocks, clean
from tools.documents.head import authors_of, head_of
from tools.documents.limits import LIMITS, Limits
from tools.documents.markup import Element, parse_xml
from tools.documents.walk import Walk
from tools.documents.xml_references import entry_text, labels_of
from tools.errors import DocumentError


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapped:
    """How a kind of XML says what every article has."""

    roles: Mapping[str, str]
    """Elements by their role (see tools.documents.walk)."""
    fields: Mapping[str, str]
    """XPaths from the article, by field."""
    author: str
    """Of the authors; below each, `family`, `given` or `whole`."""
    family: str
    given: str
    whole: str
    abstract: str
    text: str
    """Of the parts that hold the text, in reading order."""


def _by_tag(roles: Mapping[str, str]) -> dict[str, str]:
    return {tag: role for role, tags in roles.items() for tag in tags.split()}


JATS = Mapped(
    roles=_by_tag({
        "skip": "graphic inline-graphic media object-id table-wrap-foot-link permissions alt-text long-desc "
        "processing-meta supplementary-material x label-alternatives",
        "=caption": "caption", "=code": "code preformat", "=footnote": "table-wrap-foot fn",
        "=reference": "ref mixed-citation element-citation", "=equation": "disp-formula",
        "section": "sec ack app ref-list glossary notes fn-group bio", "list": "list-item def-item",
        "block": "p body back disp-quote boxed-text list def-list def term fig fig-group table-wrap "
        "table-wrap-group app-group statement verse-group verse-line floats-group speech title "
        "disp-formula-group alternatives",
        "math": "math tex-math inline-formula", "lead": "label", "table": "table", "break": "break",
    }),
    fields={
        "title": "(.//article-meta//article-title)[1]", "venue": "(.//journal-title)[1]",
        "year": "(.//article-meta/pub-date/year)[not(. > //article-meta/pub-date/year)]",
        "doi": ".//article-meta/article-id[@pub-id-type='doi']",
        "arxiv": ".//article-meta/article-id[@pub-id-type='arxiv']",
    },
    author=".//article-meta/contrib-group/contrib[not(@contrib-type) or @contrib-type='author']",
    family=".//name/surname", given=".//name/given-names", whole="./string-name|./collab",
    abstract=".//article-meta/abstract[not(contains('graphical teaser toc precis video key-points highlights',"
    " @abstract-type)) or not(@abstract-type)]",
    text="./body|./back|./floats-group",
)  # fmt: skip
TEI = Mapped(
    roles=_by_tag({
        "skip": "graphic fw pb lb facsimile figure-graphic label",
        "=text": "p ab l quote", "=list": "item", "=equation": "formula", "=reference": "bibl biblstruct",
        "=footnote": "note", "=caption": "figdesc", "section": "div listbibl",
        "block": "front body back figure", "lead": "head", "table": "table",
    }),
    fields={
        "title": "(.//teiheader//title)[1]", "venue": "(.//sourcedesc//monogr/title)[1]",
        "year": ".//teiheader//date/@when|.//teiheader//date[not(@when)]",
        "doi": ".//sourcedesc//idno[@type='DOI']", "arxiv": ".//sourcedesc//idno[@type='arXiv']",
    },
    author=".//sourcedesc//analytic/author|.//sourcedesc/biblstruct[not(analytic)]/monogr/author",
    family=".//surname", given=".//forename", whole="./orgname",
    abstract="(.//teiheader//abstract)[1]", text=".//text/front|.//text/body|.//text/back",
)  # fmt: skip


def _read(mapped: Mapped, content: bytes, *, name: str, limits: Limits = LIMITS) -> Document:
    """Return the article, the first of them where the file has several."""
    root, unread = parse_xml(content, name)
    article = next(root.iter("article", "tei"), None)
    if article is None:
        raise DocumentError(f"{name} has no article in it", remedy="give the article's own XML")
    _print_entries(article)
    walk = Walk(Blocks(name, limits), lambda one: mapped.roles.get(one.tag, ""))
    for abstract in article.xpath(mapped.abstract):
        walk.abstract(abstract)
    for part in article.xpath(mapped.text):
        walk.element(part)
        walk.flush()
    if not walk.out.blocks:
        raise DocumentError(
            f"{name} has neither abstract nor text: there is no text in it",
            remedy="it may be a bare record: fetch the article's full text, or give its PDF",
        )
    said = {
        field: [text_of(one) for one in article.xpath(path)]
        for field, path in mapped.fields.items()
    }
    names = [
        ", ".join(filter(None, (_all(one, mapped.family), _all(one, mapped.given))))
        or _all(one, mapped.whole)
        for one in article.xpath(mapped.author)
    ]
    more = {
        "authors": authors_of(names), "abstract": walk.out.abstract(), "blocks": walk.out.blocks,
        "unread": tuple(unread),
    }  # fmt: skip
    return head_of(said).model_copy(update=more)


read_jats, read_tei = partial(_read, JATS), partial(_read, TEI)


def _all(element: Element, path: str) -> str:
    return " ".join(text_of(one) for one in element.xpath(path))


def text_of(found: Element | str) -> str:
    """Return the words of an element, marks of notes left out, or of an attribute."""
    if isinstance(found, str):
        return clean(found)
    parts: Sequence[str] = found.xpath(".//text()[not(ancestor::xref or ancestor::fn)]")
    return clean("".join(parts))


def _print_entries(article: Element) -> None:
    """Put each entry that is taken apart into fields together as a person would print it."""
    labels = labels_of(article)
    for entry in [*article.iter("biblstruct", "element-citation")]:
        if next(entry.iterancestors("teiheader"), None) is not None:
            continue
        printed = entry_text(entry, labels.get(entry.get("id", ""), ""))
        if printed:
            for child in [*entry]:
                entry.remove(child)
            entry.text = printed
