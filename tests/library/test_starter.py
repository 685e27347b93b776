"""The starter library's records as facts that can be checked."""

import re
from collections import Counter

from state.paper import Paper, canonical_id, title_key
from tests.support import starter_records
from tools.bibliography.read import read_records
from tools.library.starter_library import starter_papers
from tools.text.sentences import split_sentences

PAPERS = starter_records()
KNOWN = {key: paper for paper in PAPERS for key in (paper.id, *paper.aliases)}
EARLIEST, LATEST = 1945, 2026
GRAPH_FROM = 2015


def arxiv_year(arxiv: str) -> int:
    """Return the year that an arXiv id was given in: 2005.11401 and cs/0112017 say 2020 and 2001."""
    digits = int(re.sub(r"^[a-z-]+(\.[A-Z]{2})?/", "", arxiv)[:2])
    return 1900 + digits if digits > 90 else 2000 + digits


def facts(paper: Paper) -> dict[str, bool]:
    """What is to be true of each record."""
    text, year = paper.abstract or "", paper.year or 0
    # Later than the arXiv id, by the venue of publication; earlier, if it was put there afterwards.
    late = year - arxiv_year(paper.arxiv) if paper.arxiv else 0
    cited = [KNOWN.get(key) for key in paper.references]
    return {
        "authors and a venue": bool(paper.authors and paper.venue),
        "a plausible year": EARLIEST <= year <= LATEST,
        "its arXiv id's year": late == 0 if (paper.venue or "").lower() == "arxiv" else late <= 3,
        "3 to 6 whole sentences": 3 <= len(split_sentences(text)) <= 6 and text.endswith("."),
        "not its authors' voice": not re.search(r"\b(?:we|our|us|I)\b", text),
        "cites known papers once": None not in cited and len({*paper.references}) == len(cited),
        "cites no later paper": all(other is None or (other.year or 0) <= year for other in cited),
        "does not cite itself": paper not in cited,
    }


def test_150_or_more_records_are_each_of_another_paper_under_canonical_ids() -> None:
    with starter_papers() as path:
        assert [*read_records(path)] == PAPERS, "every record can be read"
    assert len(PAPERS) >= 150
    ids = [key for paper in PAPERS for key in (paper.id, *paper.aliases)]
    assert [key for key in ids if canonical_id(key) != key or key.startswith("local:")] == []
    titles = [title_key(paper.title) for paper in PAPERS]
    own = [[getattr(paper, field) for paper in PAPERS] for field in ("doi", "arxiv", "abstract")]
    for values in (ids, titles, *own):
        assert [key for key, count in Counter(values).items() if key and count > 1] == []


def test_every_record_holds_to_the_facts() -> None:
    held = {paper.id: facts(paper) for paper in PAPERS}
    wrong = [(key, fact) for key, each in held.items() for fact in each if not each[fact]]
    assert wrong == []


def test_nine_in_ten_papers_of_recent_years_take_part_in_the_citation_graph() -> None:
    cited = {KNOWN[key].id for paper in PAPERS for key in paper.references}
    recent = [paper for paper in PAPERS if (paper.year or 0) >= GRAPH_FROM]
    alone = [paper.id for paper in recent if not paper.references and paper.id not in cited]
    assert len(alone) <= 0.1 * len(recent), alone
