"""What stands between a name and the network: addresses, proxies and certificates."""

import asyncio
import ssl
from typing import Any

import httpx
import pytest

from tests.documents.test_fetch import Site
from tools.documents.guarded import ForbiddenAddressError, checked_address, guarded_client


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let names lead to these addresses; return what was asked for."""
    asked: list[str] = []

    def lead(*addresses: str) -> list[str]:
        async def resolve(host: Any, port: Any, *_: Any, **__: Any) -> list[Any]:
            asked.append(host.decode() if isinstance(host, bytes) else str(host))
            return [(2, 1, 6, "", (address, int(port or 80))) for address in addresses]

        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolve)
        return asked

    return lead


@pytest.mark.parametrize("place", range(3))
async def test_one_private_address_among_public_ones_is_enough(resolved: Any, place: int) -> None:
    addresses = ["8.8.8.8", "8.8.4.4"]
    addresses.insert(place, "10.0.0.1")
    resolved(*addresses)
    with pytest.raises(ForbiddenAddressError, match=r"10\.0\.0\.1"):
        await checked_address(("papers.example", 80), ())


async def test_proxy_of_the_environment_connects_for_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Site() as proxy, Site() as site:
        for name in ("http_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        place = ("127.0.0.1", int(site.url.rpartition(":")[2]))
        async with guarded_client({place}, 5.0) as client:
            await client.get(site.url + "/a")
    assert proxy.requests == []
    assert [path for path, _ in site.requests] == ["/a"]


async def test_certificate_is_asked_for_by_name_not_by_address(
    resolved: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    named: list[str | None] = []
    wrap = ssl.SSLContext.wrap_bio

    def watch(self: ssl.SSLContext, *args: Any, **options: Any) -> Any:
        name = options.get("server_hostname")
        named.append(name.decode() if isinstance(name, bytes) else name)
        return wrap(self, *args, **options)

    with Site() as site:  # it speaks no TLS: the greeting is all that is looked at
        port = int(site.url.rpartition(":")[2])
        resolved("127.0.0.1")
        monkeypatch.setattr(ssl.SSLContext, "wrap_bio", watch)
        async with guarded_client({("papers.example", port)}, 5.0) as client:
            with pytest.raises(httpx.ConnectError):
                await client.get(f"https://papers.example:{port}/a")
    assert named == ["papers.example"]
