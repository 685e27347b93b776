"""The rankers by name."""

from collections.abc import Mapping

from nodes.find.rankers.cheap import Bm25Ranker, EmbeddingRanker, Specter2Ranker
from nodes.find.rankers.debate import CascadeRanker, DebateRanker
from nodes.find.rankers.permutation import PermutationRanker
from nodes.find.rankers.port import Ranker
from state.finding import RankerName
from tools.errors import InputError

_RANKERS: Mapping[RankerName, Ranker] = {
    "debate": DebateRanker(),
    "cascade": CascadeRanker(),
    "permutation": PermutationRanker(),
    "embedding": EmbeddingRanker(),
    "specter2": Specter2Ranker(),
    "bm25": Bm25Ranker(),
}


def ranker_of(name: RankerName) -> Ranker:
    """Return the ranker of this name.

    Raises:
        InputError: There is none, which a caller of the server may ask for.
    """
    ranker = _RANKERS.get(name)
    if ranker is None:
        raise InputError(f"there is no ranker '{name}'; there are: {', '.join(_RANKERS)}")
    return ranker
