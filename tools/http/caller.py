"""One run's way to one host."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from tools.http.host import Host

T = TypeVar("T")

DAY = 24 * 3600.0
"""Seconds."""


class Caller(Protocol):
    """Sends requests to one host for one run: limited, retried, cached and paid."""

    @property
    def host(self) -> Host:
        """Where the requests go."""
        ...

    async def ask(
        self,
        path: str,
        *,
        read: Callable[[str], T],
        age: float,
        usd: float = 0.0,
        payload: object = None,
    ) -> T:
        """Return what `read` makes of the answer to GET `path`, or to POST with a JSON `payload`.

        Args:
            path: Path and encoded query below the host's URL, such as '/works?filter=cites:W1'.
            read: Turns the body into a value; its ValueError (json.JSONDecodeError, pydantic's
                ValidationError) means that the answer is garbled, and the request is tried again.
                It is called again when the answer comes from the cache, so it must be cheap.
            age: Seconds for which an earlier answer will do.
            usd: What the host asks for one such call; the header with the real price wins.
            payload: JSON body.

        Raises:
            MissingError: HTTP 404 or 410.
            RejectedError: HTTP 400 or the like; its text quotes what the host says.
            BudgetError: The call may exceed a limit of the run; nothing was sent.
            QuotaError: The host's own quota is spent; nothing more is sent until it comes back.
            PermanentError: The host rejects the key or the request.
            TransientError: It failed for as long as the host's patience.
        """
        ...

    @property
    def remaining_usd(self) -> float | None:
        """What the host says is left of its own quota, if it has said so in this process."""
        ...

    def affords(self, usd: float) -> bool:
        """Whether the run's budgets and the host's quota, as last heard, have room for `usd`."""
        ...
