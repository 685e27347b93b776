"""The starter library: its records as facts that can be checked, and the library made of them."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from typer.testing import CliRunner

from citeloom.cli.app import app
from state.paper import canonical_id, title_key
from tests.support import starter_records
from tools.bibliography.read import read_records
from tools.library.starter_library import starter_papers
from tools.text.sentences import split_sentences

PAPERS = starter_records()
KNOWN = {key: paper for paper in PAPERS for key in (paper.id, *paper.aliases)}
EARLIEST, LATEST = 1945, 2026
GRAPH_FROM = 2015


def twice(values: Iterable[str | None]) -> list[str]:
    return [value for value, count in Counter(filter(None, values)).items() if count > 1]


def arxiv_year(arxiv: str) -> int:
    """Return the year that an arXiv id was given in: 2005.11401 and cs/0112017 say 2020 and 2001."""
    digits = re.sub(r"^[a-z-]+(\.[A-Z]{2})?/", "", arxiv)[:2]
    return 1900 + int(digits) if int(digits) > 90 else 2000 + int(digits)


# --- The records ------------------------------------------------------------------------------


def test_150_or_more_records_are_each_of_another_paper_under_canonical_ids() -> None:
    with starter_papers() as path:
        assert [*read_records(path)] == PAPERS, "every record can be read"
    assert len(PAPERS) >= 150
    ids = [key for paper in PAPERS for key in (paper.id, *paper.aliases)]
    assert twice(ids) == []
    assert [key for key in ids if canonical_id(key) != key or key.startswith("local:")] == []
    for field in ("doi", "arxiv"):
        assert twice(getattr(paper, field) for paper in PAPERS) == []
    assert twice(title_key(paper.title) for paper in PAPERS) == []
    assert twice(paper.abstract for paper in PAPERS) == []


def test_every_paper_has_authors_a_venue_and_a_plausible_year() -> None:
    """The year may be later than the arXiv id, by the venue of publication, or before it there."""
    wanting, odd = [], []
    for paper in PAPERS:
        if not (paper.authors and paper.venue and EARLIEST <= (paper.year or 0) <= LATEST):
            wanting.append(paper.id)
        if paper.arxiv:
            later = (paper.year or 0) - arxiv_year(paper.arxiv)
            if later > 3 or (later and (paper.venue or "").lower() == "arxiv"):
                odd.append(paper.id)
    assert wanting == odd == []


def test_no_paper_cites_an_unknown_or_later_paper_or_itself() -> None:
    wrong = []
    for paper in PAPERS:
        assert twice(paper.references) == [], paper.id
        for cited in paper.references:
            other = KNOWN.get(cited)
            if other is None or other is paper or (other.year or 0) > (paper.year or 0):
                wrong.append(f"{paper.id} ({paper.year}) cites {cited}")
    assert wrong == []


def test_annotation_has_3_to_6_whole_sentences_not_in_its_authors_voice() -> None:
    for paper in PAPERS:
        text = paper.abstract or ""
        assert 3 <= len(split_sentences(text)) <= 6, paper.id
        assert text.endswith("."), paper.id
        assert not re.search(r"\b(?:we|our|us|I)\b", text), paper.id


def test_nine_in_ten_papers_of_recent_years_take_part_in_the_citation_graph() -> None:
    cited = {KNOWN[key].id for paper in PAPERS for key in paper.references}
    recent = [paper for paper in PAPERS if (paper.year or 0) >= GRAPH_FROM]
    alone = [paper.id for paper in recent if not paper.references and paper.id not in cited]
    assert len(alone) <= 0.1 * len(recent), alone


# --- The library ------------------------------------------------------------------------------


def test_library_is_listed_before_it_is_built_on_first_use_from_all_records(home: Path) -> None:
    (home / "libraries" / "starter").unlink()  # a link to what was built for all tests
    assert CliRunner().invoke(app, ["library", "list"]).stdout.split() == ["small", "starter"]
    result = CliRunner().invoke(app, ["library", "stats", "starter"])
    assert result.exit_code == 0
    years = [paper.year for paper in PAPERS if paper.year]
    for line in (
        f"papers      {len(PAPERS)}, {len(PAPERS)} with abstract",
        f"years       {min(years)} to {max(years)}",
        f"references  {sum(len(paper.references) for paper in PAPERS)} among them",
        f"vectors     {len(PAPERS)} of all-MiniLM-L6-v2",
    ):
        assert line in result.stdout
