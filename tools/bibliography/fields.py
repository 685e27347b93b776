"""What the formats of references call one thing: fields and kinds of publication."""

from collections.abc import Mapping
from typing import NamedTuple


class Names(NamedTuple):
    """The names of one field, parted by space, the preferred one first."""

    csl: str
    bibtex: str
    ris: str
    enw: str
    nbib: str


FIELDS = (
    Names("title", "title", "TI T1 CT", "%T", "TI BTI"),
    Names("container-title", "journaltitle journal booktitle", "T2 JF BT JO JA J2 J1", "%J %B", "JT TA BTI"),
    Names("collection-title", "series", "T3", "%S", "CTI"),
    Names("volume", "volume", "VL", "%V", "VI"),
    Names("issue", "issue number", "IS", "%N", "IP"),
    Names("page", "pages", "", "%P", "PG"),
    Names("publisher", "publisher school institution organization", "PB", "%I", "PB"),
    Names("publisher-place", "address location", "CY PP", "%C", "PL"),
    Names("edition", "edition", "ET", "%7", "EN"),
    Names("chapter-number", "chapter", "SE", "%&", "CP"),
    Names("number-of-pages", "pagetotal", "", "", ""),
    Names("ISBN", "isbn", "", "", "ISBN"),
    Names("ISSN", "issn", "SN", "%@", "IS"),
    Names("DOI", "doi", "DO", "%R", ""),
    Names("URL", "url", "UR L2", "%U", ""),
    Names("PMID", "pmid", "", "", "PMID"),
    Names("PMCID", "pmcid pmc", "", "", "PMC"),
    Names("abstract", "abstract", "AB N2", "%X", "AB"),
    Names("keyword", "keywords keyword", "KW", "%K", "OT MH"),
    Names("language", "langid language", "LA", "%G", "LA"),
    Names("genre", "type", "M3", "%9", ""),
    Names("title-short", "shorttitle", "ST", "%!", ""),
    Names("event-title", "eventtitle", "", "", ""),
    Names("note", "note annote annotation", "N1 RN", "%Z", "GN"),
)  # fmt: skip
PEOPLE = (
    Names("author", "author", "AU A1", "%A", "FAU AU"),
    Names("editor", "editor", "ED A2", "%E", "FED ED"),
    Names("translator", "translator", "A4", "%?", ""),
    Names("collection-editor", "", "A3", "%Y", ""),
)
JOINED = {"keyword": ", ", "note": "\n"}
"""Fields of which a file may have several, and what joins them."""
_TYPES = (
    ("article-journal", "article", "JOUR"), ("paper-conference", "inproceedings", "CPAPER"),
    ("paper-conference", "conference", "CONF"), ("book", "book", "BOOK"), ("book", "collection", "EDBOOK"),
    ("book", "proceedings", "CONF"), ("book", "mvbook", "EBOOK"), ("book", "mvcollection", "SER"),
    ("book", "booklet", "PAMP"), ("book", "manual", "BOOK"), ("book", "reference", "ENCYC"),
    ("chapter", "incollection", "CHAP"), ("chapter", "inbook", "ECHAP"), ("chapter", "bookinbook", "CHAP"),
    ("chapter", "suppbook", "CHAP"), ("entry-encyclopedia", "inreference", "ENCYC"),
    ("thesis", "phdthesis", "THES"), ("thesis", "mastersthesis", "THES"), ("thesis", "thesis", "THES"),
    ("report", "techreport", "RPRT"), ("report", "report", "GOVDOC"), ("manuscript", "unpublished", "MANSCPT"),
    ("webpage", "online", "ELEC"), ("webpage", "electronic", "BLOG"), ("webpage", "www", "ICOMM"),
    ("software", "software", "COMP"), ("dataset", "dataset", "DATA"), ("dataset", "data", "AGGR"),
    ("patent", "patent", "PAT"), ("standard", "standard", "STAND"), ("article", "misc", "UNPB"),
    ("article-journal", "article", "EJOUR"), ("article-journal", "article", "INPR"),
    ("article-magazine", "article", "MGZN"), ("article-newspaper", "article", "NEWS"),
    ("document", "misc", "GEN"),
)  # fmt: skip
"""Kinds in CSL, BibTeX and RIS; the first row that has a kind says what it is elsewhere."""
_ENW = {
    "journal article": "article-journal", "conference paper": "paper-conference",
    "conference proceedings": "paper-conference", "book": "book", "edited book": "book",
    "book section": "chapter", "thesis": "thesis", "report": "report", "web page": "webpage",
    "patent": "patent", "dataset": "dataset", "computer program": "software", "manuscript": "manuscript",
    "newspaper article": "article-newspaper", "magazine article": "article-magazine",
    "electronic article": "article-journal", "unpublished work": "manuscript",
}  # fmt: skip


def _first(key: int, value: int) -> Mapping[str, str]:
    return {row[key]: row[value] for row in reversed(_TYPES)}


TO_CSL: Mapping[str, Mapping[str, str]] = {
    "bibtex": _first(1, 0),
    "ris": _first(2, 0),
    "enw": _ENW,
    "nbib": {},
}
FROM_CSL: Mapping[str, Mapping[str, str]] = {"bibtex": _first(0, 1), "ris": _first(0, 2)}
