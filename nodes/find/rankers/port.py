"""What every ranker offers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

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


class Ranker(Protocol):
    """Scores papers for the input of a run."""

    @property
    def name(self) -> RankerName:
        """How callers name it."""
        ...

    @property
    def weighs_links(self) -> bool:
        """Whether links with the best papers raise or lower its scores afterwards.

        Only the scores of papers in `Ranking.debates` are weighed: a settled score may come from
        `prior`, which holds the links already, and must not count them twice.
        """
        ...

    def settle(self, evidence: Mapping[str, Evidence]) -> dict[str, float]:
        """Return the scores, 0..100, of those papers that need no further question.

        They are on the scale that `rank`'s have once links are weighed, and stay as they are.
        """
        ...

    def split(self, papers: Sequence[str], size: int) -> list[list[str]]:
        """Divide the papers, best first, into groups to be ranked apart; `size` is the run's choice."""
        ...

    async def rank(self, services: Services, request: Request, papers: Sequence[Paper]) -> Ranking:
        """Score these papers, best first by prior; `hop` of a listing is filled in by the node."""
        ...
