"""Tests of tools/scholar/semantic_scholar_api.py and tools/text/markup.py."""

from datetime import date
from typing import Any

import pytest

from tools.scholar.semantic_scholar_api import paper_of, vector_of
from tools.text.markup import plain, retracted_title

SHA = "0123456789abcdef0123456789abcdef01234567"


def record(**others: Any) -> dict[str, Any]:
    whole: dict[str, Any] = {
        "paperId": SHA,
        "externalIds": {
            "DOI": "10.1234/LOOM.5",
            "ArXiv": "2101.00005",
            "CorpusId": 5,
            "DBLP": ["x"],
        },
        "url": f"https://www.semanticscholar.org/paper/{SHA}",
        "title": "Weaving reviews from threads",
        "abstract": "We weave.  Slowly.",
        "venue": "Loom Letters",
        "publicationVenue": None,
        "journal": {"name": "Loom Lett.", "volume": "5"},
        "year": 2021,
        "publicationDate": "2021-03-04",
        "authors": [
            {"authorId": "7", "name": "Ada Weaver"},
            {"authorId": None, "name": "B. Spinner"},
        ],
        "citationCount": 0,
        "openAccessPdf": {"url": "https://loom.example/5.pdf", "status": "GREEN", "license": None},
    }
    return {**whole, **others}


def test_whole_record_becomes_a_paper_that_says_where_each_field_is_from() -> None:
    paper = paper_of(record())
    assert paper is not None
    assert paper.id == "doi:10.1234/loom.5"
    assert paper.aliases == ("arxiv:2101.00005", f"s2:{SHA}")
    assert (paper.doi, paper.arxiv, paper.semantic_scholar) == ("10.1234/loom.5", "2101.00005", SHA)
    assert paper.abstract == "We weave. Slowly."
    assert (paper.year, paper.published) == (2021, date(2021, 3, 4))
    assert [author.name for author in paper.authors] == ["Ada Weaver", "B. Spinner"]
    assert (paper.venue, paper.cited_by) == ("Loom Letters", 0)
    assert (paper.volume, paper.pages) == ("5", None)
    assert paper.pdf == "https://loom.example/5.pdf"
    assert set(paper.origin) == {
        "title",
        "abstract",
        "year",
        "published",
        "authors",
        "venue",
        "volume",
        "doi",
        "arxiv",
        "semantic_scholar",
        "url",
        "pdf",
        "cited_by",
    }
    assert set(paper.origin.values()) == {"semantic_scholar"}


@pytest.mark.parametrize("name", [name for name in record() if name != "title"])
def test_odd_field_is_left_out_and_never_costs_the_record(name: str) -> None:
    for odd in (None, 7, "text", [], [None], {}, {"name": None}, True, "", -1, 10**9, float("nan")):
        paper = paper_of(record(**{name: odd}))
        assert paper is not None, odd
        assert paper.title == "Weaving reviews from threads", odd


@pytest.mark.parametrize(
    "thing", [None, [], "x", {}, record(title=None), record(title=" <i></i> ")]
)
def test_what_has_no_title_is_no_paper(thing: object) -> None:
    assert paper_of(thing) is None


@pytest.mark.parametrize(
    ("fields", "venue"),
    [
        ({"venue": "", "publicationVenue": {"name": "Loom Conference"}}, "Loom Conference"),
        ({"venue": None}, "Loom Lett."),
        ({"venue": "", "journal": {"pages": "5998-6008"}}, None),
    ],
)
def test_venue_is_taken_from_wherever_it_stands(fields: dict[str, Any], venue: str | None) -> None:
    paper = paper_of(record(**fields))
    assert paper is not None
    assert paper.venue == venue


@pytest.mark.parametrize(
    ("fields", "year", "day"),
    [
        ({"publicationDate": "2021-01-01"}, 2021, None),
        ({"year": None}, 2021, date(2021, 3, 4)),
        ({"year": 21, "publicationDate": "0021-03-04"}, None, None),
        ({"publicationDate": "March 2021"}, 2021, None),
    ],
    ids=["1 January says only the year", "year of the day", "no year of ours", "no day"],
)
def test_dates_are_only_as_exact_as_they_are_known(
    fields: dict[str, Any], year: int | None, day: date | None
) -> None:
    paper = paper_of(record(**fields))
    assert paper is not None
    assert (paper.year, paper.published) == (year, day)


@pytest.mark.parametrize(
    "url", ["", "not a link", "javascript:alert(1)", "http://[", "/paper/5.pdf"]
)
def test_pdf_is_a_web_link_or_nothing(url: str) -> None:
    paper = paper_of(record(openAccessPdf={"url": url, "status": None}))
    assert paper is not None
    assert paper.pdf is None


def test_title_says_that_a_work_was_retracted() -> None:
    paper = paper_of(record(title="RETRACTED ARTICLE: Weaving reviews"))
    assert paper is not None
    assert paper.retracted
    assert paper.origin["retracted"] == "semantic_scholar"


@pytest.mark.parametrize(
    ("title", "marked"),
    [
        ("RETRACTED: Weaving", True),
        ("Retracted: Weaving", True),
        ("[Retracted] Weaving", True),
        ("[RETRACTED ARTICLE] Weaving", True),
        ("(Retracted) Weaving", True),
        ("Retracted article: Weaving", True),
        ("RETRACTED CHAPTER: Weaving", True),
        ("**RETRACTED** Weaving", True),
        ("WITHDRAWN: Weaving", True),
        ("[Withdrawn] Weaving", True),
        ("RETRACTED – Weaving", True),
        ("RETRACTED：Weaving", True),
        ("Retraction of evidence in weaving", False),
        ("Retracted articles: a study", False),
        ("Retraction: Weaving", False),
        ("Retraction note to: Weaving", False),
        ("Retracted papers in weaving", False),
        ("Withdrawn patients: a study", False),
        ("Why RETRACTED: papers live on", False),
        ("Withdrawn-patient bias", False),
        ("Retractedness", False),
        ("", False),
    ],
)
def test_marks_of_retraction_are_seen_and_works_about_retractions_are_not_marked(
    title: str, marked: bool
) -> None:
    assert bool(retracted_title(title)) is marked


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("H<sub>2</sub>O &amp; <i>bees</i>", "H2O & bees"),
        ("<jats:title>Aim</jats:title><jats:p>To weave.</jats:p>", "Aim To weave."),
        ("&lt;i&gt;Apis&lt;/i&gt; at p &lt; 0.05", "Apis at p < 0.05"),
        ("p<0.05 and q>0.1, if a<b and c>d", "p<0.05 and q>0.1, if a<b and c>d"),
        ("std::vector<int> in practice", "std::vector<int> in practice"),
        ("Kenya&Apos;s  looms\n\u0093now\u0094", "Kenya's looms now"),
        (
            '<inline-formula><tex-math notation="LaTeX">$\\mu$</tex-math><alternatives><mml:math>'
            "<mml:mi>μ</mml:mi></mml:math></alternatives></inline-formula>Loom: a loom",
            "μLoom: a loom",
        ),
        ("lone \ud800 surrogate", "lone \ufffd surrogate"),
    ],
)
def test_markup_becomes_plain_text(written: str, meant: str) -> None:
    assert plain(written) == meant


def test_vector_is_read_whole_or_not_at_all() -> None:
    vector = [0.5] * 768
    assert vector_of({"embedding": {"model": "specter_v2", "vector": vector}}) == vector
    for odd in (
        None,
        {},
        {"embedding": None},
        {"embedding": {"model": "specter_v2", "vector": None}},
        {"embedding": {"model": "specter_v2", "vector": [0.5] * 10}},
        {"embedding": {"model": "specter_v2", "vector": [None, *vector[1:]]}},
        {"embedding": {"model": "specter@v0.1.1", "vector": vector}},
    ):
        assert vector_of(odd) is None
