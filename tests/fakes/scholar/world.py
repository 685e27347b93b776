"""A made-up field of research: its works, who holds a record of them, and what cites what.

    world = make_world(size=400, seed=1)

The same arguments give the same world. Besides `size` works there are the records that make real
services hard: a crowd that cites one work, preprints beside their published versions, duplicates,
ids that were merged into others, works that lack everything, and notices of retraction.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import Literal, get_args

from tests.fakes.scholar.matching import Text, stems

Service = Literal["openalex", "semantic_scholar", "arxiv", "crossref", "serpapi"]
SERVICES: tuple[Service, ...] = get_args(Service)
ARXIV_DOI = "10.48550/arxiv."


PUBMED = 30_000_000
"""What PubMed's numbers of works are higher than ours."""


@dataclass(kw_only=True)
class Work:
    """One record of the field."""

    number: int
    title: str
    """Empty for a record of which not even the title is known."""
    abstract: str | None
    date: date
    day_known: bool = True
    """Whether services know more than the year; OpenAlex then writes January 1."""
    authors: tuple[tuple[str, str], ...] = ()
    """Given and family name; both empty for an author whose name is null."""
    venue: str | None = None
    kind: str = "article"
    topic: str = ""
    doi: str | None = None
    arxiv: str | None = None
    openalex: str = ""
    s2: str = ""
    corpus: int = 0
    references: tuple[int | str, ...] = ()
    """Numbers of works, and ids such as W9000000017 of works that no service knows."""
    lists_references: frozenset[Service] = frozenset({"openalex", "semantic_scholar", "crossref"})
    """The services that know what it cites."""
    held_by: frozenset[Service] = frozenset()
    retracted: bool = False
    retraction_in: frozenset[Service] = frozenset()
    """The services that say that it was retracted."""
    retracts: int | None = None
    """For a notice: the work it is about."""
    notice_type: str = "retraction"
    """For a notice: what it is, as Crossref names it."""
    merged_from: str | None = None
    """An old OpenAlex id, which answers 301 to `openalex`."""
    preprint_of: int | None = None
    duplicate_of: int | None = None
    open_access: bool = False
    bare: bool = False
    """Whether every field that may be null is null."""

    @property
    def year(self) -> int:
        """Year of publication."""
        return self.date.year

    @property
    def openalex_lists_references(self) -> bool:
        """Whether OpenAlex knows what it cites."""
        return "openalex" in self.lists_references

    @property
    def text(self) -> str:
        """Title and abstract."""
        return f"{self.title} {self.abstract or ''}"


@dataclass
class World:
    """The field."""

    works: list[Work]
    landmark: int
    """The number of the work with the most citations."""
    _texts: dict[int, Text] = field(default_factory=dict, repr=False)
    _bags: dict[int, Counter[str]] = field(default_factory=dict, repr=False)

    @cached_property
    def by_doi(self) -> dict[str, Work]:
        """Works by DOI in lower case; where two records share one, the first."""
        return {work.doi.lower(): work for work in reversed(self.works) if work.doi}

    @cached_property
    def by_openalex(self) -> dict[str, Work]:
        """Works by OpenAlex id."""
        return {work.openalex: work for work in self.works}

    @cached_property
    def by_s2(self) -> dict[str, Work]:
        """Works by Semantic Scholar id."""
        return {work.s2: work for work in self.works}

    @cached_property
    def by_arxiv(self) -> dict[str, Work]:
        """Works by arXiv id without version."""
        return {work.arxiv.lower(): work for work in self.works if work.arxiv}

    @cached_property
    def merged(self) -> dict[str, str]:
        """New OpenAlex ids by old ones."""
        return {work.merged_from: work.openalex for work in self.works if work.merged_from}

    @cached_property
    def notices(self) -> dict[int, Work]:
        """Notices by the number of the work they are about."""
        return {work.retracts: work for work in self.works if work.retracts is not None}

    def add_notice(self, work: Work, kind: str = "retraction") -> Work:
        """Have Crossref say from now on that a work was retracted, or what else a notice says; return the notice."""
        number = len(self.works)
        notice = replace(
            work,
            number=number,
            title=f"Retraction note to: {work.title}",
            doi=f"10.9999/notice.{number}",
            retracts=work.number,
            notice_type=kind,
            retraction_in=frozenset(),
            held_by=frozenset({"crossref"}),
            abstract=None,
            openalex=f"W99{number:07}",
            s2=f"{number:040x}",
            arxiv=None,
        )
        work.retraction_in |= {"crossref"}
        self.works.append(notice)
        for name in ("notices", "by_doi", "_held"):  # as they were before
            self.__dict__.pop(name, None)
        return notice

    def held(self, service: Service) -> list[Work]:
        """Return the works that a service has, in order of their numbers."""
        return self._held[service]

    @cached_property
    def _held(self) -> dict[Service, list[Work]]:
        return {
            service: [work for work in self.works if service in work.held_by]
            for service in SERVICES
        }

    def citing(self, number: int, service: Service | None = None) -> list[int]:
        """Return the works that cite a work, in all or as far as a service knows."""
        if service is None:
            return self._citing[number]
        return [
            other
            for other in self._citing[number]
            if service in self.works[other].held_by
            and service in self.works[other].lists_references
        ]

    @cached_property
    def _citing(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for work in self.works:
            for reference in work.references:
                if isinstance(reference, int):
                    found[reference].append(work.number)
        return found

    def cited_by_count(self, number: int, service: Service) -> int:
        """Return how many works cite a work, as a service counts them."""
        return self._counts[service].get(number, 0)

    @cached_property
    def _counts(self) -> dict[Service, dict[int, int]]:
        return {
            service: {number: len(self.citing(number, service)) for number in list(self._citing)}
            for service in SERVICES
        }

    def find_pmid(self, name: str) -> Work | None:
        """Return the work that PubMed numbers so: every tenth is there."""
        number = int(name) - PUBMED if name.isdecimal() else -1
        return next((one for one in self.works if one.number == number and not number % 10), None)

    def find_doi(self, doi: str) -> Work | None:
        """Return the work of a DOI, among them the DOIs that arXiv gives."""
        wanted = doi.lower()
        if wanted.startswith(ARXIV_DOI):
            return self.by_arxiv.get(wanted.removeprefix(ARXIV_DOI))
        return self.by_doi.get(wanted)

    def searchable(self, number: int) -> Text:
        """Return the stems of a work's title, abstract and authors."""
        if number not in self._texts:
            work = self.works[number]
            names = " ".join(f"{given} {family}" for given, family in work.authors)
            texts = {"title": work.title, "abstract": work.abstract or "", "authors": names}
            self._texts[number] = {name: stems(text) for name, text in texts.items()}
        return self._texts[number]

    def bag(self, number: int) -> Counter[str]:
        """Return the stems of a work's title and abstract, counted."""
        if number not in self._bags:
            self._bags[number] = Counter(stems(self.works[number].text))
        return self._bags[number]


def make_world(size: int = 400, seed: int = 1, about: str = "", *, crowd: int = 500) -> World:
    """Return a field of `size` works and the awkward records beside them.

    Args:
        size: Ordinary works; the records beside them come on top.
        seed: Chooses everything.
        about: A text whose words become the vocabulary of one topic, so that its words find works.
        crowd: Works that only cite the landmark.
    """
    from tests.fakes.scholar.making import Maker

    maker = Maker(seed, about)
    return World(maker.make(size, crowd), maker.landmark)
