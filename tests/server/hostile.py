"""A server that asks for keys, and callers who have some."""

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx

from tests.support import SMALL

IDEA = (
    "We study how well large language models recommend citations for a sentence of a paper, and "
    "whether the recommended papers support what the sentence claims."
)


@dataclass
class Caller:
    """Who sends requests to a server, with a key or without."""

    url: str
    key: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def send(self, method: str, path: str, **given: Any) -> httpx.Response:
        headers = {**self.headers, **given.pop("headers", {})}
        if self.key:
            headers.setdefault("authorization", f"Bearer {self.key}")
        return httpx.request(method, self.url + path, headers=headers, timeout=120, **given)

    def get(self, path: str, **given: Any) -> httpx.Response:
        return self.send("GET", path, **given)

    def post(self, path: str, body: Any = None, **given: Any) -> httpx.Response:
        return self.send("POST", path, json={} if body is None else body, **given)

    def thread(self) -> str:
        answer = self.post("/threads")
        assert answer.status_code == 200, answer.text
        return str(answer.json()["thread_id"])

    def run(self, graph: str, thread: str = "", **inputs: Any) -> Any:
        """Run a graph to its end and return what it gives."""
        place = f"/threads/{thread}" if thread else ""
        answer = self.post(f"{place}/runs/wait", {"assistant_id": graph, "input": inputs})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def made(self, graph: str, title: str = "", **inputs: Any) -> str:
        """Run a graph on SMALL as the page does and return its thread."""
        about = {
            "citeloom_graph": graph,
            "citeloom_settings": {},
            "title": title or f"About {graph}",
        }
        thread = self.post("/threads", {"metadata": about, "graph_id": graph}).json()["thread_id"]
        self.run(graph, thread, **{"library": SMALL, **inputs})
        return str(thread)

    def values(self, thread: str) -> dict[str, Any]:
        """What a run has given."""
        return dict(self.get(f"/citeloom/runs/{thread}").json()["values"])

    def asked(self, method: str, **params: Any) -> Any:
        """Call a method of A2A on the agent `ask`."""
        call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return self.post("/citeloom/a2a/ask", call, headers={"A2A-Version": "1.0"}).json()

    def messaged(self, text: str, data: Any = None, **where: str) -> Any:
        """Send a message over A2A, of a task or a conversation."""
        message = {
            "role": "ROLE_USER",
            "messageId": uuid4().hex,
            "parts": [{"text": text}, *([{"data": data}] if data else [])],
            **where,
        }
        return self.asked("SendMessage", message=message)
