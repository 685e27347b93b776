"""Our own routes against what schemathesis makes up: whatever comes, no 500."""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case
from schemathesis.core.result import Ok
from schemathesis.pytest.lazy import get_all_tests
from starlette.routing import Route

from citeloom.service.app import app
from tests.server.conftest import Server

METHODS = [
    "SendMessage",
    "GetTask",
    "ListTasks",
    "CancelTask",
    "SubscribeToTask",
    "GetExtendedAgentCard",
    "CreateTaskPushNotificationConfig",
    "message/send",
    "message/stream",
]
AGENTS = ("/citeloom/a2a/find", "/citeloom/a2a/synthesize")
PART = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "raw": {"type": "string"},
        "url": {"type": "string"},
        "data": {},
        "filename": {"type": "string"},
    },
}
PARAMS = {
    "type": "object",
    "properties": {
        "message": {
            "type": "object",
            "properties": {
                "role": {"enum": ["ROLE_USER", "ROLE_AGENT", 3]},
                "messageId": {"type": "string"}, "taskId": {"type": "string"},
                "contextId": {"type": "string"}, "parts": {"type": "array", "items": PART},
            },
        },
        "id": {"type": "string"}, "name": {"type": "string"}, "uri": {"type": "string"},
        "taskId": {"type": "string"}, "arguments": {"type": "object"}, "pageSize": {},
    },
}  # fmt: skip
CALL = {
    "oneOf": [
        {
            "type": "object",
            "properties": {
                "jsonrpc": {"enum": ["2.0", "1.0"]},
                "method": {"enum": METHODS},
                "params": PARAMS,
                "id": {},
            },
            "required": ["jsonrpc", "method", "params", "id"],
        },
        {},
    ]
}


def described() -> dict[str, Any]:
    """Return our routes as OpenAPI, each body anything, and for agents also a call of JSON-RPC."""
    header = {"name": "A2A-Version", "in": "header", "schema": {"enum": ["1.0", "0.3", "9"]}}
    paths: dict[str, Any] = {}
    for route in app.routes:
        # The agents share their code: one that takes files and one that takes none stand for all.
        if isinstance(route, Route) and not ("/a2a/" in route.path and route.path not in AGENTS):
            schema = CALL if "/a2a" in route.path else {}
            body = {"content": {"application/json": {"schema": schema}}, "required": True}
            # HEAD is GET without a body. Each process of xdist has the same order.
            for method in sorted({*(route.methods or ())} - {"HEAD"}):
                told: dict[str, Any] = {
                    "responses": {"default": {"description": "Anything."}},
                    "parameters": [
                        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                        for name in route.param_convertors
                    ],
                }
                if method in {"POST", "PUT", "DELETE"}:
                    told["requestBody"] = body
                    told["parameters"].append(header)
                paths.setdefault(route.path_format, {})[method.lower()] = told
    return {"openapi": "3.1.0", "info": {"title": "Ours", "version": "1"}, "paths": paths}


ROUTES = described()
OPERATIONS = [(method, path) for path, methods in ROUTES["paths"].items() for method in methods]


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_nothing_ends_in_an_error_of_the_server(server: Server, method: str, path: str) -> None:
    def holds(case: Case) -> None:
        answer = case.call(
            base_url=server.url,
            headers={"Accept": "application/json, text/event-stream"},
            timeout=120,
        )
        assert answer.status_code < 500, answer.text

    chosen = settings(
        max_examples=6,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    # Not `parametrize` of schemathesis: it makes the cases at collection, in each process of xdist,
    # which takes longer than to collect all else.
    schema = schemathesis.openapi.from_dict(ROUTES).include(method=method.upper(), path=path)
    (made,) = get_all_tests(
        schema=schema,
        test_func=holds,
        settings=chosen,
        seed=None,
        as_strategy_kwargs=None,
        given_kwargs={},
    )
    assert isinstance(made, Ok)
    made.ok()[1]()
