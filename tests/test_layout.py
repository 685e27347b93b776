"""The generic top-level names belong to this checkout and to no other distribution."""

from importlib import import_module
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NAMES = ["citeloom", "graphs", "nodes", "state", "tools"]


@pytest.mark.parametrize("name", NAMES)
def test_name_is_imported_from_this_checkout_and_has_no_other_owner(name: str) -> None:
    assert Path(import_module(name).__file__ or "").parent == ROOT / name
    assert set(packages_distributions().get(name, [])) <= {"citeloom"}
