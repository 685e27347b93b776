"""One run of the real `find` graph for one query paper, and what came of it."""

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from time import perf_counter
from typing import Any, TypedDict

from citeloom.settings import Settings, settings
from evals.retrieval.arms import KEEP, Arm
from evals.retrieval.asking import key_for
from evals.retrieval.corpus import Case
from tools.clients import Clients
from tools.context import RunContext
from tools.embed.port import Embedder, Vectors
from tools.errors import CiteLoomError

_RATE = 1000.0
"""Requests a second: the local source needs no patience."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What all runs of one benchmark share."""

    url: str
    keep: int
    mind: str
    meaning: bool
    """Whether the source can be searched by meaning."""
    vectors: Path


class Row(TypedDict):
    """What one run gave; the measures are made of it later."""

    query: str
    arm: str
    kept: list[str]
    """Canonical ids, best first."""
    source_calls: int
    retraction_calls: int
    """Those of the source calls that went to Crossref."""
    usd: float
    """For sources."""
    llm_calls: int
    llm_usd: float
    questions: int
    """Tasks that the mind was given, whoever it is."""
    seconds: float
    texts: int
    """Different texts that the run needed the vectors of, remembered or not."""
    failures: int
    calls_one_per_paper: int | None
    """What the same search would cost with one call for each paper followed or reached."""
    completeness: dict[str, Any] | None
    error: str


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


class _Clients(Clients):
    """The product's clients with an embedder that remembers."""

    def __init__(self, settings: Settings, embedder: Embedder) -> None:
        super().__init__(settings)
        self._embedder = embedder

    @property
    def embedder(self) -> Embedder:
        """The benchmark's embedder."""
        return self._embedder


def try_arm(case: Case, arm: Arm, setting: Setting, embedder: Embedder) -> Row:
    """Run one arm for one query paper; whatever goes wrong stands in the row."""
    started = perf_counter()
    with tempfile.TemporaryDirectory(prefix="citeloom-eval-", ignore_cleanup_errors=True) as home:
        key = key_for(case.year, case.hidden, f"{arm.name}-{Path(home).name}")
        counted = _Counted(embedder)
        clients = _Clients(_settings(setting, Path(home), key), counted)
        try:
            result = asyncio.run(_find(case, arm, setting, clients))
        except CiteLoomError as error:
            return _failed(case, arm, error, perf_counter() - started)
        except Exception as error:  # noqa: BLE001 - one run must not cost the others; it is recorded
            return _failed(case, arm, error, perf_counter() - started)
        finally:
            _forget()
    return _row(case, arm, result, perf_counter() - started, len(counted.texts))


def _settings(setting: Setting, home: Path, key: str) -> Settings:
    """Return the process's settings with a home of its own and the local source as the only one."""
    from pydantic import SecretStr

    nowhere = f"{setting.url}/nowhere"
    return settings().model_copy(
        update={
            "home": home,
            "qdrant_url": None,
            "openalex_url": setting.url,
            "openalex_api_key": SecretStr(key),
            "openalex_rate": _RATE,
            "crossref_url": f"{setting.url}/crossref",
            "crossref_rate": _RATE,
            "contact_email": None,
            "semantic_scholar_url": nowhere,
            "arxiv_url": nowhere,
            "serpapi_url": nowhere,
        }
    )


async def _find(case: Case, arm: Arm, setting: Setting, clients: Clients) -> Mapping[str, Any]:
    from graphs.find import graph

    chosen: dict[str, Any] = {} if setting.meaning else {"search": "keywords"}
    chosen |= {
        name: setting.keep if value == KEEP else value for name, value in arm.settings.items()
    }
    context = RunContext(mind=setting.mind, refresh=True, **chosen)  # type: ignore[arg-type]  # the graph checks it
    vars(context)["clients"] = clients
    inputs: Any = {
        "text": case.text, "sources": ["openalex"], "keep": setting.keep,
        "before": date(case.year, 1, 1), "exclude": list(case.own),
    }  # fmt: skip
    config: Any = {"recursion_limit": 1000, "max_concurrency": 16}
    return dict(await graph.ainvoke(inputs, config, context=context))


def _row(case: Case, arm: Arm, result: Mapping[str, Any], seconds: float, texts: int) -> Row:
    papers = sorted((item for item in result["papers"] if item.selected), key=lambda one: one.rank)
    asked, used = result["source_usage"], result["usage"]
    llm = [usage for usage in used if usage.mind != "extractive"]
    stop, completeness = result.get("stop"), result.get("completeness")
    return Row(
        query=case.id,
        arm=arm.name,
        kept=[item.paper.id for item in papers],
        source_calls=sum(usage.calls for usage in asked),
        retraction_calls=sum(usage.calls for usage in asked if usage.source == "crossref"),
        usd=sum(usage.usd for usage in asked),
        llm_calls=sum(usage.calls for usage in llm),
        llm_usd=sum(usage.usd for usage in llm),
        questions=sum(usage.calls for usage in used),
        seconds=seconds,
        texts=texts,
        failures=len(result["failures"]),
        calls_one_per_paper=_one_per_paper(result),
        completeness=completeness.model_dump(mode="json") if completeness else None,
        error=stop.cause if stop and not papers else "",
    )


def _one_per_paper(result: Mapping[str, Any]) -> int | None:
    """Count the searches, a call for each paper followed, and one for each record so reached."""
    rounds: Sequence[Any] = result.get("rounds") or ()
    if not rounds:
        return None
    linked = [one for one in rounds if one.depth > 0]
    searches = sum(max(len(entry.sent), 1) for entry in result["search_log"])
    return searches + sum(int(one.followed + one.reached) for one in linked)


def _failed(case: Case, arm: Arm, error: Exception, seconds: float) -> Row:
    return Row(
        query=case.id, arm=arm.name, kept=[], source_calls=0, retraction_calls=0, usd=0.0,
        llm_calls=0, llm_usd=0.0, questions=0, seconds=seconds, texts=0, failures=1,
        calls_one_per_paper=None, completeness=None, error=f"{type(error).__name__}: {error}",
    )  # fmt: skip


def _forget() -> None:
    """Let go of the files of a home that is about to be deleted."""
    from tools.cache import open_cache

    open_cache.cache_clear()
