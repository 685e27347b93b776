"""A bench at which a scripted LLM judges claims about made-up papers."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore
from pydantic import SecretStr

from nodes.judge.judge_claims import Bench
from nodes.judge.shelf import Shelf
from state.paper import Paper
from tests.fakes.made_papers import made_papers
from tests.fakes.openai_server import OpenAIServer, Reply, inputs_of, task_of
from tests.graphs.conftest import Scripted
from tools.bibliography.read_record import paper_from
from tools.services import open_services
from tools.settings import Settings

PAPERS: dict[str, Paper] = {
    f"P{place}": paper_from(item) for place, item in enumerate(made_papers(6), start=1)
}
LICHENS = "In tiled chapels the copper roofs of lichens bleach under sulphur rain."
OTTERS = "In brackish harbours the estuary weirs of otters cross under tidal locks."
REPHRASED = "Acid weather fades the metal tops on which lichens live {P1}."
Said = Callable[[str, dict[str, Any]], Reply]
"""Takes the task's name and its inputs."""
Open = Callable[..., Any]


def finding(id_: str, verdict: str, *quotes: str, **more: str) -> dict[str, Any]:
    """Return one item of a judge's answer."""
    return {"id": id_, "quotes": list(quotes), "reasoning": "As said.", "verdict": verdict, **more}


def tasks_of(server: OpenAIServer) -> list[str]:
    """Return what was asked, in order."""
    return [task_of(request) for request in server.requests]


def asked_of(server: OpenAIServer) -> list[dict[str, Any]]:
    """Return the inputs of each question, in order."""
    return [inputs_of(request) for request in server.requests]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Return a way to open a bench: `with opened(sentences, said) as (bench, server)`."""

    @contextmanager
    def open_bench(
        sentences: Sequence[str],
        said: Said | Sequence[Reply],
        shelf: Shelf | None = None,
        **changes: Any,
    ) -> Iterator[tuple[Bench, OpenAIServer]]:
        answers = [] if callable(said) else list(said)

        def script(request: dict[str, Any]) -> Reply:
            if callable(said):
                return said(task_of(request), inputs_of(request))
            return answers.pop(0)

        settings = Settings(
            home=tmp_path,
            llm_api_key=SecretStr("sk-test"),
            strong_model="scripted",
            _env_file=None,
            **changes,
        )  # type: ignore[call-arg]
        with Scripted(script, settings) as llm:
            services = open_services(Runtime(context=llm.context, store=InMemoryStore()), "run")
            at_hand = shelf or Shelf(PAPERS)
            texts = dict(enumerate(sentences, start=1))
            yield Bench(services, "check", texts, at_hand.evidence()), llm.server

    return open_bench
