"""A whole review by the command line whose every text holds a word that nobody may be told."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.processes import started
from tests.fakes.openai_server import OpenAIServer, Reply, Status, task_of
from tests.fakes.otlp import Collector
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, bee_papers
from tests.support import RememberingEmbedder, at_home
from tools.library.open_library import close_libraries, create_library
from tools.settings import Settings

CANARY = "zqxvanaryword"
KEY = f"sk-{CANARY}-4711"


@dataclass(frozen=True)
class Told:
    """What was told of the run, by whatever way."""

    code: int
    lines: list[dict[str, Any]]
    """Our lines of log."""
    stderr: str
    collector: Collector
    model: OpenAIServer


def with_canary(home: Path, embedder: RememberingEmbedder) -> None:
    """Make a library whose papers hold the word."""
    settings = Settings(home=home, _env_file=None)  # type: ignore[call-arg]
    changes = [
        paper.model_copy(
            update={
                "title": f"{paper.title} {CANARY}",
                "abstract": f"{paper.abstract} The {CANARY} is measured, too.",
            }
        )
        for paper in bee_papers()
    ]
    create_library("bees", settings, embedder).add(changes)
    close_libraries()


def faulty() -> Any:
    """A reviewer that is busy at first, and quotes what it was asked when it says so."""
    good, faults = reviewer(), [429, 502, 503]

    def script(request: dict[str, Any]) -> Reply:
        if faults and task_of(request) == "debate_papers":
            return Status(faults.pop(), f"no: {request['messages'][-1]['content'][-200:]} {CANARY}")
        return good(request)

    return script


@pytest.fixture(scope="session")
def told(
    tmp_path_factory: pytest.TempPathFactory, built: Path, embedder_with_memory: RememberingEmbedder
) -> Told:
    folder = tmp_path_factory.mktemp("told")
    (folder / "abstract.md").write_text(f"{ABSTRACT} It is about {CANARY}.", encoding="utf-8")
    with (
        at_home(folder / "home", built, embedder_with_memory) as home,
        OpenAIServer(faulty()) as model,
        Collector() as collector,
    ):
        with_canary(home, embedder_with_memory)
        variables = {
            "CITELOOM_LOG": "json",
            "CITELOOM_LOG_LEVEL": "debug",
            "CITELOOM_LLM_BASE_URL": model.url,
            "CITELOOM_LLM_API_KEY": KEY,
            "CITELOOM_STRONG_MODEL": "m",
            "CITELOOM_STRONG_PRICE": "[1, 2]",
            "OPENALEX_API_KEY": KEY,
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"{collector.url}/api/public/otel",
            "OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Basic%20cGs6c2s=",
        }
        command = (
            "review",
            folder / "abstract.md",
            "--library",
            "bees",
            "--source",
            "library",
            "--source",
            "openalex",
            "--cite",
            "3",
            "--json",
            "--out",
            folder / "out",
        )
        # Others' lines at every level, too.
        code = "import logging; logging.basicConfig(level=1)"
        with started(home, *command, variables=variables, code=code) as process:
            ended = process.wait()
    # Outside of the block: other tests of the process are not to run in this home.
    lines = [json.loads(line) for line in process.lines if line.startswith("{")]
    return Told(ended, lines, process.stderr, collector, model)
