"""The Zotero that runs on this machine: references handed to it, and where it keeps the files of its attachments.

References go through the import of its connector server (https://www.zotero.org/support/dev/client_coding/connector_http_server),
which every Zotero has that runs: its newer local API asks a person for leave first, and creates nothing in
some versions of Zotero 10. They land in the collection that is chosen there.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname
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


async def attachment_path(key: str, place: str, url: str) -> Path | None:
    """Return where the Zotero of this machine keeps an attachment's file, which may not be downloaded yet.

    None where no Zotero answers, or it does not know the attachment.

    Args:
        key: The attachment.
        place: The library it is in: 'users/12' or 'groups/34'.
        url: Where Zotero listens, without a path.
    """
    # There 0 is whoever is logged in.
    library = "users/0" if place.startswith("users/") else place
    path = f"{url.rstrip('/')}/api/{library}/items/{key}/file/view/url"
    try:
        async with httpx.AsyncClient(timeout=_TIMEOUT, trust_env=False) as client:
            answer = await client.get(path, headers={"Zotero-API-Version": "3"})
    except httpx.HTTPError:
        return None
    where = urlsplit(answer.text.strip())
    if answer.status_code != httpx.codes.OK or where.scheme != "file":
        return None
    return Path(url2pathname(where.path))
