"""`citeloom eval SUITE`: benchmarks over data that you have, where they are installed."""

from importlib import import_module

import typer

from citeloom.cli.telling import exit_on_error
from tools.program import PROGRAM


def evaluate(ctx: typer.Context) -> None:
    """Measure how well CiteLoom works on data of yours."""
    try:
        suites = import_module("evals.__main__").app
    except ModuleNotFoundError as error:
        needs = "the extra 'evals'" if error.name == "rouge_score" else "a checkout"
        typer.echo(f"citeloom: the benchmarks need {needs}: {error}", err=True)
        raise typer.Exit(2) from error
    with exit_on_error():
        suites(ctx.args or ["--help"], prog_name=f"{PROGRAM} eval")
