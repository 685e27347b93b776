"""What a person starts who releases: the workflows, as far as they can be read here, and the notes."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
NOTES = ROOT / ".github" / "release_notes.py"
CHANGELOG = ROOT / "CHANGELOG.md"


def read(path: Path) -> dict[Any, Any]:
    workflow: dict[Any, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return workflow


def needed(job: dict[str, Any]) -> list[str]:
    needs = job.get("needs", [])
    return [needs] if isinstance(needs, str) else needs


def steps(workflow: dict[Any, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job.get("steps", [])]


RELEASE = read(ROOT / ".github" / "workflows" / "release.yml")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_names_jobs_files_and_versions_that_are_there(path: Path) -> None:
    workflow = read(path)
    for job in workflow["jobs"].values():
        assert set(needed(job)) <= set(workflow["jobs"])
        called = job.get("uses")
        assert "runs-on" in job or (ROOT / called).is_file()
        assert called or job["timeout-minutes"]
    for step in steps(workflow):
        if "uses" in step:
            assert re.fullmatch(r"[\w.-]+/[\w.-]+@(v\d+(\.\d+)*|release/v\d+)", step["uses"])
        for file in re.findall(r"\.(?:ci|github)/\S+", step.get("run", "")):
            assert (ROOT / file).is_file(), file


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_may_write_only_where_it_has_to(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    writes = {
        name: {scope for scope, level in job["permissions"].items() if level == "write"}
        for name, job in workflow["jobs"].items()
        if "permissions" in job
    }
    released = {"image": {"packages"}, "publish": {"id-token"}, "announce": {"contents"}}
    writing = {"release.yml": released, "pages.yml": {"deploy": {"id-token", "pages"}}}
    assert writes == writing.get(path.name, {})


def test_nothing_is_published_before_all_is_tried() -> None:
    jobs = RELEASE["jobs"]

    def before(name: str) -> set[str]:
        return set(needed(jobs[name])).union(*map(before, needed(jobs[name])))

    assert before("publish") == {"check", "build", "test", "image"}
    assert {"check", "build", "test"} <= before("image")
    assert "publish" in before("announce")
    assert jobs["check"]["uses"] == "./.github/workflows/ci.yml"
    assert "workflow_call" in read(ROOT / ".github" / "workflows" / "ci.yml")[True]  # YAML's `on`
    tried = jobs["test"]["strategy"]["matrix"]
    assert tried == {"python": ["3.11", "3.12", "3.13"], "installer": ["pip", "uv", "pipx"]}
    (image,) = (step["with"] for step in steps(RELEASE) if "build-push" in step.get("uses", ""))
    assert image["platforms"] == "linux/amd64,linux/arm64"


@pytest.mark.parametrize("tag", ["v0.5.0", "v10.20.30"])
def test_release_begins_with_a_tag_of_a_version(tag: str) -> None:
    (pattern,) = RELEASE[True]["push"]["tags"]
    as_regex = re.escape(pattern).replace(r"\[0\-9\]\+", r"\d+")
    assert re.fullmatch(as_regex, tag)
    assert not re.fullmatch(as_regex, f"{tag}-rc1")


def cut(tag: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, str(NOTES), tag], capture_output=True, text=True, check=False
    )


def test_notes_are_the_part_of_the_changelog_on_the_version() -> None:
    done = cut(f"v{PROJECT['version']}")
    assert done.returncode == 0, done.stderr
    changelog = CHANGELOG.read_text(encoding="utf-8")
    part = changelog.partition(f"## [{PROJECT['version']}]")[2]
    assert done.stdout.strip() in part
    assert done.stdout.startswith("### ")
    assert "\n## " not in done.stdout
    assert done.stdout.count("\n### ") + 1 == part.partition("\n## ")[0].count("\n### ")


@pytest.mark.parametrize("tag", ["v99.0.0", "0.4.0", "main", ""])
def test_tag_of_another_version_is_refused_with_what_to_do(tag: str) -> None:
    done = cut(tag)
    assert done.returncode == 1
    assert f"tag it v{PROJECT['version']}" in done.stderr


def test_version_without_an_entry_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github" / NOTES.name).write_bytes(NOTES.read_bytes())
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "9.0.0"\n', encoding="utf-8")
    (tmp_path / CHANGELOG.name).write_text(
        "# Changelog\n\n## [Unreleased]\n- Much.\n\n## [9.0.0] - 2030-01-01\n\n## [8.0.0]\n- Old.\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, str(tmp_path / ".github" / NOTES.name), "v9.0.0"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "says nothing of 9.0.0" in done.stderr
    assert not done.stdout


def test_citation_names_the_version_and_the_licence_of_the_package() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]
    released = re.search(
        rf"^## \[{re.escape(PROJECT['version'])}\] - (\S+)", CHANGELOG.read_text("utf-8"), re.M
    )
    assert released
    assert str(citation["date-released"]) == released[1]
