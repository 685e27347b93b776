"""tools/scholar/same_work.py: which records are one work, and the record that they make."""

import random
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.merging import is_preprint_doi
from state.paper import Author, Paper, identify
from tests.fakes.scholar.world import make_world
from tools.scholar.same_work import merge, near_titles, unite_records

TITLE = "Grafting pear trees under drought: a field study"


def record(
    title: str = TITLE,
    *,
    source: str = "openalex",
    year: int | None = 2020,
    author: str | None = "Ann Lee",
    doi: str | None = None,
    arxiv: str | None = None,
    openalex: str | None = None,
    s2: str | None = None,
    **others: object,
) -> Paper:
    """A record as a source decodes it."""
    name, aliases = identify(
        doi=doi,
        arxiv=arxiv,
        openalex=openalex,
        semantic_scholar=s2,
        title=title,
        year=year,
        first_author=author,
    )
    values = {
        "title": title,
        "year": year,
        "authors": (Author(name=author),) if author else (),
        "doi": doi,
        "arxiv": arxiv,
        "openalex": openalex,
        "semantic_scholar": s2,
        **others,
    }
    origin = dict.fromkeys((key for key, value in values.items() if value), source)
    return Paper.model_validate({"id": name, "aliases": aliases, **values, "origin": origin})


def s2_id(number: int) -> str:
    return f"{number:040x}"


PUBLISHED = record(doi="10.1000/a", openalex="W1", venue="Journal of Orchards")


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (record("Another title", doi="10.1000/A", year=1999), "the same DOI"),
        (record("Another title", openalex="W1", year=1999), "the same OpenAlex id"),
        (record(arxiv="2001.00001", source="arxiv", year=2018), "a preprint two years older"),
        (record(arxiv="2001.00001", source="arxiv", year=2021), "a preprint dated a year later"),
        (
            record(doi="10.1101/2019.01.02.123456", venue="bioRxiv", year=2019),
            "another DOI, but that of a preprint",
        ),
        (record(s2=s2_id(1), source="semantic_scholar", year=2021), "the same title a year apart"),
        (record(s2=s2_id(1), author=None, source="semantic_scholar"), "no authors on one side"),
        (record(s2=s2_id(1), year=None, source="semantic_scholar"), "no year on one side"),
        (
            record("Grafting Pear-Trees under Drought — A Field Study", source="crossref"),
            "case and dashes",
        ),
        (
            record("Grafting pear trees under droughts: a field study", source="crossref"),
            "a letter more",
        ),
    ],
)
def test_records_of_one_work_come_together(other: Paper, why: str) -> None:
    assert unite_records([PUBLISHED, other]) == [[0, 1]], why


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (record(doi="10.1000/b", source="crossref"), "another DOI of a published version"),
        (record(s2=s2_id(1), author="Bo Lind", source="semantic_scholar"), "another first author"),
        (record(s2=s2_id(1), year=2022, source="semantic_scholar"), "two years later"),
        (
            record(s2=s2_id(1), year=2018, source="semantic_scholar", venue="Pomona"),
            "two years earlier",
        ),
        (record(arxiv="2001.00001", year=2022, source="arxiv"), "a preprint two years later"),
        (record(arxiv="2001.00001", year=2017, source="arxiv"), "a preprint three years older"),
        (record(openalex="W2", year=2020), "another work of the same source"),
        (record(s2=s2_id(1), year=None, author=None), "neither year nor author"),
        (
            record("Grafting pear trees under drought: a yield study", source="crossref"),
            "another word",
        ),
    ],
)
def test_records_of_two_works_stay_apart(other: Paper, why: str) -> None:
    assert unite_records([PUBLISHED, other]) == [[0], [1]], why


def test_title_that_many_works_bear_names_none_of_them() -> None:
    title = "Acknowledgement of reviewers of the year"
    notes = [record(title, s2=s2_id(n), source="semantic_scholar") for n in range(40)]
    assert len(unite_records([*notes, record(title, openalex="W1")])) == 41


def test_shared_id_does_not_chain_two_published_dois() -> None:
    first = record("One title of two", doi="10.1000/a", arxiv="2001.00001")
    second = record("The other title", doi="10.1000/b", arxiv="2001.00001", source="crossref")
    preprint = record("The other title", arxiv="2001.00001", source="arxiv")
    assert unite_records([first, second, preprint]) == [[0], [1, 2]]


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (
            "Modelling the colour of apples in storage",
            "Modeling the color of apples in storage",
            True,
        ),
        (
            "A survey of retrieval for the review writer",
            "Survey of retrieval for review writer",
            True,
        ),
        (
            "Multi agent planning for northern orchards",
            "Multiagent planning for northern orchards",
            True,
        ),
        ("Long term storage of apples: Part I", "Long term storage of apples: Part II", False),
        ("Long term storage of apples: Part VII", "Long term storage of apples: Part VIII", False),
        (
            "Overview of the 2019 shared task on apples",
            "Overview of the 2018 shared task on apples",
            False,
        ),
        (
            "Apple storage notes, version 2, revised",
            "Apple storage notes, version 3, revised",
            False,
        ),
        (
            "Effects of apples on the health of mice",
            "Effects of apples on the health of rats",
            False,
        ),
        (
            "Supervised counting of apples in orchards",
            "Unsupervised counting of apples in orchards",
            False,
        ),
        ("Hypotension after exposure to apples", "Hypertension after exposure to apples", False),
        ("Intracellular transport of apple sugar", "Intercellular transport of apple sugar", False),
        (
            "Storage of apples with controlled air",
            "Storage of apples without controlled air",
            False,
        ),
        (
            "Storage of apples in cellars far north",
            "Reply: storage of apples in cellars far north",
            False,
        ),
    ],
)
def test_titles_differ_as_spellings_do_or_as_titles_do(first: str, second: str, same: bool) -> None:
    assert near_titles(first, second, ratio=85) is same
    assert near_titles(second, first, ratio=85) is same


@pytest.mark.parametrize(
    ("doi", "expected"),
    [
        ("10.1101/2020.01.02.123456", True),
        ("10.1101/123456", True),
        ("10.64898/2026.01.02.1", True),
        ("10.48550/arXiv.2001.00001", True),
        ("10.21203/rs.3.rs-1/v1", True),
        ("10.2139/ssrn.1", True),
        ("10.31234/osf.io/abc", True),
        ("10.31219/osf.io/abc", True),
        ("10.36227/techrxiv.1", True),
        ("10.20944/preprints202001.0001.v1", True),
        ("10.1101/gr.123456.120", False),
        ("10.1101/gad.1", False),
        ("10.1000/a", False),
        ("10.31893/x", False),
    ],
)
def test_preprints_are_known_by_their_doi(doi: str, expected: bool) -> None:
    assert is_preprint_doi(doi) is expected


# The record of many


def test_published_version_gives_venue_and_year_and_the_preprint_the_first_day() -> None:
    preprint = record(
        arxiv="1806.00001",
        source="arxiv",
        year=2018,
        venue="arXiv",
        published=date(2018, 6, 5),
        abstract="A preliminary abstract.",
        pdf="https://example.org/a.pdf",
    )
    published = PUBLISHED.model_copy(
        update={"published": date(2020, 3, 1), "abstract": "The abstract, much longer."}
    )
    merged = merge([preprint, published])
    assert (merged.id, merged.venue, merged.year) == ("doi:10.1000/a", "Journal of Orchards", 2020)
    assert (merged.published, merged.origin["published"]) == (date(2018, 6, 5), "arxiv")
    assert (merged.pdf, merged.origin["pdf"]) == ("https://example.org/a.pdf", "arxiv")
    assert merged.abstract == "The abstract, much longer."
    assert merged.aliases == ("arxiv:1806.00001", "openalex:W1")


def test_longest_abstract_of_the_authors_wins_over_any_annotation() -> None:
    note = record(openalex="W1", abstract="A note. " * 20, abstract_kind="annotation")
    short = record(s2=s2_id(1), source="semantic_scholar", abstract="Short.")
    long = record(doi="10.1000/a", source="crossref", abstract="Rather longer.")
    merged = merge([note, short, long])
    assert (merged.abstract, merged.abstract_kind) == ("Rather longer.", "abstract")
    assert merged.origin["abstract"] == "crossref"
    assert merge([note]).abstract_kind == "annotation"


def test_one_retraction_marks_the_work_and_the_largest_count_is_kept() -> None:
    many = record(s2=s2_id(1), source="semantic_scholar", cited_by=90)
    retracted = record(openalex="W1", cited_by=40, retracted=True)
    merged = merge([many, retracted])
    assert (merged.retracted, merged.origin["retracted"]) == (True, "openalex")
    assert (merged.cited_by, merged.origin["cited_by"]) == (90, "semantic_scholar")
    late = record(s2=s2_id(1), source="semantic_scholar", retracted=True)
    merged = merge([record(openalex="W1"), late])
    assert (merged.retracted, merged.origin["retracted"]) == (True, "semantic_scholar")


# What holds of any records


TITLES = st.sampled_from(
    [
        TITLE,
        TITLE.upper(),
        "Grafting pear trees under droughts: a field study",
        "Introduction",
        "Grafting pear trees under drought: a field study, Part I",
        "Grafting pear trees under drought: a field study, Part II",
        "Cider and its makers",
    ]
)
RECORDS = st.lists(
    st.builds(
        record,
        TITLES,
        source=st.sampled_from(["openalex", "semantic_scholar", "crossref", "arxiv"]),
        year=st.sampled_from([None, 2017, 2018, 2019, 2020, 2021]),
        author=st.sampled_from([None, "Ann Lee", "Lee, A.", "Bo Lind"]),
        doi=st.sampled_from([None, None, "10.1000/a", "10.1000/b", "10.2139/ssrn.1", "10.2139/ssrn.2"]),
        arxiv=st.sampled_from([None, None, None, "2001.00001", "2001.00002"]),
        openalex=st.sampled_from([None, None, "W1", "W2", "W3"]),
        s2=st.sampled_from([None, None, s2_id(1), s2_id(2)]),
        venue=st.sampled_from([None, "arXiv", "Journal of Orchards"]),
        published=st.sampled_from([None, date(2018, 1, 1), date(2018, 3, 4), date(2020, 5, 6)]),
        cited_by=st.sampled_from([None, 0, 7]),
    ),
    max_size=12,
)  # fmt: skip


@given(RECORDS, st.randoms(use_true_random=False))
def test_order_of_the_records_does_not_matter(records: list[Paper], shuffle: random.Random) -> None:
    order = list(range(len(records)))
    shuffle.shuffle(order)
    shuffled = unite_records([records[at] for at in order])
    assert sorted(sorted(order[at] for at in group) for group in shuffled) == unite_records(records)
    if records:
        assert merge(records) == merge([records[at] for at in order])


@given(RECORDS)
def test_no_record_is_lost_and_merged_records_are_different_works(records: list[Paper]) -> None:
    groups = unite_records(records)
    assert sorted(at for group in groups for at in group) == list(range(len(records)))
    merged = [merge([records[at] for at in group]) for group in groups]
    assert unite_records(merged) == [[at] for at in range(len(merged))]
    assert [merge([paper]) for paper in merged] == merged
    assert len({paper.id for paper in merged}) == len(merged)


@given(RECORDS)
def test_two_published_dois_never_come_together(records: list[Paper]) -> None:
    for group in unite_records(records):
        dois = {records[at].doi for at in group}
        assert len({doi for doi in dois if doi and not is_preprint_doi(doi)}) <= 1


def test_records_of_a_made_up_field_are_united_as_they_were_made() -> None:
    records: list[Paper] = []
    truth: dict[int, list[int]] = {}
    for work in make_world(size=400, seed=1).works:
        author = " ".join(work.authors[0]).strip() if work.authors else ""
        for source in ("openalex", "semantic_scholar") if work.title else ():
            if source not in work.held_by:
                continue
            number = work.number if work.preprint_of is None else work.preprint_of
            truth.setdefault(number, []).append(len(records))
            one = record(
                work.title,
                source=source,
                year=work.year,
                author=author or None,
                doi=work.doi,
                arxiv=work.arxiv,
                venue=work.venue,
                openalex=work.openalex if source == "openalex" else None,
                s2=work.s2 if source == "semantic_scholar" else None,
            )
            records.append(one)
    assert len(truth) < len(records) - 100
    # What one source keeps as two published works stays two, though it may be its mistake.
    assert unite_records(records) == sorted(truth.values())
