"""The program itself: its version, `python -m citeloom`, completion in the shell."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.support import ROOT, clean_environment


def run(home: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    environment = {**clean_environment(home), "PYTHONPATH": str(ROOT), **env}
    return subprocess.run(
        [sys.executable, "-m", "citeloom", *arguments],
        cwd=home.parent, env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_version_is_that_of_the_package(home: Path) -> None:
    done = run(home, "--version")
    assert (done.returncode, done.stdout) == (0, f"citeloom {version('citeloom')}\n")


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("citeloom re", {"review", "revise"}),
        ("citeloom runs ", {"list", "show"}),
        ("citeloom ask --meth", {"--method"}),
        ("citeloom library pa", {"papers"}),
    ],
)
def test_shell_completes_commands_and_options(home: Path, words: str, offered: set[str]) -> None:
    assert "_CITELOOM_COMPLETE" in run(home, "--show-completion", "bash", SHELL="bash").stdout
    told = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}
    done = run(home, _CITELOOM_COMPLETE="complete_bash", **told)
    assert set(done.stdout.split()) == offered
