"""The starter library's records as facts that can be checked."""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date

import numpy as np

from state.paper import Paper, canonical_id, known_since, published_before, title_key
from tests.support import starter_records
from tools.bibliography.read_records import read_records
from tools.embed.embedder import Vectors
from tools.embed.minilm import MiniLm
from tools.library.library_index import index_rows
from tools.library.open_library import STARTER, open_library, starter_papers
from tools.settings import Settings
from tools.text.words import split_sentences

PAPERS = starter_records()
KNOWN = {key: paper for paper in PAPERS for key in (paper.id, *paper.aliases)}
EARLIEST, LATEST = 1945, 2026
GRAPH_FROM = 2015


HELD = {
    "EACL": {2003, 2006, 2009, 2012, 2014, 2017, 2021, 2023, 2024},
    "NAACL": {2000, 2001, 2003, 2004, 2006, 2007, 2009, 2010, 2012, 2013, 2015, 2016, 2018, 2019}
    | {2021, 2022, 2024, 2025},
    "COLING": {*range(1980, 2023, 2), 2025},
    "LREC-COLING": {2024},
    "Findings of EACL": {2023, 2024},
    "Findings of NAACL": {2022, 2024, 2025},
    "Findings of ACL": {*range(2021, LATEST)},
    "Findings of EMNLP": {*range(2020, LATEST)},
    "ICDAR": {*range(1991, 2024, 2), 2024},
    "K-CAP": {*range(2001, 2024, 2)},
    "ECDL": {*range(1997, 2011)},
    "COLM": {2024, 2025},
    "ICLR": {*range(2013, LATEST)},
    "NeurIPS Datasets and Benchmarks": {*range(2021, LATEST)},
}
"""The years of venues that were not held in all of them."""
MONTH = {
    "AAAI": 2, "ECIR": 4, "IUI": 4, "EACL": 4, "ICLR": 5, "CHI": 5, "NAACL": 6, "ACL": 8, "ICML": 7,
    "SIGIR": 7, "ICTIR": 9, "IJCAI": 8, "KDD": 8, "JCDL": 9, "CoNLL": 11, "ICDAR": 9, "UIST": 11,
    "EMNLP": 12, "K-CAP": 12, "COLING": 12, "ADCS": 12, "NeurIPS": 12, "COLM": 10,
}  # fmt: skip
"""The month of the conference, the latest of recent years."""
POSTED_AFTER = {
    "1109.2128": "LexRank, JAIR 2004",
    "1704.06619": "Citation-Context and Article's Discourse Structure, EMNLP 2015",
    "1901.09492": "Neural Related Work Summarization, EMNLP 2018",
    "1909.01716": "ScisummNet, AAAI in January 2019",
    "2302.04580": "BigSurvey, IJCAI 2022",
}
"""Put on arXiv only after they had been published."""
YEARS_LATER = {
    "1603.09320": "HNSW, volume 42 of TPAMI",
    "1702.08734": "Billion-scale similarity search, volume 7 of IEEE Transactions on Big Data",
}
"""Printed more than two years after the preprint."""


def known_in(paper: Paper) -> int:
    """The year in which it was known, if only as a preprint."""
    since = known_since(paper.published, paper.year, paper.arxiv)
    return since.year if since else 0


def preprint_month(paper: Paper) -> tuple[int, int]:
    """The year and month of its arXiv id; without one, its year's first."""
    day = known_since(None, None, paper.arxiv) or date(paper.year or 1, 1, 31)
    return day.year, day.month


def facts(paper: Paper) -> dict[str, bool]:
    """What is to be true of each record."""
    text, year = paper.abstract or "", paper.year or 0
    venue, arxiv = paper.venue or "", paper.arxiv or ""
    late = year - preprint_month(paper)[0]
    series = venue.removeprefix("Findings of ").removesuffix(" System Demonstrations")
    month = MONTH.get(series, 12)
    anthology = re.match(r"10\.(?:18653|3115)/v1/(?:[a-z](\d\d)-|(\d{4})\.)", paper.doi or "")
    cited = [KNOWN.get(key) for key in paper.references]
    return {
        "authors and a venue": bool(paper.authors and paper.venue),
        "a plausible year": EARLIEST <= year <= LATEST,
        "a preprint's year is its arXiv id's": venue != "arXiv" or late == 0,
        "a year in which its venue was held": year in HELD.get(venue, HELD.get(series, {year})),
        "no earlier than its preprint": preprint_month(paper) <= (year, month)
        or arxiv in POSTED_AFTER,
        "two years after its preprint at most": late <= 2 or arxiv in YEARS_LATER,
        "the year of its DOI": not anthology or year == int(anthology[2] or f"20{anthology[1]}"),
        "3 to 6 whole sentences": 3 <= len(split_sentences(text)) <= 6 and text.endswith("."),
        "not its authors' voice": not re.search(r"\b(?:we|our|us|I)\b", text),
        "cites known papers once": None not in cited and len({*paper.references}) == len(cited),
        "cites no later paper": all(one is None or known_in(one) <= year for one in cited),
        "does not cite itself": paper not in cited,
    }


def test_150_or_more_records_are_each_of_another_paper_under_canonical_ids() -> None:
    with starter_papers() as path:
        assert (*read_records(path),) == PAPERS, "every record can be read"
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
    assert {*POSTED_AFTER, *YEARS_LATER} <= {paper.arxiv for paper in PAPERS if paper.arxiv}


def test_bert_is_of_naacl_2019_and_still_passes_a_cutoff_of_2019() -> None:
    bert = KNOWN["arxiv:1810.04805"]
    assert (bert.venue, bert.year) == ("NAACL", 2019)
    assert published_before(bert, date(2018, 11, 1))
    assert not published_before(bert, date(2018, 10, 31))


def test_nine_in_ten_papers_of_recent_years_take_part_in_the_citation_graph() -> None:
    cited = {KNOWN[key].id for paper in PAPERS for key in paper.references}
    recent = [paper for paper in PAPERS if (paper.year or 0) >= GRAPH_FROM]
    alone = [paper.id for paper in recent if not paper.references and paper.id not in cited]
    assert len(alone) <= 0.1 * len(recent), alone


class Counting(MiniLm):
    """The embedder itself, which notes the texts that it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return super().embed(texts)


def test_first_use_needs_no_embedding_and_the_shipped_vectors_are_the_models(
    settings: Settings,
) -> None:
    model = Counting()
    library = open_library(STARTER, settings, model)
    assert library.vector_index.counts() == (len(PAPERS), 0)
    assert model.asked == [], "run python -m evals.starter_vectors"
    some = index_rows(library.catalog.database, "s.point % 60 = 1")
    held = library.vector_index.vectors([row.point for row in some])
    own = MiniLm().embed([row.text for row in some])
    likeness = [float(np.dot(held[row.point], mine)) for row, mine in zip(some, own, strict=True)]
    assert len(likeness) > 5
    assert min(likeness) > 0.99
