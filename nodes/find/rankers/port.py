"""What every ranker offers."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from state.finding import Listing, RankerName
from state.paper import Paper
from state.quote import Debate
from state.request import Request
from state.run import Failure
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
