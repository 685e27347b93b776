"""Filters choose the same passages in both engines, in every mode, and in the catalog."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Literal

import pytest

from tests.library.qdrant_double import QdrantDouble
from tests.library.words import WordEmbedder, document, paper
from tools.library.library import Library
from tools.library.open_library import close_libraries, create_library
from tools.library.search_types import PassageFilter, folded_heading
from tools.settings import Settings

VENUES = ("ACL", "The Journal of Things", None)
HEADINGS = ("1 Introduction", "IV. RESULTS > A. Main results", "Appendix B Limitations", "Results")


def fill(library: Library) -> Library:
    library.add(
        [
            paper(
                number,
                venue=VENUES[number % 3],
                year=2000 + number if number % 5 else None,
                published=date(2000 + number, 6, 15) if number % 5 and number % 2 else None,
            )
            for number in range(1, 13)
        ]
    )
    for number in range(1, 13):
        heading = HEADINGS[number % 4]
        parts = [(heading, f"Common words of part{number}."), ("", f"Common remark{number}.")]
        library.texts.put(*document(number, *parts, tags=(f"t{number % 3}", "all")))
    library.index()
    return library


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Library]]:
    home: Path = tmp_path_factory.mktemp("filters")
    embedded = Settings(home=home, qdrant_url=None)
    with QdrantDouble() as double:
        served = embedded.model_copy(update={"qdrant_url": double.url})
        yield [
            fill(create_library(name, settings, WordEmbedder()))
            for name, settings in (("edge", embedded), ("server", served))
        ]
        close_libraries()


@pytest.fixture(autouse=True)
def closed() -> None:
    """Leave the libraries open: they are shared by this file's tests."""


CASES = [
    (PassageFilter(), 36),
    (PassageFilter(papers=frozenset({"10.1000/P3", "doi:10.1000/p4", "unknown"})), 6),
    (PassageFilter(papers=frozenset({"unknown"})), 0),
    (PassageFilter(first_year=2003, last_year=2004), 6),
    (PassageFilter(before=date(2003, 6, 15)), 6),
    (PassageFilter(before=date(2003, 6, 16)), 9),
    (PassageFilter(tags=frozenset({"t1", "t2"})), 24),
    (PassageFilter(venues=frozenset({"The Journal of Things"})), 12),
    (PassageFilter(sections=frozenset({"2. Results:", "Abstract"})), 18),
    (
        PassageFilter(
            sections=frozenset({"results"}), tags=frozenset({"t0"}), first_year=2004, last_year=2010
        ),
        1,
    ),
]


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_filter_holds_in_both_engines_and_in_the_catalog(
    engines: list[Library], mode: Literal["hybrid", "keyword"]
) -> None:
    texts = engines[0].texts
    every = [one.id for page in texts.pages(10) for one in page]
    without = PassageFilter(exclude=frozenset({*every[:5], "unknown"}))
    for wanted, many in [*CASES, (without, 31)]:
        query = "common words study remark1 part2"
        edge, server = (
            [hit.passage for hit in each.texts.search(query, mode=mode, limit=99, wanted=wanted)]
            for each in engines
        )
        assert edge == server
        papers = engines[0].catalog.points(wanted.papers).values()
        passed = {*texts.passing(texts.points(every).values(), wanted, papers).values()}
        assert len(passed) == many, wanted
        assert set(edge) == passed if mode == "hybrid" else set(edge) <= passed


def test_tags_are_searched_as_soon_as_they_are_given(engines: list[Library]) -> None:
    for library in engines:
        wanted = PassageFilter(tags=frozenset({"to read"}))
        assert library.texts.tag("10.1000/p7", [" to  read "])
        assert len(library.texts.search("common study", limit=99, wanted=wanted)) == 3
        assert library.texts.tag("10.1000/p7", ["to read"], remove=True)
        assert library.texts.search("common study", limit=99, wanted=wanted) == []


@pytest.mark.parametrize(
    ("heading", "folded"),
    [
        ("3.2 Training:", "training"),
        ("IV. RESULTS", "results"),
        ("A. Main  results", "main results"),
        ("Appendix B Limitations", "limitations"),
        ("A study of proteins", "a study of proteins"),
        ("3D models", "3d models"),
        ("2020", "2020"),
    ],
)
def test_heading_is_compared_without_number_and_case(heading: str, folded: str) -> None:
    assert folded_heading(heading) == folded
