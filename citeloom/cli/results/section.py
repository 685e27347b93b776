"""`review`, `find`, `write` and `revise`: the files of the output folder, and what is printed.

The files and their fields are a public contract; docs/output.md describes them.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer
from langgraph.store.base import BaseStore
from rich.markup import escape

from citeloom.cli.export.completeness import assessed
from citeloom.cli.export.document import restyled
from citeloom.cli.export.files import write_exports
from citeloom.cli.export.markdown import papers_text, review_text
from citeloom.cli.export.table import table_csv, table_markdown, table_page
from citeloom.cli.files import SCHEMA_VERSION, dump, plain, write_whole
from citeloom.cli.results.record import run_record
from citeloom.cli.runs import Run
from citeloom.cli.telling import say, tell_folder, tell_outcome
from tools.bibliography.style import open_style
from tools.citation_graph.page import citation_graph_page
from tools.run_store import RunStore


async def finish(run: Run, values: Mapping[str, Any], store: BaseStore, *, as_json: bool) -> int:
    """Write the files, print the result, and return the exit code: 0 unless there is nothing."""
    if run.graph in {"write", "revise"}:
        values = {**values, "papers": []}  # there the channel holds what the caller named
    foreign = open_style(run.style) if run.style else None
    if foreign and values.get("sentences"):
        values = restyled(values, foreign)
    values = {**values, "completeness": assessed(values)}
    rounds = await RunStore(store, values.get("run", "")).rounds.all() if values.get("run") else []
    record = {**run_record(run, values), "drafts": plain(rounds)}
    papers = {
        "schema_version": SCHEMA_VERSION,
        "papers": plain(values.get("papers") or []),
        "links": plain(values.get("links") or []),
    }
    text = review_text(values) if run.graph != "find" else papers_text(values)
    folder = Path(run.out)
    write_exports(folder, values, run.formats, style=foreign)
    for name, content in _files(run, values, papers, text):
        write_whole(folder / name, content)
    write_whole(folder / "run.json", dump(record) + "\n")
    if as_json:
        typer.echo(dump({**record, **papers, "related_work": values.get("related_work", "")}))
    else:
        _print(run, values, text, folder)
    nothing = values.get("outcome", "nothing") == "nothing"
    unwritten = run.graph == "review" and not values.get("sentences")
    return 1 if values.get("stop") or nothing or unwritten else 0


def _files(
    run: Run, values: Mapping[str, Any], papers: Mapping[str, Any], text: str
) -> Iterator[tuple[str, str]]:
    """Yield the files besides the text and its references, so far as the run came to them."""
    request = values.get("request")
    title, about = (request.title or "", request.text) if request else ("", "")
    if found := values.get("papers"):
        yield "papers.json", dump(papers) + "\n"
        yield (
            "graph.html",
            citation_graph_page(found, values.get("links") or [], about=title or about),
        )
        if run.graph == "find":
            yield "papers.md", text
    if (audit := values.get("audit")) and values.get("sentences"):
        yield "audit.json", dump({"schema_version": SCHEMA_VERSION, **plain(audit)}) + "\n"
    if (table := values.get("table")) and table.rows and values.get("sentences"):
        yield "table.md", table_markdown(table)
        yield "table.csv", table_csv(table)
        yield "table.html", table_page(table, about=title)


def _print(run: Run, values: Mapping[str, Any], text: str, folder: Path) -> None:
    if values.get("sentences") or (run.graph == "find" and values.get("papers")):
        typer.echo(text.split("\n## Evidence")[0].rstrip() + "\n")
    if values.get("sentences") and values.get("completeness"):
        say(escape(values["completeness"].told))
    tell_outcome(values)
    if values.get("papers") or values.get("sentences"):
        tell_folder(folder, run.name, run.seconds)
