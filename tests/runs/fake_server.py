"""The API of a LangGraph server with one thread, as far as an executor asks it, in a state that a test sets."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import httpx
from langgraph_sdk.client import LangGraphClient
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

THREAD = "5f0c2a4e-3b7d-4c1a-9e60-2d8f71b3a9c4"
WHEN = "2026-11-27T12:00:00+00:00"


@dataclass
class FakeServer:
    """A server on which one run of `write` is known."""

    thread: str = "idle"
    """The status of the thread: idle, busy, interrupted, error."""
    run: str = "success"
    """The status of its last run."""
    values: dict[str, Any] = field(default_factory=lambda: {"outcome": "complete"})
    steps: list[str] = field(default_factory=list)
    questions: list[dict[str, Any]] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    refuses: int = 0
    """With which status it refuses all that it is asked."""
    asked: list[str] = field(default_factory=list)
    """What it was asked to change, in order."""
    cancels: asyncio.Event = field(default_factory=asyncio.Event)
    """Is set once it has been asked to cancel."""
    may_note: asyncio.Event = field(default_factory=asyncio.Event)
    """Until then it lets those wait who change the metadata."""

    def client(self) -> LangGraphClient:
        methods = ["GET", "POST", "PATCH", "DELETE"]
        app = Starlette(routes=[Route("/{path:path}", self._answer, methods=methods)])
        transport = httpx.ASGITransport(app)
        return LangGraphClient(httpx.AsyncClient(base_url="http://server", transport=transport))

    async def _answer(self, request: Request) -> Response:
        if self.refuses:
            return JSONResponse({"detail": "`library` is no string"}, self.refuses)
        place = request.url.path.replace(f"/threads/{THREAD}", "/THREAD").replace("/RUN", "/run")
        match request.method, place:
            case "GET", "/THREAD":
                return JSONResponse(self._told())
            case "POST", "/threads/search":
                return JSONResponse([self._told()])
            case "GET", "/THREAD/state":
                state = {"values": self.values, "next": self.steps, "tasks": []}
                return JSONResponse({**state, "interrupts": self.questions})
            case "GET", "/THREAD/runs":
                return JSONResponse([{"run_id": "RUN", "status": self.run}])
            case "POST", "/THREAD/runs":
                self.asked.append("run")
                self.thread, self.run = "busy", "running"
                return JSONResponse({"run_id": "RUN"})
            case "POST", "/THREAD/runs/run/cancel":
                self.asked.append("cancel")
                self.thread, self.run = "idle", "interrupted"
                self.cancels.set()
                return Response(status_code=204)
            case "PATCH", "/THREAD":
                await self.may_note.wait()
                self.metadata |= (await request.json())["metadata"]
                return JSONResponse(self._told())
        return JSONResponse({"detail": f"{request.method} {place}"}, 404)

    def _told(self) -> dict[str, Any]:
        about = {"citeloom_graph": "write", "citeloom_settings": {}, **self.metadata}
        return {
            "thread_id": THREAD,
            "status": self.thread,
            "metadata": about,
            "created_at": WHEN,
            "updated_at": WHEN,
        }
