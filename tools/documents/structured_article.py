"""Articles with their structure: XML of JATS (PubMed Central) and TEI (GROBID), and JSON of S2ORC."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from state.document import Block, BlockKind, Document
from state.paper import Author
from tools.bibliography.read_csl import year_in
from tools.documents.article_walk import ArticleWalker, authors_of, head_of
from tools.documents.markup import BlockCollector, Element, clean, parse_xml
from tools.errors import DocumentError
from tools.file_limits import FILE_LIMITS, FileLimits

READER = "s2orc 1"
_KINDS: dict[str, BlockKind] = {
    "paragraph": "text",
    "figurecaption": "caption",
    "tablecaption": "caption",
    "bibentry": "reference",
}


def read_s2orc(paper: Mapping[str, Any]) -> Document:
    """Return the document of a line of S2ORC, as the datasets API of Semantic Scholar gives them.

    Raises:
        DocumentError: It has no text.
    """
    content = paper.get("content") or {}
    text, places = content.get("text") or "", content.get("annotations") or {}
    if not isinstance(text, str) or not isinstance(places, dict):
        raise DocumentError("its content is not as S2ORC's is")
    ids = paper.get("externalids") or {}
    abstract = [Block(text=words, kind="abstract") for _, words in _parts(text, places, "abstract")]
    body = list(_blocks(text, places))
    if not any(block.kind == "text" for block in (*abstract, *body)) and not abstract:
        raise DocumentError("it has no paragraph", remedy="add another copy of it")
    return Document(
        title=next((words for _, words in _parts(text, places, "title")), None),
        authors=tuple(Author(name=name) for name in _names(text, places)),
        abstract=" ".join(block.text for block in abstract) or None,
        doi=ids.get("doi"),
        arxiv=ids.get("arxiv"),
        blocks=(*abstract, *body),
        reader=READER,
    )


def _blocks(text: str, places: Mapping[str, Any]) -> Iterator[Block]:
    found = [
        (start, kind, words)
        for kind in ("sectionheader", *_KINDS)
        for start, words in _parts(text, places, kind)
    ]
    section: tuple[str, ...] = ()
    for _, kind, words in sorted(found):
        if kind == "sectionheader":
            section = (words,)
        else:
            yield Block(text=words, section=section, kind=_KINDS[kind])


def _parts(text: str, places: Mapping[str, Any], kind: str) -> list[tuple[int, str]]:
    """Return where the parts of a kind begin, and their words; the list of them is JSON in JSON."""
    try:
        spans = [
            (int(one["start"]), int(one["end"])) for one in json.loads(places.get(kind) or "[]")
        ]
    except (ValueError, TypeError, KeyError) as error:
        raise DocumentError(f"its annotation '{kind}' is not as S2ORC's are: {error}") from error
    found = [(start, " ".join(text[start:end].split())) for start, end in sorted(spans)]
    return [(start, words) for start, words in found if words]


def _names(text: str, places: Mapping[str, Any]) -> Iterator[str]:
    """Yield each family name with the given names before it."""
    given: list[str] = []
    parts = [
        (start, kind, words)
        for kind in ("authorfirstname", "authorlastname")
        for start, words in _parts(text, places, kind)
    ]
    for _, kind, words in sorted(parts):
        given.append(words)
        if kind == "authorlastname":
            yield " ".join(given)
            given = []


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapped:
    """How a kind of XML says what every article has."""

    roles: Mapping[str, str]
    """Elements by their role (see tools.documents.article_walk)."""
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


def _read(
    mapped: Mapped, content: bytes, *, name: str, limits: FileLimits = FILE_LIMITS
) -> Document:
    """Return the article, the first of them where the file has several."""
    root, unread = parse_xml(content, name)
    article = next(root.iter("article", "tei"), None)
    if article is None:
        raise DocumentError(f"{name} has no article in it", remedy="give the article's own XML")
    _print_entries(article)
    walk = ArticleWalker(BlockCollector(name, limits), lambda one: mapped.roles.get(one.tag, ""))
    for abstract in article.xpath(mapped.abstract):
        walk.abstract(abstract)
    for part in article.xpath(mapped.text):
        walk.element(part)
        walk.flush()
    if not walk.out.blocks:
        raise DocumentError(
            f"{name} has neither abstract nor text: it has no text",
            remedy="it may be a bare record: fetch the article's full text, or give its PDF",
        )
    said = {
        field: [element_text(one) for one in article.xpath(path)]
        for field, path in mapped.fields.items()
    }
    names = [
        ", ".join(filter(None, (_all(one, mapped.family), _all(one, mapped.given))))
        or _all(one, mapped.whole)
        for one in article.xpath(mapped.author)
    ]
    more = {
        "authors": authors_of(names),
        "abstract": walk.out.abstract(),
        "blocks": walk.out.blocks,
        "unread": tuple(unread),
    }
    return head_of(said).model_copy(update=more)


read_jats, read_tei = partial(_read, JATS), partial(_read, TEI)


def _all(element: Element, path: str) -> str:
    return " ".join(element_text(one) for one in element.xpath(path))


def element_text(found: Element | str) -> str:
    """Return the words of an element, marks of notes left out, or of an attribute."""
    if isinstance(found, str):
        return clean(found)
    parts: Sequence[str] = found.xpath(".//text()[not(ancestor::xref or ancestor::fn)]")
    return clean("".join(parts))


def _print_entries(article: Element) -> None:
    """Put each entry that is taken apart into fields together as a person would print it."""
    labels = _labels_of(article)
    for entry in [*article.iter("biblstruct", "element-citation")]:
        if next(entry.iterancestors("teiheader"), None) is not None:
            continue
        printed = _entry_text(entry, labels.get(entry.get("id", ""), ""))
        if printed:
            for child in [*entry]:
                entry.remove(child)
            entry.text = printed


# --- Entries of a list of references, as a person would print them -----------------------------

_NUMBERS = frozenset("0123456789 [](),;–—-")
_FIELDS = {
    "authors": "analytic/author",
    "more authors": "monogr/author|person-group[not(@person-group-type='editor')]/*|name|collab|string-name",
    "title": "analytic/title|article-title|chapter-title",
    "host": "monogr/title|source",
    "year": ".//date/@when|.//date[not(@when)]|year",
    "note": "note[not(@type)]|publisher-name",
    "volume": ".//biblscope[@unit='volume']|volume",
    "no. ": ".//biblscope[@unit='issue']|issue",
    "pp. ": ".//biblscope[@unit='page']|fpage|lpage",
    "doi:": ".//idno[@type='DOI']|pub-id[@pub-id-type='doi']",
    "arXiv:": ".//idno[@type='arXiv']|pub-id[@pub-id-type='arxiv']",
    "address": ".//ptr/@target|ext-link|uri",
    "printed": "note[@type='raw_reference']",
}
"""Where the parts of an entry stand, in TEI and in JATS."""
_FAMILY, _GIVEN = ("surname",), ("forename", "given-names")


def _labels_of(root: Element) -> dict[str, str]:
    """Return the number of each entry, by its id, where the text cites by numbers.

    GROBID takes the number off an entry; the citations that lead to it still have it.
    """
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    plain = 0
    for one in root.iterfind(".//ref[@type='bibr'][@target]"):
        text = clean("".join(one.itertext()))
        if not text or not _NUMBERS.issuperset(text):
            plain += bool(text)
        elif (number := text.strip("[](),;. ")).isdecimal():
            votes[one.get("target").removeprefix("#")][number] += 1
    if sum(map(Counter.total, votes.values())) <= plain:
        return {}
    cited = {key: counter.most_common(1)[0][0] for key, counter in votes.items()}
    taken = set(cited.values())
    entries = enumerate(root.iterfind(".//listbibl/biblstruct"), start=1)
    places = {one.get("id", ""): str(place) for place, one in entries}
    return {
        key: cited.get(key) or place
        for key, place in places.items()
        if key in cited or place not in taken
    }


def _entry_text(entry: Element, label: str = "") -> str:
    """Return an entry's fields as one line: authors. (year). title. venue. identifiers.

    What could not be taken apart is as printed, where the file has it so.
    """
    fields = {name: entry.xpath(path) for name, path in _FIELDS.items()}
    words = {name: [clean(_text(one)) for one in found] for name, found in fields.items()}
    titles = [*filter(None, [*words["title"], *words["host"]])]
    authors = [*filter(None, map(_name, fields["authors"] or fields["more authors"]))]
    if not titles:
        text = " ".join(words["printed"]) or _sentences(authors)
    else:
        scopes = ["–".join(words["pp. "])] if words["pp. "] else []
        year = next((year for date in words["year"] if (year := year_in(date))), None)
        host = [
            *(titles[1:2] or words["note"]),
            *words["volume"],
            *(f"no. {one}" for one in words["no. "]),
            *(f"pp. {one}" for one in scopes),
        ]
        parts = [", ".join(authors), f"({year})" if year else "", titles[0], ", ".join(host)]
        text = " ".join([_sentences(parts), *_identifiers(words)])
    return f"[{label}] {text}" if label and text else text


def _identifiers(words: dict[str, list[str]]) -> list[str]:
    dois = [one.lower().rpartition("doi.org/")[2].removeprefix("doi:") for one in words["doi:"]]
    arxiv = [one.split("[")[0].strip().removeprefix("arXiv:") for one in words["arXiv:"]]
    return [
        *(f"doi:{one}" for one in dois),
        *(f"arXiv:{one}" for one in arxiv),
        *words["address"],
    ]


def _text(found: Element | str) -> str:
    """Return an attribute, or the text of an element, which may only say from where to where."""
    if isinstance(found, str):
        return found
    ends = [found.get("from", ""), found.get("to", "")]
    return "".join(found.itertext()).strip() or "–".join(filter(None, ends))


def _name(author: Element) -> str:
    """Return an author as 'Given Family'; initials have their points."""
    given = [clean("".join(one.itertext())) for one in author.iter(*_GIVEN)]
    family = [clean("".join(one.itertext())) for one in author.iter(*_FAMILY)]
    pointed = [
        ". ".join(one) + "." if len(one) < 4 and one.isalpha() and one.isupper() else one
        for one in given
    ]
    return " ".join(filter(None, [*pointed, *family])) or clean("".join(author.itertext()))


def _sentences(parts: Sequence[str]) -> str:
    """Join parts, a full stop behind each that ends in no mark of its own."""
    return " ".join(
        part if part.endswith((".", "?", "!")) else f"{part}." for part in parts if part.strip(" .")
    )
