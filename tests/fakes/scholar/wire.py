"""What goes over the wire: a request as a service sees it, and its answer."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.scholar.world import Service


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request, as logged when its answer had been decided."""

    service: Service
    method: str
    path: str
    """Below the service's URL, as sent, without the query."""
    query: Mapping[str, str]
    body: Any
    """The decoded JSON body, if there was one."""
    headers: Mapping[str, str]
    """By their names in lower case."""
    url: str
    """Path and query as sent, below the service's URL."""
    at: float
    """Monotonic seconds."""
    status: int = 0
    """0 where there was no answer."""
    fault: str | None = None
    usd: float = 0.0
    key: str = ""
    """The same for requests that ask the same thing."""


def key_of(method: str, path: str, query: Mapping[str, str], body: bytes) -> str:
    """Return a hash of what is asked, whoever asks."""
    pairs = sorted((name, value) for name, value in query.items() if name != "api_key")
    text = json.dumps([method, path, pairs])
    return hashlib.sha256(text.encode() + body).hexdigest()[:16]


@dataclass(kw_only=True)
class Answer:
    """What a service answers."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    usd: float = 0.0
    kind: str = ""
    """The kind of call, as the ledger counts it."""


def as_json(body: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    """Return an answer of JSON."""
    return Answer(status=status, body=json.dumps(body).encode(), headers=dict(headers or {}))
