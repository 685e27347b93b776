"""HTTP itself: one client for each event loop, one exchange at a time, keys kept out of the logs."""

import logging
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tools.errors import PermanentError
from tools.http.error_mapping import Answer
from tools.http.host import Host, number
from tools.loops import PerLoop
from tools.retry_after import retry_after

if TYPE_CHECKING:
    import httpx

LARGEST_BODY = 64_000_000
"""Bytes after decompression."""


async def open_client() -> "httpx.AsyncClient":
    """Return this event loop's client, made on first use."""
    return await _clients.get()


async def exchange(
    host: Host, url: str, payload: object
) -> tuple[Answer, Mapping[str, str], float]:
    """Send one request with the host's keys and return the whole answer, its headers and seconds.

    Redirects are not followed.

    Raises:
        PermanentError: The answer is too large to read.
        httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError: No whole answer came.
    """
    import httpx

    client = await open_client()
    if host.secret_params:
        # Given as params, they would replace the query that the URL already has.
        secrets = {name: item.get_secret_value() for name, item in host.secret_params.items()}
        url = str(httpx.URL(url).copy_merge_params(secrets))
    secret = {name: item.get_secret_value() for name, item in host.secret_headers.items()}
    started = time.monotonic()
    request = client.build_request(
        "GET" if payload is None else "POST", url, headers={**host.headers, **secret}, json=payload
    )
    response = await client.send(request, stream=True)
    try:
        size, parts = 0, []
        async for part in response.aiter_bytes():
            size += len(part)
            if size > LARGEST_BODY:
                raise PermanentError(f"an answer of {host.name} is too large to read")
            parts.append(part)
    finally:
        await response.aclose()
    answer = Answer(
        status=response.status_code,
        body=b"".join(parts).decode("utf-8", errors="replace"),
        retry_after=retry_after(response.headers),
        wait_hint=number(response.headers.get("x-ratelimit-reset")),
        location=response.headers.get("location", ""),
    )
    return answer, response.headers, time.monotonic() - started


def _make_client() -> "httpx.AsyncClient":
    import httpx

    # Its own lines quote whole URLs, with the keys in them.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    return httpx.AsyncClient(
        headers={"User-Agent": "CiteLoom"},
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=40),
        timeout=None,  # each try has its own, over the whole exchange
    )


_clients = PerLoop(_make_client, lambda client: client.aclose())
