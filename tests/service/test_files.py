"""citeloom/service/run_routes.py: what a run gave is made into files once, however many are taken away."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from io import BytesIO
from types import SimpleNamespace
from typing import Any
from zipfile import ZipFile

import httpx
import pytest
from pydantic_core import to_jsonable_python
from starlette.applications import Starlette

from citeloom.runs.runs import RunSnapshot
from citeloom.service import run_routes as files
from state.paper import Paper
from tests.report.test_section_forms import values
from tools.bibliography.citation_printer import style_papers
from tools.bibliography.citation_style import CitationStyle


async def test_files_taken_away_at_once_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    printed: Counter[str] = Counter()

    def counted(style: CitationStyle, papers: Sequence[Paper]) -> Any:
        printed[style.name] += 1
        return style_papers(style, papers)

    given = to_jsonable_python(values())
    monkeypatch.setattr("tools.bibliography.section_printer.style_papers", counted)
    view = RunSnapshot(run="one", graph="write", status="completed", values=given)

    async def get(_: str) -> RunSnapshot:
        return view

    runs: Any = SimpleNamespace(get=get)
    app = Starlette(routes=files.routes(lambda _: runs))
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://here/citeloom/runs/one"
    ) as client:
        names = ["bundle.zip", "bundle.zip", "review.html", "files/section.tex"]
        sent = await asyncio.gather(*(client.get(f"/files/{name}") for name in names))
        listed = (await client.get("/files")).json()["files"]
        missing = await client.get("/files/none.txt")
    assert [answer.status_code for answer in sent] == [200] * 4
    assert printed == {"ieee": 1}, "the citation processor was called once for the whole bundle"
    bundle = ZipFile(BytesIO(sent[0].content))
    assert {*bundle.namelist(), "bundle.zip", "result.json"} == {*listed}
    assert bundle.read("review.html") == sent[2].content
    assert missing.status_code == 404
