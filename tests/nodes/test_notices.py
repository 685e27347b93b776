"""nodes/common/notices.py: what stands against citing papers as they are."""

import pytest

from nodes.common.notices import Standing, news_of, standings
from state.merging import merge_papers
from state.paper import Author, Notice, Paper
from tools.bibliography.read_record import paper_from
from tools.scholar.agreement import wrong_fields


def told(*papers: Paper) -> dict[str, list[str]]:
    return {key: [one.cause for one in found] for key, found in standings(papers).items()}


def preprint(doi: str | None, title: str = "On moths") -> Paper:
    return Paper(id="arxiv:2001.00001", title=title, doi=doi)


def test_preprint_is_superseded_by_a_published_doi_and_not_by_arxiv_s_own() -> None:
    assert told(preprint("10.1234/journal")) == {"arxiv:2001.00001": ["superseded"]}
    assert told(preprint("10.48550/arXiv.2001.00001")) == {}
    assert told(preprint(None)) == {}
    other = Paper(id="arxiv:2002.00002", title="On moths", doi=None)
    assert told(preprint(None), other) == {}, "two preprints are no publication"
    gone = Paper(id="doi:10.1234/owls", title="On owls", retracted=True)
    assert told(gone, preprint("10.1234/journal"), other) == {
        gone.id: ["retracted"],
        "arxiv:2001.00001": ["superseded"],
    }


def test_published_version_that_a_server_of_preprints_names_is_told_with_its_doi() -> None:
    one = Paper(
        id="doi:10.1101/2020.01.02.123456",
        title="On voles",
        doi="10.1101/2020.01.02.123456",
        aliases=("openalex:W1", "doi:10.1234/voles"),
        venue="bioRxiv",
    )
    (found,) = standings([one])[one.id]
    assert found.cause == "superseded"
    assert found.detail == "preprint of a published paper (doi:10.1234/voles)"
    published = one.model_copy(update={"id": "doi:10.1234/voles", "aliases": (one.id,)})
    assert told(published) == {}, "its preprint is no later version"


def test_paper_cited_with_its_venue_and_an_arxiv_id_is_not_called_a_preprint() -> None:
    record = Paper(
        id="doi:10.1234/owls",
        title="On owls",
        doi="10.1234/owls",
        venue="Journal of Owls",
        origin={"title": "crossref", "venue": "crossref"},
    )
    fields = {"title": "On owls", "arxiv": "2001.00002"}
    cited = paper_from({**fields, "venue": "J. Owls"})
    assert told(merge_papers(cited, record)) == {}
    for venue in (None, "arXiv preprint"):
        bare = paper_from({**fields, "venue": venue})
        assert told(merge_papers(bare, record)) == {"arxiv:2001.00002": ["superseded"]}


def test_notices_are_told_the_gravest_first_each_with_its_doi() -> None:
    notices = (
        Notice(kind="partial_retraction"),
        Notice(kind="concern", doi="10.1234/c1"),
        Notice(kind="concern", doi="10.1234/c2"),
        Notice(kind="correction", doi="10.1234/fix"),
    )
    paper = Paper(id="doi:10.1234/owls", title="On owls", notices=notices)
    found = standings([paper])[paper.id]
    assert [(one.cause, one.detail) for one in found] == [
        ("concern", "a part of it was retracted"),
        (
            "concern",
            "its publisher issued an expression of concern (doi:10.1234/c1, doi:10.1234/c2)",
        ),
        ("corrected", "a correction was published (doi:10.1234/fix)"),
    ]
    assert news_of(paper).startswith("“On owls”: a part of it was retracted; its publisher")
    gone = paper.model_copy(
        update={"retracted": True, "notices": (Notice(kind="retraction", doi="10.1234/r"),)}
    )
    assert standings([gone])[gone.id] == [
        Standing(
            "retracted",
            "retracted (doi:10.1234/r)",
            "do not cite it, or mention the retraction in the text",
        )
    ]


@pytest.mark.parametrize("mark", ["Expression of Concern: ", "[Editorial expression of concern] "])
def test_mark_before_a_record_s_title_is_a_concern_and_no_wrong_title(mark: str) -> None:
    authors = (Author(name="Ada Owl"),)
    stated = Paper(id="doi:10.1234/owls", title="On owls of the far north", authors=authors)
    record = paper_from({"title": f"{mark}{stated.title}", "doi": "10.1234/owls"})
    assert [one.kind for one in record.notices] == ["concern"]
    assert wrong_fields(stated, record) == []
    assert told(merge_papers(stated, record)) == {stated.id: ["concern"]}


def test_works_about_concerns_bear_no_mark() -> None:
    for title in ("Expression of concern in clinical trials: a survey", "Expressions of concern"):
        assert paper_from({"title": title}).notices == ()
