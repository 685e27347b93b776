"""Where things stand: names of this checkout alone, imports without a circle."""

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
