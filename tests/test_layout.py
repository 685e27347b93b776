"""Where things stand: names of this checkout alone, imports without a circle, the environment read in one place."""

import ast
import re
from graphlib import TopologicalSorter
from importlib import import_module
from importlib.metadata import packages_distributions
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parent.parent
NAMES = ["citeloom", "graphs", "nodes", "state", "tools"]


@pytest.mark.parametrize("name", NAMES)
def test_name_is_imported_from_this_checkout_and_has_no_other_owner(name: str) -> None:
    assert Path(import_module(name).__file__ or "").parent == ROOT / name
    assert set(packages_distributions().get(name, [])) <= {"citeloom"}


def test_no_modules_import_one_another_in_a_circle() -> None:
    """Imports inside functions and for types alone count as well."""
    graph = grimp.build_graph(*NAMES)
    assert len(graph.modules) > 400
    imported = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imported).prepare()  # raises CycleError, which names the modules


READERS = {"tools/settings.py", "tools/errors.py"}
_WRITING = {"setdefault", "update", "pop"}


def reads(source: str) -> list[int]:
    """Return the lines in which the environment is read, or named so that it may be; not those that only write."""
    written, found = set(), []
    for node in ast.walk(ast.parse(source)):  # a statement comes before what is in it
        match node:
            case ast.Subscript(value=place, ctx=ast.Store()) | ast.AugAssign(target=place):
                written.add(place)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=place, attr=way))):
                written |= {place} if way in _WRITING else set()
            case ast.Attribute(attr="environ" | "environb") if node not in written:
                found.append(node.lineno)
            case ast.Attribute(attr="getenv" | "getenvb"):
                found.append(node.lineno)
            case ast.ImportFrom(module="os", names=names):
                kinds = {one.name.removesuffix("b") for one in names}
                found += [node.lineno] * bool(kinds & {"environ", "getenv"})
    return found


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('os.environ["A"]', True),
        ('x = os.environ.get("A")', True),
        ('os.getenv("A")', True),
        ("from os import environ", True),
        ("from os import getenv as read", True),
        ("f(os.environ)", True),
        ('x = os.environ.setdefault("A", "1")', True),
        ("x = {**os.environ}", True),
        ('os.environ.get("A")', True),
        ('os.environ["A"] = "1"', False),
        ('os.environ |= {"A": "1"}', False),
        ("from os import replace", False),
        ('os.environ.setdefault("A", "1")', False),
        ('del os.environ["A"]', True),
    ],
)
def test_line_that_reads_the_environment_is_told_from_one_that_writes_it(
    line: str, *, found: bool
) -> None:
    assert bool(reads(line)) is found


def test_environment_is_read_in_one_place() -> None:
    files = [path for name in NAMES for path in (ROOT / name).rglob("*.py")]
    found = {
        str(path.relative_to(ROOT)) for path in files if reads(path.read_text(encoding="utf-8"))
    }
    assert found == READERS


def test_installing_an_extra_keeps_a_checkout_the_one_that_is_run() -> None:
    """Without -e pip puts a copy of the checkout beside it, and runs that from then on."""
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    told = [
        line
        for page in pages
        for line in page.read_text(encoding="utf-8").splitlines()
        if re.search(r"pip install\b.* ['\"]?\.(\[|['\"\s]|$)", line)
    ]
    assert [line for line in told if line.count(" -e ") != line.count("pip install")] == []


def names_compared(source: str) -> list[int]:
    """Return the lines in which a mind's name, or the embedded engine's, is compared with something."""
    sides = (
        (node.lineno, side)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Compare)
        for side in (node.left, *node.comparators)
    )
    return [
        line
        for line, side in sides
        for part in ast.walk(side)
        if (isinstance(part, ast.Constant) and part.value == "extractive")
        or (isinstance(part, ast.Attribute) and part.attr == "mind_name")
        or (
            isinstance(part, ast.Attribute)
            and part.attr == "name"
            and ast.unparse(part.value).rpartition(".")[2] in {"mind", "judge", "model"}
        )
    ]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('services.mind.name == "llm"', True),
        ("name != self.judge.name", True),
        ('kind in ("extractive", "auto")', True),
        ("services.mind_name == other", True),
        ("services.mind.composes", False),
        ("row.by == services.mind.composes", False),
        ("writer.name == other", False),
    ],
)
def test_compared_name_of_a_mind_is_found(line: str, *, found: bool) -> None:
    assert bool(names_compared(line)) is found


def test_steps_ask_what_a_mind_can_and_compare_no_name() -> None:
    files = [path for room in ("nodes", "graphs") for path in (ROOT / room).rglob("*.py")]
    found = {str(path): names_compared(path.read_text(encoding="utf-8")) for path in files}
    assert {path: lines for path, lines in found.items() if lines} == {}


MOST_STATEMENTS = {"product": 39_880, "evals": 4_640, "tests": 34_850}
"""Size is a cost that readers pay. Raise a figure only for something that a user asked for; lower it when you can."""


def test_the_house_grows_only_on_purpose() -> None:
    """A statement is a node of Python's grammar, so that neither cramming nor spreading lines changes the count."""
    rooms = dict.fromkeys(NAMES, "product") | {"evals": "evals", "tests": "tests"}
    found = dict.fromkeys(MOST_STATEMENTS, 0)
    for room, kind in rooms.items():
        for path in (ROOT / room).rglob("*.py"):
            nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
            texts = [node.value for node in nodes if isinstance(node, ast.Expr)]
            docs = sum(isinstance(text, ast.Constant) for text in texts)
            found[kind] += sum(isinstance(node, ast.stmt) for node in nodes) - docs
    for kind, most in MOST_STATEMENTS.items():
        assert 0.9 * most < found[kind] <= most, (kind, found)
