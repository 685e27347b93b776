"""`python -m evals SUITE`, which `citeloom eval SUITE` calls: each suite with its options."""

from dataclasses import fields
from importlib import import_module
from inspect import Parameter, Signature
from typing import Any, get_type_hints

import typer

from citeloom.cli.commands import WordedGroup
from evals.build import build
from evals.figures import report
from evals.references.command import references
from evals.runner import Options, run, say
from evals.screening import screening
from evals.starter.command import data
from tools.errors import CiteLoomError, InputError

SUITES = {
    "retrieval": ("evals.retrieval.command", "Retrieval"),
    "writing": ("evals.writing.command", "Writing"),
    "judging": ("evals.writing.judging", "Judging"),
    "ragas": ("evals.synthesis.ragas", "Ragas"),
    "passages": ("evals.asking.passages", "Passages"),
    "asking": ("evals.asking.command", "Asking"),
    "citation_truth": ("evals.citation_truth.command", "CitationTruth"),
    "synthesis": ("evals.synthesis.command", "Synthesis"),
    "relevance": ("evals.retrieval.command", "Relevance"),
    "bench": ("evals.bench.command", "Bench"),
}
app = typer.Typer(
    help="Measure how well CiteLoom works on data of yours.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    cls=WordedGroup,
)


def _command(module: str, name: str) -> Any:
    """Return a command whose options are the fields of the suite's Options."""
    suite: Any = getattr(import_module(module), name)
    options: Any = getattr(import_module(module), f"{name}Options", Options)
    hints = get_type_hints(options, include_extras=True)

    def measure(**given: Any) -> None:
        raise typer.Exit(run(suite(options(**given))))

    measured: Any = measure
    measured.__doc__ = suite.__doc__
    measured.__signature__ = Signature(
        [
            Parameter(
                item.name,
                Parameter.KEYWORD_ONLY,
                annotation=hints[item.name],
                default=item.default if isinstance(item.default, _PLAIN) else Parameter.empty,
            )
            for item in fields(options)
        ]
    )
    return measured


_PLAIN = (int, str, type(None))

for _name, _place in SUITES.items():
    app.command(_name)(_command(*_place))

app.command()(data)
app.command()(report)
app.command()(screening)
app.command()(build)
app.add_typer(references, name="references")

if __name__ == "__main__":
    try:
        app(prog_name="python -m evals")
    except CiteLoomError as error:
        say(f"citeloom: {error}")
        raise SystemExit(2 if isinstance(error, InputError) else 1) from error
