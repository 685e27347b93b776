"""A host that is the fake OpenAlex, and callers to it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import World, make_world
from tools.cache import AnswerCache
from tools.http import retrying_client
from tools.http.hosts import Host
from tools.http.retrying_client import RetryingClient
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import RunLedger

CallerOf = Callable[..., RetryingClient]
KEY = "a-key-that-nobody-may-see"


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying_client, "FIRST_PAUSE", 0.01)


@pytest.fixture(scope="session")
def world() -> World:
    """A small made-up field."""
    return make_world(size=60, seed=3)


@pytest.fixture
def server(world: World) -> Iterator[ScholarServer]:
    """A fake of its own for each test, so that no test sees another's pace or quota."""
    with ScholarServer(world) as running:
        yield running


@pytest.fixture
def call(server: ScholarServer, tmp_path: Path) -> CallerOf:
    """Make a caller; a ledger, limits, a run's name and parts of the host may be given."""

    def make(
        *,
        run: str = "run",
        ledger: RunLedger | None = None,
        limits: BudgetLimits | None = None,
        refresh: bool = False,
        **host: Any,
    ) -> RetryingClient:
        values: dict[str, Any] = {
            "name": "openalex",
            "url": server.openalex_url,
            "setting": "CITELOOM_OPENALEX_URL",
            "rate": 1000.0,
            "key_advice": "set OPENALEX_API_KEY",
            "timeout": 1.5,
            "patience": 20.0,
            "secret_headers": {"Authorization": SecretStr(f"Bearer {KEY}")},
        }
        return RetryingClient(
            Host(**{**values, **host}),
            ledger or RunLedger(run, limits or BudgetLimits(), tmp_path),
            AnswerCache(tmp_path / "responses.sqlite"),
            refresh=refresh,
        )

    return make
