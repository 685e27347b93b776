"""`citeloom references`, and such a run shown again: print or write the list, and say how sure it is."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from citeloom.export.references import printed
from citeloom.runs.run_record import RunRecord
from state.references import ReadReference
from tools.counting import counted
from tools.errors import InputError


async def finish(run: RunRecord, values: Mapping[str, Any], store: object, *, as_json: bool) -> int:
    """Print the list of a run that another program has started; return the exit code."""
    show(values, "csl" if as_json else "bibtex")
    return 0


def show(values: Mapping[str, Any], form: str, out: Path | None = None) -> None:
    """Print the list in one of the forms, or write it; tell on standard error what could not be done.

    Raises:
        InputError: Nothing could be read.
    """
    if stop := values.get("stop"):
        raise InputError(" ".join(filter(None, (stop.cause, stop.remedy))))
    for failure in values.get("failures", ()):
        typer.echo(f"{failure.subject}: {failure.cause}", err=True)
    listed: Sequence[ReadReference] = values.get("references") or ()
    text = printed(form, listed)
    if out:
        out.write_text(text, "utf-8")
    else:
        typer.echo(text, nl=False)
    typer.echo(_summary(listed), err=True)


def _summary(listed: Sequence[ReadReference]) -> str:
    unsure = sum(one.confidence < 0.5 for one in listed)
    told = [f"{counted(len(listed), 'reference')} read, {unsure} with little confidence"]
    outcomes = Counter(one.check.outcome.replace("_", " ") for one in listed if one.check)
    told += [f"{count} {outcome}" for outcome, count in outcomes.most_common()]
    return ", ".join(told)
