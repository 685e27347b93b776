"""A Zotero library over the web API, version 3 (https://www.zotero.org/support/dev/web_api/v3/start).

Every write names the version of the library that was read, so that it changes nothing that somebody else has
changed since.
"""

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from state.paper import Paper
from tools.bibliography.names import in_parts
from tools.bibliography.read_csl import csl_paper
from tools.bibliography.read_record import RecordError
from tools.bibliography.write_records import csl_item
from tools.errors import InputError, PermanentError, TransientError
from tools.http.hosts import Host, number
from tools.http.response_errors import foreign_errors, judge_exception, judge_status
from tools.http.retrying_client import FIRST_PAUSE, LONGEST_PAUSE, exchange
from tools.scholar.same_work import unite_records
from tools.settings import Settings

Object = Mapping[str, Any]
"""An object of Zotero in JSON, or what is to be changed of it."""
BATCH = 50
"""Objects of one write, at most."""
_PAGE = 100
_LETTERS = "23456789ABCDEFGHIJKLMNPQRSTUVWXYZ"
_KEY_ADVICE = "make a key with write access at zotero.org/settings/keys, and set ZOTERO_API_KEY"
_TYPES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "article": ("preprint", {"DOI": "DOI", "publisher": "repository", "number": "archiveID"}),
    "article-journal": (
        "journalArticle",
        {
            "DOI": "DOI",
            "container-title": "publicationTitle",
            "volume": "volume",
            "issue": "issue",
            "page": "pages",
        },
    ),
    "paper-conference": (
        "conferencePaper",
        {
            "DOI": "DOI",
            "container-title": "proceedingsTitle",
            "volume": "volume",
            "page": "pages",
            "publisher": "publisher",
        },
    ),
    "book": ("book", {"publisher": "publisher", "volume": "volume", "ISBN": "ISBN"}),
    "chapter": (
        "bookSection",
        {"container-title": "bookTitle", "publisher": "publisher", "page": "pages"},
    ),
}
"""For a type of CSL the type of an item, and its fields by their names in CSL."""
_ANY = ("document", {"publisher": "publisher"})


class ZoteroChangedError(TransientError):
    """Somebody changed the library after it was read; nothing was written."""

    def __init__(self) -> None:
        """Say what to do."""
        super().__init__("the Zotero library was changed meanwhile: repeat the command")


@dataclass
class ZoteroLibrary:
    """One library of the holder of the key; see `opened`."""

    host: Host
    place: str
    """Where it is, such as 'users/12' or 'groups/34'."""
    version: int | None = None
    """That of the library when reading it began, or after the last write; None starts anew."""

    @classmethod
    async def opened(cls, settings: Settings, group: int | None = None) -> "ZoteroLibrary":
        """Return the user's own library, or that of a group.

        Raises:
            InputError: There is no key, or it may not write there.
            PermanentError, TransientError: Zotero refuses the key, or does not answer.
        """
        if not settings.zotero_api_key:
            raise InputError(f"no key for Zotero is set: {_KEY_ADVICE}")
        host = Host(
            name="Zotero",
            url=settings.zotero_api_url.rstrip("/"),
            setting="CITELOOM_ZOTERO_API_URL",
            rate=25.0,
            headers={"Zotero-API-Version": "3"},
            secret_headers={"Zotero-API-Key": settings.zotero_api_key},
            key_advice=_KEY_ADVICE,
            timeout=max(settings.source_timeout, 30.0),
            patience=settings.source_patience,
        )
        told, _ = await cls(host, "")._ask("/keys/current")
        groups, own = told["access"].get("groups") or {}, told["access"].get("user")
        rights = (groups.get(str(group), groups.get("all")) if group else own) or {}
        if not rights.get("write") or not (group or rights.get("notes")):
            where = f"the group {group}" if group else "your library and its notes"
            raise InputError(f"the key for Zotero may not write to {where}: {_KEY_ADVICE}")
        return cls(host, f"groups/{group}" if group else f"users/{told['userID']}")

    async def everything(self, path: str) -> list[dict[str, Any]]:
        """Return all objects of a listing, what is in the trash included.

        Raises:
            ZoteroChangedError: The library changed since reading it began.
        """
        found: list[dict[str, Any]] = []
        sign = "&" if "?" in path else "?"
        while True:
            more = f"{sign}includeTrashed=1&limit={_PAGE}&start={len(found)}"
            page, headers = await self._ask(f"/{self.place}/{path}{more}")
            version = int(headers.get("last-modified-version", 0))
            if self.version not in {None, version}:
                raise ZoteroChangedError
            self.version = version
            found += page
            if not page or len(found) >= int(headers.get("total-results", 0)):
                return found

    async def write(
        self, kind: str, objects: Sequence[Object]
    ) -> tuple[dict[str, int], dict[str, str]]:
        """Create or change up to `BATCH` objects; what an object does not name stays.

        Args:
            kind: 'items' or 'collections'.
            objects: What they shall say, each with its key; parents first.

        Returns:
            The new versions of those that changed, and why others were not taken, by key.

        Raises:
            ZoteroChangedError: The library changed since it was read; nothing was written.
            PermanentError, TransientError: Zotero refuses, or does not answer.
        """
        since = {"If-Unmodified-Since-Version": str(self.version or 0)}
        told, headers = await self._ask(f"/{self.place}/{kind}", objects, since)
        self.version = int(headers.get("last-modified-version", 0))
        versions = {one["key"]: one["version"] for one in told["successful"].values()}
        failed = {objects[int(at)]["key"]: one["message"] for at, one in told["failed"].items()}
        return versions, failed

    async def _ask(
        self, path: str, payload: object = None, headers: Mapping[str, str] = {}
    ) -> tuple[Any, Mapping[str, str]]:
        """Return the JSON that answers a request, and the headers; wait as long as Zotero asks."""
        host = replace(self.host, headers={**self.host.headers, **headers})
        end, pause = time.monotonic() + host.patience, FIRST_PAUSE
        while True:
            try:
                async with asyncio.timeout(host.timeout):
                    answer, said, _ = await exchange(host, host.url + path, payload)
            except foreign_errors() as error:
                decision = judge_exception(error, host)
            else:
                if answer.status == 412:
                    raise ZoteroChangedError
                if answer.status == 200:
                    break
                decision = judge_status(answer, host)
            # Who waits here sits at a terminal: without a network nobody waits.
            if not isinstance(decision.error, TransientError) or decision.unreachable:
                raise decision.error
            pause = max(decision.error.retry_after or 0.0, min(2 * pause, LONGEST_PAUSE))
            if time.monotonic() + pause > end:
                raise decision.error
            await asyncio.sleep(pause)
        await asyncio.sleep(min(number(said.get("backoff")) or 0.0, host.patience))
        try:
            return json.loads(answer.body), said
        except ValueError as error:
            raise PermanentError(
                f"what answers at {host.url} is not Zotero: check {host.setting}"
            ) from error


def key_of(*parts: str) -> str:
    """Return the key that an object made for this gets: the same each time, so that none is made twice."""
    digest = sha256("\n".join(parts).encode()).digest()
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in digest[:8])


def matching_items(papers: Sequence[Paper], listed: Sequence[Object]) -> dict[str, Object]:
    """Return the item of each paper that the library has, by the paper's id; one that is not in the trash first.

    `listed` are top items with their CSL records. Papers and items are one work on the grounds of
    tools.scholar.same_work.
    """
    records = list(papers)
    items: list[Object] = []
    for item in listed:
        with suppress(RecordError):  # a note or a file without a parent
            records.append(csl_paper(item.get("csljson")))
            items.append(item)
    found: dict[str, Object] = {}
    for group in unite_records(records):
        same = [items[at - len(papers)] for at in group if at >= len(papers)]
        if same:
            best = min(same, key=lambda item: (is_trashed(item), item["key"]))
            found |= {papers[at].id: best for at in group if at < len(papers)}
    return found


def is_trashed(item: Object) -> bool:
    """Whether an object lies in the trash."""
    return bool(item["data"].get("deleted"))


def item_of(paper: Paper, key: str) -> dict[str, Any]:
    """Return a paper as an item of Zotero; `key` is its citation key, which Zotero keeps in `extra`."""
    record = csl_item(paper, key)
    kind, fields = _TYPES.get(str(record.get("type")), _ANY)
    extra = [f"Citation Key: {key}"]
    if record.get("DOI") and "DOI" not in fields:
        extra.append(f"DOI: {record['DOI']}")
    if paper.arxiv and record.get("number") != f"arXiv:{paper.arxiv}":
        extra.append(f"arXiv: {paper.arxiv}")
    made = {
        "itemType": kind,
        "title": paper.title,
        "creators": [
            _creator(role, name) for role in ("author", "editor") for name in record.get(role, ())
        ],
        "abstractNote": (paper.abstract or "") if paper.abstract_kind == "abstract" else "",
        "date": paper.published.isoformat() if paper.published else str(paper.year or ""),
        "url": str(record.get("URL") or ""),
        "extra": "\n".join(extra),
    }
    return made | {own: str(record[name]) for name, own in fields.items() if record.get(name)}


def _creator(role: str, name: Mapping[str, object]) -> dict[str, str]:
    family, given, suffix = in_parts(name)
    if not family:
        return {"creatorType": role, "name": str(name.get("literal") or given)}
    first = ", ".join(filter(None, [given, suffix]))
    return {"creatorType": role, "firstName": first, "lastName": family}
