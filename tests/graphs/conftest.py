"""A small library of our own, and clients that lead to it and to a scripted LLM."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from state.paper import Paper
from tests.fakes.openai_server import OpenAIServer, Script
from tests.support import RememberingEmbedder
from tools.bibliography.read_records import read_records
from tools.clients import Clients
from tools.library.open_library import _opened, close_libraries, create_library, folder_of
from tools.run_settings import RunSettings
from tools.settings import Settings

ABSTRACT = (
    "Bees navigate over long distances, yet the cues they use remain disputed. We propose a model of "
    "bee navigation that combines path integration with visual landmarks. We test the model with "
    "harmonic radar tracks of displaced honey bees. The results show that landmark memory corrects "
    "the drift of path integration."
)


def bee_papers() -> list[Paper]:
    """Ten papers written for these tests."""
    records = read_records(Path(__file__).parent / "bees.jsonl")
    return [record for record in records if isinstance(record, Paper)]


@pytest.fixture(scope="session")
def bee_home(
    tmp_path_factory: pytest.TempPathFactory, embedder_with_memory: RememberingEmbedder
) -> Iterator[Path]:
    """A home with the library 'bees', built once; only to be read."""
    home = tmp_path_factory.mktemp("bees").resolve()
    settings = Settings(home=home, _env_file=None)  # type: ignore[call-arg]
    create_library("bees", settings, embedder_with_memory).add(bee_papers())
    yield home
    close_libraries()


@pytest.fixture(autouse=True)
def closed(bee_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let every home that links the library of bees share one, and keep it open: opening takes as long as a run."""
    monkeypatch.setattr(
        "tools.library.open_library.folder_of", lambda *given: folder_of(*given).resolve()
    )
    yield
    for folder, url in [key for key in _opened if not key[0].is_relative_to(bee_home)]:
        _opened.pop((folder, url)).close()


@pytest.fixture(autouse=True)
def _texts_are_embedded_once(
    embedder_with_memory: RememberingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "tools.embed.open_embedder._opened", {("minilm", "", ""): embedder_with_memory}
    )


@pytest.fixture
def extractive(bee_home: Path) -> RunSettings:
    """A context in which the embedded engine answers."""
    return context_for(Settings(home=bee_home, _env_file=None))  # type: ignore[call-arg]


def context_for(settings: Settings, **options: object) -> RunSettings:
    """Return a context whose clients have these settings."""
    context = RunSettings(**options)  # type: ignore[arg-type]
    vars(context)["clients"] = Clients(settings)  # where cached_property looks first
    return context


@pytest.fixture
def llm_settings(bee_home: Path, tmp_path: Path) -> Settings:
    """Settings for an LLM whose address a test fills in; answers are cached per test."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "libraries").symlink_to(bee_home / "libraries")
    return llm_at(home)


def llm_at(home: Path) -> Settings:
    """Return settings for an LLM whose address a test fills in."""
    return Settings(
        home=home,
        llm_api_key=SecretStr("sk-test"),
        strong_model="scripted",
        llm_timeout=10.0,
        _env_file=None,
    )  # type: ignore[call-arg]


class Scripted:
    """A scripted LLM and a context that leads to it."""

    def __init__(self, script: Script, settings: Settings, **options: object) -> None:
        self.server = OpenAIServer(script)
        self._settings = settings
        self._options = options

    def __enter__(self) -> "Scripted":
        self.server.__enter__()
        url = self.server.url
        self.context = context_for(
            self._settings.model_copy(update={"llm_base_url": url}), **self._options
        )
        return self

    def __exit__(self, *details: object) -> None:
        self.server.__exit__(None, None, None)
