"""No network but what the user asked for, and no file but in the home, the output folder and temp."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.conftest import prepared, serving
from tests.server.hostile import IDEA, Caller
from tests.server.test_mcp_wire import Wire
from tests.support import ABSTRACT, ROOT, SMALL, clean_environment
from tests.watching import Watch


def test_watching_sees_what_it_must(tmp_path: Path) -> None:
    """A connection to a host that answers nobody, and a file beside the folder."""
    seen = tmp_path / "seen"
    seen.mkdir()
    watch = Watch(seen)
    code = (
        "import socket, pathlib, subprocess, sys\n"
        "s = socket.socket(); s.setblocking(False); s.connect_ex(('192.0.2.1', 9)); s.close()\n"
        f"subprocess.run([sys.executable, '-c', \"open('{tmp_path}/beside', 'w').close()\"])\n"
    )
    _run([*watch.command, sys.executable, "-c", code], watch, tmp_path)
    assert watch.asked() == {"192.0.2.1"}
    assert watch.written([seen]) == {f"{tmp_path}/beside"}


@pytest.mark.slow
def test_review_of_the_command_line_asks_nobody_and_writes_where_it_says(
    tmp_path: Path, built: Path
) -> None:
    folder = prepared(tmp_path / "work", built)
    seen = tmp_path / "seen"
    seen.mkdir()
    watch = Watch(seen)
    command = [sys.executable, "-m", "citeloom", "review", str(ABSTRACT), "--library", SMALL]
    _run([*watch.command, *command, "--out", str(folder / "out")], watch, folder)
    assert (folder / "out" / "review.html").exists()
    assert watch.asked() == set()
    home = folder / "home"
    assert watch.written([home, built, folder / "out"]) == set()
    assert {path.name for path in folder.iterdir()} == {"home", "out", "graphs", "langgraph.json"}
    # HOME is CITELOOM_HOME here: nothing else may appear in it, whoever writes.
    assert not [path.name for path in home.iterdir() if path.name.startswith(".")]


async def test_server_and_runs_by_each_of_its_ways_ask_nobody(tmp_path: Path, built: Path) -> None:
    folder = prepared(tmp_path / "work", built)
    seen = tmp_path / "seen"
    seen.mkdir()
    watch = Watch(seen)
    with serving(folder, watch.command, **watch.environment(ROOT)) as server:
        done = Caller(server.url).run("find", text=IDEA, library=SMALL)
        assert done["papers"]
        assert "result" in Caller(server.url).messaged("What is RAG?")
        mcp = Wire(server.url, tasks=False)
        told = await mcp.call("ask_library", question="What is RAG?", library=SMALL)
        assert told["result"]["structuredContent"]["status"] == "completed"
    assert watch.asked() == set()
    assert watch.written([folder, built]) == set()


def _run(command: list[str], watch: Watch, folder: Path) -> None:
    done = subprocess.run(
        command,
        env=clean_environment(folder / "home") | watch.environment(ROOT),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
