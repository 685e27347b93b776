"""A place at which one node can work by itself."""

from pathlib import Path

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from citeloom.settings import Settings
from tests.graphs.conftest import context_for
from tools.context import RunContext
from tools.desk import Desk, open_desk


@pytest.fixture
def runtime(tmp_path: Path) -> Runtime[RunContext]:
    """What LangGraph hands to a node, with an empty shelf and a home of its own."""
    context = context_for(Settings(home=tmp_path, _env_file=None))  # type: ignore[call-arg]
    return Runtime(context=context, store=InMemoryStore())


@pytest.fixture
def desk(runtime: Runtime[RunContext]) -> Desk:
    """The desk of a node of the run 'run'."""
    return open_desk(runtime, "run")
