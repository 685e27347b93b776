"""A small library of our own, and clients that lead to it and to a scripted LLM."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from state.paper import Paper
from tests.fakes.openai_server import OpenAIServer, Script, inputs_of, task_of
from tests.fakes.reviewer import Spoil, reviewer
from tests.library.words import document
from tests.library.words import paper as numbered
from tests.support import RememberingEmbedder
from tools.bibliography.read_records import read_records
from tools.clients import Clients
from tools.embed.open_embedder import embedder
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


FOUND = "Pears on quince bore more fruit in a dry year than in a wet one."
LISTED = "Nightingales eat the pears of quince in every wet year."
PEARS_RECORD = numbered(1, title="Pears on quince", abstract="We graft pears on quince stocks.")


@pytest.fixture
def pears(llm_settings: Settings) -> Settings:
    """Settings whose library 'pears' has one paper with a full text: FOUND in its results, LISTED in its list."""
    library = create_library("pears", llm_settings, embedder())
    library.add([PEARS_RECORD])
    parts = ("1 Introduction", "Pears are grown."), ("4 Results", FOUND), ("References", LISTED)
    library.texts.put(*document(1, *parts))
    return llm_settings


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


async def played(
    run: Callable[..., Awaitable[dict[str, Any]]],
    settings: Settings,
    spoil: Mapping[str, Spoil] | None = None,
    how: Mapping[str, Any] | None = None,
    **inputs: Any,
) -> tuple[dict[str, Any], OpenAIServer]:
    """Return what a run gives whose LLM plays the reviewer, spoilt so and with these settings, and its server."""
    with Scripted(reviewer(spoil), settings, **(how or {})) as llm:
        return await run(llm.context, **inputs), llm.server


def questions(server: OpenAIServer, task: str) -> list[dict[str, Any]]:
    """Return what was asked of a task, in order."""
    return [inputs_of(item) for item in server.requests if task_of(item) == task]
