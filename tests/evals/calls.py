"""Running `citeloom eval SUITE` in this process."""

from pathlib import Path

from typer.testing import CliRunner, Result

from citeloom.cli.app import app


def evaluated(suite: str, *given: str | Path) -> Result:
    """Run the command; an exception that a user would see as a traceback fails the test."""
    result = CliRunner().invoke(app, ["eval", suite, *map(str, given)])
    assert isinstance(result.exception, SystemExit | None), repr(result.exception)
    return result
