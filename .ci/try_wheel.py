"""Install a wheel as a stranger does, from the package index, and use it: `python .ci/try_wheel.py pip WHEEL`.

The installer is pip, uv (`uv tool run`) or pipx. Nothing of the checkout is there. Sizes and times are told and held
to nothing; what a command has to do is.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

ABSTRACT = """Reviewing the literature by hand does not keep pace with what is published. We study whether large
language models can rank candidate papers and write a related-work section whose citations are correct.
"""
_REFUSED = 3
"""The exit code of a check that found something."""
_MCP = (
    (
        "initialize",
        {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "try", "version": "1"},
        },
    ),
    ("tools/list", {}),
    (
        "tools/call",
        {"name": "ask_library", "arguments": {"question": "How does LitLLM rank papers?"}},
    ),
)


def main(installer: str, wheel: Path, work: Path) -> int:
    """Return 0 if the wheel does what it should, else 1; tell how large it is and how long each command takes."""
    empty = work / "empty"
    empty.mkdir()
    try:
        began = time.monotonic()
        command, place, variables = _INSTALLERS[installer](wheel.resolve(), work)
        run([*command, "--version"], empty, variables)
        spent, size = time.monotonic() - began, megabytes(place)
        told = [
            ("install", spent),
            *tried(command, empty, {**variables, "CITELOOM_HOME": str(work / "home")}),
        ]
    except AssertionError as fault:
        sys.stdout.write(f"{installer}: {fault}\n")
        return 1
    sys.stdout.write(f"{installer}: {size:.0f} MB; {in_words(told)}\n")
    return 0


def with_pip(wheel: Path, work: Path) -> tuple[Sequence[str], Path, Mapping[str, str]]:
    """Install with pip into a new environment; return the command, what it takes on disk, and variables to set."""
    run([sys.executable, "-m", "venv", str(work / "env")], work)
    python = work / "env" / "bin" / "python"
    run([str(python), "-m", "pip", "install", "--quiet", str(wheel)], work)
    return [str(python.with_name("citeloom"))], work / "env", {}


def with_uv(wheel: Path, work: Path) -> tuple[Sequence[str], Path, Mapping[str, str]]:
    """Run with `uv tool run`, which is `uvx`, and a cache that is empty before."""
    command = [
        "uv",
        "tool",
        "run",
        "--quiet",
        "--python",
        sys.executable,
        "--from",
        str(wheel),
        "citeloom",
    ]
    return command, work / "cache", {"UV_CACHE_DIR": str(work / "cache")}


def with_pipx(wheel: Path, work: Path) -> tuple[Sequence[str], Path, Mapping[str, str]]:
    """Install with pipx into a home of its own."""
    places = {"PIPX_HOME": str(work / "pipx"), "PIPX_BIN_DIR": str(work / "bin")}
    run(["pipx", "install", "--quiet", "--python", sys.executable, str(wheel)], work, places)
    return [str(work / "bin" / "citeloom")], work / "pipx", {}


_INSTALLERS = {"pip": with_pip, "uv": with_uv, "pipx": with_pipx}


def tried(
    command: Sequence[str], empty: Path, variables: Mapping[str, str]
) -> list[tuple[str, float]]:
    """Use a wheel as a newcomer does, in a folder that is empty; return the seconds of each thing."""
    (empty / "abstract.md").write_text(ABSTRACT, encoding="utf-8")
    section = "reviewed/review.md"
    asked = {
        "--help": (["--help"], 0, "review"),
        "review": (["review", "abstract.md", "--out", "reviewed"], 0, ""),
        "verify": (["verify", section, "--out", "verified"], _REFUSED, "not checked"),
        "references": (["references", section, "--out", "read"], 0, "references read"),
        "ask": (["ask", "How does LitLLM rank papers?"], 0, "LitLLM"),
    }
    told = []
    for name, (arguments, code, said) in asked.items():
        began = time.monotonic()
        output = run([*command, *arguments], empty, variables, code)
        told.append((name, time.monotonic() - began))
        assert said in output, f"{name} says {output[-2000:]}"
    assert "[1]" in (empty / section).read_text(encoding="utf-8"), "the review cites nothing"
    return [
        *told,
        ("mcp", spoken_to(command, empty, variables)),
        *served(command, empty, variables),
    ]


def spoken_to(command: Sequence[str], empty: Path, variables: Mapping[str, str]) -> float:
    """Speak MCP over stdin and stdout: list the tools and call one; return the seconds until the tools are listed."""
    began = listed = time.monotonic()
    with started([*command, "mcp"], empty, variables) as server:
        assert server.stdin
        assert server.stdout
        for number, (method, params) in enumerate(_MCP):
            said = [{"jsonrpc": "2.0", "id": number, "method": method, "params": params}]
            if method == "tools/list":
                said.insert(0, {"jsonrpc": "2.0", "method": "notifications/initialized"})
            server.stdin.write("".join(f"{json.dumps(message)}\n" for message in said))
            server.stdin.flush()
            answer: dict[str, Any] = {}
            while answer.get("id") != number:
                line = server.stdout.readline()
                assert line, f"mcp ended: {server.communicate()[1][-2000:]}"
                answer = json.loads(line)
            assert "result" in answer, f"{method}: {answer}"
            if method == "tools/list":
                listed = time.monotonic()
                names = {tool["name"] for tool in answer["result"]["tools"]}
                assert {"review", "ask_library"} <= names, f"over MCP there are {sorted(names)}"
        assert not answer["result"].get("isError"), answer
        server.stdin.close()
        assert server.wait(60) == 0, "mcp did not end with its client"
    return listed - began


def served(
    command: Sequence[str], empty: Path, variables: Mapping[str, str]
) -> list[tuple[str, float]]:
    """Open the page; return the seconds until it is served, and until what it asks for is answered."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    began = time.monotonic()
    with started(
        [*command, "app", "--port", str(port)], empty, {**variables, "BROWSER": "true"}
    ) as server:
        page = answered(f"{url}/app/", server)
        seconds = time.monotonic() - began
        assert b"CiteLoom" in page, "the page is not served"
        names = {
            item["name"]
            for item in json.loads(answered(f"{url}/citeloom/libraries", server))["libraries"]
        }
        loaded = time.monotonic() - began
        assert "starter" in names, f"the libraries are {names}"
        server.send_signal(signal.SIGINT)
        _, said = server.communicate(timeout=60)
        assert server.returncode == 0, f"app ended with {server.returncode}: {said[-2000:]}"
        assert len(said.splitlines()) == 1, f"app says {said[-2000:]}"
        assert url in said, said
    return [("app", seconds), ("app's data", loaded)]


def answered(url: str, server: "subprocess.Popen[str]") -> bytes:
    """Return what a server answers, as soon as it does."""
    while True:
        assert server.poll() is None, f"app ended: {server.communicate()[1][-2000:]}"
        try:
            with urlopen(url, timeout=60) as answer:
                return bytes(answer.read())
        except URLError:
            time.sleep(0.02)


@contextmanager
def started(
    command: Sequence[str], cwd: Path, variables: Mapping[str, str]
) -> Iterator["subprocess.Popen[str]"]:
    """Start a program that is spoken to; it does not outlive the trial."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=environment(variables),
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def run(command: Sequence[str], cwd: Path, variables: Mapping[str, str] = {}, code: int = 0) -> str:
    """Run a command that ends with this code, and return what it prints."""
    done = subprocess.run(
        command, cwd=cwd, env=environment(variables), capture_output=True, text=True, check=False
    )
    said = f"{' '.join(command[:4])} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    assert done.returncode == code, said[-4000:]
    return done.stdout + done.stderr


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of this process without those that lead to a checkout."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in {"PYTHONPATH", "VIRTUAL_ENV"}
    }
    return {**kept, **variables}


def megabytes(place: Path) -> float:
    """Return the size of a folder, each file once, however often it is linked."""
    found = (path.lstat() for path in place.rglob("*") if path.is_file() and not path.is_symlink())
    return sum({status.st_ino: status.st_size for status in found}.values()) / 1e6


def in_words(told: Sequence[tuple[str, float]]) -> str:
    """Return times in a line."""
    return ", ".join(f"{name} {seconds:.1f} s" for name, seconds in told)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in _INSTALLERS:
        sys.exit(f"usage: try_wheel.py {'|'.join(_INSTALLERS)} WHEEL")
    with TemporaryDirectory() as folder:
        sys.exit(main(sys.argv[1], Path(sys.argv[2]), Path(folder)))
