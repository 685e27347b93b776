"""What options give to a run: the input of its graph, with what stands in files, and its settings."""

from collections.abc import Mapping
from typing import Any

import typer

from tools.scholar.open_source import ONLINE


def years_of(given: str | None) -> dict[str, Any]:
    """Return the first and last year of '2019', '2019-2023', '2019-' or '-2023'.

    Raises:
        typer.BadParameter: It is none of these.
    """
    first, dash, last = (part.strip() for part in (given or "").replace("–", "-").partition("-"))
    if (given and not all(part.isdigit() for part in (first, last) if part)) or given == "-":
        raise typer.BadParameter(
            f"'{given}' is not a year: give 2019, 2019-2023, 2019- or -2023", param_hint="--year"
        )
    low = int(first) if first else None
    high = int(last) if last else (None if dash else low)
    return {"first_year": low, "last_year": high}


def budgets_of(given: list[str]) -> dict[str, Any]:
    """Return the run's budget and those of single sources, in USD: '0.50', 'openalex=0.02'.

    Raises:
        typer.BadParameter: One of them is no amount, or of no source.
    """
    whole: float | None = None
    by_source: dict[str, float] = {}
    for item in given:
        name, _, amount = item.rpartition("=")
        try:
            usd = float(amount)
        except ValueError:
            usd = -1.0
        if not 0 <= usd < float("inf"):
            raise typer.BadParameter(f"'{item}' is not an amount in USD", param_hint="--max-usd")
        if name and name not in ONLINE:
            known = ", ".join(ONLINE)
            raise typer.BadParameter(f"'{name}' is not one of {known}", param_hint="--max-usd")
        if name:
            by_source[name] = usd
        else:
            whole = usd
    return {"max_usd": whole, "max_usd_by_source": by_source or None}


def inputs_of(command: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what options give to a new run, with what stands in the files that they name.

    Raises:
        InputError, typer.BadParameter: One of them cannot be used.
    """
    from citeloom.cli import read_inputs as read
    from citeloom.cli.voice import listen_for_question
    from citeloom.runs.run_record import load_run

    taken, cited = dict(given), list[Any]()
    if "section" in taken:
        taken["section"] = load_run(taken["section"]).run_store
    if "files" in taken:
        files = taken.pop("files") or ()
        taken["paths"] = read.paper_paths(taken["question"], files, taken["papers"])
    if "question" in taken:
        heard = taken.pop("listen", None)
        words = listen_for_question(heard) if heard else read.read_text_input(taken["question"])
        taken["question"] = words
    if command == "verify":
        taken |= read.read_manuscript(taken["text"])
        cited, taken["papers"] = taken["papers"], given["papers"]
    elif command == "revise":
        taken["text"] = read.read_section(taken["text"]) if taken["text"] else ""
    elif "text" in taken:
        taken["text"] = read.read_draft(taken["text"])
    if "papers_file" in taken:
        file = taken.pop("papers_file")
        records = read.read_papers(file, places=command == "verify") if file else ()
        taken["papers"] = [*taken["papers"], *records, *cited]
    if "plan" in taken:
        taken["plan"] = read.read_plan_file(taken["plan"]) if taken["plan"] else ""
    return taken | (years_of(taken.pop("year")) if "year" in taken else {})


def settings_of(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Take the options on model and cost out; return the settings of a new run, and those that change one that goes on.

    The latter are the budgets that are given, and all of --set.

    Raises:
        InputError, typer.BadParameter: One of them cannot be used.
    """
    from tools.run_settings import parse_setting

    budgets = {"max_calls": given.pop("max_calls"), **budgets_of(given.pop("max_usd"))}
    named = (item.partition("=") for item in given.pop("set"))
    chosen = {name: parse_setting(name, value) for name, _, value in named}
    raised = {name: value for name, value in budgets.items() if value is not None}
    return {"mind": given.pop("mind"), **budgets, **chosen}, raised | chosen
