"""tools/scholar/openalex_format.py: records of OpenAlex, whole or spoilt, read as papers."""

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from state.paper import Author, Paper
from tools.scholar.openalex_format import read_page, read_single, read_work

SITE = "https://openalex.org/"


def inverted(text: str) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for at, word in enumerate(text.split()):
        places.setdefault(word, []).append(at)
    return places


def work(**changes: Any) -> dict[str, Any]:
    """A record as OpenAlex writes it."""
    place = {
        "id": "doi:10.1000/loom.7",
        "is_oa": True,
        "landing_page_url": "https://doi.org/10.1000/loom.7",
        "pdf_url": None,
        "source": {"display_name": "Journal of Looms", "type": "journal"},
        "version": "publishedVersion",
    }
    copy = {
        "id": "pmh:oai:arXiv.org:2101.00007",
        "is_oa": True,
        "landing_page_url": "https://arxiv.org/abs/2101.00007v2",
        "pdf_url": "https://arxiv.org/pdf/2101.00007",
        "source": {"display_name": "arXiv (Cornell University)", "type": "repository"},
    }
    return {
        "id": f"{SITE}W7",
        "doi": "https://doi.org/10.1000/LOOM.7",
        "title": "Weaving <i>citations</i> &amp; claims",
        "display_name": "Weaving citations and claims",
        "publication_year": 2021,
        "publication_date": "2021-05-17",
        "ids": {"openalex": f"{SITE}W7", "doi": "https://doi.org/10.1000/loom.7"},
        "primary_location": place,
        "best_oa_location": place,
        "locations": [place, copy],
        "authorships": [
            {"author": {"display_name": "Ada Weaver"}, "raw_author_name": "A. Weaver"},
            {"author": {"display_name": None}, "raw_author_name": None},
            {"author": None, "raw_author_name": "Bo Loom"},
        ],
        "abstract_inverted_index": inverted("We weave claims and citations and claims again."),
        "cited_by_count": 12,
        "is_retracted": False,
        "referenced_works": [f"{SITE}W1", f"{SITE}W7", f"{SITE}W2", f"{SITE}W1"],
        **changes,
    }


def read(**changes: Any) -> Paper:
    paper = read_work(work(**changes))
    assert paper is not None
    return paper


def test_a_whole_record_becomes_a_whole_paper() -> None:
    paper = read()
    assert paper.id == "doi:10.1000/loom.7"
    assert paper.aliases == ("arxiv:2101.00007", "openalex:W7")
    assert paper.title == "Weaving citations & claims"
    assert paper.abstract == "We weave claims and citations and claims again."
    assert (paper.year, paper.published) == (2021, date(2021, 5, 17))
    assert paper.authors == (Author(name="Ada Weaver"), Author(name="Bo Loom"))
    assert paper.venue == "Journal of Looms"
    assert (paper.doi, paper.arxiv, paper.openalex) == ("10.1000/loom.7", "2101.00007", "W7")
    assert paper.url == "https://doi.org/10.1000/loom.7"
    assert paper.pdf == "https://arxiv.org/pdf/2101.00007"
    assert (paper.cited_by, paper.retracted) == (12, False)
    assert paper.references == ("openalex:W1", "openalex:W2")


@pytest.mark.parametrize(
    ("biblio", "place"),
    [
        (
            {"volume": "6", "issue": "5", "first_page": "525", "last_page": "535"},
            ("6", "5", "525-535"),
        ),
        ({"volume": None, "first_page": "100814", "last_page": "100814"}, (None, None, "100814")),
        ({"first_page": "e12", "last_page": None}, (None, None, "e12")),
        (None, (None, None, None)),
    ],
)
def test_place_in_print_is_kept(
    biblio: object, place: tuple[str | None, str | None, str | None]
) -> None:
    paper = read(biblio=biblio)
    assert (paper.volume, paper.issue, paper.pages) == place


@pytest.mark.parametrize(
    ("changes", "year", "published"),
    [
        ({"publication_date": None}, 2021, None),
        ({"publication_year": None}, 2021, date(2021, 5, 17)),
        ({"publication_year": 2019}, 2019, None),
        ({"publication_year": 999}, None, None),
        ({"publication_year": 20210, "publication_date": "soon"}, None, None),
        ({"publication_year": "2021", "publication_date": 2021}, None, None),
        ({"publication_year": True, "publication_date": None}, None, None),
    ],
)
def test_dates_that_cannot_be_are_left_out(
    changes: dict[str, Any], year: int | None, published: date | None
) -> None:
    paper = read(**changes)
    assert (paper.year, paper.published) == (year, published)


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("Looms", "Abstract We weave cloth on looms.", "We weave cloth on looms."),
        ("Looms", "ABSTRACT: looms weave all cloth.", "looms weave all cloth."),
        ("Looms", "AbstractLooms weave all cloth.", "Looms weave all cloth."),
        ("Looms", "Abstract Large looms weave cloth.", "Large looms weave cloth."),
        ("Looms", "Abstract looms weave no real cloth.", "Abstract looms weave no real cloth."),
        ("Looms", "Abstraction of looms helps weavers.", "Abstraction of looms helps weavers."),
        (
            "Parsing Abstract Meaning Representation",
            "Abstract Meaning Representation is parsed.",
            "Abstract Meaning Representation is parsed.",
        ),
        (
            "Looms",
            "<jats:p>H<sub>2</sub>O &lt; all wool &amp; silk</jats:p>",
            "H2O < all wool & silk",
        ),
        ("Looms", "A language model with <unk> and p < 0.05", None),
        ("Looms", "No abstract is available for this article.", ""),
        ("Looms", "Abstract not available for this.", ""),
        ("Looms", "No abstract theory explains looms.", None),
        ("Looms", "Too short by far.", ""),
        ("Looms", "word " * 3000, ""),
    ],
)
def test_an_abstract_is_its_text_alone(title: str, text: str, expected: str | None) -> None:
    paper = read(title=title, abstract_inverted_index=inverted(text))
    assert (paper.abstract or "") == (text if expected is None else expected)


def test_a_place_that_holds_copies_is_no_venue() -> None:
    copy = {"source": {"display_name": "Zenodo", "type": "repository"}}
    platform = {"source": {"display_name": "Loom eBooks", "type": "ebook platform"}}
    proceedings = {"source": None, "raw_source_name": "Proc. of Weaving"}
    journal = {"source": {"display_name": "Looms", "type": "journal"}}
    assert read(primary_location=copy, locations=[copy]).venue is None
    assert read(primary_location=platform, locations=None).venue is None
    assert read(primary_location=copy, locations=[copy, journal]).venue == "Looms"
    assert read(primary_location=proceedings, locations=[]).venue == "Proc. of Weaving"


def test_only_what_is_free_to_read_is_a_pdf() -> None:
    closed = {"is_oa": False, "pdf_url": "https://x.example/closed.pdf"}
    free = {"is_oa": True, "pdf_url": "https://x.example/free.pdf"}
    nowhere = {"ids": {}, "best_oa_location": None, "primary_location": closed}
    assert read(**nowhere, locations=[closed]).pdf is None
    assert read(**nowhere, locations=[closed, free]).pdf == "https://x.example/free.pdf"
    assert read(best_oa_location=free).pdf == "https://x.example/free.pdf"
    assert read(**nowhere, locations=[{"is_oa": True, "pdf_url": "javascript:alert()"}]).pdf is None


@pytest.mark.parametrize(
    "record",
    [
        None,
        [],
        "W7",
        {},
        {"id": f"{SITE}W7"},
        {"id": f"{SITE}W7", "title": None, "display_name": "  "},
        {"id": f"{SITE}A7", "display_name": "Ada Weaver"},
        {"id": None, "title": "Weaving"},
    ],
)
def test_what_is_no_work_or_has_no_title_is_no_paper(record: object) -> None:
    assert read_work(record) is None


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["10.48550/arxiv.2101.00007", "https://arxiv.org/abs/1", f"{SITE}W3"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.sampled_from(sorted(set(work()) - {"id", "title", "display_name"})), JUNK)
@example("abstract_inverted_index", {"": [[]]})
def test_one_spoilt_field_never_costs_the_record(field: str, junk: object) -> None:
    paper = read(**{field: junk})
    assert (paper.title, paper.openalex) == ("Weaving citations & claims", "W7")
    assert json.loads(paper.model_dump_json())["title"] == paper.title


def test_a_bad_record_does_not_cost_the_good_ones() -> None:
    body = {"meta": {"count": 3, "next_cursor": "abc"}, "results": [{"id": "x"}, work(), None]}
    page = read_page(json.dumps(body))
    assert [paper.openalex for paper in page.papers] == ["W7"]
    assert (page.size, page.count, page.cursor) == (3, 3, "abc")


@pytest.mark.parametrize(
    "body", ["", "null", "[1, 2]", '{"error": "x"}', '{"results": [', "<html>"]
)
def test_what_is_no_answer_of_openalex_is_garbled(body: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_page(body)
    with pytest.raises(ValueError, match=r"."):
        read_single(body)
