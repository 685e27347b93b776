"""`citeloom runs spending`: what all runs of this home have paid for."""

from enum import StrEnum
from typing import Annotated

import typer

from citeloom.cli.telling import errors_told
from tools.counting import counted

By = StrEnum("By", ["day", "caller", "task", "source"])


def spending(
    by: Annotated[By, typer.Option(help="What is added up.")] = By.day,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Say what runs have spent on calls of models and sources, by UTC day, caller, task or source."""
    from json import dumps

    with errors_told():
        from tools.ledger.file import LedgerFile
        from tools.settings import settings

        rows = LedgerFile(settings().home).spent(by.value)
        names = (by.value, "calls", "input_tokens", "output_tokens", "usd")
        for row in rows:
            if as_json:
                typer.echo(dumps(dict(zip(names, row, strict=True))))
            else:
                name, calls, given, written, usd = row
                shown = name or "(no auth)"
                typer.echo(
                    f"{shown:<24} {counted(calls, 'call'):>13} {given + written:>11,} tokens {usd:>10.4f} USD"
                )
        if not rows and not as_json:
            typer.echo("nothing was spent yet", err=True)
