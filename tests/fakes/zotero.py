"""Zotero's web API, version 3, as far as it is used here: versions, batches, partial failures, the trash.

After https://www.zotero.org/support/dev/web_api/v3/write_requests. The Zotero of this machine is here too, as far as it
tells where files stand.
"""

import json
import re
import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.fakes.loopback import Loopback, LoopbackServer

KEY = "a-key-of-twenty-four-abc"
USER = 12
_KEY = re.compile(r"[23456789ABCDEFGHIJKLMNPQRSTUVWXYZ]{8}")
_SORT = re.compile(r"\d{5}\|\d{6}\|\d{5}")
_ANY = {
    "itemType",
    "title",
    "creators",
    "abstractNote",
    "date",
    "url",
    "extra",
    "tags",
    "collections",
    "relations",
}
_FIELDS = {
    "preprint": {"repository", "archiveID", "DOI"},
    "journalArticle": {"publicationTitle", "volume", "issue", "pages", "DOI"},
    "conferencePaper": {"proceedingsTitle", "publisher", "volume", "pages", "DOI"},
    "book": {"publisher", "volume", "ISBN"},
    "bookSection": {"bookTitle", "publisher", "pages"},
    "document": {"publisher"},
}
_CSL = {
    "preprint": "article",
    "journalArticle": "article-journal",
    "conferencePaper": "paper-conference",
    "book": "book",
    "bookSection": "chapter",
}
_OWN = {
    "note": {"itemType", "parentItem", "note", "tags"},
    "annotation": {
        "itemType", "parentItem", "annotationType", "annotationText", "annotationComment", "annotationColor",
        "annotationPageLabel", "annotationSortIndex", "annotationPosition", "tags",
    },
    "attachment": {"itemType", "parentItem", "contentType", "md5", "linkMode", "filename", "tags"},
}  # fmt: skip


def nobody() -> None:
    """Change nothing before a write."""


@dataclass
class Request:
    """What came."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any
    at: float


@dataclass
class Reply:
    """An answer in place of the right one."""

    status: int
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)


class ZoteroServer(Loopback):
    """One user's library and those of groups, by place ('users/12')."""

    def __init__(self) -> None:
        super().__init__(LoopbackServer, _Handler)
        self.requests: list[Request] = []
        self.objects: dict[str, dict[str, dict[str, Any]]] = {}
        """By 'users/12/items' and such, then by key: what the editable JSON says."""
        self.versions: dict[str, int] = {}
        self.writes = True
        self.notes = True
        self.groups: dict[str, Any] = {}
        self.replies: list[Reply] = []
        """What is answered next, before any right answer; an empty one lets the request through with its headers."""
        self.meanwhile: list[Callable[[], None]] = []
        """What others do just before each of the next writes."""
        self.refused: set[str] = set()
        """Titles and kinds that writing fails for."""
        self.files: dict[str, Path] = {}
        """Where the Zotero of this machine has the files of attachments."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def put(self, key: str, kind: str = "items", place: str = f"users/{USER}", **data: Any) -> str:
        """Have an object, as if its user had made or changed it."""
        self.versions[place] = self.versions.get(place, 0) + 1
        held = self.objects.setdefault(f"{place}/{kind}", {})
        held[key] = {**held.get(key, {}), **data, "key": key, "version": self.versions[place]}
        return key

    def delete(self, key: str, place: str = f"users/{USER}") -> None:
        """Erase an item."""
        del self.objects[f"{place}/items"][key]
        self.versions[place] += 1

    def held(self, kind: str = "", place: str = f"users/{USER}") -> list[dict[str, Any]]:
        """Return the items of a type, or the collections."""
        if not kind:
            return list(self.objects.get(f"{place}/collections", {}).values())
        return [
            one
            for one in self.objects.get(f"{place}/items", {}).values()
            if one["itemType"] == kind
        ]

    def answer(self, asked: Request) -> Reply:
        """Answer a request."""
        with self._lock:
            self.requests.append(asked)
            extra = self.replies.pop(0) if self.replies else Reply(0)
            if extra.status:
                return extra
            reply = self._answer(asked)
            return Reply(reply.status, reply.body, {**reply.headers, **extra.headers})

    def _answer(self, asked: Request) -> Reply:
        parts = urlsplit(asked.path)
        if found := re.fullmatch(
            r"/api/(?:users/0|groups/\d+)/items/(\w+)/file/view/url", parts.path
        ):
            file = self.files.get(found[1])
            return Reply(200, file.as_uri()) if file else Reply(404, "Not found")
        if asked.headers.get("zotero-api-key") != KEY:
            return Reply(403, "Invalid key")
        if asked.headers.get("zotero-api-version") != "3":
            return Reply(400, "API version 3 expected")
        if parts.path == "/keys/current":
            user = {"library": True, "files": True, "notes": self.notes, "write": self.writes}
            access = {"user": user, **({"groups": self.groups} if self.groups else {})}
            told = {"key": KEY, "userID": USER, "username": "owl", "access": access}
            return Reply(200, json.dumps(told))
        found = re.fullmatch(r"/((?:users|groups)/\d+)/(items|collections)(/.+)?", parts.path)
        if not found:
            return Reply(404, "Not found")
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if asked.method == "GET":
            return self._list(found[1], found[2], found[3] or "", query)
        return self._write(found[1], found[2], asked)

    def _list(self, place: str, kind: str, below: str, query: dict[str, str]) -> Reply:
        held = list(self.objects.get(f"{place}/{kind}", {}).values())
        if below == "/top":
            held = [one for one in held if "parentItem" not in one]
        elif below:
            parent = below.removesuffix("/children").strip("/")
            held = [one for one in held if one.get("parentItem") == parent]
        if "itemKey" in query:
            keys = query["itemKey"].split(",")
            assert len(keys) <= 50
            held = [one for one in held if one["key"] in keys]
        if query.get("includeTrashed") != "1":
            held = [one for one in held if not one.get("deleted")]
        start, limit = int(query.get("start", 0)), min(int(query.get("limit", 25)), 100)
        told = [
            {"key": one["key"], "version": one["version"], "data": one}
            | ({"csljson": _csl(one)} if "csljson" in query.get("include", "") else {})
            for one in held[start : start + limit]
        ]
        version = self.versions.get(place, 0)
        headers = {"Total-Results": str(len(held)), "Last-Modified-Version": str(version)}
        return Reply(200, json.dumps(told), headers)

    def _write(self, place: str, kind: str, asked: Request) -> Reply:
        if not self.writes:
            return Reply(403, "Write access denied")
        if len(asked.body) > 50:
            return Reply(413, "Too many objects")
        if self.meanwhile:
            self.meanwhile.pop(0)()
        since = asked.headers.get("if-unmodified-since-version")
        version = self.versions.get(place, 0)
        if since is None:
            return Reply(428, "If-Unmodified-Since-Version not provided")
        if int(since) < version:
            return Reply(412, f"Library has been modified since specified version ({version})")
        told: dict[str, dict[str, Any]] = {"successful": {}, "unchanged": {}, "failed": {}}
        held = self.objects.setdefault(f"{place}/{kind}", {})
        changed = False
        for at, data in enumerate(asked.body):
            key, now = data["key"], held.get(data["key"])
            new = {**(deepcopy(now) if now else {}), **data}
            if why := self._fault(place, kind, new, held):
                told["failed"][str(at)] = {"key": key, "code": 400, "message": why}
            elif now and now | data == now:
                told["unchanged"][str(at)] = key
            else:
                changed = True
                held[key] = {**new, "version": version + 1}
                told["successful"][str(at)] = {
                    "key": key,
                    "version": version + 1,
                    "data": held[key],
                }
        self.versions[place] = version + changed
        headers = {"Last-Modified-Version": str(version + changed)}
        return Reply(200, json.dumps({**told, "success": {}}), headers)

    def _fault(
        self, place: str, kind: str, data: dict[str, Any], held: dict[str, dict[str, Any]]
    ) -> str:
        if not _KEY.fullmatch(data["key"]):
            return f"'{data['key']}' is not a valid object key"
        if kind == "collections":
            return "" if data.get("name") else "Collection name not provided"
        type_ = data.get("itemType", "")
        allowed = _OWN.get(type_) or (_ANY | _FIELDS[type_] if type_ in _FIELDS else set())
        if unknown := data.keys() - allowed - {"key", "version", "deleted"}:
            return f"'{min(unknown)}' is not a valid field for type '{type_}'"
        if {type_, data.get("title")} & self.refused:
            return "An error occurred"
        known = self.objects.get(f"{place}/collections", {})
        if missing := [one for one in data.get("collections", ()) if one not in known]:
            return f"Collection {missing[0]} not found"
        parent = held.get(data["parentItem"]) if "parentItem" in data else None
        if "parentItem" in data and not parent:
            return f"Parent item {data['parentItem']} not found"
        if type_ == "annotation":
            good = (
                parent and parent.get("contentType") == "application/pdf"
                and _SORT.fullmatch(data["annotationSortIndex"])
                and isinstance(data["annotationPosition"], str)
                and len(data["annotationPosition"]) <= 65535
                and re.fullmatch("#[0-9a-z]{6}", data["annotationColor"])
                and len(data["annotationPageLabel"]) <= 50
            )  # fmt: skip
            return "" if good else "Invalid annotation"
        return ""


def _csl(data: dict[str, Any]) -> dict[str, Any]:
    """Return an item as Zotero gives it in CSL JSON."""
    made = {
        "id": f"{USER}/{data['key']}",
        "type": _CSL.get(data["itemType"], "document"),
        "title": data.get("title", ""),
        "DOI": data.get("DOI"),
        "URL": data.get("url"),
        "number": data.get("archiveID"),
        "note": data.get("extra"),
        "author": [
            {"family": one["lastName"], "given": one["firstName"]}
            if "lastName" in one
            else {"literal": one["name"]}
            for one in data.get("creators", ())
        ],
    }
    if data.get("date"):
        made["issued"] = {"date-parts": [[*map(int, data["date"].split("-"))]]}
    return {name: value for name, value in made.items() if value}


class _Handler(BaseHTTPRequestHandler):
    server: LoopbackServer
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self.server.fake.opened(self.connection)

    def finish(self) -> None:
        super().finish()
        self.server.fake.closed(self.connection)

    def do_GET(self) -> None:
        self._reply()

    def do_POST(self) -> None:
        self._reply()

    def _reply(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size)) if size else None
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Request(self.command, self.path, headers, body, time.monotonic())
        reply = self.server.fake.answer(asked)
        content = reply.body.encode()
        self.send_response(reply.status)
        for name, value in {**reply.headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None: ...
