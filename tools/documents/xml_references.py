"""Entries of a list of references in JATS or TEI, as a person would print them."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from tools.documents.blocks import clean
from tools.documents.head import year_of
from tools.documents.markup import Element

_NUMBER = re.compile(r"[\[(]?\s*(\d{1,4})\s*[\]),;.]?")
_NUMBERS = re.compile(r"[\d\s\[\](),;–—-]+")
_INITIALS = re.compile(r"[A-Z]{1,3}")
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


def labels_of(root: Element) -> dict[str, str]:
    """Return the number of each entry, by its id, where the text cites by numbers.

    GROBID takes the number off an entry; the citations that lead to it still have it.
    """
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    plain = 0
    for one in root.iterfind(".//ref[@type='bibr'][@target]"):
        text = clean("".join(one.itertext()))
        if not _NUMBERS.fullmatch(text):
            plain += bool(text)
        elif found := _NUMBER.fullmatch(text):
            votes[one.get("target").removeprefix("#")][found[1]] += 1
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


def entry_text(entry: Element, label: str = "") -> str:
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
        year = next((year for date in words["year"] if (year := year_of(date))), None)
        host = [
            *(titles[1:2] or words["note"]), *words["volume"],
            *(f"no. {one}" for one in words["no. "]), *(f"pp. {one}" for one in scopes),
        ]  # fmt: skip
        parts = [", ".join(authors), f"({year})" if year else "", titles[0], ", ".join(host)]
        text = " ".join([_sentences(parts), *_identifiers(words)])
    return f"[{label}] {text}" if label and text else text


def _identifiers(words: dict[str, list[str]]) -> list[str]:
    dois = [one.lower().rpartition("doi.org/")[2].removeprefix("doi:") for one in words["doi:"]]
    arxiv = [one.split("[")[0].strip().removeprefix("arXiv:") for one in words["arXiv:"]]
    return [
        *(f"doi:{one}" for one in dois), *(f"arXiv:{one}" for one in arxiv), *words["address"],
    ]  # fmt: skip


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
    pointed = [". ".join(one) + "." if _INITIALS.fullmatch(one) else one for one in given]
    return " ".join(filter(None, [*pointed, *family])) or clean("".join(author.itertext()))


def _sentences(parts: Sequence[str]) -> str:
    """Join parts, a full stop behind each that ends in no mark of its own."""
    return " ".join(
        part if part.endswith((".", "?", "!")) else f"{part}." for part in parts if part.strip(" .")
    )
