"""state/paper.py: the cut-off, and how records of one work become one."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.paper import Author, Paper, merge_papers, published_before

CUTOFF = date(2023, 6, 1)


@pytest.mark.parametrize(
    ("year", "published", "arxiv", "before", "why"),
    [
        (2022, None, None, True, "an earlier year is certain"),
        (2023, None, None, False, "the cut-off's own year is not"),
        (2024, None, None, False, "a later year"),
        (None, None, None, False, "no date is never certain"),
        (2023, date(2023, 5, 31), None, True, "the day before"),
        (2023, date(2023, 6, 1), None, False, "the day itself is too late"),
        (2022, date(2023, 6, 2), None, False, "the exact day outweighs the year"),
        (2024, date(2023, 1, 1), None, True, "also when the year is that of a reprint"),
        (2024, None, "2305.10601", True, "its preprint is of an earlier month"),
        (2024, date(2023, 12, 6), "2305.10601v2", True, "also when the venue's day is known"),
        (2024, None, "2306.00001", False, "the preprint may be of a later day of the month"),
        (2022, None, "2306.00001", True, "a copy put there after publication delays nothing"),
        (None, None, "hep-th/9901001", True, "ids of the old form name a month, too"),
        (None, None, "2213.00001", False, "no month, no date"),
    ],
)
def test_cutoff_lets_only_certain_papers_pass(
    year: int | None, published: date | None, arxiv: str | None, before: bool, why: str
) -> None:
    paper = Paper(id="local:x", title="T", year=year, published=published, arxiv=arxiv)
    assert published_before(paper, CUTOFF) is before, why
    assert published_before(paper, None)


FULL = Paper(
    id="doi:10.1000/a",
    title="The title",
    abstract="An abstract.",
    year=2021,
    published=date(2021, 3, 4),
    venue="ACL",
    doi="10.1000/a",
    arxiv="2101.00001",
    openalex="W1",
    semantic_scholar="f" * 40,
    url="https://example.org/a",
    authors=(Author(name="Ann Lee"),),
    references=("doi:10.1000/r",),
    aliases=("arxiv:2101.00001",),
    origin={"abstract": "library", "year": "library", "authors": "library"},
)


def test_missing_field_is_taken_from_the_second_record() -> None:
    for name in ("abstract", "year", "published", "venue", "doi", "arxiv", "openalex", "url"):
        merged = merge_papers(FULL.model_copy(update={name: None, "origin": {}}), FULL)
        assert getattr(merged, name) == getattr(FULL, name)
        assert merged.origin.get(name) == FULL.origin.get(name)


def test_first_record_wins_where_both_have_a_value() -> None:
    other = Paper(
        id="arxiv:2101.00001",
        title="Another title",
        abstract="Another.",
        year=2020,
        venue="arXiv",
        published=date(2020, 1, 1),
        url="https://example.org/b",
        authors=(Author(name="A. Lee"),),
        origin={"year": "arxiv", "abstract": "arxiv"},
    )
    merged = merge_papers(FULL, other)
    kept = {"references", "aliases"}
    assert merged.model_dump(exclude=kept) == FULL.model_dump(exclude=kept)


def test_authors_abstract_replaces_an_annotation_and_never_the_other_way() -> None:
    annotated = FULL.model_copy(
        update={"abstract": "Our note.", "abstract_kind": "annotation", "origin": {"abstract": "a"}}
    )
    bare = FULL.model_copy(update={"abstract": None})
    for first, second, expected in (
        (annotated, FULL, ("An abstract.", "abstract", "library")),
        (FULL, annotated, ("An abstract.", "abstract", "library")),
        (bare, annotated, ("Our note.", "annotation", "a")),
    ):
        merged = merge_papers(first, second)
        assert (merged.abstract, merged.abstract_kind, merged.origin["abstract"]) == expected


def test_references_and_aliases_are_united_in_order() -> None:
    second = Paper(
        id="arxiv:2101.00001",
        title="T",
        references=("doi:10.1000/s", "doi:10.1000/r"),
        aliases=("openalex:W1", "doi:10.1000/a"),
    )
    merged = merge_papers(FULL, second)
    assert merged.references == ("doi:10.1000/r", "doi:10.1000/s")
    assert merged.aliases == ("arxiv:2101.00001", "openalex:W1")


LEE, KIM = Author(name="Ann Lee"), Author(name="Bo Kim")


@pytest.mark.parametrize(
    ("first", "second", "expected", "why"),
    [
        (((LEE,), True), ((LEE, KIM), True), ((LEE, KIM), True), "more authors are more complete"),
        (((LEE,), False), ((LEE,), True), ((LEE,), True), "a complete list beats one with others"),
        (((LEE, KIM), True), ((LEE,), True), ((LEE, KIM), True), "fewer authors change nothing"),
        (((LEE,), False), ((), True), ((LEE,), False), "no authors are no complete list"),
        (((), True), ((LEE,), False), ((LEE,), False), "some authors are better than none"),
    ],
)
def test_fuller_author_list_is_kept(
    first: tuple[tuple[Author, ...], bool],
    second: tuple[tuple[Author, ...], bool],
    expected: tuple[tuple[Author, ...], bool],
    why: str,
) -> None:
    one = Paper(id="local:1", title="T", authors=first[0], authors_complete=first[1])
    two = Paper(
        id="local:2",
        title="T",
        authors=second[0],
        authors_complete=second[1],
        origin={"authors": "openalex"},
    )
    merged = merge_papers(one, two)
    assert merged.origin == ({"authors": "openalex"} if expected != first else {})
    assert (merged.authors, merged.authors_complete) == expected, why


def optional(values: list[str]) -> st.SearchStrategy[str | None]:
    return st.sampled_from([None, *values])


RECORDS = st.builds(
    Paper,
    id=st.sampled_from(["doi:10.1000/a", "arxiv:2101.00001", "local:x"]),
    title=st.just("T"),
    abstract=optional(["One.", "Two."]),
    abstract_kind=st.sampled_from(["abstract", "annotation"]),
    year=st.sampled_from([None, 2020, 2021]),
    venue=optional(["ACL", "arXiv"]),
    doi=optional(["10.1000/a"]),
    references=st.lists(st.sampled_from(["r1", "r2", "r3"]), unique=True).map(tuple),
)


@given(RECORDS, RECORDS)
def test_merging_twice_is_merging_once(one: Paper, two: Paper) -> None:
    merged = merge_papers(one, two)
    assert merge_papers(merged, two) == merged
    assert merge_papers(one, one) == one


@given(RECORDS, RECORDS, RECORDS)
def test_order_of_grouping_does_not_change_what_is_known(a: Paper, b: Paper, c: Paper) -> None:
    left = merge_papers(merge_papers(a, b), c)
    right = merge_papers(a, merge_papers(b, c))
    for name in ("id", "year", "venue", "doi", "references"):
        assert getattr(left, name) == getattr(right, name)
