"""What the tests of OpenAlex share."""

from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from pydantic import SecretStr

from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import Work
from tools.errors import RequestRejectedError
from tools.http.retrying_client import RetryingClient

T = TypeVar("T")
KEY = {"openalex_api_key": SecretStr("a-secret-key")}


def kinds(server: ScholarServer) -> Counter[str]:
    """The calls that were answered, by kind."""
    return server.charged.by_kind


def in_openalex(server: ScholarServer) -> list[Work]:
    """Works that OpenAlex holds with a title, duplicates and followers left out."""
    return [
        work
        for work in server.world.held("openalex")
        if work.title and work.duplicate_of is None and work.topic != "ledger"
    ]


def id_of(work: Work) -> str:
    return f"openalex:{work.openalex}"


class Refusing(RetryingClient):
    """A way to a host that refuses some paths, as OpenAlex does where a part of it is broken."""

    def __init__(self, caller: RetryingClient, part: str) -> None:
        vars(self).update(vars(caller))
        self._part = part

    async def ask(
        self,
        path: str,
        *,
        read: Callable[[str], T],
        age: float,
        usd: float = 0.0,
        payload: object = None,
    ) -> T:
        if self._part in path:
            raise RequestRejectedError("openalex rejects the request (HTTP 400): embedding gateway")
        return await super().ask(path, read=read, age=age, usd=usd)
