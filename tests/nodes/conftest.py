"""A place at which one node can work by itself."""

from pathlib import Path

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from tests.graphs.conftest import _texts_are_embedded_once, context_for, llm_at
from tools.run_settings import RunSettings
from tools.services import Services, open_services
from tools.settings import Settings

__all__ = ["_texts_are_embedded_once"]


@pytest.fixture
def runtime(tmp_path: Path) -> Runtime[RunSettings]:
    """What LangGraph hands to a node, with an empty run store and a home of its own."""
    context = context_for(Settings(home=tmp_path, _env_file=None))  # type: ignore[call-arg]
    return Runtime(context=context, store=InMemoryStore())


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings for an LLM whose address a test fills in."""
    return llm_at(tmp_path)


@pytest.fixture
def services(runtime: Runtime[RunSettings]) -> Services:
    """The services of a node of the run 'run'."""
    return open_services(runtime, "run")
