"""The ways of asking that are compared."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tools.errors import InputError

USUAL = "hybrid-2"
"""What the others are compared with: the product's defaults."""
_RETRIEVERS = ("hybrid", "vectors", "keywords")


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One way of asking: settings of the run."""

    name: str
    settings: Mapping[str, Any]


def _arms() -> dict[str, Arm]:
    found: dict[str, Arm] = {}
    for retriever in _RETRIEVERS:
        for hops in (2, 1):
            settings = {"retriever": retriever, "max_hops": hops}
            found[f"{retriever}-{hops}"] = Arm(name=f"{retriever}-{hops}", settings=settings)
    return found


ARMS = _arms()
HOPS = {
    retriever: (f"{retriever}-2", f"{retriever}-1") for retriever in _RETRIEVERS
}  # what the second hop is worth, by retriever


def choose_arms(given: str) -> list[Arm]:
    """Return the ways of asking that are named, separated by commas, or all; USUAL always.

    Raises:
        InputError: One of the names is none of them.
    """
    names = [name.strip() for name in given.split(",") if name.strip()] or list(ARMS)
    if unknown := [name for name in names if name not in ARMS]:
        raise InputError(f"there is no arm '{unknown[0]}'; there are: {', '.join(ARMS)}")
    return [arm for name, arm in ARMS.items() if name in names or name == USUAL]
