"""HTTP to addresses that others name: never into a private network, never without end.

An address that comes from a record, or from a redirect, may name anything. So a name is resolved
here, its addresses are checked, and the connection goes to the very address that was checked.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Collection
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from tools.errors import DocumentError

if TYPE_CHECKING:
    import httpx

Place = tuple[str, int]
"""Host, in lower case, and port."""
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_PORTS = {"http": 80, "https": 443}


class ForbiddenAddressError(DocumentError):
    """An address lies in a network that is not asked for documents."""

    def __init__(self, message: str) -> None:
        super().__init__(message, remedy="download the document yourself, and add the file")


def place_of(url: str) -> Place:
    """Return host and port of an address.

    Raises:
        ForbiddenAddressError: It is no address of the web.
    """
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower().rstrip("."), parts.port
    except ValueError as error:
        raise ForbiddenAddressError(f"{url[:200]} is no address: {error}") from error
    if parts.scheme not in _PORTS or not host or parts.username or parts.password:
        raise ForbiddenAddressError(f"{url[:200]} is no plain address of the web (http or https)")
    return host, port or _PORTS[parts.scheme]


def is_loopback(host: str) -> bool:
    """Whether a host's name says that it is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def is_public(address: str) -> bool:
    """Whether an IP address is one of the internet; what is wrapped in it counts too."""
    try:
        ip = ipaddress.ip_address(address.split("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        if ip in _NAT64:
            return is_public(str(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)))
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inner is not None and not is_public(str(inner)):
            return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved)


async def checked_address(place: Place, trusted: Collection[Place]) -> str:
    """Return the IP address to connect to.

    Raises:
        ForbiddenAddressError: One of the host's addresses is not public, and the place is not
            trusted.
        OSError: There is no such host.
    """
    host, port = place
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not addresses:
        raise OSError(f"{host} has no address")
    if place in trusted:
        return addresses[0]
    if bad := next((one for one in addresses if not is_public(one)), None):
        raise ForbiddenAddressError(
            f"{host} is at {bad}, in a private network or on this machine, and was not asked"
        )
    return addresses[0]


def guarded_client(trusted: Collection[Place], timeout: float) -> "httpx.AsyncClient":
    """Return a client that connects only to public addresses and to the trusted places.

    It follows no redirects and takes no proxy from the environment, which would connect for it.
    """
    import httpx

    class Guarded(httpx.AsyncHTTPTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            place = place_of(str(request.url))
            address = await checked_address(place, trusted)
            # A request of its own: cookies go by the name, which stays in the other's address.
            checked = httpx.Request(
                request.method,
                request.url.copy_with(host=address),
                headers=request.headers,
                stream=request.stream,
                extensions={**request.extensions, "sni_hostname": place[0]},
            )
            return await super().handle_async_request(checked)

    # No connection is used twice: two hosts at one address have two certificates.
    return httpx.AsyncClient(
        transport=Guarded(limits=httpx.Limits(max_keepalive_connections=0)),
        headers={"User-Agent": "CiteLoom", "Accept": "*/*"},
        timeout=timeout,
        trust_env=False,
    )


async def get_whole(
    client: "httpx.AsyncClient", url: str, *, most_bytes: int, most_redirects: int, name: str
) -> tuple[int, Any, bytes, str]:
    """Return status, headers, body and final address of a GET; redirects are followed and checked.

    Raises:
        ForbiddenAddressError: An address on the way is not to be asked.
        DocumentError: The body is too large, or there are too many redirects.
        httpx.HTTPError, httpx.InvalidURL, OSError: No whole answer came.
    """
    for _ in range(most_redirects + 1):
        place_of(url)
        async with client.stream("GET", url) as response:
            target = response.headers.get("location", "")
            if response.status_code in {301, 302, 303, 307, 308} and target:
                url = urljoin(url, target)
                continue
            size, parts = 0, []
            async for part in response.aiter_bytes():
                size += len(part)
                if size > most_bytes:
                    raise DocumentError(
                        f"what {name} sends is larger than {most_bytes / 1_000_000:g} MB",
                        remedy="download it yourself, and add the file if you need it",
                    )
                parts.append(part)
            return response.status_code, response.headers, b"".join(parts), url
    raise DocumentError(
        f"{name} redirects more than {most_redirects} times",
        remedy="download the document in a browser, and add the file",
    )
