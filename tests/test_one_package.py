"""Tests of the build backend: what a wheel says in place of the names that a checkout has."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from build_backend.one_package import MOVED, one_package, renamed

ROOT = Path(__file__).resolve().parent.parent
INFO = "citeloom-1.dist-info"
MODULES = {"state", "state.paper", "tools", "tools.text.words"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from state.paper import Paper", "from citeloom.state.paper import Paper"),
        ("import state; state.paper", "from citeloom import state; state.paper"),
        ("from tools import text", "from citeloom.tools import text"),
        (
            "é = 'state.paper:Paper', \"tools.text.words\"",
            "é = 'citeloom.state.paper:Paper', \"citeloom.tools.text.words\"",
        ),
        (
            "x = {'state.paper', 'state.gone', 'state', 'a state.paper'}",
            "x = {'citeloom.state.paper', 'state.gone', 'state', 'a state.paper'}",
        ),
        ("from statement import tools", "from statement import tools"),
        ("f'{state.__name__}.{name}'", "f'{state.__name__}.{name}'"),
    ],
)
def test_packages_are_named_below_citeloom(source: str, expected: str) -> None:
    made = renamed("x.py", f"if True:\n {source}\n".encode(), MODULES).decode()
    assert made == f"if True:\n {expected}\n"


@pytest.mark.parametrize(
    "source",
    ["import state.paper", "import os, tools", "import tools as t", "f'tools.text.{name}'"],
)
def test_what_cannot_be_followed_is_refused(source: str) -> None:
    with pytest.raises(SystemExit, match=r"^x\.py:2: write"):
        renamed("x.py", f"\n{source}\n".encode(), MODULES)


def test_wheel_of_these_sources_names_no_package_beside_citeloom(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    packages = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["tool"]["setuptools"][
        "packages"
    ]
    built = {
        path.as_posix(): path.read_bytes()
        for package in packages
        for path in Path(*package.split(".")).glob("*.py")
    }
    assert "evals/__main__.py" in built
    made = one_package({**built, f"{INFO}/RECORD": b""})
    sources = {name: data for name, data in made.items() if name.endswith(".py")}
    assert {name.partition("/")[0] for name in made} == {"citeloom", INFO}
    assert len(sources) == len([name for name in built if not name.startswith("evals/")])
    assert {name: left for name, data in sources.items() if (left := list(_named(data)))} == {}
    assert made[f"{INFO}/RECORD"].count(b"\n") == len(made)


def _named(source: bytes) -> Iterator[str]:
    """Yield what a module imports of packages that only a checkout has, and what it may build names of."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (item.name for item in names if item.name.partition(".")[0] in MOVED)
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] in MOVED:
                yield module
            case ast.Constant(value=str(text)) if (
                (parts := text.partition(":")[0].split("."))[0] in MOVED
                and len(parts) > 1
                and (
                    ROOT.joinpath(*parts).is_dir()
                    or ROOT.joinpath(*parts).with_suffix(".py").exists()
                )
            ):
                yield text


@pytest.mark.parametrize("name", ["tests/test_x.py", "state/deleted_since.py"])
def test_member_that_no_wheel_should_have_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit, match=name):
        one_package({name: b"", f"{INFO}/RECORD": b""})
