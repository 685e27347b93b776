"""Where it is asked for, a mind names the keywords of passages; else they are computed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from tests.fakes.openai_server import OpenAIServer, Refusal, Script, inputs_of
from tests.graphs.ingest_files import ingest, library_of, markdown
from tests.graphs.sources import Sources
from tests.library.words import WordEmbedder
from tools.context import RunContext
from tools.ingest.allowed_paths import allow_paths
from tools.ingest.workers import close_workers
from tools.library.open import close_libraries


@pytest.fixture(scope="module", autouse=True)
def ended() -> Iterator[None]:
    yield
    close_workers()
    close_libraries()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "bees.md").write_text(markdown(), encoding="utf-8")
    return tmp_path / "in"


def name_waggle(request: dict[str, Any]) -> Any:
    shown: Any = inputs_of(request)["passages"]
    named = [{"id": item["id"], "keywords": ["waggle dance", "x" * 200]} for item in shown]
    return {"passages": [*named, {"id": "T99", "keywords": ["nobody's"]}]}


async def named_by(script: Script | list[Any], home: Path, folder: Path) -> tuple[Any, list[str]]:
    """Ingest with a mind that names keywords; return the result and all keywords there are."""
    with OpenAIServer(script) as server:
        context = RunContext(mind="llm")
        clients = Sources(
            home, embedder=WordEmbedder(), llm_base_url=server.url, strong_model="scripted",
            llm_api_key=SecretStr("sk-test"),
        )  # fmt: skip
        vars(context).update(clients=clients, keywords_by_mind=True)
        allow_paths(clients, folder)
        result = await ingest(context, paths=[str(folder)])
        again = await ingest(context, paths=[str(folder)])
        assert again["outcome"] == "complete"
    return result, words_of(context)


def words_of(context: RunContext) -> list[str]:
    library = library_of(context)
    with library.catalog.database.reading() as db:
        rows = db.execute("SELECT keywords FROM texts WHERE keywords IS NOT NULL").fetchall()
    return [word for (words,) in rows for word in words.splitlines()]


async def test_keywords_that_a_mind_names_are_kept_and_asked_for_once(
    tmp_path: Path, folder: Path
) -> None:
    asked: list[object] = []

    def script(request: dict[str, Any]) -> Any:
        asked.append(request)
        return name_waggle(request)

    result, words = await named_by(script, tmp_path / "home", folder)
    assert (result["failures"], len(asked)) == ([], 1)
    assert "waggle dance" in words
    assert not any("nobody" in word or "xxx" in word for word in words)
    refused, words = await named_by([Refusal("no")], tmp_path / "other", folder)
    assert "computed instead" in refused["failures"][0].remedy
    assert any("bees" in word for word in words)
