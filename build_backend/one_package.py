"""Build backend: setuptools' own; its wheel installs one package, `citeloom`, out of the folders of the repository.

Sources say `from tools.text import ...`, and a wheel must not install a package with a name as general as `tools`. So
these packages stand below `citeloom/` in the wheel, and each module there names them so.
"""

import ast
import base64
import hashlib
import re
import zipfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403 - sdist, editable and all other hooks stay as they are

MOVED = ("graphs", "nodes", "state", "tools")
"""Packages that stand below `citeloom/` in a wheel."""
LEFT_OUT = ("evals",)
"""Packages for a checkout only."""
_NAMED = re.compile(rf"(?:{'|'.join(MOVED)})(?:\.\w+)*")
_MADE_UP = re.compile(rf"(?:{'|'.join(MOVED)})\.")
_DATE = (2020, 1, 1, 0, 0, 0)


def build_wheel(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    """Build a wheel that installs `citeloom` and nothing else; return its file name."""
    name: str = build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
    path = Path(wheel_directory, name)
    with zipfile.ZipFile(path) as wheel:
        built = {member: wheel.read(member) for member in wheel.namelist()}
    members = one_package(built)
    with zipfile.ZipFile(path, "w") as wheel:
        for member, data in members.items():
            info = zipfile.ZipInfo(member, _DATE)
            info.external_attr = 0o644 << 16
            wheel.writestr(info, data, zipfile.ZIP_DEFLATED)
    return name


def one_package(built: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the members of a wheel, by name, of which each but the metadata stands below `citeloom/`.

    Raises:
        SystemExit: A member is of no package that is known here, or is not in this checkout any more.
    """
    info = next(name for name in built if name.endswith(".dist-info/RECORD")).rpartition("/")[0]
    kept = {name: data for name, data in built.items() if _top(name) not in LEFT_OUT}
    del kept[f"{info}/RECORD"]
    for name in kept:
        if _top(name) not in {*MOVED, "citeloom", info}:
            raise SystemExit(
                f"the wheel would install {name}: {Path(__file__).name} does not know it"
            )
        if _top(name) != info and not Path(name).is_file():
            raise SystemExit(f"{name} is left from an earlier build: delete the folder build/")
    modules = {
        name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in kept
    }
    members = {
        f"citeloom/{name}" if _top(name) in MOVED else name: renamed(name, data, modules)
        if name.endswith(".py")
        else data
        for name, data in kept.items()
    }
    # Its paths are relative to itself, and the graphs stand beside it.
    members["citeloom/langgraph.json"] = Path("langgraph.json").read_bytes()
    members[f"{info}/top_level.txt"] = b"citeloom\n"
    rows = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in members.items()]
    members[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,\n"]).encode()
    return members


def _top(name: str) -> str:
    return name.partition("/")[0]


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


class Change(NamedTuple):
    """Words of a source that are others in the wheel: a line, where to look from in it, and both."""

    line: int
    column: int
    old: str
    new: str


def renamed(name: str, source: bytes, modules: Collection[str]) -> bytes:
    """Return a module's source with `citeloom.` before each package that it imports, or names in a string.

    `modules` are those of the wheel, under their names of the checkout: a string that is none of them stays.

    Raises:
        SystemExit: It names one in a way that cannot be followed.
    """
    lines = source.splitlines(keepends=True)
    for change in sorted(_changes(name, source, modules), reverse=True):
        line = lines[change.line - 1]
        head, tail = line[: change.column], line[change.column :]
        if change.old.encode() not in tail:
            raise SystemExit(f"{name}:{change.line}: write {change.old} on one line")
        tail = tail.replace(change.old.encode(), change.new.encode(), 1)
        lines[change.line - 1] = head + tail
    return b"".join(lines)


def _changes(name: str, source: bytes, modules: Collection[str]) -> Iterator[Change]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ImportFrom(module=str(package)) if _NAMED.fullmatch(package):
                old, new = f"from {package}", f"from citeloom.{package}"
            case ast.Import(names=[ast.alias(name=package, asname=None)]) if package in MOVED:
                old, new = f"import {package}", f"from citeloom import {package}"
            case ast.Import(names=names) if any(_NAMED.fullmatch(item.name) for item in names):
                raise SystemExit(f"{name}:{node.lineno}: write `from PACKAGE import MODULE`")
            case ast.Constant(value=str(text)) if (
                "." in text
                and (package := text.partition(":")[0]) in modules
                and _NAMED.fullmatch(package)
            ):
                old, new = text, f"citeloom.{text}"
            case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]) if _MADE_UP.match(text):
                raise SystemExit(
                    f"{name}:{node.lineno}: write f'{{PACKAGE.__name__}}.', as wheels need"
                )
            case _:
                continue
        yield Change(node.lineno, node.col_offset, old, new)
