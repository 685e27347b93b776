"""What every ranker offers, and papers as a mind sees them: short ids, title and abstract only."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import BaseModel

from state.finding import Listing, RankerName
from state.paper import Paper
from state.quote import Debate
from state.request import Request
from state.run import Failure
from tools.evidence.prompt_injection import without_injections
from tools.services import Services


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What is known of a paper before anyone is asked about it."""

    similarity: float
    """Cosine of its title and abstract to the input text."""
    prior: float
    """0..100: closeness in meaning and words, and links with the best papers, together."""


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """What a ranker says of some papers."""

    scores: Mapping[str, float]
    """0..100 by paper id. Every paper asked about is here, whatever went wrong.

    Equal scores are broken by prior, which a ranker does not know.
    """
    debates: Sequence[Debate] = ()
    failures: Sequence[Failure] = ()
    listing: Listing | None = None


class Ranker(ABC):
    """Scores papers for the input of a run."""

    name: ClassVar[RankerName]
    """How callers name it."""
    weighs_links: ClassVar[bool] = False
    """Whether links with the best papers raise or lower its scores afterwards.

    Only the scores of papers in `Ranking.debates` are weighed: a settled score may come from
    `prior`, which holds the links already, and must not count them twice.
    """

    def settle(self, evidence: Mapping[str, Evidence]) -> dict[str, float]:
        """Return the scores, 0..100, of papers that need no further question; here of none.

        They are on the scale that `rank`'s have once links are weighed, and stay as they are.
        """
        return {}

    def split(self, papers: Sequence[str], size: int) -> list[list[str]]:
        """Divide the papers, best first, into groups to be ranked apart; here they stay together.

        A ranker that compares papers with one another (by place in an order, or by how rare a word
        is among them) must see all of them; one that judges each by itself takes `size` at a time.
        """
        return [list(papers)] if papers else []

    @abstractmethod
    async def rank(self, services: Services, request: Request, papers: Sequence[Paper]) -> Ranking:
        """Score these papers, best first by prior; `hop` of a listing is filled in by the node."""


UNSHOWN = "(its title is not shown)"


class Candidate(BaseModel):
    """A paper as the mind sees it."""

    id: str
    title: str
    abstract: str


def keyed(papers: Sequence[Paper]) -> dict[str, Paper]:
    """Return the papers under the ids C1, C2, ..., in their order."""
    return {f"C{number}": paper for number, paper in enumerate(papers, start=1)}


def candidates(papers: Mapping[str, Paper], *, longest: int | None = None) -> list[Candidate]:
    """Return what is shown of the papers; abstracts are cut after `longest` characters.

    What they command a machine to do is not shown.
    """
    return [
        Candidate(
            id=key,
            title=without_injections(paper.title)[0] or UNSHOWN,
            abstract=_cut(without_injections(paper.abstract or "")[0], longest),
        )
        for key, paper in papers.items()
    ]


def commanding(papers: Iterable[Paper]) -> list[Failure]:
    """Name the papers of which not all was shown, for a person to look at them."""
    return [
        Failure(
            stage="rank_papers", subject=paper.id,
            cause=f"it commands whoever reads it by machine: '{' '.join(commands)[:200]}'",
            remedy="these words were not shown to the mind; look at the paper yourself",
        )
        for paper in papers
        if (commands := without_injections(paper.title)[1] + without_injections(paper.abstract or "")[1])
    ]  # fmt: skip


def _cut(text: str, longest: int | None) -> str:
    if longest is None or len(text) <= longest:
        return text
    return text[:longest].rsplit(" ", 1)[0] + " ..."
