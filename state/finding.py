"""How a search went: its rounds, what its links led to, and how complete its result may be."""

from typing import Literal

from pydantic import Field

from state.base import Value
from state.paper import Paper
from state.query import Hit


class Trail(Value):
    """What following links led to in one round; it lives on the run's run store, not in the state."""

    hop: int = Field(ge=1)
    depth: int = Field(ge=1, description="Round of following links within the hop, first = 1.")
    followed: int = Field(default=0, ge=0, description="Papers whose links were followed.")
    hits: tuple[Hit, ...] = ()


class Round(Value):
    """One step of the search: asking the sources (depth 0), or following links once."""

    hop: int = Field(ge=1)
    depth: int = Field(ge=0, description="0 for the searches of the hop, then 1, 2, ...")
    followed: int = Field(default=0, ge=0, description="Papers whose links were followed.")
    reached: int = Field(default=0, ge=0, description="Papers not known before.")
    fresh: float = Field(
        default=1.0, ge=0, le=1,
        description="Share of the best papers, as many as are to be kept, that this round changed.",
    )  # fmt: skip
    stopped: str = Field(default="", description="Why no further links were followed, if so.")


class Listing(Value):
    """How a mind's ordered lists came out, and what had to be repaired (LitLLM, Table 2)."""

    hop: int = Field(ge=1)
    depth: int = Field(default=0, ge=0, description="Level of a breadth-first search, else 0.")
    windows: int = Field(default=0, ge=0, description="Lists asked for.")
    complete: int = Field(default=0, ge=0, description="Lists that named every paper once.")
    incomplete: int = Field(default=0, ge=0, description="Lists in which papers were missing.")
    repeated: int = Field(default=0, ge=0, description="Lists in which a paper came twice.")
    invented: int = Field(default=0, ge=0, description="Lists with ids that were not given.")
    failed: int = Field(default=0, ge=0, description="Windows without any usable list.")


class DiscoveryPoint(Value):
    """One step of the discovery curve."""

    step: str = Field(description="What was done, such as 'searches' or 'links, round 2'.")
    looked_at: int = Field(ge=0, description="Distinct papers seen by the end of the step.")
    kept: int = Field(ge=0, description="Of these, the ones kept in the end.")


class MissingWork(Value):
    """A work that several of the kept papers cite, and that the search has not come to."""

    id: str = Field(description="Canonical id of the work.")
    cited_by: tuple[str, ...] = Field(description="Ids of the kept papers that cite it.")
    paper: Paper | None = Field(
        default=None, description="Its record, where a source of the run knows it."
    )


class Completeness(Value):
    """How many papers such a text would cite, and how many of them are among those kept.

    All numbers are expectations: each paper counts by its chance of being cited.
    """

    told: str = Field(default="", description="The estimate as a sentence, or why there is none.")
    kept: float = Field(default=0.0, ge=0, description="Among the papers kept.")
    seen: float = Field(default=0.0, ge=0, description="Among all papers that were looked at.")
    estimate: float | None = Field(
        default=None, ge=0, description="In all that the sources hold; none if it cannot be told."
    )
    low: float | None = Field(default=None, ge=0, description="Lower end of the 95 % interval.")
    high: float | None = Field(default=None, ge=0, description="Upper end of the 95 % interval.")
    share: float | None = Field(default=None, ge=0, le=1, description="`kept` of `estimate`.")
    share_low: float | None = Field(default=None, ge=0, le=1)
    share_high: float | None = Field(default=None, ge=0, le=1)
    method: str = Field(default="", description="The estimator, and its source.")
    channels: tuple[str, ...] = Field(
        default=(), description="The channels that could find a paper by themselves."
    )
    found_by: tuple[float, ...] = Field(
        default=(), description="How many of `seen` were found by 1, 2, 3, ... channels."
    )
    curve: tuple[DiscoveryPoint, ...] = ()
    stopped: str = Field(default="", description="Why the search ended.")
    missing: tuple[MissingWork, ...] = Field(
        default=(), description="Works that several kept papers cite and the search has not seen."
    )
    caveats: tuple[str, ...] = ()


QueryStrategy = Literal["several", "single", "multiple", "optimized"]
SearchStrategy = Literal["both", "keywords", "meaning"]
Expansion = Literal["best_first", "bfs", "none"]
RankerName = Literal["debate", "cascade", "permutation", "embedding", "specter2", "bm25"]
