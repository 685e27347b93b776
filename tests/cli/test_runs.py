"""`citeloom runs`: what was done, and how to see it again."""

import json
import re
from pathlib import Path

from typer.testing import CliRunner, Result

from citeloom.cli.app import app
from tests.support import SMALL

QUESTION = "How do language models rank the papers of a review?"


def citeloom(*arguments: str, code: int = 0, typed: str | None = None) -> Result:
    result = CliRunner().invoke(app, list(arguments), input=typed)
    assert result.exit_code == code, result.output
    return result


def test_runs_are_listed_the_last_first_and_each_shows_how_to_see_its_result_again(
    home: Path,
) -> None:
    assert "no run was started yet" in citeloom("runs", "list").stderr
    answer = citeloom("ask", QUESTION, "--library", SMALL).stdout
    citeloom("chat", "--library", SMALL, typed="exit\n")
    citeloom("find", "An idea about owls", "--library", "none", code=1)
    rows = [line.split(maxsplit=3) for line in citeloom("runs", "list").stdout.splitlines()]
    assert [row[1:] for row in rows] == [
        ["find", "nothing", "An idea about owls"], ["chat", "chat"], ["ask", "complete", QUESTION],
    ]  # fmt: skip
    assert len(citeloom("runs", "list", "-n", "1").stdout.splitlines()) == 1
    told = [json.loads(line) for line in citeloom("runs", "list", "--json").stdout.splitlines()]
    assert [one["run"] for one in told] == [row[0] for row in rows]
    name = rows[2][0]
    shown = citeloom("runs", "show", name).stdout
    assert re.search(rf"^about +{re.escape(QUESTION)}$", shown, re.MULTILINE)
    assert "library=small" in shown
    assert f"citeloom ask --resume {name}" in shown
    assert citeloom("ask", "--resume", name).stdout == answer
    assert f"citeloom chat --resume {rows[1][0]}" in citeloom("runs", "show", rows[1][0]).stdout
    assert json.loads(citeloom("runs", "show", name, "--json").stdout)["status"] == "complete"
    assert f"the latest are {rows[2][0]}" in citeloom("runs", "show", "none", code=2).stderr
