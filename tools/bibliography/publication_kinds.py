"""What kind of publication a paper is, as far as its venue's name tells."""

from collections.abc import Mapping
from typing import Literal

from state.paper import Paper

_JOURNALS = frozenset(
    """journal transactions letters review reviews communications magazine science sciences nature surveys annals
    bulletin quarterly reports trends archives bmc bmj plos tacl jmlr jair jasist pnas nejm jama""".split()  # noqa: SIM905
)
_IN_PROCEEDINGS = tuple(
    f"proceedings of the {name}"
    for name in ("national academy", "vldb endowment", "royal society", "acm on")
)
_MEETINGS = frozenset(
    {"conference", "workshop", "workshops", "symposium", "summit", "summits", "meeting"}
)


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
    words = set("".join(char if char.isalnum() else " " for char in lower).split())
    if words & _MEETINGS or lower.startswith(("findings of", "advances in neural")):
        return "proceedings"
    if words & _JOURNALS or lower.startswith(_IN_PROCEEDINGS) or lower == "proceedings of the ieee":
        return "journal"
    acronym = any(sum(map(str.isupper, word)) > 1 for word in venue.replace("-", " ").split())
    return "proceedings" if acronym or "proceedings" in words else "journal"
