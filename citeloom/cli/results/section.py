"""`review`, `find`, `write` and `revise`: the files of the output folder, and what is printed.

The files and their fields are a public contract; docs/output.md describes them.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer
from langgraph.store.base import BaseStore
from rich.markup import escape

from citeloom.cli.export.completeness import assessed, completeness_line
from citeloom.cli.export.document import restyled
from citeloom.cli.export.files import write_exports
from citeloom.cli.export.markdown import papers_text, review_text
from citeloom.cli.export.table import table_csv, table_markdown, table_page
from citeloom.cli.files import SCHEMA_VERSION, dump, plain, write_whole
from citeloom.cli.results.record import run_record
from citeloom.cli.runs import Run
from citeloom.cli.telling import say, tell, tell_failures, tell_folder, tell_notes, tell_stop
from tools.bibliography.style import CitationStyle, open_style
from tools.citation_graph.page import citation_graph_page
from tools.errors import InputError
from tools.run_store import RunStore


async def finish(run: Run, values: Mapping[str, Any], store: BaseStore, *, as_json: bool) -> int:
    """Write the files, print the result, and return the exit code: 0 unless there is nothing."""
    folder = Path(run.out)
    if run.graph in {"write", "revise"}:
        values = {**values, "papers": []}  # there the channel holds what the caller named
    foreign = _foreign_style(run)
    values = restyled(values, foreign) if foreign and values.get("sentences") else values
    values = {**values, "completeness": assessed(values)}
    rounds = await RunStore(store, values.get("run", "")).rounds.all() if values.get("run") else []
    record = {**run_record(run, values), "drafts": plain(rounds)}
    papers = {
        "schema_version": SCHEMA_VERSION,
        "papers": plain(values.get("papers") or []),
        "links": plain(values.get("links") or []),
    }
    text = review_text(values) if run.graph != "find" else papers_text(values)
    if values.get("papers"):
        write_whole(folder / "papers.json", dump(papers) + "\n")
        _write_picture(folder, values)
        if run.graph == "find":
            write_whole(folder / "papers.md", text)
    if values.get("sentences"):
        write_exports(folder, values, run.formats, style=foreign)
        _write_findings(folder, values)
    write_whole(folder / "run.json", dump(record) + "\n")
    if as_json:
        typer.echo(dump({**record, **papers, "related_work": values.get("related_work", "")}))
    else:
        _print(run, values, text, folder)
    nothing = values.get("outcome", "nothing") == "nothing"
    unwritten = run.graph == "review" and not values.get("sentences")
    return 1 if values.get("stop") or nothing or unwritten else 0


def _foreign_style(run: Run) -> CitationStyle | None:
    """Return the user's own style; where its file has gone the run's standard one must do."""
    if not run.style:
        return None
    try:
        return open_style(run.style)
    except InputError as error:
        tell("Not done", f"{error} (printed in another style)")
        return None


def _write_findings(folder: Path, values: Mapping[str, Any]) -> None:
    """Write the audit and the comparison table, so far as the run came to them."""
    if audit := values.get("audit"):
        told = {"schema_version": SCHEMA_VERSION, **plain(audit)}
        write_whole(folder / "audit.json", dump(told) + "\n")
    if (table := values.get("table")) and table.rows:
        request = values.get("request")
        about = (request.title or "") if request else ""
        write_whole(folder / "table.md", table_markdown(table))
        write_whole(folder / "table.csv", table_csv(table))
        write_whole(folder / "table.html", table_page(table, about=about))


def _write_picture(folder: Path, values: Mapping[str, Any]) -> None:
    papers, links = values["papers"], values.get("links") or []
    request = values.get("request")
    about = (request.title or request.text) if request else ""
    write_whole(folder / "graph.html", citation_graph_page(papers, links, about=about))


def _print(run: Run, values: Mapping[str, Any], text: str, folder: Path) -> None:
    if values.get("sentences") or (run.graph == "find" and values.get("papers")):
        typer.echo(text.split("\n## Evidence")[0].rstrip() + "\n")
    if values.get("sentences") and values.get("completeness"):
        say(escape(completeness_line(values["completeness"])))
    tell_notes(values)
    tell_failures(values)
    tell_stop(values)
    if values.get("papers") or values.get("sentences"):
        tell_folder(folder, run.name, run.seconds)
