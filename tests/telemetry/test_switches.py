"""Tests of what switches telemetry on, and of what is not there unless it is."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.processes import Process, started
from tests.fakes.otlp import Collector
from tests.support import SMALL
from tests.telemetry.conftest import CANARY

_LOADED = """
import atexit, sys
def tell():
    loaded = {"opentelemetry.exporter", "opentelemetry.sdk.metrics", "prometheus_client"} & set(sys.modules)
    print("LOADED", *sorted(loaded), file=sys.stderr)
atexit.register(tell)
"""
_MISSING = "import sys; sys.modules['opentelemetry.sdk'] = None"


def find(home: Path, variables: Mapping[str, str], code: str = "") -> Process:
    text = f"How do language models write literature reviews with citations? {CANARY}"
    command = ("find", text, "--library", SMALL, "--json", "--set", "pool=6")
    with started(home, *command, variables=variables, code=code) as process:
        assert process.wait() == 0, process.stderr
    return process


@pytest.mark.slow
def test_nothing_is_loaded_and_nothing_said_unless_it_is_asked_for(home: Path) -> None:
    assert find(home, {}, _LOADED).stderr.split() == ["LOADED"]


@pytest.mark.slow
def test_without_its_packages_a_run_says_what_to_install_and_goes_on(home: Path) -> None:
    told = find(home, {"OTEL_TRACES_EXPORTER": "otlp"}, _MISSING).stderr
    assert "opentelemetry.sdk" in told
    assert "pip install 'citeloom[server]'" in told


@pytest.mark.slow
def test_lines_for_a_person_name_run_and_step(home: Path) -> None:
    lines = find(home, {"CITELOOM_LOG": "text"}).lines
    assert [line for line in lines if "run ends" in line and "outcome=complete" in line]
    assert [line for line in lines if "stage=generate_queries" in line and "graph=find" in line]
    assert not [line for line in lines if CANARY in line]


@pytest.mark.slow
@pytest.mark.parametrize("tracing", ["true", "false"])
def test_langsmith_gets_the_texts_where_it_is_switched_on_and_nothing_else(
    home: Path, tracing: str
) -> None:
    with Collector() as collector:
        variables = {
            "LANGSMITH_TRACING": tracing,
            "LANGSMITH_API_KEY": "lsv2_test",
            "LANGSMITH_ENDPOINT": collector.url,
        }
        find(home, variables)
        bodies = b"".join(body for _, _, body in collector.requests)
    assert (CANARY.encode() in bodies) == (tracing == "true")
    assert bool(collector.requests) == (tracing == "true")
