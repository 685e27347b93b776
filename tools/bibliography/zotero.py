"""References handed to the Zotero that runs on this machine.

Through the import of its connector server (https://www.zotero.org/support/dev/client_coding/connector_http_server),
which every Zotero has that runs: its newer local API asks a person for leave first, and creates nothing in
some versions of Zotero 10. They land in the collection that is chosen there.
"""

from contextlib import suppress
from typing import Any
from uuid import uuid4

import httpx

from tools.errors import InputError, PermanentError, TransientError

_RIS = "application/x-research-info-systems"
_TIMEOUT = httpx.Timeout(60, connect=3)


async def send_to_zotero(ris: str, url: str) -> int:
    """Send references in RIS; return how many Zotero took.

    Args:
        ris: The references.
        url: Where Zotero listens, without a path.

    Raises:
        TransientError: It does not run.
        InputError: What is chosen there cannot be changed.
        PermanentError: It cannot read them.
    """
    # Without the header it takes the request for one of a web page, and refuses it.
    headers = {"Content-Type": _RIS, "X-Zotero-Connector-API-Version": "3"}
    path = f"{url.rstrip('/')}/connector/import?session={uuid4().hex}"
    try:
        async with httpx.AsyncClient(timeout=_TIMEOUT, trust_env=False) as client:
            answer = await client.post(path, content=ris.encode(), headers=headers)
    except httpx.HTTPError as error:
        raise TransientError(
            f"Zotero does not answer at {url} ({type(error).__name__}): start it on this machine, and allow other "
            "applications to communicate with it (Settings, Advanced)"
        ) from error
    taken: Any = None
    if answer.status_code == httpx.codes.CREATED:
        with suppress(ValueError):
            taken = answer.json()
    elif "libraryEditable" in answer.text:
        raise InputError(
            "the library that is chosen in Zotero cannot be changed: choose another there"
        )
    if not isinstance(taken, list):
        raise PermanentError(
            f"Zotero did not take the references (it answered {answer.status_code})"
        )
    return len(taken)
