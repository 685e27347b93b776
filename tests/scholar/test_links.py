"""tools/scholar/links.py: who is asked for links, in which order, and about which papers."""

import pytest

from state.paper import Paper
from tests.scholar.table import Book, Table
from tools.errors import CiteLoomError, PermanentError, TransientError
from tools.scholar.links import GatheredLinks, citations_of, references_of
from tools.scholar.source import SourceOffer

FREE = SourceOffer()
CHARGING = SourceOffer(list_usd=0.0001)
DEARER = SourceOffer(list_usd=0.001)


@pytest.fixture
def book() -> Book:
    """Who was asked about what, in order."""
    return []


def paper(name: str, *references: str) -> Paper:
    return Paper(id=name, title=f"On {name}", references=references)


ONE, TWO, THREE = paper("s2:1"), paper("s2:2"), paper("s2:3")


def said_by(gathered: GatheredLinks) -> list[str]:
    return [answer.source.name for answer in gathered.answers]


async def test_source_that_charges_is_asked_after_the_free_ones_and_for_what_they_lack(
    book: Book,
) -> None:
    charging = Table(book, "openalex", CHARGING, {"s2:2": ("doi:10.1/b",)})
    first = Table(book, "semantic_scholar", links={"s2:1": ("doi:10.1/a",), "s2:2": ()})
    second = Table(book, "library:mine", links={"s2:1": ("doi:10.1/c",)})
    gathered = await references_of([ONE, TWO], [charging, first, second])
    # The free ones all, though the first had something: none of them has every link.
    assert book == [
        ("semantic_scholar", ["s2:1", "s2:2"]),
        ("library:mine", ["s2:1", "s2:2"]),
        ("openalex", ["s2:2"]),
    ]
    assert said_by(gathered) == ["semantic_scholar", "library:mine", "openalex"]
    assert (gathered.missing, gathered.failures) == ([], [])


async def test_last_source_is_asked_for_what_nobody_had_and_the_rest_is_missing(
    book: Book,
) -> None:
    free = Table(book, "semantic_scholar", links={"s2:1": ("s2:8",), "s2:2": (), "s2:3": ()})
    last = Table(book, "crossref", links={"s2:2": ("doi:10.1/b",), "s2:3": ()})
    gathered = await references_of([ONE, TWO, THREE], [free], last=last)
    assert book == [
        ("semantic_scholar", ["s2:1", "s2:2", "s2:3"]),
        ("crossref", ["s2:2", "s2:3"]),
    ]
    assert gathered.missing == ["s2:3"]


@pytest.mark.parametrize("error", [TransientError("down"), PermanentError("rejected")])
async def test_failed_source_is_told_and_no_paper_is_called_without_references(
    error: CiteLoomError, book: Book
) -> None:
    failing = Table(book, "semantic_scholar", error=error)
    charging = Table(book, "openalex", CHARGING, {"s2:1": ("openalex:W7",)})
    gathered = await references_of([ONE, TWO], [failing, charging])
    assert gathered.failures == [(failing, error)]
    assert said_by(gathered) == ["openalex"]
    assert gathered.missing == []
    citing = await citations_of([ONE, TWO], [failing, charging], limit=5)
    assert citing.failures == [(failing, error)]
    assert said_by(citing) == ["openalex"]


async def test_citations_come_from_the_cheapest_source_that_has_any(
    book: Book,
) -> None:
    dearer = Table(book, "dear", DEARER, {"s2:3": ("s2:7",)})
    charging = Table(book, "openalex", CHARGING, {"s2:2": ("s2:8",)})
    free = Table(book, "semantic_scholar", links={"s2:1": ("s2:9",), "s2:2": ()})
    without = Table(book, "arxiv", SourceOffer(links=False))
    gathered = await citations_of([ONE, TWO, THREE], [dearer, without, charging, free], limit=5)
    assert book == [
        ("semantic_scholar", ["s2:1", "s2:2", "s2:3"]),
        ("openalex", ["s2:2", "s2:3"]),
        ("dear", ["s2:3"]),
    ]
    assert free.limits == charging.limits == dearer.limits == [5]
    assert said_by(gathered) == ["semantic_scholar", "openalex", "dear"]
