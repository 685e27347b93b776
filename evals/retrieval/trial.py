"""One run of the real find graph for one query in one arm, and what came of it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from pydantic import SecretStr

from evals.figures import spent
from evals.retrieval.corpus import Case
from evals.retrieval.without_attribution import debating_without_attribution
from evals.retrieval.works import key_for
from evals.runner import choose
from evals.trials import BenchClients, Row, attempted, cost_of, fresh_home, remembering, run_graph
from tools.embed.embedder import Embedder, Vectors
from tools.settings import Settings

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
    around: Callable[[], AbstractContextManager[None]] = nullcontext
    """What holds while it runs, where no setting says it."""


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
        Arm(name="runs", says="three independent searches", settings={"runs": 3}),
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
            name="no_attribution",
            says="default, debated without quotes (LitLLM's ablation)",
            ranks=True,
            around=debating_without_attribution,
        ),
    )
}


def choose_arms(names: str) -> list[Arm]:
    """Return the arms to run, in the order of the table.

    Args:
        names: Names with commas between, or 'all'. `default`, against which others are held, is always
            among them.

    Raises:
        InputError: There is no such arm.
    """
    return [ARMS[name] for name in choose("" if names == "all" else names, ARMS, "arm", (DEFAULT,))]


_RATE = 1000.0
"""Requests a second: the local source needs no patience."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What all runs of one benchmark share."""

    url: str
    """The local source; empty where those of the network are asked."""
    snapshot: Path | None = None
    """A slice of the data, where that is searched instead."""
    sources: tuple[str, ...] = ("openalex",)
    keep: int
    mind: str
    vectors: Path


class _Counted:
    """The embedder of one run, which knows how many texts it was asked for."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name, self.size = embedder.name, embedder.size
        self.texts: set[str] = set()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return what the embedder behind it returns."""
        self.texts.update(texts)
        return self._embedder.embed(texts)


def try_arm(task: tuple[Case, Arm], setting: Setting) -> Row:
    """Run one arm for one query; whatever goes wrong stands in the row.

    The row has 'kept' (canonical ids, best first), 'counts', 'completeness' as the run estimated it, and
    'calls_one_per_paper': what the same search would cost with one call for each paper.
    """
    case, arm = task
    counted = _Counted(remembering(setting.vectors))
    chosen = {
        name: setting.keep if value == KEEP else value for name, value in arm.settings.items()
    }
    choices = {"mind": setting.mind, "refresh": True} | chosen
    inputs: dict[str, Any] = {
        "text": case.text,
        "sources": list(setting.sources),
        "keep": setting.keep,
        "exclude": list(case.own),
    }
    if case.before:
        inputs["before"] = case.before
    if setting.url or setting.snapshot:
        choices = {"search": "keywords"} | choices
    started = perf_counter()
    with fresh_home() as here, arm.around():
        here = here.model_copy(update={"snapshot": setting.snapshot})
        if setting.url:
            here = _local(
                here, key_for(case.until, case.hidden, f"{arm.name}-{here.home.name}"), setting.url
            )
        clients = BenchClients(here, counted)
        result = attempted(lambda: run_graph("find", inputs, clients, choices))
    papers = [item for item in result.get("papers", ()) if item.selected]
    asked, stop = result.get("source_usage", ()), result.get("stop")
    completeness = result.get("completeness")
    cost = cost_of(result.get("usage", ()), perf_counter() - started)
    kept = [case.name_of(item.paper) for item in sorted(papers, key=lambda one: one.rank)]
    return {
        "case": case.id,
        "arm": arm.name,
        "kept": list(dict.fromkeys(kept)),
        "counts": {
            "source_calls": sum(usage.calls for usage in asked),
            "retraction_calls": sum(usage.calls for usage in asked if usage.source == "crossref"),
            "usd": sum(usage.usd for usage in asked),
            "llm_calls": cost["llm_calls"],
            "llm_usd": cost["usd"],
            "questions": cost["questions"],
            "seconds": cost["seconds"],
            "texts": len(counted.texts),
            "failures": len(result["failures"]) if "failures" in result else 1,
        },
        "tasks": spent(result.get("usage", ())),
        "calls_one_per_paper": _one_per_paper(result),
        "completeness": completeness.model_dump(mode="json") if completeness else None,
        "error": result.get("error") or (stop.cause if stop and not papers else ""),
    }


def _local(here: Settings, key: str, url: str) -> Settings:
    """Return settings by which the local source is asked, and nobody else."""
    nowhere = f"{url}/nowhere"
    return here.model_copy(
        update={
            "openalex_url": url,
            "openalex_api_key": SecretStr(key),
            "openalex_rate": _RATE,
            "crossref_url": f"{url}/crossref",
            "crossref_rate": _RATE,
            "contact_email": None,
            "semantic_scholar_url": nowhere,
            "arxiv_url": nowhere,
            "serpapi_url": nowhere,
        }
    )


def _one_per_paper(result: Mapping[str, Any]) -> int | None:
    """Count the searches, a call for each paper followed, and one for each record so reached."""
    rounds: Sequence[Any] = result.get("rounds") or ()
    if not rounds:
        return None
    searches = sum(max(len(entry.sent), 1) for entry in result["search_log"])
    return searches + sum(int(one.followed + one.reached) for one in rounds if one.depth > 0)
