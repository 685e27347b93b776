"""The script ./run, driven for real in a small checkout; only uv is a double, which notes its calls.

What uv and pip themselves do with the hashed files, .ci/run shows on every run.
"""

import os
import shutil
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support import clean_environment
from tools.keys import KeyLimits, Keys

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


@pytest.mark.parametrize("how", ["PORT", "--port", "--port="])
def test_port_in_use_is_said_and_no_other_is_taken(checkout: Checkout, how: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = str(busy.getsockname()[1])
        if how == "PORT":
            done = checkout.run("dev", PORT=port)
        else:
            done = checkout.run(
                "dev", *(f"{how} {port}".split() if how == "--port" else [how + port])
            )
    assert done.returncode == 1
    assert f"nothing can be served on 127.0.0.1, port {port}" in done.stderr
    assert "another port with --port NUMBER" in done.stderr


def test_server_that_others_can_reach_is_refused_until_something_says_who_may_call(
    tmp_path: Path,
) -> None:
    check = (ROOT / "run").read_text().partition("CHECK='")[2].partition("\n'\n")[0]

    def started(host: str, **settings: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", check, "--host", host, "--port", "0"], text=True,
            env=clean_environment(tmp_path) | settings, cwd=tmp_path, capture_output=True, timeout=60,
            check=False,
        )  # fmt: skip
        assert done.returncode == (1 if done.stderr else 0)
        return done.stderr

    assert started("127.0.0.1") == started("localhost") == ""
    assert "make a key first, with `./run citeloom keys add NAME`" in started("0.0.0.0")
    assert "make a key first" in started("0.0.0.0", CITELOOM_AUTH="loopback")
    assert started("0.0.0.0", CITELOOM_AUTH="own.auth:auth") == ""
    Keys(tmp_path).add("alice", KeyLimits())
    assert started("0.0.0.0") == ""


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
        [sys.executable, "-c", "from citeloom.cli import main; main()", "library", "verify", "nope"],
        env=os.environ | {"CITELOOM_HOME": str(tmp_path), "CITELOOM_PROGRAM": started},
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode != 0
    assert f"`{started or 'citeloom'} library add`" in said
