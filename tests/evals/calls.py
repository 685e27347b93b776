"""Running `citeloom eval SUITE` in this process."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from citeloom.cli.app import app
from tools.settings import settings


def evaluated(suite: str, *given: str | Path) -> Result:
    """Run the command; an exception that a user would see as a traceback fails the test."""
    result = CliRunner().invoke(app, ["eval", suite, *map(str, given)])
    assert isinstance(result.exception, SystemExit | None), repr(result.exception)
    return result


def measured(folder: Path, suite: str, *given: str | Path) -> tuple[Any, Result]:
    """Run a suite with --json; return its figures, and what it said."""
    out = folder / f"{suite}.json"
    done = evaluated(suite, *given, "--json", out)
    assert done.exit_code == 0, done.output
    return read_json(out), done


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@contextmanager
def with_judge(patch: pytest.MonkeyPatch, url: str, home: Path, **more: str) -> Iterator[None]:
    """Let an LLM at this address judge, with a home of its own; `more` are further settings."""
    given = {
        "STRONG_MODEL": "judge",
        "FAST_MODEL": "judge",
        "LLM_BASE_URL": url,
        "LLM_API_KEY": "k",
        "HOME": str(home),
        **more,
    }
    for name, value in given.items():
        patch.setenv(f"CITELOOM_{name}", value)
    settings.cache_clear()
    yield
    settings.cache_clear()
