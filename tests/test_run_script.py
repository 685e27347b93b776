"""The script ./run, driven for real in a small checkout; only uv is a double, which notes its calls.

Servers are real ones, which the script starts in a checkout that is installed.

What uv and pip themselves do with the hashed files, .ci/run shows on every run.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from citeloom.cli.app import app
from citeloom.service import dev
from tests.server.conftest import free_port
from tests.support import clean_environment
from tools.callers import ApiKeyLimits, ApiKeys
from tools.settings import settings

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ["cat", "cmp", "cp", "dirname", "ln", "mkdir", "mv", "readlink", "rm", "sh", "sleep"]

UV = """\
#!/bin/sh
case "$1 ${2:-}" in
    "venv "*)
        for last; do :; done
        mkdir -p "$last/bin"
        ln -s "$REAL_PYTHON" "$last/bin/python"
        echo venv >>"$CALLS"
        ;;
    "pip install")
        for last; do :; done
        echo "${last##*/}" >>"$CALLS"
        sleep "${TAKES:-0}"
        [ ! -e "$BROKEN" ] || { echo "no such package" >&2; exit 1; }
        env=${4%/python}
        printf '#!/bin/sh\\nprintf "%%s\\\\n" "$PWD" "$@"\\n' >"$env/citeloom"
        /bin/chmod +x "$env/citeloom"
        ;;
esac
"""


@dataclass
class Checkout:
    """A checkout of nothing but what ./run reads, and a PATH of nothing but what it may use."""

    root: Path
    outside: Path

    @property
    def env(self) -> dict[str, str]:
        return {
            "PATH": str(self.outside / "bin"),
            "PYTHON": sys.executable,
            "REAL_PYTHON": sys.executable,
            "CALLS": str(self.outside / "calls"),
            "BROKEN": str(self.outside / "broken"),
        }

    def run(
        self, *arguments: str, script: Path | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(script or self.root / "run"), *arguments],
            cwd=self.outside,
            env=self.env | env,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )

    def calls(self) -> list[str]:
        """What uv was asked for since the last look."""
        path = self.outside / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    root = tmp_path / "a folder with spaces"
    outside = tmp_path / "elsewhere"
    (root / "requirements").mkdir(parents=True)
    (outside / "bin").mkdir(parents=True)
    shutil.copy2(ROOT / "run", root / "run")
    (root / "pyproject.toml").write_text("[project]\n")
    for level in ("base", "server", "dev"):
        (root / "requirements" / f"{level}.txt").write_text(f"# {level}\n")
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found, f"{tool} is not on the PATH"
        (outside / "bin" / tool).symlink_to(found)
    (outside / "bin" / "python3").symlink_to(sys.executable)
    (outside / "bin" / "uv").write_text(UV)
    (outside / "bin" / "uv").chmod(0o755)
    return Checkout(root, outside)


def test_no_command_shows_help_and_an_unknown_one_is_named(checkout: Checkout) -> None:
    done = checkout.run()
    assert done.returncode == 0
    for command in ("review", "citeloom", "dev", "serve", "test", "check", "lock"):
        assert f"\n  {command} " in done.stdout
    wrong = checkout.run("revue")
    assert wrong.returncode == 1
    assert "no command 'revue'" in wrong.stderr
    assert not (checkout.root / ".venv").exists()


def test_what_is_missing_is_installed_and_nothing_else(checkout: Checkout) -> None:
    done = checkout.run("citeloom", "library", "a b")
    assert done.stdout.splitlines() == [str(checkout.outside), "library", "a b"], "and no more"
    assert checkout.calls() == ["venv", "base.txt", checkout.root.name]
    assert checkout.run("citeloom").returncode == 0
    assert checkout.calls() == []
    (checkout.root / "requirements" / "base.txt").write_text("# another\n")
    checkout.run("citeloom")
    assert checkout.calls() == ["base.txt"]
    checkout.run("test")  # pytest is not there; only the installation is looked at
    assert checkout.calls() == ["server.txt", "dev.txt"]


@pytest.mark.parametrize(
    ("arguments", "example"),
    [
        ([], True),
        (["--out", "my folder"], True),
        (["--out=x"], True),
        (["draft.md"], False),
        (["--out", "x", "draft.md"], False),
        (["--help"], False),
    ],
)
def test_example_is_reviewed_only_where_nothing_else_is_named(
    checkout: Checkout, arguments: list[str], *, example: bool
) -> None:
    passed = checkout.run("review", *arguments).stdout.splitlines()[1:]
    abstract = [str(checkout.root / "examples" / "abstract.md")] if example else []
    assert passed == ["review", *abstract, *arguments]


def test_interrupted_installation_is_made_again(checkout: Checkout) -> None:
    command = [str(checkout.root / "run"), "citeloom"]
    with subprocess.Popen(
        command, env=checkout.env | {"TAKES": "20"}, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stderr is not None
        assert b"base.txt" in process.stderr.readline()
        os.killpg(process.pid, 9)
    checkout.calls()
    done = checkout.run("citeloom")
    assert done.returncode == 0
    assert "interrupted" in done.stderr
    assert checkout.calls() == ["venv", "base.txt", checkout.root.name]


def test_failed_addition_leaves_what_served_before(checkout: Checkout) -> None:
    checkout.run("citeloom")
    broken = checkout.outside / "broken"
    broken.touch()
    failed = checkout.run("test")
    assert failed.returncode == 1
    assert "no such package" in failed.stderr
    assert "./run tries again" in failed.stderr
    assert checkout.run("citeloom").returncode == 0
    base = checkout.root / "requirements" / "base.txt"
    before = base.read_text()
    base.write_text("# not to be had\n")
    assert checkout.run("citeloom").returncode == 1
    base.write_text(before)
    assert checkout.run("citeloom").returncode == 0, "a change that is taken back needs nothing"
    broken.unlink()
    checkout.calls()
    checkout.run("test")
    assert checkout.calls() == ["server.txt", "dev.txt"]


def test_two_at_once_install_once(checkout: Checkout) -> None:
    command = [str(checkout.root / "run"), "citeloom"]
    env = checkout.env | {"TAKES": "0.3"}
    pair = [
        subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    notes = [process.communicate(timeout=30)[1] for process in pair]
    assert [process.returncode for process in pair] == [0, 0]
    assert checkout.calls() == ["venv", "base.txt", checkout.root.name]
    assert sum(b"waiting" in note for note in notes) <= 1


def test_links_work_and_a_moved_checkout_is_installed_again(checkout: Checkout) -> None:
    folder, script = checkout.outside / "link", checkout.outside / "loom"
    folder.symlink_to(checkout.root)
    script.symlink_to(checkout.root / "run")
    for path in (folder / "run", script):
        assert checkout.run("citeloom", script=path).returncode == 0
    assert checkout.calls() == ["venv", "base.txt", checkout.root.name]
    moved = checkout.root.rename(checkout.root.with_name("moved"))
    done = checkout.run("citeloom", script=moved / "run", PYTHON="")
    assert done.returncode == 0
    assert checkout.calls() == ["venv", "base.txt", "moved"]


def test_somebodys_own_broken_environment_is_not_deleted(checkout: Checkout) -> None:
    mine = checkout.root / ".venv" / "mine"
    mine.parent.mkdir()
    mine.touch()
    done = checkout.run("citeloom")
    assert done.returncode == 1
    assert "move it away" in done.stderr
    assert mine.exists()


def test_too_old_python_is_refused_with_a_remedy(checkout: Checkout) -> None:
    old = checkout.outside / "old-python"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    (checkout.outside / "bin" / "python3").unlink()
    for python, searched in ((str(old), str(old)), ("", "python3.11 python3.12")):
        done = checkout.run("citeloom", PYTHON=python)
        assert done.returncode == 1
        assert f"no Python of 3.11 or newer found as: {searched}" in done.stderr
        assert "PYTHON=" in done.stderr


def test_help_of_a_server_is_ours_and_installs_nothing(checkout: Checkout) -> None:
    for command, flag, shown in (
        ("app", "--help", "dev"),
        ("dev", "-h", "dev"),
        ("serve", "-h", "serve"),
    ):
        done = checkout.run(command, "--port", "3000", flag)
        assert (done.returncode, done.stderr) == (0, "")
        assert f"usage: ./run {shown} [OPTIONS]" in done.stdout
        assert "--port NUMBER" in done.stdout
    assert not (checkout.root / ".venv").exists()
    assert checkout.calls() == []


def test_install_prepares_a_level_and_runs_nothing(checkout: Checkout) -> None:
    assert checkout.run("install", "server").stdout == ""
    assert checkout.calls() == ["venv", "base.txt", "server.txt", checkout.root.name]
    assert "no 'all' to install" in checkout.run("install", "all").stderr


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A checkout whose .venv is there: the Python of these tests, which finds the code of this one."""
    root = tmp_path / "installed here"
    bin_, stamps = root / ".venv" / "bin", root / ".venv" / "run-stamps"
    bin_.mkdir(parents=True)
    stamps.mkdir()
    (bin_ / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (bin_ / "python").chmod(0o755)
    for name in ("run", "langgraph.json", "pyproject.toml", "requirements/server.txt"):
        (root / name).parent.mkdir(exist_ok=True)
        shutil.copy2(ROOT / name, root / name)
        shutil.copy2(ROOT / name, stamps)
    version = ".".join(map(str, sys.version_info[:2]))
    (stamps / "made").write_text(f"{version} {root}\n")
    (root / "graphs").symlink_to(ROOT / "graphs", target_is_directory=True)
    return root


@contextmanager
def start(
    root: Path, command: str, port: int, *options: str, **settings: str
) -> "Iterator[subprocess.Popen[str]]":
    env = clean_environment(root.parent / "home") | {"PYTHONPATH": str(ROOT)} | settings
    with subprocess.Popen(
        [str(root / "run"), command, "--port", str(port), *options],
        cwd=root.parent,
        env=env,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield process
        finally:
            process.kill()  # where the test has failed, it still serves


def test_server_says_where_to_go_in_five_lines_and_the_rest_stands_in_its_log(
    installed: Path,
) -> None:
    port = free_port()
    with start(installed, "dev", port) as process:
        lines = lines_until(process, "Ctrl-C")
        assert httpx.get(f"http://127.0.0.1:{port}/app/", timeout=60).is_success
        process.send_signal(signal.SIGINT)
        printed, rest = process.communicate(timeout=60)
    log = installed.parent / "home" / "server" / f"dev-{port}.log"
    assert str(log) in lines[0]
    assert any(f"http://127.0.0.1:{port}/app/" in line for line in lines)
    assert any("Studio: https://" in line for line in lines)
    assert len(lines) <= 5
    assert (printed, rest) == ("", "Stopped.\n")
    account = log.read_text(encoding="utf-8")
    assert "langgraph" in account
    for sign in ("Traceback", "Unable to parse docstring", "Welcome to"):
        assert sign not in account


def lines_until(process: "subprocess.Popen[str]", sign: str) -> list[str]:
    """Return what it said on standard error, up to the line with the sign."""
    assert process.stderr is not None
    lines: list[str] = []
    while not lines or sign not in lines[-1]:
        lines.append(process.stderr.readline())
        assert lines[-1], lines
    return lines


def test_app_opens_the_page_in_the_browser(installed: Path) -> None:
    port, shown = free_port(), installed.parent / "shown"
    browser = installed.parent / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >"{shown}"\n')
    browser.chmod(0o755)
    with start(installed, "app", port, BROWSER=f"{browser} %s") as process:
        lines = lines_until(process, "Ctrl-C")
        while not (shown.exists() and shown.read_text("utf-8")):
            assert process.poll() is None
        assert httpx.get(shown.read_text("utf-8").strip(), timeout=60).is_success
        process.send_signal(signal.SIGINT)
        printed, rest = process.communicate(timeout=60)
    assert (process.returncode, printed, len(lines), rest) == (0, "", 1, "")


def test_app_that_callers_need_a_key_for_is_langgraphs_server_which_opens_the_page_too(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    become, shown, terminal = list[str](), list[str](), StringIO()

    def execute(_: str, words: list[str]) -> None:
        become.extend(words)
        raise SystemExit

    monkeypatch.setattr("os.execv", execute)
    monkeypatch.setattr("os.environ", dict(os.environ))  # it sets some for the server
    CliRunner().invoke(app, ["app", "--port", "3000", "--n-jobs-per-worker", "3"])
    at = ["--host", "127.0.0.1", "--port", "3000"]
    assert become[3:] == ["citeloom.service.dev", "--open", *at, "--n-jobs-per-worker", "3"]
    monkeypatch.setattr("webbrowser.open", shown.append)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        dev._welcome(("0.0.0.0", port), "http", terminal, opened=True)
    assert shown == [f"http://127.0.0.1:{port}/app/"]
    assert len(terminal.getvalue().splitlines()) == 2


@pytest.fixture
def refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Start LangGraph's server in this process, which it refuses; return what is said."""

    def start(*options: str, **variables: str) -> str:
        with monkeypatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["dev", *options])
            settings.cache_clear()
            with pytest.raises(SystemExit) as ended:
                dev.main()
        settings.cache_clear()
        return str(ended.value)

    return start


def test_what_keeps_a_server_from_starting_is_said(home: Path, refused: Callable[..., str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = str(busy.getsockname()[1])
        said = refused(PORT=port)
        by_app = CliRunner().invoke(app, ["app", f"--port={port}"])
    assert by_app.stderr.split() == said.split()
    assert f"CiteLoom cannot listen on 127.0.0.1, port {port}" in said
    assert "another port with --port NUMBER" in said
    assert "CITELOOM_LLM_TIMEOUT cannot be 'x'" in refused("--port", port, CITELOOM_LLM_TIMEOUT="x")
    env = home.parent / ".env"
    env.write_text("CITELOOM_FAST_MODEL='x\n")
    assert f"line 1 of {env} cannot be read" in refused("--port", port)
    env.unlink()
    (home.parent / "file").touch()
    said = refused("--port", port, CITELOOM_HOME=str(home.parent / "file"))
    assert f"{home.parent / 'file'}" in said
    assert "set CITELOOM_HOME to a folder of yours" in said


def test_server_that_ends_at_its_start_says_why_on_the_terminal(installed: Path) -> None:
    with start(installed, "app", free_port(), CITELOOM_AUTH="no.such:auth") as process:
        printed, said = process.communicate(timeout=120)
    assert process.returncode not in {0, None}
    assert (printed, "Traceback" in said) == ("", False)
    for part in (
        "the server has stopped",
        "No module named 'no'",
        f"its log says why: {installed.parent / 'home' / 'server'}",
    ):
        assert part in said


def test_server_that_others_can_reach_is_refused_until_something_says_who_may_call(
    home: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    wide = ("--host", "0.0.0.0", "--port", str(port))
    for auth in ("", "loopback"):
        assert "keys add NAME`" in refused(*wide, CITELOOM_AUTH=auth)
    ApiKeys(home).add("alice", ApiKeyLimits())
    dev.check_place("0.0.0.0", port)
    (home / "keys.json").unlink()
    monkeypatch.setenv("CITELOOM_AUTH", "own.auth:auth")
    settings.cache_clear()
    dev.check_place("0.0.0.0", port)


def test_option_that_langgraph_does_not_have_is_told(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev, "_welcome", lambda *_: None)
    terminal = StringIO()
    with pytest.raises(SystemExit):
        dev._serve("127.0.0.1", 9, ["--nonsense"], terminal, home / "log", opened=False)
    assert "--nonsense" in terminal.getvalue()


def test_the_program_is_told_what_started_it(checkout: Checkout) -> None:
    checkout.run("citeloom")
    stub = checkout.root / ".venv" / "bin" / "citeloom"
    stub.write_text('#!/bin/sh\necho "$CITELOOM_PROGRAM"\n')
    script = checkout.root / "run"
    assert checkout.run("citeloom").stdout == f"{script} citeloom\n"
    assert checkout.run("review").stdout == f"{script} citeloom\n"


def test_a_hint_names_the_command_that_the_reader_has(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "citeloom", "library", "verify", "nope"],
        env=os.environ
        | {
            "CITELOOM_HOME": str(tmp_path),
            "CITELOOM_PROGRAM": "./run citeloom",
            "PYTHONPATH": str(ROOT),
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert "`./run citeloom library add`" in " ".join((done.stdout + done.stderr).split())
