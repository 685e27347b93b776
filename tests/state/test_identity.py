"""One identity of a paper, and one record of several."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from state.merging import merge_papers
from state.paper import Author, Paper, canonical_id, identify, published_before, title_key

HASH = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("raw", "canonical", "why"),
    [
        ("10.1145/X", "doi:10.1145/x", "a bare DOI, case does not matter"),
        ("https://doi.org/10.1145/ABC", "doi:10.1145/abc", "the address of a DOI"),
        ("http://dx.doi.org/10.1145/ABC", "doi:10.1145/abc", "its old address"),
        ("doi.org/10.1145/ABC", "doi:10.1145/abc", "an address without a scheme"),
        ("DOI: 10.1145/X.", "doi:10.1145/x", "as copied from the end of a reference"),
        ("doi:https://doi.org/10.1145/x", "doi:10.1145/x", "an address in a DOI field"),
        ("  10.1145/x\n", "doi:10.1145/x", "white space around"),
        ("10.48550/arXiv.2005.11401", "arxiv:2005.11401", "an arXiv DOI is the arXiv id"),
        ("10.48550/arXiv.2005.11401v2", "arxiv:2005.11401", "and has no version either"),
        ("10.48550/arxiv.nothing", "doi:10.48550/arxiv.nothing", "not of an arXiv id"),
        ("arXiv:2005.11401v3", "arxiv:2005.11401", "versions are one work"),
        ("2005.11401", "arxiv:2005.11401", "a bare arXiv id"),
        ("0706.1234", "arxiv:0706.1234", "four digits, before 2015"),
        ("https://arxiv.org/abs/2005.11401v1", "arxiv:2005.11401", "the abstract's address"),
        ("https://arxiv.org/pdf/2005.11401v1.pdf", "arxiv:2005.11401", "the PDF's address"),
        ("http://www.arxiv.org/abs/2005.11401", "arxiv:2005.11401", "with www"),
        ("arxiv:https://arxiv.org/abs/2005.11401", "arxiv:2005.11401", "an address in its field"),
        ("hep-th/9711200v2", "arxiv:hep-th/9711200", "an old arXiv id"),
        ("arxiv:Hep-TH/9711200", "arxiv:hep-th/9711200", "case does not matter"),
        ("math.GT/0309136", "arxiv:math/0309136", "the subject class is no part of the identity"),
        ("https://openalex.org/w12", "openalex:W12", "OpenAlex's address"),
        ("openalex:W12", "openalex:W12", "OpenAlex's own form"),
        ("W2741809807", "openalex:W2741809807", "a bare OpenAlex id"),
        (
            "https://api.openalex.org/works/W2741809807",
            "openalex:W2741809807",
            "where it is served",
        ),
        ("W12", "local:W12", "too short to be one that somebody means"),
        ("PMID: 29456894", "pmid:29456894", "PubMed's id, as references print it"),
        ("pmid:29456894", "pmid:29456894", "PubMed's id"),
        ("https://pubmed.ncbi.nlm.nih.gov/29456894/", "pmid:29456894", "its address"),
        ("PMC5815332", "pmcid:PMC5815332", "PubMed Central's id"),
        (
            "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC5815332/?report=classic",
            "pmcid:PMC5815332",
            "its address",
        ),
        (
            "https://aclanthology.org/P19-1028/",
            "doi:10.18653/v1/p19-1028",
            "a page of the Anthology",
        ),
        (
            "https://dl.acm.org/doi/abs/10.1145/1571941.1572114",
            "doi:10.1145/1571941.1572114",
            "a publisher's page",
        ),
        (
            f"https://www.semanticscholar.org/paper/Looms-Weaver/{HASH}",
            f"s2:{HASH}",
            "Semantic Scholar's page",
        ),
        (
            "https://example.org/looms",
            "local:https://example.org/looms",
            "a page of no known paper",
        ),
        (f"s2:{HASH.upper()}", f"s2:{HASH}", "Semantic Scholar's hash"),
        (f"semantic_scholar:{HASH}", f"s2:{HASH}", "its long name"),
        ("s2:123", "local:s2:123", "no hash"),
        ("10.12/x", "local:10.12/x", "no DOI: its prefix is too short"),
        ("lewis2020", "local:lewis2020", "anything else is the library's own"),
        ("local:lewis2020", "local:lewis2020", "and stays so"),
        ("title:a-2020-b", "title:a-2020-b", "an id made of a title stays"),
    ],
)
def test_identifier_has_one_canonical_form(raw: str, canonical: str, why: str) -> None:
    assert canonical_id(raw) == canonical, why


IDS = st.one_of(
    st.text(min_size=1).filter(str.strip),
    st.from_regex(r"(doi:|https://doi\.org/)?10\.\d{4}/[a-zA-Z.;,]{1,8}", fullmatch=True),
    st.from_regex(r"(arXiv:)?([a-z-]{2,5}(\.[A-Z]{2})?/\d{7}|\d{4}\.\d{5})v?\d?", fullmatch=True),
)


@given(IDS)
def test_canonical_form_is_its_own_canonical_form(raw: str) -> None:
    once = canonical_id(raw)
    assert canonical_id(once) == once


def test_empty_identifier_is_refused() -> None:
    with pytest.raises(ValueError, match="give a DOI"):
        canonical_id("  \n")


def test_doi_names_a_record_before_all_other_ids() -> None:
    found = identify(
        doi="https://doi.org/10.1000/A",
        arxiv="2005.11401v1",
        openalex="W1",
        semantic_scholar=HASH,
        local="row 7",
        title="T",
        year=2020,
        first_author="Lee",
    )
    assert found == (
        "doi:10.1000/a",
        ("arxiv:2005.11401", "openalex:W1", f"s2:{HASH}", "local:row 7"),
    )


def test_title_year_and_family_name_identify_a_record_without_ids() -> None:
    for name in ("Patrick Lewis", "Lewis, Patrick", "Lewis", "P. LEWIS"):
        found = identify(title="Déjà Vu:  a Study!", year=2020, first_author=name)
        assert found == ("title:dejavuastudy-2020-lewis", ()), name
    for nobody in (None, "", "  "):
        found = identify(title="A study", year=None, first_author=nobody)
        assert found[0] == "title:astudy-nd-"
    ids = {
        identify(title="T", year=2008, first_author=name)[0]
        for name in ("van der Maaten", "Laurens van der Maaten", "van der Maaten, Laurens")
    }
    assert len(ids) == 1, "particles do not split one author in two"


@given(st.text(min_size=1))
def test_title_key_is_blind_to_case_and_space(title: str) -> None:
    assert title_key(f"  {title.upper()} ") == title_key(title.upper())
    assert not any(char.isspace() for char in title_key(title))


@pytest.mark.parametrize(
    ("name", "family", "given_names", "why"),
    [
        ("Patrick Lewis", "Lewis", "Patrick", "the last word"),
        ("Lewis, Patrick S. H.", "Lewis", "Patrick S. H.", "before the comma"),
        ("Laurens van der Maaten", "van der Maaten", "Laurens", "particles belong to it"),
        ("van der Maaten, Laurens", "van der Maaten", "Laurens", "also before the comma"),
        ("van der Maaten", "van der Maaten", "", "a family name alone"),
        ("Wouter De Vries", "De Vries", "Wouter", "a capital particle inside a name"),
        ("Di Wu", "Wu", "Di", "a given name that looks like a particle"),
        ("Plato", "Plato", "", "one word"),
        ("Wei Wang 0002", "Wang", "Wei", "dblp's number of a namesake is no name"),
        ("Martin Luther King Jr.", "King Jr.", "Martin Luther", "a suffix is no family name"),
        ("Jan  van\tBerg", "van Berg", "Jan", "any white space"),
        ("王伟", "王伟", "", "a script without spaces"),
    ],
)
def test_author_has_a_family_name(name: str, family: str, given_names: str, why: str) -> None:
    author = Author(name=name)
    assert (author.family, author.given) == (family, given_names), why


@pytest.mark.parametrize(
    ("authors", "complete", "citation"),
    [
        ([], True, "“On the origin of citations”"),
        (["Aaron Cohen"], True, "Cohen"),
        (["Aaron Cohen"], False, "Cohen et al."),
        (["Aaron Cohen", "Ruths, Derek"], True, "Cohen and Ruths"),
        (["Aaron Cohen", "Derek Ruths"], False, "Cohen et al."),
        (["Laurens van der Maaten", "B", "C"], True, "van der Maaten et al."),
    ],
)
def test_citation_names_the_authors(authors: list[str], complete: bool, citation: str) -> None:
    paper = Paper(
        id="local:x",
        title="On the origin of citations",
        authors_complete=complete,
        authors=tuple(Author(name=name) for name in authors),
    )
    assert paper.citation == citation


def test_white_space_in_titles_and_abstracts_is_folded() -> None:
    paper = Paper(id="local:x", title=" A\n title ", abstract="First.\n\n  Second. ", venue="  ")
    assert (paper.title, paper.abstract, paper.venue) == ("A title", "First. Second.", None)
    assert paper.text == "A title\nFirst. Second."
    with pytest.raises(ValidationError):
        Paper(id="local:x", title=" \n")


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
