"""The ways of asking that are compared."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

USUAL = "hybrid-2"
"""What the others are compared with: the product's defaults."""
_RETRIEVERS = ("hybrid", "vectors", "keywords")


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One way of asking: settings of the run."""

    name: str
    settings: Mapping[str, Any]


def _arm(name: str, method: str, retriever: str, hops: int) -> Arm:
    settings = {"method": method, "retriever": retriever, "max_hops": hops}
    return Arm(name=name, settings=settings)


ARMS = {
    arm.name: arm
    for arm in (
        *(_arm(f"{one}-{n}", "arxivbot", one, n) for one in _RETRIEVERS for n in (2, 1)),
        *(_arm(f"wikichat-{one}", "wikichat", one, 1) for one in _RETRIEVERS),
    )
}
HOPS = {one: (f"{one}-2", f"{one}-1") for one in _RETRIEVERS}
"""What the second hop is worth, by retriever."""
