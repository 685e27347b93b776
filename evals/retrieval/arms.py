"""What is compared: settings of a run, by the name of the arm."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from evals.runner import choose

DEFAULT, BFS = "default", "bfs"
KEEP = "keep"
"""Stands for the number of papers that are kept."""


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One way to find."""

    name: str
    says: str
    settings: Mapping[str, object] = field(default_factory=dict)
    """Fields of `tools.run_settings.RunSettings`; what is left out is the product's default."""
    ranks: bool = False
    """Whether it differs from the default arm in the ranker only."""
    impossible: str = ""
    """Why it cannot be run, where it cannot."""


ARMS: Mapping[str, Arm] = {
    arm.name: arm
    for arm in (
        Arm(
            name="single",
            says="one keyword query, no links followed",
            settings={"queries": "single", "expansion": "none"},
        ),
        Arm(
            name="multiple",
            says="three readings of the whole, no links followed",
            settings={"queries": "multiple", "expansion": "none"},
        ),
        Arm(
            name="optimized",
            says="problem, method and contribution apart, no links followed",
            settings={"queries": "optimized", "expansion": "none"},
        ),
        Arm(
            name=BFS,
            says="references level by level until the number kept is reached (LitLLM, Algorithm 2)",
            settings={"expansion": "bfs", "max_hops": 1, "max_papers": KEEP},
        ),
        Arm(
            name="bfs_ranked",
            says="the same up to 200 papers, of which the best by debate are kept",
            settings={"expansion": "bfs", "max_hops": 1},
        ),
        Arm(name=DEFAULT, says="no settings at all"),
        Arm(
            name="embedding",
            says="default, ranked by the embedding alone",
            settings={"ranker": "embedding"},
            ranks=True,
        ),
        Arm(
            name="permutation",
            says="default, ranked by ordered lists",
            settings={"ranker": "permutation"},
            ranks=True,
        ),
        Arm(
            name="cascade",
            says="default, only contested papers debated",
            settings={"ranker": "cascade"},
            ranks=True,
        ),
        Arm(
            name="specter2",
            says="default, ranked by SPECTER2 vectors",
            settings={"ranker": "specter2"},
            ranks=True,
            impossible="the data holds no SPECTER2 vectors, and no service is asked for them",
        ),
    )
}


def choose_arms(names: str) -> tuple[list[Arm], dict[str, str]]:
    """Return the arms to run, in the order of the table, and why others of the list are not run.

    Args:
        names: Names with commas between, or 'all'. `default`, against which others are held, is always
            among them.

    Raises:
        InputError: There is no such arm.
    """
    chosen = [
        ARMS[name] for name in choose("" if names == "all" else names, ARMS, "arm", (DEFAULT,))
    ]
    not_run = {arm.name: arm.impossible for arm in chosen if arm.impossible}
    return [arm for arm in chosen if not arm.impossible], not_run
