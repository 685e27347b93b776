"""tools/bibliography/in_text.py: names that only look like a paper's, and papers of one name."""

import pytest

from state.paper import Author, Paper
from tools.bibliography.section import PrintedSection
from tools.bibliography.style import named_style


def paper(title: str, *names: str, year: int = 2020) -> Paper:
    authors = tuple(Author(name=name) for name in names)
    return Paper(id=f"local:{title}", title=title, authors=authors, year=year)


PAPERS = {
    "P1": paper("One", "Ann Donald", year=2019),
    "P2": paper("Two", "Ann Kim", year=2021),
    "P3": paper("Three", "Ann Kim", year=2021),
    "P4": paper("Four", "Bo Li", year=1999),
}


def printed(style: str, marked: str) -> str:
    return PrintedSection([marked], PAPERS, named_style(style)).sentence(marked)


@pytest.mark.parametrize(
    ("marked", "expected", "why"),
    [
        ("McDonald {P1} says.", "McDonald (Donald, 2019) says.", "the end of another name"),
        ("Donald {P1} says.", "Donald (2019) says.", "the name"),
        ("Kim {P2}{P3} says.", "Kim (2021a, 2021b) says.", "both are by the one named"),
        ("Kim, {P4}, {P2} says.", "Kim (2021; Li, 1999) says.", "the one named stands first"),
        ("Kim, {P2} says.", "Kim (2021) says.", "no comma before the year"),
    ],
)
def test_year_alone_stands_only_behind_the_papers_own_name(
    marked: str, expected: str, why: str
) -> None:
    assert printed("apa", marked) == expected, why


def test_numbers_leave_the_words_before_them_as_they_are() -> None:
    assert printed("ieee", "As said by Kim, {P2} it works.") == "As said by Kim, [1] it works."
    assert printed("ieee", "Kim’s {P2} work.") == "Kim’s [1] work."
