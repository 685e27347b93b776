"""Watching what a process and its children do: whom they connect to, and what they write."""

import ipaddress
import os
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

# Read by every Python that starts with it on its path, the children of children too.
_HOOK = """
import os, sys
_log = os.open(os.environ["WATCHED"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
def _hook(event, args):
    if event == "socket.connect" or event == "socket.sendto":
        told = f"to {args[1][0]}" if isinstance(args[1], tuple) else ""
    elif event == "socket.getaddrinfo":
        told = f"to {args[0]}"
    elif event == "open" and isinstance(args[0], (str, bytes)) and args[2] & _WRITES:
        told = f"at {os.path.abspath(os.fsdecode(args[0]))}"
    elif event in ("os.mkdir", "os.rename", "sqlite3.connect"):
        told = f"at {os.path.abspath(os.fsdecode(args[0]))}"
    else:
        return
    os.write(_log, (told + "\\n").encode("utf-8", "replace"))
sys.addaudithook(_hook)
"""
_SENT = re.compile(r'(?:sin_addr=inet_addr\("|inet_pton\(AF_INET6, ")([^"]+)')
_WRITTEN = re.compile(
    r'openat\([^,]+, "([^"]+)", [^)]*O_(?:WRONLY|RDWR|CREAT)|mkdir(?:at)?\((?:[^",]+, )?"([^"]+)"'
)


@dataclass(frozen=True)
class Watch:
    """A folder in which what is seen is written: by Python's audit hooks and, where it is, by strace."""

    folder: Path

    @property
    def command(self) -> list[str]:
        """What to put before a command."""
        strace = shutil.which("strace")
        calls = "trace=connect,sendto,sendmsg,openat,mkdir,mkdirat"
        told = str(self.folder / "strace.log")
        return [strace, "-D", "-f", "-qq", "-s", "300", "-e", calls, "-o", told] if strace else []

    def environment(self, path: Path) -> dict[str, str]:
        """What the command's environment needs, with `path` to import from."""
        (self.folder / "sitecustomize.py").write_text(_HOOK)
        (self.folder / "temp").mkdir()
        return {
            "TMPDIR": str(self.folder / "temp"),
            "PYTHONPATH": f"{self.folder}{os.pathsep}{path}",
            "PYTHONDONTWRITEBYTECODE": "1",  # what Python itself keeps is not what is looked for
            "ORT_DISABLE_TELEMETRY": "",  # the tests' own process has switched it off for its children
            "WATCHED": str(self.folder / "hooks.log"),
        }

    def asked(self) -> set[str]:
        """Return the hosts and addresses that are not this machine's own."""
        told = {line[3:] for line in self._hooked() if line.startswith("to ")}
        told |= set(_SENT.findall(self._traced()))
        return {host for host in told if not _is_here(host)}

    def written(self, allowed: Iterable[Path]) -> set[str]:
        """Return what was written below none of these folders; caches of compiled Python aside."""
        told = {line[3:] for line in self._hooked() if line.startswith("at ")}
        told |= {one or other for one, other in _WRITTEN.findall(self._traced())}
        kept = (str(self.folder), *map(str, allowed))
        return {
            path
            for path in told
            if path.startswith("/") and "__pycache__" not in path
            if not path.startswith(("/dev/", "/proc/")) or path.startswith("/dev/shm/pytest-of-")
            if not path.startswith(kept)
        }

    def _hooked(self) -> list[str]:
        return (self.folder / "hooks.log").read_text(encoding="utf-8").splitlines()

    def _traced(self) -> str:
        log = self.folder / "strace.log"
        return log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host in {"localhost", "None", ""}
