"""What every command prints: no Markdown signs, nothing twice, ids that every command takes, a home as it is."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import call, run, variables
from tests.support import clean_environment

TOPIC = "language models that retrieve papers for the writing of literature reviews"
FIND = ("find", TOPIC, "--keep", "3", "--set", "pool=8", "--set", "max_hops=1")


def test_hint_keeps_its_underscores_and_each_failure_is_told_once(
    home: Path,
) -> None:
    sources = [part for name in ("library", "crossref", "openalex") for part in ("--source", name)]
    with variables(SOURCE_PATIENCE="0.2"):
        done = call("find", TOPIC, "--library", "small", "--keep", "2", *sources, out=home / "out")
    printed = done.stdout + done.stderr
    assert "set CITELOOM_CROSSREF_URL to a mirror" in printed
    assert "\\" not in printed
    for source in ("crossref", "openalex"):
        assert printed.count(f"{source} cannot be reached") == 1
    assert "Coverage: " in done.stderr
    assert "Estimating" not in done.stderr
    assert "CITELOOM\\_CROSSREF\\_URL" in done.text("papers.md"), "the file is Markdown"


def ids_as_printed() -> list[str]:
    """An id of each kind, as `library papers` has them."""
    listed = run("library", "papers", "starter").stdout
    ids = [line.split("  ")[0] for line in listed.splitlines()]
    kinds = {id_.partition(":")[0]: id_ for id_ in ids}
    assert kinds.keys() == {"arxiv", "doi", "title"}
    return list(kinds.values())


def test_every_command_takes_a_paper_as_the_library_prints_it(home: Path) -> None:
    ids = ids_as_printed()

    def each(option: str) -> list[str]:
        return [part for paper in ids for part in (option, paper)]

    titles = []
    for paper in ids:
        shown = run("library", "show", "starter", paper, "--json", code=0).stdout
        titles.append(json.loads(shown)["record"]["title"])
        run("library", "search", "starter", titles[-1], "--paper", paper, code=0)
    done = call(*FIND, *each("--include"), out=home / "find")
    assert {*ids} <= {*done.paper_ids}
    done = call(*FIND, *each("--exclude"), out=home / "less")
    assert not {*ids} & {*done.paper_ids}
    done = call("write", TOPIC, *each("--paper"), out=home / "write")
    assert {*done.run["cited"]} == {*ids}
    text = " ".join(f"{title} was studied [{at}]." for at, title in enumerate(titles, 1))
    checked = call("verify", "-", *each("--paper"), out=home / "verify", stdin=text)
    cited = [one["paper"] for each in checked.run["sentences"] for one in each["citations"]]
    assert cited == ids
    assert "no such paper" not in checked.stderr
    asked = call("ask", f"What is known of {titles[0]}?", *each("--paper"), out=home / "ask")
    assert ids[0] in {one["paper"] for one in asked.json("answer.json")["passages"]} <= {*ids}
    stack = call("synthesize", titles[0], *each("--paper"), out=home / "stack")
    assert [one["paper"] for one in stack.json("synthesis.json")["stacked"]] == ids


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


@pytest.mark.parametrize("below", ["", "home"])
def test_home_that_cannot_be_used_is_told_as_that_by_every_command(home: Path, below: str) -> None:
    file = home.parent / "file"
    file.write_text("in the way", encoding="utf-8")
    with variables(HOME=str(file / below)):
        for command in COMMANDS:
            said = run(*command.split(maxsplit=1 if "bees" in command else -1), code=2).stderr
            assert f"(CITELOOM_HOME): {file} is not a folder" in said, command
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
