"""All that runs store is read back: each field of each input; test_restarts does the same on the page's server."""

import asyncio
import signal
import tempfile
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client
from pydantic_core import to_jsonable_python

from citeloom.runs.runs import wait_until_resting
from citeloom.runs.server_executor import server_runs
from citeloom.service.run_routes import typed
from state.run import GraphName
from tests.server.hostile import IDEA, Caller
from tests.server.hosting import MISSING, Hosted, hosting
from tests.support import NOWHERE, SMALL, link_libraries, small_records

PAPERS = [paper.id for paper in small_records()[:3]]
RECORD = {
    "id": "doi:10.5555/dated",
    "title": "Citations are recommended",
    "published": "2024-02-29",
    "year": 2024,
    "abstract": "Language models recommend citations for a sentence, and this paper measures whether they hold.",
}
OWLS = (
    "# Owls\n\n" + "Owls hear voles under the snow, and language models recommend citations. " * 9
)
UPLOADS = [{"name": "owls.md", "content": OWLS, "encoding": "text"}]
QUESTION = "How are citations recommended?"
MESSAGES = [{"role": "user", "content": QUESTION}]
FIND: dict[str, Any] = {
    "text": IDEA,
    "library": SMALL,
    "sources": ["library"],
    "before": "2025-06-01",
    "after": "2019-02-28",
    "added_after": "2019-02-28T12:00:00Z",
    "keep": 8,
    "must_include": PAPERS[:1],
    "exclude": PAPERS[1:2],
    "include_retracted": True,
}
WRITE: dict[str, Any] = {
    "cite": 3,
    "plan": "Define the task with [1]. Then contrast [2].",
    "style": "apa",
}
WHERE: dict[str, Any] = {"library": SMALL, "sources": ["library"]}
INPUTS: Mapping[GraphName, list[dict[str, Any]]] = {
    "find": [FIND],
    "write": [{**WRITE, **WHERE, "text": IDEA, "papers": [RECORD, *PAPERS]}],
    "review": [{**FIND, **WRITE}],
    "novelty": [FIND],
    "screen": [{"question": QUESTION, "include": ["Cites papers"], "exclude": ["Is on owls"],
                "papers": [RECORD, *PAPERS], "stage": "full_text", "twice": True, **WHERE}],
    "revise": [{"instruction": "without [2]"}, {"plan": "Contrast [2] with [1]."}, {"text": "Citations hold [1]."}],
    "verify": [{**WHERE, "text": "Moths steer by the moon [1].", "papers": [RECORD, *PAPERS], "strict": True,
                "file": "draft.md", "paragraphs": ["Moths steer by the moon [1]."]}],
    "references": [{"text": "[1] D. Moth. On the moon. 2019.", "uploads": UPLOADS, "sources": ["openalex"]}],
    "ask": [{
        "question": QUESTION, "messages": MESSAGES, "library": SMALL, "papers": PAPERS, "first_year": 2018,
        "last_year": 2025, "before": "2025-06-01", "tags": ["thesis"],
    }],
    "synthesize": [{
        "question": QUESTION, "messages": MESSAGES, "uploads": UPLOADS, "paths": ["moths.md"], "library": SMALL,
        "papers": PAPERS, "sources": ["openalex"], "granularity": "coarse",
    }],
    "ingest": [{
        "library": "notes", "uploads": UPLOADS, "ids": ["arXiv:2312.10997"], "paths": ["moths.md"],
        "sources": ["arxiv"], "tags": ["owls"],
    }],
    "table": [
        {"questions": [QUESTION], "library": SMALL, "papers": PAPERS, "first_year": 1900, "last_year": 2025,
         "before": "2025-06-01"},
        {"questions": [QUESTION], "library": "notes", "tags": ["owls"]},
    ],
}  # fmt: skip


def settings_in(folder: Path) -> dict[str, str]:
    """Return settings by which files may be named, and sources that do not answer are left soon."""
    (folder / "moths.md").write_text(OWLS.replace("Owls", "Moths"), encoding="utf-8")
    return {**NOWHERE, "CITELOOM_INGEST_ROOT": str(folder), "CITELOOM_SOURCE_PATIENCE": "0.1"}


def test_inputs_are_whole() -> None:
    for graph, inputs in INPUTS.items():
        fields = import_module(f"graphs.{graph}").builder.input_schema.model_fields
        given = {name for item in inputs for name, value in item.items() if value}
        assert given | ({"section"} if graph == "revise" else set()) == set(fields), graph


async def started(url: str, folder: Path) -> dict[str, tuple[GraphName, Mapping[str, Any]]]:
    """Run all inputs to their end, and return what they gave, by thread."""
    given: dict[str, tuple[GraphName, Mapping[str, Any]]] = {}
    section = ""
    async with get_client(url=url) as client:
        runs = server_runs(client)
        for graph, inputs in INPUTS.items():
            for item in inputs:
                more: dict[str, Any] = {"section": section} if graph == "revise" else {}
                if "paths" in item:
                    more["paths"] = [str(folder / name) for name in item["paths"]]
                run = await runs.start(graph, {**item, **more}, {})
                view = await wait_until_resting(runs, run)
                assert (view.status, view.values["stop"]) == ("completed", None), (graph, item)
                section = view.values["run"] if graph == "review" else section
                given[run] = (graph, view.values)
    return given


async def read_back(url: str, given: dict[str, tuple[GraphName, Mapping[str, Any]]]) -> None:
    """See that all runs are there as they were, each value of its type, and all their files."""
    dated = 0
    async with get_client(url=url) as client:
        runs = server_runs(client)
        for run, (graph, before) in given.items():
            values = (await runs.get(run)).values
            assert values == before, graph
            read = typed(graph, values)
            told = {name: worth for name, worth in values.items() if worth is not None}
            told.pop("messages", None)
            assert to_jsonable_python(read) == told, graph
            dated += read["request"].before is not None
            names = (await _got(url, run, "")).json()["files"]
            assert names, graph
            for name in names:
                assert (await _got(url, run, f"/{name}")).content, (graph, name)
    assert dated == 4 + 3  # find, novelty, review and ask; the revisions keep the review's request


async def _got(url: str, run: str, name: str) -> Any:
    answer = await asyncio.to_thread(Caller(url).get, f"/citeloom/runs/{run}/files{name}")
    assert answer.status_code == 200, (name, answer.text)
    return answer


@pytest.fixture
def hosted(built: Path) -> Iterator[tuple[Hosted, Path]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # Postgres runs as somebody else
        link_libraries(built, folder / "home")
        with hosting(folder, folder / "home", **settings_in(folder)) as (server, _):
            yield server, folder


@pytest.mark.skipif(bool(MISSING), reason=f"this machine lacks {', '.join(MISSING)}")
async def test_hosted_server_reads_back_all_that_runs_store(hosted: tuple[Hosted, Path]) -> None:
    server, folder = hosted
    server.start()
    given = await started(server.url, folder)
    await read_back(server.url, given)
    caller = Caller(server.url)
    wanted = {"assistant_id": "revise", "input": {"section": "any", "instruction": "sing it"}}
    refused = await asyncio.to_thread(
        lambda: caller.post(f"/threads/{caller.thread()}/runs", wanted)
    )
    assert (refused.status_code, "only a model can" in refused.text) == (422, True), refused.text
    server.stop(signal.SIGTERM)
    server.start()
    await read_back(server.url, given)
