"""What the project promises about itself: packages, imports, locks, served graphs, clean files."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from pydantic import AliasChoices

from state.screening import Protocol
from tools.documents.open_document import READERS
from tools.screening.screening import Screening
from tools.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES: list[str] = PYPROJECT["tool"]["setuptools"]["packages"]
LEVELS = ("base", "server", "dev", "docs")
GRAPHS: dict[str, dict[str, str]] = json.loads(
    (ROOT / "langgraph.json").read_text(encoding="utf-8")
)["graphs"]

HEAVY = [
    "langchain_openai",
    "langgraph",
    "numpy",
    "onnxruntime",
    "openai",
    "pydantic",
    "qdrant_client",
    "qdrant_edge",
    "tokenizers",
]
CALL = """
import sys
sys.argv = ["citeloom", *%s]
from citeloom.cli import main
try:
    main()
except SystemExit as stop:
    assert not stop.code, stop.code
"""
LOADED = """
print("LOADED", *sorted(set(sys.modules) & set(%s)))
"""


def test_every_package_folder_ships() -> None:
    tops = sorted({name.split(".")[0] for name in PACKAGES})
    folders = {path.parent for top in tops for path in (ROOT / top).rglob("*.py")}
    assert sorted(PACKAGES) == sorted(".".join(path.relative_to(ROOT).parts) for path in folders)
    assert all((folder / "__init__.py").is_file() for folder in folders)


def test_commands_and_readers_load_nothing_heavy_that_they_do_not_need(tmp_path: Path) -> None:
    Screening.new(tmp_path, Protocol(question="Do bees find home?", include=("Studies bees",)))
    status = ("screen", "status", str(tmp_path), "--json")
    readers = ", ".join(sorted({place for _, place, _ in READERS.values()}))
    reading = f"import sys, tools.library.open_library, {readers}"
    graphs = ["langchain_core", "langgraph"]
    for names, code in ((HEAVY, CALL % ["--help"]), (graphs, CALL % [*status]), (graphs, reading)):
        command = [sys.executable, "-c", code + LOADED % names]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1] == "LOADED"


# --- Locks ----------------------------------------------------------------------------------


def locked(level: str) -> dict[str, list[Requirement]]:
    """Return the pins of requirements/<level>.txt by name; a name may have one per marker."""
    pins: dict[str, list[Requirement]] = {}
    for line in (ROOT / "requirements" / f"{level}.txt").read_text(encoding="utf-8").splitlines():
        if line[:1] not in {"", " ", "#"}:
            pin = Requirement(line.removesuffix("\\").strip())
            pins.setdefault(canonicalize_name(pin.name), []).append(pin)
    return pins


def wanted(level: str) -> list[Requirement]:
    """Return what pyproject.toml asks for at this level."""
    project = PYPROJECT["project"]
    lines = [*project["dependencies"], *PYPROJECT["build-system"]["requires"]]
    if level not in {"base", "docs"}:
        lines += project["optional-dependencies"]["server"]
    lines += PYPROJECT["dependency-groups"].get(level, [])
    return [Requirement(line) for line in lines]


@pytest.mark.parametrize("level", LEVELS)
def test_lock_meets_what_the_project_asks_for(level: str) -> None:
    pins = locked(level)
    for need in wanted(level):
        versions = [next(iter(pin.specifier)).version for pin in pins[canonicalize_name(need.name)]]
        assert versions
        for version in versions:
            assert need.specifier.contains(version, prereleases=True), f"{need}: {version}"


@pytest.mark.parametrize(
    ("small", "large"), [("base", "server"), ("server", "dev"), ("base", "docs")]
)
def test_larger_lock_holds_the_smaller_one_unchanged(small: str, large: str) -> None:
    larger = locked(large)
    for name, pins in locked(small).items():
        assert {str(pin.specifier) for pin in pins} == {str(pin.specifier) for pin in larger[name]}


@pytest.mark.parametrize("level", LEVELS)
def test_lock_has_hashes_and_no_address(level: str) -> None:
    text = (ROOT / "requirements" / f"{level}.txt").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[A-Za-z0-9])", text)[1:]
    assert len(entries) > 50
    for entry in entries:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry), entry.splitlines()[0]
    for unwanted in ("://", " @ ", "--index-url", "--extra-index-url", "--find-links", "-e "):
        assert unwanted not in text, unwanted


def test_caps_on_langchain_packages_go_once_the_certifi_that_they_wait_for_is_locked() -> None:
    """langchain-core asks for it from 1.7.3 on; with one that is not published pip 23.0 searches forever."""
    caps = [need for need in wanted("base") if re.search(r"langchain-(core|openai)$", need.name)]
    assert all(re.search(r"<1\.7\.\d", str(need.specifier)) for need in caps), "delete this test"
    (certifi,) = {next(iter(pin.specifier)).version for pin in locked("base")["certifi"]}
    assert Version(certifi) < Version("2026.10.19"), (
        "take the caps of langchain-core and langchain-openai, and this test, away: `./run lock --upgrade`, "
        "then install the wheel with pip 23.0.1 (CONTRIBUTING.md)"
    )


# --- Settings -------------------------------------------------------------------------------


def test_example_environment_names_every_setting_and_no_other() -> None:
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    named = set(re.findall(r"^#?([A-Z][A-Z0-9_]+)=", text, re.MULTILINE))
    ours = {
        field.validation_alias.choices[0]
        if isinstance(field.validation_alias, AliasChoices)
        else f"CITELOOM_{name.upper()}"
        for name, field in Settings.model_fields.items()
    }
    assert named == ours


# --- Clean files ------------------------------------------------------------------------------

# Put together from parts, so that this file does not match itself.
MACHINE = re.compile(
    r"(?<![\w./-])/(?:" + "|".join(["ro" + "ot", "wo" + "rk", "home/" + r"[a-z]\w*"]) + ")/"
    r"|/opt/(?:py" + "pi|wh" + "eels)"
    r"|\b(?:"
    + "|".join(["py" + r"pi\.org", "python" + "hosted", "npm" + r"js\.(?:org|com)"])
    + r")\b"
    r"|\bdeb\." + r"debian\.org\b"
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see /ro" + "ot/.cache", True),
        ("'/wo" + "rk/main'", True),
        ("https://py" + "pi.org/simple", True),
        ("https://example.org/wo" + "rk/x", False),
        ("a network/root/leaf", False),
    ],
)
def test_pattern_knows_a_machine_path_from_an_address(text: str, *, found: bool) -> None:
    assert bool(MACHINE.search(text)) is found


def test_no_tracked_file_names_a_machine() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = ["git", "ls-files", "-z"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [ROOT / name for name in names.split("\0") if name]
    assert paths
    found = {
        str(path.relative_to(ROOT)): hit[0]
        for path in paths
        if path.is_file()
        and (hit := MACHINE.search(path.read_text(encoding="utf-8", errors="ignore")))
    }
    assert found == {}


def test_page_of_prompts_is_current() -> None:
    """Each question that is put to a mind stands in docs/prompts.md as it is sent."""
    from evals.prompts import PAGE, page

    current = PAGE.read_text(encoding="utf-8") == page()
    assert current, "docs/prompts.md is out of date: run `.venv/bin/python -m evals.prompts`"


def test_page_of_options_is_current() -> None:
    """Each option and each setting of a run stands in docs/options.md as help tells it."""
    from evals.options import PAGE, page

    current = PAGE.read_text(encoding="utf-8") == page()
    assert current, "docs/options.md is out of date: run `.venv/bin/python -m evals.options`"


def test_each_threat_of_the_page_on_security_has_its_tests() -> None:
    """docs/security.md names them as FILE::TEST below tests/."""
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ")][1:]
    assert len(rows) >= 24
    for row in rows:
        named = re.findall(r"`([\w/]+\.py)::(\w+)`", row)
        assert named, row
        for file, test in named:
            source = (ROOT / "tests" / file).read_text(encoding="utf-8")
            assert re.search(rf"^(async )?def {test}\(", source, re.MULTILINE), f"{file}::{test}"
