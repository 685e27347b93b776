"""The ways of asking that are compared."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

USUAL = "hybrid-2"
"""What the others are compared with: the product's defaults."""
REGULAR = "vectors-1"
"""What Keyword Augmented Retrieval is compared with in its own Table 1."""
_RETRIEVERS = ("hybrid", "vectors", "keywords")


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One way of asking: settings of the run."""

    name: str
    settings: Mapping[str, Any]


ARMS = {
    f"{one}-{hops}": Arm(name=f"{one}-{hops}", settings={"retriever": one, "max_hops": hops})
    for one in _RETRIEVERS
    for hops in (2, 1)
} | {
    "kar": Arm(name="kar", settings={"method": "kar", "retriever": "keywords"}),
}
HOPS = {one: (f"{one}-2", f"{one}-1") for one in _RETRIEVERS}
"""What the second hop is worth, by retriever."""
