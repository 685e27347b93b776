"""The skills for agents: their form, and each followed from start to end, command by command."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from citeloom.cli.app import app
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import SERVICES, Work, World
from tests.support import ROOT, clean_environment, forget_settings

SKILLS = sorted(path.parent for path in (ROOT / "skills").glob("*/SKILL.md"))
ALLOWED = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
ABSTRACT = "We study how well language models recommend citations for a sentence of a paper."
# The year of the owls is wrong, which only a source can tell.
REFERENCES = """
@article{moth2019, author={Moth, Dee}, title={Moths steer by the moon at night}, journal={Quiet Insects},
  year={2019}, doi={10.5555/moth},
  abstract={We show that moths steer by the moon at night. Street lamps draw them off their course.}}
@article{owl2020, author={Owl, Ann}, title={Owls hear voles below deep snow}, journal={Quiet Birds}, year={2015},
  doi={10.5555/owl}, abstract={We find that owls hear voles below thirty centimetres of snow.}}
"""
DRAFT = "Moth (2019) shows that moths steer by the moon at night [@moth2019]. {} [@owl2020].\n"
WRONG = "Owls catch fish in the deep sea"
MENDED = "Owl (2020) finds that owls hear voles below thirty centimetres of snow"


def parts(skill: Path) -> tuple[dict[str, object], str]:
    """Return the fields before a skill's text, and the text."""
    _, fields, body = (skill / "SKILL.md").read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(fields), body


@pytest.mark.parametrize("skill", SKILLS, ids=lambda skill: skill.name)
def test_skill_has_the_form_that_agents_read(skill: Path) -> None:
    fields, body = parts(skill)
    assert fields.keys() <= ALLOWED
    assert fields["name"] == skill.name
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", skill.name)
    assert len(skill.name) <= 64
    assert 0 < len(str(fields["description"])) <= 1024
    assert 0 < len(str(fields["compatibility"])) <= 500
    assert len(body.splitlines()) < 500
    for place in re.findall(r"\]\(([^)]+)\)|(scripts/\S+\.py)", body):
        assert (skill / "".join(place)).is_file(), place


class Agent:
    """Does what a skill says: one command after the other, as they stand there."""

    def __init__(self, skill: str, folder: Path, environment: dict[str, str]) -> None:
        self._folder, self._environment = folder, environment
        self.left = re.findall(
            r"^```sh\n(.*?)^```$", parts(ROOT / "skills" / skill)[1], re.M | re.S
        )
        if (scripts := ROOT / "skills" / skill / "scripts").is_dir():
            shutil.copytree(scripts, folder / "scripts")

    def write(self, name: str, text: str) -> None:
        (self._folder / name).write_text(text, encoding="utf-8")

    def run(self, begins: str) -> "subprocess.CompletedProcess[str]":
        """Run the next command, which has to begin so."""
        command = self.left.pop(0)
        assert command.startswith(begins), command
        if command.startswith("uvx citeloom "):
            return self._called(command.removeprefix("uvx citeloom "))
        for said in ("uvx --from citeloom python ", "python3 "):
            command = command.replace(said, f"{sys.executable} ")
        return subprocess.run(
            command, shell=True, cwd=self._folder, env=self._environment, capture_output=True,
            text=True, timeout=300, check=False,
        )  # fmt: skip

    def _called(self, command: str) -> "subprocess.CompletedProcess[str]":
        """Call the program in this process, which knows all that it has to import."""
        words, _, file = command.partition(" > ")
        forget_settings()
        done = CliRunner().invoke(app, shlex.split(words), env=self._environment)
        if file:
            self.write(file.strip(), done.stdout)
        return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


def test_draft_is_checked_mended_and_shown_with_its_quotes(home: Path, tmp_path: Path) -> None:
    agent = Agent("citeloom", tmp_path, {**clean_environment(home), "PYTHONPATH": str(ROOT)})
    agent.write("abstract.md", ABSTRACT)
    agent.write("refs.bib", REFERENCES.replace("2015", "2020"))
    agent.write("draft.md", DRAFT.format(WRONG))

    found = agent.run("uvx citeloom find")
    assert found.returncode == 0, found.stderr
    papers = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))["papers"]
    kept = [paper for paper in papers if paper["selected"]]
    assert [paper["rank"] for paper in kept] == list(range(1, len(kept) + 1))
    assert kept[0]["debate"]["arguments_for"]
    assert (tmp_path / "found" / "files" / "references.bib").read_text("utf-8").count(
        "\ttitle ="
    ) == len(kept)

    checked = agent.run("uvx citeloom verify draft.md")
    assert checked.returncode == 3, checked.stderr

    findings = agent.run("python3 scripts/findings.py checked.json")
    assert findings.returncode == 1
    assert f"not_checked: {WRONG}" in findings.stdout
    assert (
        "owls hear voles below thirty centimetres of snow.” (from the paper's abstract)"
        in findings.stdout
    )
    assert "moths" not in findings.stdout

    agent.write("draft.md", DRAFT.format(MENDED))
    again = agent.run("uvx citeloom verify draft.md")
    assert again.returncode == 0, again.stdout

    quotes = agent.run("python3 scripts/findings.py --quotes mended.json")
    assert quotes.returncode == 0
    assert quotes.stdout.count("supported: ") == quotes.stdout.count("“") == 2
    assert (
        "“We show that moths steer by the moon at night.” (from the paper's abstract)"
        in quotes.stdout
    )
    assert not agent.left


@pytest.fixture
def sources() -> Iterator[dict[str, str]]:
    """The addresses of sources that know the moths and the owls, and nothing else."""
    known = [
        Work(
            number=at, title=title, abstract=None, date=date(year, 3, 4), doi=doi, authors=(author,),
            venue=venue, held_by=frozenset(SERVICES),
        )
        for at, (title, year, doi, author, venue) in enumerate((
            ("Moths steer by the moon at night", 2019, "10.5555/moth", ("Dee", "Moth"), "Quiet Insects"),
            ("Owls hear voles below deep snow", 2020, "10.5555/owl", ("Ann", "Owl"), "Quiet Birds"),
        ))
    ]  # fmt: skip
    with ScholarServer(World(known, 0)) as server:
        yield {
            "CITELOOM_CROSSREF_URL": server.crossref_url,
            "CITELOOM_OPENALEX_URL": server.openalex_url,
            "CITELOOM_CROSSREF_RATE": "500",
            "CITELOOM_SOURCE_PATIENCE": "5",
        }


def test_bibliography_is_looked_up_and_each_wrong_field_is_named(
    home: Path, tmp_path: Path, sources: dict[str, str]
) -> None:
    environment = {**clean_environment(home), **sources, "PYTHONPATH": str(ROOT)}
    made_up = "@article{eel2001, author={Eel, Sam}, title={Eels remember every river}, journal={Wet}, year={2001}}"
    agent = Agent("check-bibliography", tmp_path, environment)
    agent.write("refs.bib", f"{REFERENCES}\n{made_up}\n")

    looked = agent.run("uvx citeloom references refs.bib")
    assert looked.returncode == 0, looked.stderr
    assert "3 references read" in looked.stderr
    owl, eel = looked.stdout.splitlines()  # the moths are confirmed
    assert "owl2020: year is 2015; the record has 2020" in owl
    assert owl.endswith("[wrong-field]")
    assert "eel2001" in eel
    assert not agent.left
