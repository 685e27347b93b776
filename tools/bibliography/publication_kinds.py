"""What kind of publication a paper is, as far as its venue's name tells."""

import re
from collections.abc import Mapping
from typing import Literal

from state.paper import Paper

_JOURNAL = re.compile(
    r"\b(?:journal|transactions|letters|reviews?|communications|magazine|sciences?|nature|surveys|annals|"
    r"bulletin|quarterly|reports|trends|archives|bmc|bmj|plos|tacl|jmlr|jair|jasist|pnas|nejm|jama)\b"
    r"|^proceedings of the (?:national academy|vldb endowment|ieee$|royal society|acm on)"
)
_MEETING = re.compile(
    r"\b(?:conference|workshops?|symposium|summits?|meeting)\b|^(?:findings of|advances in neural)\b"
)
_ACRONYM = re.compile(r"\b[A-Za-z]*[A-Z][A-Za-z]*[A-Z][A-Za-z]*\b|\b[Pp]roceedings\b")


Kind = Literal["preprint", "journal", "proceedings"]


KINDS: Mapping[Kind, str] = {
    "preprint": "article",
    "journal": "article-journal",
    "proceedings": "paper-conference",
}
"""What CSL calls them."""


def kind_of_work(paper: Paper) -> Kind:
    """Return 'preprint' for arXiv and for no venue, else what the name says.

    A meeting named by its acronym ('EMNLP') is one; a name with no sign of a meeting is a journal's.
    """
    venue = paper.venue or ""
    lower = venue.lower()
    if not venue or lower == "arxiv":
        return "preprint"
    if _MEETING.search(lower):
        return "proceedings"
    if _JOURNAL.search(lower):
        return "journal"
    return "proceedings" if _ACRONYM.search(venue) else "journal"
