"""The hooks of pre-commit and the steps of the action, as they stand in their files, on a small repository."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.commands import run
from tests.fakes.made_papers import made_papers

ROOT = Path(__file__).parents[2]
LICHENS = "In tiled chapels the copper roofs of lichens bleach under sulphur rain"


PROGRAM = """#!/bin/sh
printf '%s\\n' "$@" --- >>"$CALLS"
exit "$CODE"
"""
"""A `citeloom` that notes how it is called. The same is then called here, which is quicker than two processes."""


@pytest.fixture
def repository(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of five files, of which the second commit changed four; it is the working folder."""
    folder = home.parent / "repository"
    folder.mkdir()
    program = home.parent / "bin" / "citeloom"
    program.parent.mkdir()
    program.write_text(PROGRAM)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("CALLS", str(home.parent / "calls"))
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "A")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "a@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    os.chdir(folder)  # which `home` undoes
    record = made_papers(1)[0]
    (folder / "old.md").write_text("Bees dance [@lost0].\n")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "Begin")
    (folder / "a b.md").write_text(f"{LICHENS} [@roofs].\n\nOtters sing [@lost1].\n")
    (folder / "c.tex").write_text(f"\\section{{Roofs}}\n{LICHENS} \\cite{{roofs}}.\n")
    (folder / "refs.bib").write_text(
        f"@article{{roofs,\n title={{{record['title']}}},\n author={{Abel, Ann}},\n year={{1990}},\n"
        f" abstract={{{record['abstract']}}}\n}}\n"
    )
    (folder / "code.py").write_text("print()\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "Go on")
    return folder


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout


def hooks() -> list[dict[str, Any]]:
    return list(yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")))


def action() -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / "action.yml").read_text("utf-8")))


@pytest.mark.parametrize(
    ("name", "more", "code", "told"),
    [
        ("citeloom-verify", ["--papers", "refs.bib"], 3, "a b.md:3:13: warning: lost1"),
        ("citeloom-references", [], 0, ""),
    ],
)
def test_hook_checks_the_files_that_it_names(
    repository: Path, name: str, more: list[str], code: int, told: str
) -> None:
    (hook,) = (one for one in hooks() if one["id"] == name)
    names = [
        one for one in git(repository, "ls-files").splitlines() if re.search(hook["files"], one)
    ]
    assert names
    command: list[str] = [*hook["entry"].split(), *hook["args"], *more, *names]
    done = run(*command[1:])
    assert (command[0], done.exit_code) == ("citeloom", code), done.stderr
    assert told in done.stdout
    assert "code.py" not in names
    assert git(repository, "status", "--porcelain") == ""


def called_by_action(folder: Path, code: int, **inputs: str) -> tuple[str, list[list[str]]]:
    """Run the step that checks, with its environment made of the inputs' defaults and these.

    Return what it printed, and how it called the program, which ended with the code that the step is to end with.
    """
    told = action()
    (step,) = (one for one in told["runs"]["steps"] if "FAIL_ON" in one.get("env", {}))
    given = {name: one["default"] for name, one in told["inputs"].items()}
    given |= {name.replace("_", "-"): value for name, value in inputs.items()}
    first = git(folder, "rev-list", "--max-parents=0", "HEAD").strip()
    env = {
        name: next((given[one] for one in given if f"inputs.{one} " in value), first)
        for name, value in step["env"].items()
    }
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step["run"]],
        env={**os.environ, **env, "GITHUB_ACTION_PATH": str(ROOT), "CODE": str(code)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    calls = Path(os.environ["CALLS"]).read_text("utf-8").split("---\n")[:-1]
    return done.stdout, [one.splitlines() for one in calls]


def test_action_checks_what_changed_and_its_matcher_reads_the_lines(repository: Path) -> None:
    command, calls = called_by_action(repository, 3, papers="refs.bib")
    lines = [line for call in calls for line in run(*call).stdout.splitlines()]
    matcher = Path(command.strip().removeprefix("::add-matcher::"))
    first, _ = json.loads(matcher.read_text("utf-8"))["problemMatcher"]
    (pattern,) = first["pattern"]
    (found,) = filter(None, (re.match(pattern["regexp"], line) for line in lines))
    named = {name: found[pattern[name]] for name in ("file", "line", "column", "severity", "code")}
    assert named == {
        "file": "a b.md",
        "line": "3",
        "column": "13",
        "severity": "warning",
        "code": "no-entry",
    }
    logs = {
        path.name: json.loads(path.read_text("utf-8"))
        for path in repository.glob("citeloom-sarif/*")
    }
    assert logs.keys() == {"verify.sarif", "references.sarif"}
    (result,) = logs["verify.sarif"]["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20b.md"
    assert place["region"]["startLine"] == 3


def test_action_takes_named_files_and_a_baseline(repository: Path) -> None:
    run("verify", "old.md", "--findings", "--baseline", "ok.json", "--write-baseline")
    assert len(json.loads((repository / "ok.json").read_text("utf-8"))["accepted"]) == 1
    _, ((*call,),) = called_by_action(repository, 0, files="old.md", baseline="ok.json")
    assert run(*call).exit_code == 0
    (repository / "ok.json").write_text('{"accepted": []}')
    assert run(*call).exit_code == 3
    _, (_, lenient) = called_by_action(repository, 0, files="old.md", fail_on="never")
    assert run(*lenient).exit_code == 0
