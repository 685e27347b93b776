"""One run of the real find graph for one query in one arm, and what came of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, cast
from unittest.mock import patch

from pydantic import BaseModel, Field, SecretStr

from evals.figures import spent
from evals.retrieval.corpus import Case
from evals.retrieval.works import key_for
from evals.runner import choose
from evals.trials import BenchClients, Row, attempted, cost_of, fresh_home, remembering, run_graph
from nodes.common.ask_model import ask_with_check
from nodes.find.rankers import debate
from nodes.find.rankers.by_similarity import closeness
from nodes.find.rankers.choose import RANKERS
from nodes.find.rankers.ranker import Ranking, candidates, with_short_ids
from state.inputs import CheckedRequest
from state.paper import Paper
from tools.embed.embedder import Embedder
from tools.llm.task import Task
from tools.services import Services
from tools.settings import Settings


class BareDebate(BaseModel):
    """The mind's debate on one candidate, without quotes."""

    id: str = Field(description="The candidate's id, as given.")
    arguments_for: list[str]
    arguments_against: list[str]
    score: float = Field(ge=0, le=100)


class BareDebates(BaseModel):
    """The mind's answer."""

    debates: list[BareDebate]


def score_by_similarity(embedder: Embedder, **given: Any) -> BareDebates:
    """Score by similarity, as the debate with quotes does."""
    return BareDebates(
        debates=[
            BareDebate(id=one.id, arguments_for=[], arguments_against=[], score=one.score)
            for one in debate.extract(embedder, **given).debates
        ]
    )


_QUOTES, _AFTER = " Each argument rests on a quote", "\n\nOnly then"
BARE_DEBATE = Task(
    name="debate_without_attribution",
    prompt=debate.PROMPT.partition(_QUOTES)[0] + _AFTER + debate.PROMPT.partition(_AFTER)[2],
    answer=BareDebates,
    tier=debate.TASK.tier,
    extract=score_by_similarity,
    max_output_tokens=debate.TASK.max_output_tokens,
)


async def rank_without_attribution(
    services: Services, request: CheckedRequest, papers: Sequence[Paper]
) -> Ranking:
    """Take the mind's scores as they are; one that it does not give is the similarity."""
    named = with_short_ids(papers)
    asked = await ask_with_check(
        services.mind, BARE_DEBATE, {"text": request.text, "candidates": candidates(named)}
    )
    given = asked.answer.debates if asked.answer else ()
    scores = {named[one.id].id: one.score for one in given if one.id in named}
    left = [paper for paper in papers if paper.id not in scores]
    return Ranking(scores=await closeness(services, request, left) | scores)


@contextmanager
def debating_without_attribution() -> Iterator[None]:
    """Let runs of this process debate without attribution while the block runs."""
    with patch.dict(cast(dict[str, Any], RANKERS), debate=rank_without_attribution):
        yield


DEFAULT = "default"
KEEP = "keep"
"""Stands for the number of papers that are kept."""


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One way to find."""

    name: str
    settings: Mapping[str, object] = field(default_factory=dict)
    """Fields of `tools.run_settings.RunSettings`; what is left out is the product's default."""
    around: Callable[[], AbstractContextManager[None]] = nullcontext
    """What holds while it runs, where no setting says it."""


ARMS: Mapping[str, Arm] = {
    arm.name: arm
    for arm in (
        Arm(
            name="single",
            settings={"queries": "single", "expansion": "none"},
        ),
        Arm(
            name="multiple",
            settings={"queries": "multiple", "expansion": "none"},
        ),
        Arm(
            name="optimized",
            settings={"queries": "optimized", "expansion": "none"},
        ),
        Arm(
            name="bfs",
            settings={"expansion": "bfs", "max_hops": 1, "max_papers": KEEP},
        ),
        Arm(
            name="bfs_ranked",
            settings={"expansion": "bfs", "max_hops": 1},
        ),
        Arm(name=DEFAULT),
        Arm(name="runs", settings={"runs": 3}),
        Arm(
            name="embedding",
            settings={"ranker": "embedding"},
        ),
        Arm(
            name="permutation",
            settings={"ranker": "permutation"},
        ),
        Arm(
            name="cascade",
            settings={"ranker": "cascade"},
        ),
        Arm(
            name="no_attribution",
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
    """The local source; empty where those of the network are asked, or a slice is searched."""
    snapshot: Path | None = None
    sources: tuple[str, ...] = ("openalex",)
    keep: int
    mind: str
    vectors: Path


def try_arm(task: tuple[Case, Arm], setting: Setting) -> Row:
    """Run one arm for one query; whatever goes wrong stands in the row.

    The row has 'kept' (canonical ids, best first), 'counts', and 'completeness' as the run estimated it.
    """
    case, arm = task
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
        clients = BenchClients(here, remembering(setting.vectors))
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
