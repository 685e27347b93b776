"""What every command prints: no Markdown signs, nothing twice, ids that every command takes, a home as it is."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from citeloom.cli.app import app
from tests.cli.commands import call
from tests.support import clean_environment
from tools.settings import settings

TOPIC = "language models that retrieve papers for the writing of literature reviews"
FIND = ("find", TOPIC, "--keep", "3", "--set", "pool=8", "--set", "max_hops=1")


def told(*arguments: str, stdin: str | None = None) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments), input=stdin)
    assert isinstance(result.exception, SystemExit | None), repr(result.exception)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("command", ["find", "review"])
def test_hint_keeps_its_underscores_and_each_failure_is_told_once(
    home: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("CITELOOM_SOURCE_PATIENCE", "0.2")
    settings.cache_clear()
    done = call(
        command,
        TOPIC,
        "--library",
        "small",
        "--keep",
        "2",
        "--source",
        "library",
        "--source",
        "crossref",
        "--source",
        "openalex",
        out=home.parent / "out",
    )
    printed = done.stdout + done.stderr
    assert "set CITELOOM_CROSSREF_URL to a mirror" in printed
    assert "\\" not in printed
    for source in ("crossref", "openalex"):
        assert printed.count(f"{source} cannot be reached") == 1
    assert "Coverage: " in done.stderr
    assert "Estimating" not in done.stderr
    assert "CITELOOM\\_CROSSREF\\_URL" in done.text(
        "papers.md" if command == "find" else "review.md"
    ), "the file is Markdown"


def ids_as_printed() -> list[str]:
    """An id of each kind, as `library papers` has them."""
    _, listed, _ = told("library", "papers", "starter")
    ids = [line.split("  ")[0] for line in listed.splitlines()]
    kinds = {id_.partition(":")[0]: id_ for id_ in ids}
    assert kinds.keys() == {"arxiv", "doi", "title"}
    return list(kinds.values())


def test_every_command_takes_a_paper_as_the_library_prints_it(home: Path) -> None:
    for paper in ids_as_printed():
        code, shown, _ = told("library", "show", "starter", paper, "--json")
        assert code == 0, paper
        title = json.loads(shown)["record"]["title"]
        assert told("library", "search", "starter", title, "--paper", paper)[0] == 0, paper
        done = call(*FIND, "--include", paper, out=home.parent / "find")
        assert paper in done.paper_ids
        done = call(*FIND, "--exclude", paper, out=home.parent / "less")
        assert paper not in done.paper_ids
        done = call("write", TOPIC, "--paper", paper, out=home.parent / "write")
        assert done.run["cited"] == [paper]
        text = f"{title} was studied before [1]."
        checked = call("verify", "-", "--paper", paper, out=home.parent / "verify", stdin=text)
        (sentence,) = checked.run["sentences"]
        assert [one["paper"] for one in sentence["citations"]] == [paper]
        assert "no such paper" not in checked.stderr
        asked = call("ask", f"What is known of {title}?", "--paper", paper, out=home.parent / "ask")
        assert {one["paper"] for one in asked.json("answer.json")["passages"]} == {paper}
        stack = call("synthesize", title, "--paper", paper, out=home.parent / "stack")
        assert [one["paper"] for one in stack.json("synthesis.json")["stacked"]] == [paper]


COMMANDS = (
    "runs list",
    "runs show x",
    "runs delete x",
    "runs prune --older-than 1d",
    "runs spending",
    "library list",
    "library stats",
    "library papers starter",
    "library add x.md --library y",
    "keys list",
    "find bees",
    "ask bees?",
    "verify bees",
    "update x",
)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("below", ["", "home"])
def test_home_that_cannot_be_used_is_told_as_that_by_every_command(
    home: Path, monkeypatch: pytest.MonkeyPatch, command: str, below: str
) -> None:
    file = home.parent / "file"
    file.write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("CITELOOM_HOME", str(file / below))
    settings.cache_clear()
    code, _, said = told(*command.split(maxsplit=1 if "bees" in command else -1))
    assert code == 2
    assert f"(CITELOOM_HOME): {file} is not a folder" in said
    assert len(said.splitlines()) == 1


def test_number_agrees_with_its_noun_in_what_is_printed(home: Path) -> None:
    done = call(
        "verify", "It was shown [1].", "--paper", "arxiv:2312.07559", out=home.parent / "one"
    )
    assert "1 sentence, 1 of them with citations" in done.stdout


def test_completion_under_the_run_script_works_in_a_real_shell(home: Path) -> None:
    shell = """
    eval "$(CITELOOM_PROGRAM='./run citeloom' "$PROGRAM_FILE" --show-completion bash)"
    COMP_WORDS=(citeloom fi); COMP_CWORD=1
    _citeloom_completion "$PROGRAM_FILE"
    echo "${COMPREPLY[@]}"
    """
    program = home.parent / "citeloom"
    program.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -c "from citeloom.cli import main; main()" "$@"\n'
    )
    program.chmod(0o755)
    done = subprocess.run(
        ["bash", "-c", shell],
        cwd=home.parent,
        text=True,
        capture_output=True,
        timeout=120,
        check=False,
        env=clean_environment(home)
        | {
            "PROGRAM_FILE": str(program),
        },
    )
    assert done.stdout.split() == ["find"], done.stderr
    assert "Completion works for `citeloom`: add " in done.stderr
