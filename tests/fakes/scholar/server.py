"""The scholarly services over real HTTP on loopback, with the faults of real ones.

with ScholarServer(make_world(size=400, seed=1)) as server:
    ...                     # CITELOOM_OPENALEX_URL is server.openalex_url
server.requests             # what was asked, in order
"""

import socket
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from tests.fakes.loopback import Loopback, LoopbackServer
from tests.fakes.scholar import arxiv, crossref, openalex, semantic_scholar, serpapi
from tests.fakes.scholar.faults import Faults
from tests.fakes.scholar.handler import Handler
from tests.fakes.scholar.money import Money
from tests.fakes.scholar.wire import Answer, Request
from tests.fakes.scholar.world import SERVICES, Service, World

PREFIXES: dict[str, Service] = {
    "openalex": "openalex",
    "s2": "semantic_scholar",
    "arxiv": "arxiv",
    "crossref": "crossref",
    "serpapi": "serpapi",
}


@dataclass
class Charged:
    """What answers cost, in dollars."""

    usd: float = 0.0
    by_kind: Counter[str] = field(default_factory=Counter)
    """Calls answered without a fault: OpenAlex's by singleton, list, search and semantic, refused
    ones, and those of the other services by their names."""


class ScholarServer(Loopback):
    """Serves all five services until the block ends."""

    def __init__(self, world: World, *, seed: int = 0) -> None:
        self.world = world
        self.requests: list[Request] = []
        self.faults = Faults(seed)
        self.money = Money()
        """OpenAlex's allowances."""
        self.charged = Charged()
        self.bad_keys: set[str] = set()
        """Keys that every service rejects."""
        self.limits: dict[Service, float] = {}
        """Requests a second that are checked; above them, the answer is 429."""
        self.too_fast: Counter[Service] = Counter()
        self.peak: Counter[Service] = Counter()
        """Most requests under way at once."""
        self.on_answer: Callable[[Request], None] | None = None
        """Called when an answer without a fault has been written, such as to kill the asker."""
        self._down: set[Service] = set()
        self._inside: Counter[Service] = Counter()
        self._admitted: dict[Service, deque[float]] = {service: deque() for service in SERVICES}
        self._answered: set[str] = set()
        self._repeated: list[str] = []
        super().__init__(_Server, Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.openalex_url = f"{self.url}/openalex"
        self.semantic_scholar_url = f"{self.url}/s2"
        self.arxiv_url = f"{self.url}/arxiv"
        self.crossref_url = f"{self.url}/crossref"
        self.serpapi_url = f"{self.url}/serpapi"

    def down(self, service: Service) -> None:
        """Let connections to a service end without an answer."""
        self._down.add(service)

    def repeated(self) -> list[str]:
        """Return the keys of requests that came again after they had been answered."""
        with self._lock:
            return list(self._repeated)

    def calls(self, service: Service) -> list[Request]:
        """Return the requests to one service, in order."""
        with self._lock:
            return [request for request in self.requests if request.service == service]

    def clear(self) -> None:
        """Forget what was asked, charged and answered; plans, limits and allowances stay."""
        with self._lock:
            self.requests.clear()
            self.charged = Charged()
            self.too_fast.clear()
            self.peak.clear()
            self.faults.counts.clear()
            self._answered.clear()
            self._repeated.clear()

    # What follows is for the handler.

    def take(self, request: Request) -> tuple[Request, Answer]:
        """Decide on the answer to a request and log it."""
        with self._lock:
            self._inside[request.service] += 1
            self.peak[request.service] = max(
                self.peak[request.service], self._inside[request.service]
            )
            if request.key in self._answered:
                self._repeated.append(request.key)
        fault = self._fault(request)
        if fault == "down":
            answer = Answer(status=0)
        elif fault is not None:
            whole = Answer() if fault in {"429", "spent"} else self._answer(request, free=True)
            answer = self.faults.spoil(fault, request, whole)
        else:
            answer = self._answer(request, free=False)
        usd = answer.usd if fault is None else 0.0
        done = replace(request, status=answer.status, fault=fault, usd=usd)
        with self._lock:
            if fault is None:
                self.charged.usd += usd
                self.charged.by_kind[answer.kind or "refused"] += 1
            self.requests.append(done)
            self._lock.notify_all()
        return done, answer

    def leave(self, request: Request, *, written: bool) -> None:
        """Note that a request is over, and whether its answer was written whole."""
        with self._lock:
            self._inside[request.service] -= 1
            good = written and request.fault is None and 200 <= request.status < 400
            if good:
                self._answered.add(request.key)
        if good and self.on_answer is not None:
            self.on_answer(request)

    def _fault(self, request: Request) -> str | None:
        if request.service in self._down:
            return "down"
        if not self._admit(request):
            return "429"
        return self.faults.pick(request)

    def _admit(self, request: Request) -> bool:
        rate = self.limits.get(request.service)
        if rate is None:
            return True
        # A window of one second, or of one request where that takes longer; 5 % shorter, because
        # requests arrive less evenly than they are sent.
        most, window = (1, 0.95 / rate) if rate < 1 else (int(rate), 0.95)
        with self._lock:
            times = self._admitted[request.service]
            while times and request.at - times[0] > window:
                times.popleft()
            if len(times) >= most:
                self.too_fast[request.service] += 1
                return False
            times.append(request.at)
            return True

    def _answer(self, request: Request, *, free: bool) -> Answer:
        match request.service:
            case "openalex":
                money = None if free else self.money
                return openalex.answer(self.world, request, money, self.bad_keys)
            case "semantic_scholar":
                return semantic_scholar.answer(self.world, request, self.bad_keys)
            case "arxiv":
                return arxiv.answer(self.world, request)
            case "crossref":
                return crossref.answer(self.world, request)
            case "serpapi":
                return serpapi.answer(self.world, request, self.bad_keys)


class _Server(LoopbackServer):
    def __init__(self, address: tuple[str, int], handler: type[Handler]) -> None:
        super().__init__(address, handler)
        self.resets: set[socket.socket] = set()

    def shutdown_request(self, request: Any) -> None:
        # A polite shutdown would come before the reset, and the client would never see it.
        if request in self.resets:
            self.resets.discard(request)
            self.close_request(request)
        else:
            super().shutdown_request(request)
