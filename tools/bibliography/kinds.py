"""What kind of publication a paper is, as far as its venue's name tells."""

from typing import Literal

from state.paper import Paper

_JOURNAL_WORDS = (
    "journal", "transactions", "letters", "review", "communications", "magazine", "science", "nature",
)  # fmt: skip


def kind_of_work(paper: Paper) -> Literal["preprint", "journal", "proceedings"]:
    """Return 'preprint' for arXiv and for no venue, 'journal' where the name says so."""
    venue = (paper.venue or "").lower()
    if not venue or venue == "arxiv":
        return "preprint"
    return "journal" if any(word in venue for word in _JOURNAL_WORDS) else "proceedings"
