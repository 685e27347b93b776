"""The program itself: its version, `python -m citeloom`, completion in the shell."""

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from citeloom.cli.app import app
from tests.support import ROOT, clean_environment
from tools.run_settings import setting_fields


def process(home: Path, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "citeloom", *arguments],
        cwd=home.parent,
        env={**clean_environment(home), "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_version_is_that_of_the_package(home: Path) -> None:
    with process(home, "--version") as done:
        assert done.communicate(timeout=60) == (f"citeloom {version('citeloom')}\n", "")
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("citeloom re", {"references", "review", "revise"}),
        ("citeloom runs ", {"list", "show", "resume", "delete", "prune", "spending"}),
        ("citeloom ask --li", {"--library", "--listen"}),
    ],
)
def test_shell_completes_commands_and_options(words: str, offered: set[str]) -> None:
    told = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}
    asked = {"_CITELOOM_COMPLETE": "complete_bash", **told}
    done = CliRunner().invoke(app, prog_name="citeloom", env=asked)
    assert set(done.stdout.split()) == offered


def test_reader_that_has_enough_is_no_fault(home: Path) -> None:
    with process(home, "library", "search", "starter", "drawing graphs") as running:
        assert running.stdout
        assert running.stderr
        running.stdout.close()
        assert running.stderr.read() == ""
    assert running.returncode == 1


COMMANDS = [
    "",
    *[
        "review",
        "find",
        "write",
        "revise",
        "verify",
        "ask",
        "chat",
        "synthesize",
        "doctor",
        "settings",
    ],
    "library add",
    "runs show",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_in_plain_words_and_groups(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = CliRunner().invoke(app, [*command.split(), "--help"])
    assert done.exit_code == 0
    assert not re.search(r"<(bool|int|str|float|list|path)|\bmind\b(?!=| +auto\|)|_\]", done.output)
    headings = re.findall(r"─ ([A-Z][^─]+) ─", done.output)
    groups = [
        "What to find",
        "How to write",
        "What needs your approval",
        "How citations are checked",
        "Where results go",
        "Model, cost and other settings",
    ]
    if command == "review":
        assert headings == ["Arguments", "Options", *groups]
        assert "`citeloom settings`" in " ".join(done.output.replace("│", "").split())
    elif not command:
        assert headings == ["Options", "Review literature", "Ask papers", "Manage"]


def test_settings_lists_all_that_set_can_change() -> None:
    told = CliRunner().invoke(app, ["settings"], env={"COLUMNS": "100"})
    assert told.exit_code == 0
    methods, _, settings = told.output.partition("Settings of every run")
    named = re.findall(r"^ (\w+)", settings, re.MULTILINE)
    assert sorted({*named} - {"Name"}) == sorted(setting_fields())
    assert {"How to search", "How to write"} <= set(
        re.findall(r"^How to \w+", methods, re.MULTILINE)
    )
    set_by = " ".join(methods.split())
    assert "…" not in set_by
    assert "expansion=bfs" in set_by


def test_server_that_is_not_installed_is_told_with_what_installs_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "langgraph_api", None)
    for command in (["dev"], ["app", "--host", "0.0.0.0"]):
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 2
        told = " ".join(done.stderr.split())
        assert "langgraph_api is not installed" in told
        for way in ("pip install", "pipx install --force", "uvx --from"):
            assert f"{way} 'citeloom[server,studio]'" in told
