"""HTTP to addresses that others name: never into a private network.

An address that comes from a record, or from a redirect, may name anything. So a name is resolved
here, its addresses are checked, and the connection goes to the very address that was checked.
"""

import asyncio
import ipaddress
import logging
import socket
from collections.abc import Collection
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tools.errors import DocumentError

if TYPE_CHECKING:
    import httpx

PublicAddress = tuple[str, int]
"""Host, in lower case, and port."""
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_PORTS = {"http": 80, "https": 443}
_REMEDY = "download the document yourself, and add the file"


def public_address_of(url: str) -> PublicAddress:
    """Return host and port of an address.

    Raises:
        DocumentError: It is no address of the web.
    """
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower().rstrip("."), parts.port
    except ValueError as error:
        raise DocumentError(f"{url[:200]} is not an address: {error}", remedy=_REMEDY) from error
    if parts.scheme not in _PORTS or not host or parts.username or parts.password:
        cause = f"{url[:200]} is not a web address (http or https)"
        raise DocumentError(cause, remedy=_REMEDY)
    return host, port or _PORTS[parts.scheme]


def is_public(address: str) -> bool:
    """Whether an IP address is one of the internet; what is wrapped in it counts, too."""
    try:
        ip = ipaddress.ip_address(address.split("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped or ip.sixtofour or ip.teredo:
            return False
        if ip in _NAT64:
            ip = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.is_global and not (ip.is_multicast or ip.is_reserved)


async def checked_address(place: PublicAddress, trusted: Collection[PublicAddress]) -> str:
    """Return the IP address to connect to.

    Raises:
        DocumentError: One of the host's addresses is not public, and the place is not trusted.
        OSError: There is no such host.
    """
    host, port = place
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(entry[4][0]) for entry in found]
    bad = next((one for one in addresses if not is_public(one)), None)
    if bad and place not in trusted:
        cause = f"{host} is at {bad}, in a private network or on this machine, and was not asked"
        raise DocumentError(cause, remedy=_REMEDY)
    return addresses[0]


def public_only_client(trusted: Collection[PublicAddress], timeout: float) -> "httpx.AsyncClient":
    """Return a client that connects only to public addresses and to the trusted places.

    It follows no redirects and takes no proxy from the environment, which would connect for it.
    """
    import httpx

    # Its own lines quote whole URLs, with an e-mail address or a key in some.
    logging.getLogger("httpx").setLevel(logging.WARNING)

    class Guarded(httpx.AsyncHTTPTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            place = public_address_of(str(request.url))
            # A request of its own: cookies go by the name, which stays in the other's address.
            checked = httpx.Request(
                request.method,
                request.url.copy_with(host=await checked_address(place, trusted)),
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
