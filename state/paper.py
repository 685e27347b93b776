"""A paper: its identity and its record; how records of one work become one is in state.merging.

Identity is the first of these that is known: DOI, arXiv id, OpenAlex id, Semantic Scholar id, an
id of the library that holds the paper, and last its normalised title with year and first author.
"""

import re
import unicodedata
from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from typing import Literal, get_args
from urllib.parse import unquote

from pydantic import Field, field_validator

from state.quote import Quote
from state.value import Day, FrozenModel

RecordFormat = Literal["bibtex", "csl", "ris", "nbib", "enw", "cff"]


class Record(FrozenModel):
    """One entry of a file of references as it stood there."""

    format: RecordFormat
    type: str = Field(default="", description="As the format calls it: 'book', 'JOUR'.")
    key: str = Field(default="", description="The key its owner gave it; empty without one.")
    fields: tuple[tuple[str, str], ...] = Field(
        default=(),
        description="Names and values in the order of the file, names may repeat; BibTeX's values are "
        "LaTeX with abbreviations resolved, values of CSL JSON and CFF are JSON.",
    )


_DOI = re.compile(
    r"^(?:doi:\s*)?(?:(?:https?://)?(?:dx\.|www\.)?doi\.org/)?(10\.\d{4,9}/\S*[^\s.,;])[.,;]*$",
    re.IGNORECASE,
)
_ARXIV = re.compile(
    r"^(?:arxiv:\s*)?(?:(?:https?://)?(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/)?"
    r"(\d{4}\.\d{4,5}|([a-z-]+)(?:\.[a-z]{2})?/(\d{7}))(?:v\d+)?(?:\.pdf)?$",
    re.IGNORECASE,
)
_ARXIV_MONTH = re.compile(r"^(?:arxiv:)?(?:[a-z-]+(?:\.[a-z]{2})?/)?(\d\d)(\d\d)", re.IGNORECASE)
_BARE = (
    (
        r"(?:openalex:\s*)?https?://(?:api\.)?openalex\.org/(?:works/)?(W\d+)"
        r"|openalex:\s*(?:works/)?(W\d+)|(W\d{5,})",
        "openalex:{}",
        str.upper,
    ),
    (r"(?:pmid|pubmed)(?::\s*|\s+)(\d{1,9})", "pmid:{}", str),
    (r"(?:pmcid:\s*)?(PMC\d{2,9})(?:\.\d+)?", "pmcid:{}", str.upper),
    (r"(?:s2:|semantic_scholar:)([0-9a-f]{40})", "s2:{}", str.lower),
)
"""Identifiers of databases as people write them, and their canonical form."""
_LINKS = (
    (r"arxiv\.org/(?:abs|pdf|html)/((?:[a-z.-]+/)?\d[\d.]+\d)", "arxiv:{}"),
    (r"semanticscholar\.org/paper/(?:[^/]+/)?([0-9a-f]{40})", "s2:{}"),
    (r"pubmed\.ncbi\.nlm\.nih\.gov/(\d{1,9})(?=[/?#]|$)", "pmid:{}"),
    (r"ncbi\.nlm\.nih\.gov/(?:pmc/)?articles/(PMC\d{2,9})", "pmcid:{}"),
    (r"europepmc\.org/(?:article|abstract)/MED/(\d{1,9})", "pmid:{}"),
    (
        r"acl(?:web|anthology)\.org/(?:anthology/)?(20\d\d\.[a-z0-9_]+-[a-z0-9_]+\.\d+|[A-Z]\d\d-\d{4})",
        "doi:10.18653/v1/{}",
    ),
    (r"nature\.com/articles/([a-z]*\d[a-z0-9-]+)", "doi:10.1038/{}"),
    (
        r"[/=](10\.\d{4,9}/[^\s?#&]+?)(?:v\d+\.full)?"
        r"(?:[/.](?:abstract|e?pdf|epub|full|full-?text|html|meta))*/?(?=[?#&]|$)",
        "doi:{}",
    ),
)
"""Where links say which paper they lead to. A DOI that is none is not found, and its title is looked up."""
_DASHES = re.compile(r"\s*[-‐-―−]+\s*")
NO_AUTHOR = "No author"
ID_KINDS = ("doi", "arxiv", "openalex", "s2", "pmid", "pmcid", "local", "title")
"""What stands before the colon of an id, the kind that a work is called by first."""
_ARXIV_DOI = "10.48550/arxiv."


class Author(FrozenModel):
    """One author, as the source writes the name."""

    name: str = Field(min_length=1)

    @property
    def family(self) -> str:
        """The family name: what stands before a comma, else the last word with its particles."""
        if "," in self.name:
            return self.name.split(",", 1)[0].strip()
        words = self._words
        return " ".join(words[_family_start(words) :])

    @property
    def given(self) -> str:
        """The given names, empty where there is only one word."""
        if "," in self.name:
            return self.name.split(",", 1)[1].strip()
        words = self._words
        return " ".join(words[: _family_start(words)])

    @property
    def _words(self) -> list[str]:
        """The words of the name without the number by which dblp tells namesakes apart: 'Wei Wang 0002'."""
        words = self.name.split()
        return words[:-1] if len(words) > 1 and words[-1].isdecimal() else words


def _family_start(words: list[str]) -> int:
    start = max(len(words) - 1, 0)
    while start > 1 and words[start].lower().rstrip(".") in {"jr", "sr", "ii", "iii", "iv"}:
        start -= 1
    # In first place only a lower-case particle is one: 'Di Wu' has the given name Di.
    while (
        start > 0 and (words[start - 1] if start == 1 else words[start - 1].lower()) in _PARTICLES
    ):
        start -= 1
    return start


_PARTICLES = frozenset(
    {"van", "von", "de", "der", "den", "del", "della", "di", "da", "dos", "la", "le", "ter", "ten"}
)


NoticeKind = Literal["retraction", "partial_retraction", "concern", "correction"]
NOTICE_KINDS: tuple[NoticeKind, ...] = get_args(NoticeKind)
"""From the gravest to the lightest."""


class Notice(FrozenModel):
    """What a publisher said of a work after it appeared."""

    kind: NoticeKind
    doi: str = Field(default="", description="The notice's own DOI, bare; empty if unknown.")


def united_notices(*groups: Iterable[Notice]) -> tuple[Notice, ...]:
    """Return these notices, each once, the gravest first; one without a DOI only where its kind has none with one."""
    every = dict.fromkeys(notice for group in groups for notice in group)
    named = {notice.kind for notice in every if notice.doi}
    kept = [notice for notice in every if notice.doi or notice.kind not in named]
    return tuple(sorted(kept, key=lambda one: (NOTICE_KINDS.index(one.kind), one.doi)))


class Paper(FrozenModel):
    """One scholarly work as CiteLoom knows it."""

    id: str = Field(
        min_length=1, description="Canonical id, such as doi:10.1/x or arxiv:2005.11401."
    )
    title: str = Field(min_length=1)
    other_titles: tuple[str, ...] = Field(
        default=(), description="Other titles it has, such as the original of a translation."
    )
    abstract: str | None = None
    abstract_kind: Literal["abstract", "annotation"] = Field(
        default="abstract",
        description="'annotation' when the text was written by a bibliographer, not by the authors.",
    )
    year: int | None = Field(
        default=None, ge=1000, le=2200, description="The venue's; a preprint's is in its arXiv id."
    )
    published: Day | None = Field(default=None, description="The exact day, where it is known.")
    authors: tuple[Author, ...] = ()
    authors_complete: bool = Field(
        default=True, description="False when the list ends in 'others'."
    )
    venue: str | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = Field(
        default=None, description="First and last, '12-34', or the number of an article."
    )
    doi: str | None = None
    arxiv: str | None = None
    openalex: str | None = None
    semantic_scholar: str | None = None
    url: str | None = None
    pdf: str | None = Field(default=None, description="Link to a full text that is free to read.")
    cited_by: int | None = Field(
        default=None, ge=0, description="How many works cite it, as the source counts them."
    )
    retracted: bool = Field(
        default=False, description="True when a source says that it was retracted or withdrawn."
    )
    notices: tuple[Notice, ...] = Field(
        default=(),
        description="Retractions, expressions of concern and corrections that its publisher issued.",
    )
    references: tuple[str, ...] = Field(
        default=(), description="Canonical ids of the works it cites."
    )
    references_missing: bool = Field(
        default=False, description="True when every source was asked what it cites and none knows."
    )
    snippets: tuple[Quote, ...] = Field(
        default=(), description="Words of its full text that a search found, each with its section."
    )
    aliases: tuple[str, ...] = Field(default=(), description="Other ids under which it is known.")
    origin: dict[str, str] = Field(
        default_factory=dict, description="Which source gave each field, by field name."
    )
    record: Record | None = Field(
        default=None, description="What the file of references said from which it comes."
    )

    @field_validator("title", "abstract", "venue")
    @classmethod
    def _fold_space(cls, value: str | None) -> str | None:
        return " ".join(value.split()) or None if value is not None else None

    @field_validator("volume", "issue", "pages", mode="before")
    @classmethod
    def _place(cls, value: object) -> object:
        """Fold what others write for a place: '5 -- 5' is '5'; 'abs/...', which arXiv's bears, is none."""
        text = _DASHES.sub("-", " ".join(str(value).split())) if type(value) in {str, int} else ""
        first, dash, last = text.partition("-")
        if dash and first == last:
            text = first
        return None if not text or text.startswith("abs/") or len(text) > 40 else text

    @field_validator("title")
    @classmethod
    def _has_title(cls, value: str | None) -> str:
        if not value:
            raise ValueError("a paper needs a title, and this one is only white space")
        return value

    @property
    def citation(self) -> str:
        """How a sentence names it: 'Lewis et al.', 'Cohen and Ruths', or its title."""
        families = [author.family for author in self.authors]
        if not families:
            return f"“{self.title}”"
        if len(families) == 1 and self.authors_complete:
            return families[0]
        if len(families) == 2 and self.authors_complete:
            return f"{families[0]} and {families[1]}"
        return f"{families[0]} et al."

    @property
    def byline(self) -> str:
        """How a list that has its title names it besides: 'Cohen and Ruths (2013)', 'No author (2013)'."""
        return f"{self.citation if self.authors else NO_AUTHOR} ({self.year or 'n.d.'})"

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """What quotes of its record may be of, by name: its abstract or annotation, and its title."""
        said = ((self.abstract_kind, self.abstract),) if self.abstract else ()
        return (*said, ("title", self.title))

    @property
    def text(self) -> str:
        """Everything a quote may be taken from: the title, the abstract and snippets, where there are any."""
        snippets = (snippet.text for snippet in self.snippets)
        return "\n".join(filter(None, (self.title, self.abstract, *snippets)))


@lru_cache(maxsize=8192)
def canonical_id(raw: str) -> str:
    """Return the canonical form of an identifier, or `local:<raw>` for one of no known kind.

    `10.1145/X`, `https://doi.org/10.1145/x` and `DOI:10.1145/x` all become `doi:10.1145/x`; arXiv
    ids lose their version, old ones also their subject class, and an arXiv DOI becomes the arXiv id.
    `PMID: 123` becomes `pmid:123`, and the address of a paper's page what it names.

    Raises:
        ValueError: `raw` is empty.
    """
    text = raw.strip()
    if not text:
        raise ValueError("a paper id is empty: give a DOI, an arXiv id, or any text")
    if found := _DOI.match(text):
        doi = found[1].lower()
        if not (doi.startswith(_ARXIV_DOI) and _ARXIV.match(doi.removeprefix(_ARXIV_DOI))):
            return f"doi:{doi}"
        text = doi.removeprefix(_ARXIV_DOI)
    if found := _ARXIV.match(text):
        return f"arxiv:{found[2].lower()}/{found[3]}" if found[2] else f"arxiv:{found[1]}"
    for pattern, form, cased in _BARE:
        if found := re.fullmatch(pattern, text, re.IGNORECASE):
            return form.format(cased(found[found.lastindex or 1]))
    if text.startswith(("local:", "title:")):
        return text
    return (text.startswith(("http://", "https://")) and id_in(text)) or f"local:{text}"


def id_rank(key: str) -> int:
    """Return the place of an id's kind among those by which a work may be called; 0 is the best."""
    kind = key.split(":", 1)[0]
    return ID_KINDS.index(kind if kind in ID_KINDS else "local")


def id_in(link: str) -> str | None:
    """Return the canonical id of the paper behind a web link, or None where the link does not say it."""
    for pattern, form in _LINKS:
        if found := re.search(pattern, unquote(link), re.IGNORECASE):
            return canonical_id(form.format(found[1]))
    return None


@lru_cache(maxsize=8192)
def title_key(title: str) -> str:
    """Return the title without case, accents, punctuation and space, for comparison only."""
    folded = unicodedata.normalize("NFKD", title).casefold()
    return "".join(char for char in folded if char.isalnum())


def identify(
    *,
    doi: str | None = None,
    arxiv: str | None = None,
    openalex: str | None = None,
    semantic_scholar: str | None = None,
    local: str | None = None,
    title: str,
    year: int | None,
    first_author: str | None,
) -> tuple[str, tuple[str, ...]]:
    """Return the canonical id of a record and its other ids, in the order of the module docstring."""
    known = [
        canonical_id(prefix + value)
        for prefix, value in (
            ("doi:", doi),
            ("arxiv:", arxiv),
            ("openalex:", openalex),
            ("s2:", semantic_scholar),
            ("", local),
        )
        if value
    ]
    ids = sorted(dict.fromkeys(known), key=id_rank)
    if not ids:
        family = Author(name=first_author).family.split() if first_author else []
        author = title_key(family[-1]) if family else ""
        ids = [f"title:{title_key(title)[:80]}-{year or 'nd'}-{author}"]
    return ids[0], tuple(ids[1:])


def known_since(published: date | None, year: int | None, arxiv: str | None) -> date | None:
    """Return the day from which on a work is certain to have been known, None with no date at all.

    The exact day, or the last one of the year; or the last one of the month that an arXiv id names,
    where that is earlier: a preprint is often known a year before its venue prints it.
    """
    venue = published or (date(year, 12, 31) if year else None)
    days = [venue] if venue else []
    if (found := _ARXIV_MONTH.match(arxiv or "")) and 1 <= int(found[2]) <= 12:
        since = int(found[1]) + (1900 if int(found[1]) > 90 else 2000)
        days.append(date(since, int(found[2]), monthrange(since, int(found[2]))[1]))
    return min(days, default=None)


def published_before(paper: Paper, cutoff: date | None) -> bool:
    """Whether the paper is certain to have appeared before `cutoff`, as a preprint or elsewhere."""
    since = known_since(paper.published, paper.year, paper.arxiv)
    return cutoff is None or (since is not None and since < cutoff)


def index_by_ids(papers: Iterable[Paper]) -> dict[str, str]:
    """Return the canonical id of each paper by each id under which it is known."""
    return {key: paper.id for paper in papers for key in (*paper.aliases, paper.id)}
