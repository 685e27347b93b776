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
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.server.conftest import free_port
from tests.support import clean_environment
from tools.callers import ApiKeyLimits, ApiKeys

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


@pytest.mark.parametrize("command", ["app", "dev", "serve"])
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_of_a_server_is_ours_and_installs_nothing(
    checkout: Checkout, command: str, flag: str
) -> None:
    done = checkout.run(command, "--port", "3000", flag)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"usage: ./run {'serve' if command == 'serve' else 'dev'} [OPTIONS]" in done.stdout
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


def start(
    root: Path, command: str, port: int, *options: str, **settings: str
) -> "subprocess.Popen[str]":
    env = clean_environment(root.parent / "home") | {"PYTHONPATH": str(ROOT)} | settings
    return subprocess.Popen(
        [str(root / "run"), command, "--port", str(port), *options],
        cwd=root.parent,
        env=env,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def refusal(root: Path, command: str, port: int, *options: str, **settings: str) -> str:
    with start(root, command, port, *options, **settings) as process:
        printed, said = process.communicate(timeout=120)
    assert process.returncode not in {0, None}
    assert (printed, "Traceback" in said) == ("", False)
    return said


def test_server_says_where_to_go_in_five_lines_and_the_rest_stands_in_its_log(
    installed: Path,
) -> None:
    port = free_port()
    with start(installed, "dev", port) as process:
        assert process.stderr is not None
        lines: list[str] = []
        while not lines or not lines[-1].startswith("Ctrl-C"):
            lines.append(process.stderr.readline())
            assert lines[-1], lines
        page = httpx.get(f"http://127.0.0.1:{port}/app/")
        assert page.is_success
        process.send_signal(signal.SIGINT)
        printed, rest = process.communicate(timeout=60)
    assert printed == ""
    log = installed.parent / "home" / "server" / f"dev-{port}.log"
    assert str(log) in lines[0]
    assert any(f"http://127.0.0.1:{port}/app/" in line for line in lines)
    assert any("Studio: https://" in line for line in lines)
    assert len(lines) <= 5
    assert rest == "Stopped.\n"
    account = log.read_text(encoding="utf-8")
    assert "langgraph" in account
    for sign in ("Traceback", "Unable to parse docstring", "Welcome to"):
        assert sign not in account


@pytest.mark.parametrize("options", [(), ("--n-jobs-per-worker", "3")], ids=["local", "langgraph"])
def test_app_opens_the_page_in_the_browser(installed: Path, options: Sequence[str]) -> None:
    port, shown = free_port(), installed.parent / "shown"
    browser = installed.parent / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >"{shown}"\n')
    browser.chmod(0o755)
    with start(installed, "app", port, *options, BROWSER=f"{browser} %s") as process:
        assert process.stderr is not None
        lines: list[str] = []
        while not any("Ctrl-C" in line for line in lines):
            lines.append(process.stderr.readline())
            assert lines[-1], lines
        while not (shown.exists() and shown.read_text("utf-8")):
            assert process.poll() is None
        assert httpx.get(shown.read_text("utf-8").strip()).is_success
        process.send_signal(signal.SIGINT)
        printed, rest = process.communicate(timeout=60)
    assert process.returncode == 0
    assert printed == ""
    assert (len(lines), rest) == ((3, "Stopped.\n") if options else (1, ""))


def test_what_keeps_a_server_from_starting_is_said_on_the_terminal(installed: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        said = refusal(installed, "app", port)
    assert f"CiteLoom cannot listen on 127.0.0.1, port {port}" in said
    assert "another port with --port NUMBER" in said
    assert "CITELOOM_LLM_TIMEOUT cannot be 'x'" in refusal(
        installed, "dev", port, CITELOOM_LLM_TIMEOUT="x"
    )
    (installed / ".env").write_text("CITELOOM_FAST_MODEL='x\n")
    assert f"line 1 of {installed / '.env'} cannot be read" in refusal(installed, "app", port)
    (installed / ".env").unlink()
    said = refusal(installed, "app", port, CITELOOM_HOME=str(installed / "run"))
    assert f"{installed / 'run'}" in said
    assert "set CITELOOM_HOME to a folder of yours" in said
    said = refusal(installed, "app", port, CITELOOM_AUTH="no.such:auth")
    assert "the server has stopped" in said
    assert "No module named 'no'" in said
    assert f"its log says why: {installed.parent / 'home' / 'server'}" in said


@pytest.mark.parametrize("how", ["PORT", "--port="])
def test_port_is_taken_from_the_environment_or_an_option(installed: Path, how: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = str(busy.getsockname()[1])
        done = subprocess.run(
            [str(installed / "run"), "dev", *([how + port] if how != "PORT" else [])],
            text=True,
            env=clean_environment(installed.parent) | {"PORT": port, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert f"port {port}" in done.stderr


def test_server_that_others_can_reach_is_refused_until_something_says_who_may_call(
    installed: Path,
) -> None:
    port = free_port()
    asks = "make one with `"
    assert asks in refusal(installed, "dev", port, "--host", "0.0.0.0")
    said = refusal(installed, "dev", port, "--host", "0.0.0.0", CITELOOM_AUTH="loopback")
    assert asks in said
    assert "run citeloom keys add NAME`" in said
    # An option that langgraph does not have ends a server that would start.
    wrong = ("--host", "0.0.0.0", "--nonsense")
    assert "--nonsense" in refusal(installed, "dev", port, *wrong, CITELOOM_AUTH="own.auth:auth")
    ApiKeys(installed.parent / "home").add("alice", ApiKeyLimits())
    assert "--nonsense" in refusal(installed, "dev", port, *wrong)


def test_the_program_is_told_what_started_it(checkout: Checkout) -> None:
    checkout.run("citeloom")
    stub = checkout.root / ".venv" / "bin" / "citeloom"
    stub.write_text('#!/bin/sh\necho "$CITELOOM_PROGRAM"\n')
    script = checkout.root / "run"
    assert checkout.run("citeloom").stdout == f"{script} citeloom\n"
    assert checkout.run("review").stdout == f"{script} citeloom\n"


@pytest.mark.parametrize("started", ["./run citeloom", ""])
def test_a_hint_names_the_command_that_the_reader_has(tmp_path: Path, started: str) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from citeloom.cli import main; main()",
            "library",
            "verify",
            "nope",
        ],
        env=os.environ | {"CITELOOM_HOME": str(tmp_path), "CITELOOM_PROGRAM": started},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode != 0
    assert f"`{started or 'citeloom'} library add`" in said
