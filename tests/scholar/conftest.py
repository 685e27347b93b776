"""Sources against the fake of their APIs, over real HTTP and through the real engine."""

import pickle
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import make_world
from tools.cache import AnswerCache
from tools.http.retrying_client import RetryingClient
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import RunLedger
from tools.settings import Settings

CallerOf = Callable[..., RetryingClient]

MODULES = {
    "openalex": "openalex",
    "semantic_scholar": "semantic_scholar",
    "arxiv": "arxiv",
    "crossref": "crossref",
    "google": "google",
}


def settings_for(server: ScholarServer, **others: Any) -> Settings:
    """Settings that lead every source to the fake, fast enough for tests."""
    values: dict[str, Any] = {
        "openalex_url": server.openalex_url,
        "semantic_scholar_url": server.semantic_scholar_url,
        "arxiv_url": server.arxiv_url,
        "crossref_url": server.crossref_url,
        "serpapi_url": server.serpapi_url,
        "openalex_rate": 1000.0,
        "semantic_scholar_rate": 1000.0,
        "arxiv_rate": 1000.0,
        "crossref_rate": 1000.0,
        "source_timeout": 5.0,
        "source_patience": 20.0,
    }
    return Settings(_env_file=None, **{**values, **others})  # type: ignore[call-arg]


@cache
def _field() -> bytes:
    """A field that each test changes for itself alone; making it anew takes five times as long."""
    return pickle.dumps(make_world(size=400, seed=1))


@pytest.fixture
def server() -> Iterator[ScholarServer]:
    """A fake of the five APIs over a made-up field of 400 papers."""
    with ScholarServer(pickle.loads(_field())) as running:
        yield running


@pytest.fixture
def caller(server: ScholarServer, tmp_path: Path) -> CallerOf:
    """Make a caller of a source's host by name; `limits`, `run` and settings may be given."""

    def make(
        name: str,
        *,
        run: str = "run",
        limits: BudgetLimits | None = None,
        refresh: bool = False,
        **others: Any,
    ) -> RetryingClient:
        host = import_module(f"tools.scholar.{MODULES[name]}").host(settings_for(server, **others))
        ledger = RunLedger(run, limits or BudgetLimits(), tmp_path)
        return RetryingClient(
            host, ledger, AnswerCache(tmp_path / "responses.sqlite"), refresh=refresh
        )

    return make
