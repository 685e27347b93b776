"""What goes wrong, how often, and for whom.

server.faults.chances = {"429": 0.1, "truncated": 0.1}       # for every service
server.faults.only["arxiv"] = {"blank": 1.0}                 # for one, instead of the above
server.faults.script = lambda request: "503" if ... else None
"""

import random
import threading
from collections import Counter
from collections.abc import Callable, Mapping

from tests.fakes.scholar.wire import Answer, Request, as_json
from tests.fakes.scholar.world import Service

TRANSIENT = ("429", "500", "502", "503", "html", "truncated", "empty", "hang", "drip")
"""The faults that pass; each kind of damage once."""
KINDS = frozenset({*TRANSIENT, "spent", "cut", "null", "shape", "list", "reset", "blank", "down"})
SPENT_SECONDS = 54_000

_PAGE = (
    b"<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>Checking</body></html>"
)
_GATEWAY = b"<html><head><title>%s</title></head><body><center><h1>%s</h1></center></body></html>"
_STATUS = {"500": "Internal Server Error", "502": "Bad Gateway", "503": "Service Unavailable"}


class Faults:
    """The plan; it may be changed while the server runs."""

    def __init__(self, seed: int = 0) -> None:
        self.chances: Mapping[str, float] = {}
        """The probability of each kind, drawn one after the other; the first that hits happens."""
        self.only: dict[Service, Mapping[str, float]] = {}
        """Other chances for a service."""
        self.script: Callable[[Request], str | None] | None = None
        """Names the fault of a request, or none, in place of the chances."""
        self.retry_after: str | None = "0"
        """What a 429 says; Semantic Scholar never says it."""
        self.counts: Counter[str] = Counter()
        """How often each kind happened."""
        self._draw = random.Random(seed)
        self._lock = threading.Lock()

    def pick(self, request: Request) -> str | None:
        """Return what goes wrong with a request, or None."""
        # Outside the lock: a script may wait for other requests.
        script = self.script
        named = script(request) if script is not None else None
        with self._lock:
            fault = named if script is not None else self._pick(request)
            if fault is not None and fault not in KINDS:
                raise ValueError(f"{fault!r} is no fault: choose one of {', '.join(sorted(KINDS))}")
            if fault:
                self.counts[fault] += 1
            return fault

    def _pick(self, request: Request) -> str | None:
        chances = self.only.get(request.service, self.chances)
        hits = [kind for kind, chance in chances.items() if self._draw.random() < chance]
        return hits[0] if hits else None

    def spoil(self, fault: str, request: Request, answer: Answer) -> Answer:
        """Return the answer as the fault leaves it; its price is not asked."""
        if fault in _STATUS:
            words = f"{fault} {_STATUS[fault]}".encode()
            return Answer(
                status=int(fault), body=_GATEWAY % (words, words), content_type="text/html"
            )
        if fault in {"429", "spent"}:
            return self._refusal(fault, request)
        bodies = {
            "html": _PAGE,
            "empty": b"",
            "null": b"null",
            "shape": b'{"error": "Something went wrong"}',
            "list": b"[1, 2, 3]",
            "truncated": answer.body[: max(1, len(answer.body) * 2 // 3)],
            "blank": _without_entries(answer.body),
        }
        if fault in bodies:
            kind = "text/html; charset=utf-8" if fault == "html" else answer.content_type
            return Answer(body=bodies[fault], content_type=kind)
        return answer

    def _refusal(self, fault: str, request: Request) -> Answer:
        wait = str(SPENT_SECONDS) if fault == "spent" else self.retry_after
        headers = {"Retry-After": wait} if wait is not None else {}
        match request.service:
            case "semantic_scholar":
                text = "Too Many Requests. Please wait and try again or apply for a key."
                return as_json(
                    {"message": text, "code": "429"}, 429, headers if fault == "spent" else {}
                )
            case "arxiv":
                return Answer(
                    status=429, body=b"Rate exceeded.", content_type="text/plain", headers=headers
                )
            case "serpapi":
                text = "Your account has run out of searches."
                return as_json({"error": text}, 429, headers)
            case "openalex" if fault == "spent":
                text = "Insufficient budget. Resets at midnight UTC."
                headers |= {"X-RateLimit-Remaining-USD": "0", "X-RateLimit-Reset": wait or "0"}
            case _:
                text = "Too many requests. Slow down."
        return as_json({"error": "Rate limit exceeded", "message": text}, 429, headers)


def _without_entries(feed: bytes) -> bytes:
    start, end = feed.find(b"<entry>"), feed.rfind(b"</entry>")
    return feed if start < 0 else feed[:start] + feed[end + len(b"</entry>") :]
