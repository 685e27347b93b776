"""What the hosted server runs on, where this machine has it: Postgres, Redis, a Python with Aegra."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psycopg

from tests.server.conftest import await_answer, free_port
from tests.support import ROOT, clean_environment

PYTHON = Path(os.environ.get("CITELOOM_HOSTING_PYTHON", ROOT / ".venv-hosting/bin/python"))
_PROGRAMS = os.pathsep.join(
    [os.environ.get("PATH", ""), *map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin")))]
)
"""Debian keeps those of Postgres apart."""


def _missing(*programs: str) -> list[str]:
    return [name for name in programs if not shutil.which(name, path=_PROGRAMS)]


NO_POSTGRES = _missing("initdb", "postgres")
MISSING = [
    *(
        []
        if PYTHON.exists()
        else ["a Python with requirements/hosting.txt (CITELOOM_HOSTING_PYTHON)"]
    ),
    *_missing("initdb", "postgres", "redis-server"),
]
_PATIENCE = 60.0


def image(folder: Path) -> Path:
    """Copy to `folder` what the Dockerfile copies, as far as .dockerignore lets it; return it."""
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    folder.mkdir()
    for line in (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines():
        if line.startswith("COPY "):
            *sources, target = line.split()[1:]
            for source in sources:
                assert f"!{source}" in ignored
                place = Path("/app", target, "" if len(sources) == 1 else source)
                if place.is_relative_to("/app"):
                    copy(ROOT / source, folder / place.relative_to("/app"))
    return folder


def copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)


@dataclass
class Hosted:
    """A hosted server, which can be stopped and started anew."""

    url: str
    folder: Path
    environment: dict[str, str]
    process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        log = self.folder / "hosted.log"
        with log.open("ab") as sink:
            self.process = subprocess.Popen(
                [PYTHON, "-m", "citeloom.service.serve", "--port", self.url.rpartition(":")[2]],
                cwd=self.environment["PYTHONPATH"],
                env=self.environment,
                stdout=sink,
                stderr=subprocess.STDOUT,
            )
        await_answer(f"{self.url}/citeloom/ready", self.process, log)

    def stop(self, sign: int) -> int:
        assert self.process
        self.process.send_signal(sign)
        return self.process.wait(30)

    @property
    def account(self) -> str:
        return (self.folder / "hosted.log").read_text(encoding="utf-8", errors="replace")

    def ready(self) -> httpx.Response:
        return httpx.get(f"{self.url}/citeloom/ready", timeout=10)


@contextmanager
def postgres(folder: Path) -> Iterator[str]:
    """Run Postgres with files in `folder`, and not as root, which it refuses; yield a database's URL."""
    port, owner = free_port(), "nobody" if os.geteuid() == 0 else None
    data = folder / "postgres"
    data.mkdir()
    if owner:
        shutil.chown(data, owner)
    subprocess.run(
        [_found("initdb"), "-D", data, "-U", "citeloom", "-A", "trust", "--no-sync"],
        check=True,
        capture_output=True,
        user=owner,
        cwd="/",
    )
    url = f"postgresql://citeloom@127.0.0.1:{port}/postgres"
    with process(
        _found("postgres"),
        "-D",
        str(data),
        "-p",
        str(port),
        "-h",
        "127.0.0.1",
        "-k",
        str(data),
        user=owner,
    ):
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                psycopg.connect(url).close()
                break
            except psycopg.OperationalError:
                assert time.monotonic() < deadline
                time.sleep(0.1)
        yield url


def _found(program: str) -> str:
    return str(shutil.which(program, path=_PROGRAMS))


@contextmanager
def process(*command: str, user: str | None = None) -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(
        command, user=user, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as running:
        try:
            yield running
        finally:
            running.terminate()
            running.wait(30)


@contextmanager
def hosting(
    folder: Path, home: Path, **settings: str
) -> Iterator[tuple[Hosted, "subprocess.Popen[bytes]"]]:
    """Serve `home`; yield the server, not yet started, and the process of its Redis."""
    with ExitStack() as stack:
        database = stack.enter_context(postgres(folder))
        port = free_port()
        redis = stack.enter_context(
            process(
                _found("redis-server"), "--port", str(port), "--bind", "127.0.0.1", "--save", ""
            )
        )
        environment = {
            **clean_environment(home),
            "PYTHONPATH": str(image(folder / "app")),
            "DATABASE_URL": database,
            "REDIS_URL": f"redis://127.0.0.1:{port}/0",
            "LANGGRAPH_STRICT_MSGPACK": "false",
            # What a crash interrupted is taken up after seconds, not after most of a minute.
            "LEASE_DURATION_SECONDS": "8",
            "HEARTBEAT_INTERVAL_SECONDS": "2",
            "REAPER_INTERVAL_SECONDS": "1",
            **settings,
        }
        server = Hosted(f"http://127.0.0.1:{free_port()}", folder, environment)
        try:
            yield server, redis
        finally:
            if server.process and server.process.poll() is None:
                server.stop(15)
