"""Who calls a run, by the name that the server gave, and the keys of callers, of which only hashes are kept."""

import hmac
import json
import os
import re
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from filelock import FileLock
from pydantic import Field, TypeAdapter, ValidationError

from state.value import FrozenModel
from tools.errors import InputError

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

ANONYMOUS = "(anybody)"
"""Who calls a server that asks for no keys: no key has this name, and Aegra serves nobody without one."""


def caller_of(run: "Runtime[Any] | Mapping[str, Any] | None" = None) -> str:
    """Return who calls a run: "" at the command line, in Python, and on a server without auth.

    Args:
        run: The runtime of a node, or a run's config, in which a server keeps its user; without
            it, or where the runtime does not know, the config of the node that is under way.

    Raises:
        InputError: The run's own settings name a user, which only the server's auth may do.
    """
    user = _user(run)
    if user is None:
        return ""
    # A server hands on an object. What a caller wrote into the config, whose own keys langgraph-api
    # 0.16 lets stand above the server's, comes from JSON and has no attributes.
    identity = getattr(user, "identity", None)
    if not isinstance(identity, str):
        raise InputError("a run's config cannot name its user: leave langgraph_auth_user out")
    return "" if identity == ANONYMOUS else identity


def caller_folder(caller: str) -> str:
    """Return what names a caller in paths and namespaces, whatever the name holds."""
    return sha256(caller.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def daily_usd_of(run: "Runtime[Any]") -> float | None:
    """Return what the caller's key allows its runs to cost a day; None where it sets no limit."""
    allowed = getattr(_user(run), "usd_a_day", None)
    return float(allowed) if isinstance(allowed, (int, float)) else None


def _user(run: "Runtime[Any] | Mapping[str, Any] | None") -> object:
    from langgraph.runtime import Runtime

    if isinstance(run, Runtime) and run.server_info and run.server_info.user:
        return run.server_info.user
    config = run if isinstance(run, Mapping) else _present()
    return (config.get("configurable") or {}).get("langgraph_auth_user")


def _present() -> Mapping[str, Any]:
    from langgraph.config import get_config

    try:
        return get_config()
    except RuntimeError:  # no node is under way
        return {}


NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class ApiKeyLimits(FrozenModel):
    """What one caller may have of a server."""

    runs_at_once: int = Field(default=4, ge=1, description="Runs under way at once.")
    requests_a_minute: int = Field(default=600, ge=1, description="Requests in any minute.")
    runs_a_day: int | None = Field(default=None, ge=1, description="Runs started in any 24 hours.")
    usd_a_day: float | None = Field(
        default=None, ge=0, description="USD that LLM calls and sources may cost a day (UTC)."
    )


class Key(FrozenModel):
    """A caller's key, as it is kept."""

    name: str
    """The caller: runs, sections and libraries belong to this name, also with a later key of it."""
    hash: str
    made: datetime
    limits: ApiKeyLimits = ApiKeyLimits()


_KEYS = TypeAdapter(list[Key])
_read: dict[Path, tuple[tuple[int, int, int], list[Key]]] = {}


class ApiKeys:
    """The keys of one home. Reads the disk: call it off the event loop."""

    def __init__(self, home: Path) -> None:
        self._path = home.expanduser() / "keys.json"

    @property
    def kept(self) -> bool:
        """Whether keys are asked for: once one was made, also when all are revoked."""
        return self._path.exists()

    def all(self) -> list[Key]:
        """Return the keys, the oldest first.

        Raises:
            InputError: The file is damaged, or others may read it.
        """
        try:
            seen = self._path.stat()
            version = (seen.st_ino, seen.st_ctime_ns, seen.st_size)
            known, keys = _read.get(self._path, (None, []))
            if known != version:
                if os.name == "posix" and seen.st_mode & 0o077:
                    raise InputError(f"others may read {self._path}: run `chmod 600 {self._path}`")
                keys = _KEYS.validate_json(self._path.read_bytes())
                _read[self._path] = version, keys
        except FileNotFoundError:
            return []
        except (OSError, ValidationError) as error:
            raise InputError(f"{self._path} cannot be read: restore it, or delete it") from error
        return keys

    def named(self, caller: str) -> Key | None:
        """Return a caller's key."""
        return next((key for key in self.all() if key.name == caller), None)

    def holder(self, secret: str) -> Key | None:
        """Return the key that this is, in the same time whatever it has in common with one."""
        found, given = None, _hash(secret)
        for key in self.all():
            if hmac.compare_digest(key.hash, given):
                found = key
        return found

    def add(self, name: str, limits: ApiKeyLimits) -> str:
        """Make a key and return it; it cannot be shown again.

        Raises:
            InputError: The name cannot be one, or has a key.
        """
        if not NAME.fullmatch(name):
            raise InputError(
                f"'{name}' cannot name a caller: use at most 64 of a-z, 0-9, '-' and '_', the first "
                "a letter or digit"
            )
        secret = "citeloom_" + secrets.token_urlsafe(32)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{self._path}.lock"):
            if self.named(name):
                raise InputError(
                    f"'{name}' already has a key: revoke it first (this deletes nothing else)"
                )
            made = Key(name=name, hash=_hash(secret), made=datetime.now(UTC), limits=limits)
            self._write([*self.all(), made])
        return secret

    def revoke(self, name: str) -> None:
        """Forget a caller's key; what belongs to the caller stays.

        Raises:
            InputError: There is none.
        """
        if not self.named(name):
            names = ", ".join(key.name for key in self.all()) or "none"
            raise InputError(f"'{name}' has no key; keys are there of: {names}")
        with FileLock(f"{self._path}.lock"):
            self._write([key for key in self.all() if key.name != name])

    def _write(self, keys: list[Key]) -> None:
        draft = self._path.with_name(f".keys-{uuid4().hex}")
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(_KEYS.dump_python(keys, mode="json"), file, indent=1)
        os.replace(draft, self._path)


def _hash(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
