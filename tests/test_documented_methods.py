"""The table of methods: each can be chosen, says when to use it, and stands where people and agents read."""

import pytest
from typer.testing import CliRunner

from citeloom.cli.app import app
from tools.documented_methods import METHODS, STEPS, Method, methods_by_step
from tools.run_settings import RunSettings, check_settings


@pytest.mark.parametrize("method", METHODS, ids=lambda one: f"{one.step}: {one.name}")
def test_method_sets_what_a_run_takes_and_says_when(method: Method) -> None:
    check_settings(RunSettings(**method.settings))
    assert all(getattr(RunSettings(), name) != value for name, value in method.settings.items())
    assert method.when.endswith(".")
    assert len(method.when.split()) <= 20


def test_first_method_of_a_step_is_the_default_and_no_two_are_alike() -> None:
    for step in methods_by_step():
        first, *others = step["methods"]
        assert first["settings"] == {}
        assert all(one["settings"] for one in others)
    assert {one.step for one in METHODS} == set(STEPS)
    assert len({(one.step, one.name) for one in METHODS}) == len(METHODS)


def test_command_line_names_each_method_with_what_chooses_it() -> None:
    told = " ".join(CliRunner(env={"COLUMNS": "240"}).invoke(app, ["settings"]).output.split())
    for method in METHODS:
        sets = " ".join(f"{name}={value}" for name, value in method.settings.items()) or "default"
        assert f"{method.name} {sets} {method.when}" in told
