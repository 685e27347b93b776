"""The gate before every route of the server, the LangGraph server's own included.

It lets in only whom `entry` lets in, no page of another origin, no body that is too large, and no
flood. What is asked within the process was let in before.
"""

from collections import OrderedDict, deque
from time import monotonic

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from citeloom.service import entry
from citeloom.service.entry import RequestRefusedError
from tools.callers import ApiKeyLimits
from tools.settings import settings


class RequestGate:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._asked: OrderedDict[str, deque[float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        inside = scope.get("root_path", "").startswith("/noauth")
        if scope["type"] not in {"http", "websocket"} or inside:
            await self._app(scope, receive, send)
            return
        body = _Body(receive, send, settings().request_mb * 1_000_000)
        try:
            await self._let_in(scope)
            body.check(Headers(scope=scope).get("content-length", ""))
            await self._app(scope, body.receive, body.send)
        except Exception as caught:
            # What the application makes of the error of a body that is too large is that error still.
            error = body.too_large() if body.over else caught
            if body.answered or not isinstance(error, RequestRefusedError):
                raise
            if scope["type"] == "websocket":
                await WebSocketClose(4403, error.text)(scope, receive, send)
                return
            answer = JSONResponse(
                {"detail": error.text},
                error.status,
                {"WWW-Authenticate": "Bearer"} if error.status == 401 else None,
            )
            await answer(scope, receive, send)

    async def _let_in(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        entry.check_origin(headers)
        # A browser asks without a key whether a page may ask with one; the origin is checked by now.
        asks_first = scope.get("method") == "OPTIONS" and "access-control-request-method" in headers
        if asks_first or entry.is_open(scope["path"]):
            return
        peer = (scope.get("client") or ("127.0.0.1",))[0]
        try:
            if entry.has_own_auth():
                key = None
            elif (key := await entry.holder_at_once(headers)) is None and not entry.is_loopback(
                peer
            ):
                raise RequestRefusedError(
                    401, "this server has no keys yet and serves only its own machine"
                )
        except RequestRefusedError:
            # No key is known for it.
            self._count(f"at {peer}", 120)
            raise
        if key:
            self._count(key.name, key.limits.requests_a_minute)
        elif entry.has_own_auth():
            self._count(f"at {peer}", ApiKeyLimits().requests_a_minute)

    def _count(self, who: str, most: int) -> None:
        now = monotonic()
        asked = self._asked.setdefault(who, deque())
        self._asked.move_to_end(who)
        while asked and now - asked[0] > 60.0:
            asked.popleft()
        if len(asked) >= most:
            raise RequestRefusedError(
                429, f"more than {most} requests per minute: wait and try again"
            )
        asked.append(now)
        while len(self._asked) > 10_000:
            self._asked.popitem(last=False)


class _Body:
    """The body of a request, counted, and whether it was answered."""

    def __init__(self, receive: Receive, send: Send, most: int) -> None:
        self._receive, self._send, self._most = receive, send, most
        self._read = 0
        self.answered = False

    @property
    def over(self) -> bool:
        return self._read > self._most

    def check(self, length: str) -> None:
        if length.isdecimal() and int(length) > self._most:
            raise self.too_large()

    async def receive(self) -> Message:
        message = await self._receive()
        self._read += len(message.get("body", b""))
        if self.over:
            raise self.too_large()
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            if self.over:
                raise self.too_large()
            self.answered = True
        await self._send(message)

    def too_large(self) -> RequestRefusedError:
        return RequestRefusedError(
            413,
            f"a request may have at most {self._most / 1e6:g} MB: send files one by one, or "
            "smaller files",
        )
