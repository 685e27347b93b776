"""A place at which one node can work by itself."""

from pathlib import Path

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from tests.graphs.conftest import context_for
from tests.support import RememberingEmbedder, link_libraries
from tools.run_settings import RunSettings
from tools.services import Services, open_services
from tools.settings import Settings


@pytest.fixture(autouse=True)
def _texts_are_embedded_once(
    embedder_with_memory: RememberingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "tools.embed.open_embedder._opened", {("minilm", "", ""): embedder_with_memory}
    )


@pytest.fixture
def runtime(tmp_path: Path, built: Path) -> Runtime[RunSettings]:
    """What LangGraph hands to a node, with an empty run store and a home of its own with the built libraries."""
    link_libraries(built, tmp_path)
    context = context_for(Settings(home=tmp_path, _env_file=None))  # type: ignore[call-arg]
    return Runtime(context=context, store=InMemoryStore())


@pytest.fixture
def services(runtime: Runtime[RunSettings]) -> Services:
    """The services of a node of the run 'run'."""
    return open_services(runtime, "run")
