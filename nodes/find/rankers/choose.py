"""The rankers by name: each scores papers for the input of a run."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from nodes.find.rankers.by_similarity import by_embedding, by_specter2
from nodes.find.rankers.debate import rank_by_debate
from nodes.find.rankers.permutation import rank_by_permutation
from nodes.find.rankers.ranker import Ranking
from state.inputs import CheckedRequest
from state.paper import Paper
from state.search import RankerName
from tools.services import Services

Ranker = Callable[[Services, CheckedRequest, Sequence[Paper]], Awaitable[Ranking]]
"""Scores papers, best first by prior; `hop` of a listing is filled in by the node."""
RANKERS: Mapping[RankerName, Ranker] = {
    "debate": rank_by_debate,
    "cascade": rank_by_debate,
    "permutation": rank_by_permutation,
    "embedding": by_embedding,
    "specter2": by_specter2,
}
PER_PAPER_RANKERS: frozenset[RankerName] = frozenset(("debate", "cascade"))
"""These judge each paper by itself, a few in one question, and links weigh beside what they said.

The others compare papers with one another, by place in an order, and so must see all of them. Only scores of
papers that were debated are weighed: a settled score comes from the prior, which holds links already.
"""


def judge_batches(name: RankerName, papers: Sequence[str], size: int) -> list[list[str]]:
    """Divide the papers, best first, into groups to be ranked apart."""
    step = max(size, 1) if name in PER_PAPER_RANKERS else max(len(papers), 1)
    return [list(papers[at : at + step]) for at in range(0, len(papers), step)]
