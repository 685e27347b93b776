"""One run of the real find graph for one query in one arm, and what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from pydantic import SecretStr

from evals.figures import spent
from evals.retrieval.corpus import Case
from evals.retrieval.works import key_for
from evals.trials import BenchClients, Row, attempted, cost_of, fresh_home, remembering, run_graph
from tools.settings import Settings

DEFAULT = "default"
KEEP = "keep"
"""Stands for the number of papers that are kept."""


ARMS: Mapping[str, Mapping[str, object]] = {
    "single": {"queries": "single", "expansion": "none"},
    "multiple": {"queries": "multiple", "expansion": "none"},
    "optimized": {"queries": "optimized", "expansion": "none"},
    "bfs": {"expansion": "bfs", "max_hops": 1, "max_papers": KEEP},
    "bfs_ranked": {"expansion": "bfs", "max_hops": 1},
    DEFAULT: {},
    "runs": {"runs": 3},
    "embedding": {"ranker": "embedding"},
    "permutation": {"ranker": "permutation"},
    "cascade": {"ranker": "cascade"},
}
"""Ways to find: fields of `tools.run_settings.RunSettings`; what is left out is the product's default."""

_RATE = 1000.0
"""Requests a second: the local source needs no patience."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What all runs of one benchmark share."""

    url: str
    """The local source; empty where those of the network are asked, or a slice is searched."""
    snapshot: Path | None = None
    sources: tuple[str, ...] = ("openalex",)
    keep: int
    mind: str
    vectors: Path


def try_arm(task: tuple[Case, str], setting: Setting) -> Row:
    """Run one arm for one query; whatever goes wrong stands in the row.

    The row has 'kept' (canonical ids, best first), 'counts', and 'completeness' as the run estimated it.
    """
    case, arm = task
    choices: dict[str, object] = {"mind": setting.mind, "refresh": True}
    choices |= {name: setting.keep if value == KEEP else value for name, value in ARMS[arm].items()}
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
    with fresh_home() as here:
        here = here.model_copy(update={"snapshot": setting.snapshot})
        if setting.url:
            here = _local(
                here, key_for(case.until, case.hidden, f"{arm}-{here.home.name}"), setting.url
            )
        clients = BenchClients(here, remembering(setting.vectors))
        result = attempted(lambda: run_graph("find", inputs, clients, choices))
    papers = [item for item in result.get("papers", ()) if item.selected]
    asked, stop = result.get("source_usage", ()), result.get("stop")
    completeness = result.get("completeness")
    cost = cost_of(result.get("usage", ()), perf_counter() - started)
    kept = [case.name_of(item.paper) for item in sorted(papers, key=lambda one: one.rank)]
    return {
        "case": case.id,
        "arm": arm,
        "kept": list(dict.fromkeys(kept)),
        "counts": {
            "source_calls": sum(usage.calls for usage in asked),
            "retraction_calls": sum(usage.calls for usage in asked if usage.source == "crossref"),
            "usd": sum(usage.usd for usage in asked),
            "llm_calls": cost["llm_calls"],
            "llm_usd": cost["usd"],
            "questions": cost["questions"],
            "seconds": cost["seconds"],
            "failures": len(result["failures"]) if "failures" in result else 1,
        },
        "tasks": spent(result.get("usage", ())),
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
