"""The starter library: its records as facts that can be checked, and the library made of them."""

import re
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from citeloom.cli.app import app
from state.paper import Paper, canonical_id, title_key
from tests.support import starter_records
from tools.bibliography.read import read_records
from tools.bibliography.read_record import BadRecord
from tools.library.starter_library import starter_papers
from tools.text.sentences import split_sentences

PAPERS = {paper.id: paper for paper in starter_records()}
KNOWN = {key: paper for paper in PAPERS.values() for key in (paper.id, *paper.aliases)}
EARLIEST, LATEST = 1945, 2026
GRAPH_FROM = 2015


def arxiv_year(arxiv: str) -> int:
    """Return the year that an arXiv id was given in: 2005.11401 and cs/0112017 say 2020 and 2001."""
    digits = re.sub(r"^[a-z-]+(\.[A-Z]{2})?/", "", arxiv)[:2]
    return 1900 + int(digits) if int(digits) > 90 else 2000 + int(digits)


def named(papers: list[Paper]) -> list[str]:
    return [f"{paper.id}: {paper.title} ({paper.year})" for paper in papers]


# --- The records ------------------------------------------------------------------------------


def test_every_record_can_be_read_and_there_are_150_or_more() -> None:
    with starter_papers() as path:
        records = list(read_records(path))
    assert [record for record in records if isinstance(record, BadRecord)] == []
    assert len(records) == len(PAPERS) >= 150


def test_ids_are_canonical_and_each_stands_for_one_paper() -> None:
    ids = [key for paper in PAPERS.values() for key in (paper.id, *paper.aliases)]
    assert [key for key, count in Counter(ids).items() if count > 1] == []
    assert [key for key in ids if canonical_id(key) != key] == []
    assert [key for key in PAPERS if key.startswith("local:")] == []
    for field in ("doi", "arxiv"):
        known = [value for paper in PAPERS.values() if (value := getattr(paper, field))]
        assert [value for value, count in Counter(known).items() if count > 1] == []


def test_no_title_is_there_twice() -> None:
    titles = Counter(title_key(paper.title) for paper in PAPERS.values())
    assert [title for title, count in titles.items() if count > 1] == []


def test_every_paper_has_authors_a_venue_and_a_plausible_year() -> None:
    wanting = [
        paper
        for paper in PAPERS.values()
        if not (paper.authors and paper.venue and EARLIEST <= (paper.year or 0) <= LATEST)
    ]
    assert named(wanting) == []


def test_year_is_not_before_the_papers_arxiv_id_was_given() -> None:
    """It may be later, where the record names the venue of publication; a little earlier, never."""
    early = [
        paper
        for paper in PAPERS.values()
        if paper.arxiv and not 0 <= (paper.year or 0) - arxiv_year(paper.arxiv) <= 3
    ]
    assert named([paper for paper in early if not posted_late(paper)]) == []


def posted_late(paper: Paper) -> bool:
    """Whether it was published at a venue first and put on arXiv afterwards."""
    assert paper.arxiv
    return (paper.venue or "").lower() != "arxiv" and (paper.year or 0) < arxiv_year(paper.arxiv)


def test_record_that_names_only_arxiv_is_of_the_year_of_its_arxiv_id() -> None:
    differing = [
        paper
        for paper in PAPERS.values()
        if paper.arxiv
        and (paper.venue or "").lower() == "arxiv"
        and paper.year != arxiv_year(paper.arxiv)
    ]
    assert named(differing) == []


@pytest.mark.parametrize("fault", ["unknown", "itself", "later", "twice"])
def test_no_paper_cites_an_unknown_or_later_paper_or_itself(fault: str) -> None:
    found: list[str] = []
    for paper in PAPERS.values():
        for cited in paper.references:
            other = KNOWN.get(cited)
            wrong = {
                "unknown": other is None,
                "itself": other is paper,
                "later": other is not None and (other.year or 0) > (paper.year or 0),
                "twice": paper.references.count(cited) > 1,
            }[fault]
            if wrong:
                found.append(f"{paper.id} ({paper.year}) cites {cited}")
    assert found == []


def test_annotation_has_3_to_6_whole_sentences() -> None:
    wanting = [
        f"{paper.id}: {len(split_sentences(paper.abstract or ''))}"
        for paper in PAPERS.values()
        if not 3 <= len(split_sentences(paper.abstract or "")) <= 6
        or not (paper.abstract or "").endswith(".")
    ]
    assert wanting == []


def test_annotations_are_of_their_own_paper_and_not_in_its_authors_voice() -> None:
    annotations = Counter(paper.abstract for paper in PAPERS.values())
    assert [text for text, count in annotations.items() if count > 1] == []
    ours = [
        paper.id
        for paper in PAPERS.values()
        if re.search(r"\b(?:we|our|us|I)\b", paper.abstract or "")
    ]
    assert ours == []


def test_nine_in_ten_papers_of_recent_years_take_part_in_the_citation_graph() -> None:
    cited = {KNOWN[key].id for paper in PAPERS.values() for key in paper.references}
    recent = [paper for paper in PAPERS.values() if (paper.year or 0) >= GRAPH_FROM]
    alone = [paper for paper in recent if not paper.references and paper.id not in cited]
    assert len(alone) <= 0.1 * len(recent), named(alone)


# --- The library ------------------------------------------------------------------------------


def test_library_is_listed_before_and_after_it_is_built(home: Path) -> None:
    assert CliRunner().invoke(app, ["library", "list"]).stdout.split() == ["small", "starter"]
    (home / "libraries" / "starter").unlink()  # a link to what was built for all tests
    assert CliRunner().invoke(app, ["library", "list"]).stdout.split() == ["small", "starter"]


def test_library_is_built_on_first_use_from_all_records(home: Path) -> None:
    (home / "libraries" / "starter").unlink()
    result = CliRunner().invoke(app, ["library", "stats", "starter"])
    assert result.exit_code == 0
    years = [paper.year for paper in PAPERS.values() if paper.year]
    assert f"papers      {len(PAPERS)}, {len(PAPERS)} with abstract" in result.stdout
    assert f"years       {min(years)} to {max(years)}" in result.stdout
    links = sum(len(paper.references) for paper in PAPERS.values())
    assert f"references  {links} among them" in result.stdout
    assert f"vectors     {len(PAPERS)} of all-MiniLM-L6-v2" in result.stdout
