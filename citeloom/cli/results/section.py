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
from citeloom.cli.export.document import document_of, restyled
from citeloom.cli.export.files import contents, write_exports
from citeloom.cli.export.markdown import papers_text, review_text
from citeloom.cli.export.review_page import review_page
from citeloom.cli.export.table import table_csv, table_markdown
from citeloom.cli.files import SCHEMA_VERSION, dump, plain, write_whole
from citeloom.cli.results.record import run_record
from citeloom.cli.telling import say, tell_outcome, tell_page
from citeloom.service.kept import Run
from tools.bibliography.style import open_style
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
    names = write_exports(folder, values, run.formats, style=foreign)
    files = {**dict(_files(run, values, papers, text)), "run.json": dump(record) + "\n"}
    page = "papers.html" if run.graph == "find" else "review.html"
    if values.get("papers") or values.get("sentences"):
        names = [page, *names, *files]
        about = getattr(values.get("request"), "title", None) or ""
        files[page] = review_page(
            values, contents(names[1:]), document=document_of(values, foreign), about=about
        )
        files["files/README.md"] = f"# Files of this run\n\n{contents(names, within='files')}\n"
    for name, content in files.items():
        write_whole(folder / name, content)
    if as_json:
        typer.echo(dump({**record, **papers, "related_work": values.get("related_work", "")}))
    else:
        _print(run, values, text, folder / page)
    nothing = values.get("outcome", "nothing") == "nothing"
    unwritten = run.graph == "review" and not values.get("sentences")
    return 1 if values.get("stop") or nothing or unwritten else 0


def _files(
    run: Run, values: Mapping[str, Any], papers: Mapping[str, Any], text: str
) -> Iterator[tuple[str, str]]:
    """Yield the files besides the text and its references, so far as the run came to them."""
    if values.get("papers"):
        yield "papers.json", dump(papers) + "\n"
        if run.graph == "find":
            yield "papers.md", text
    if (audit := values.get("audit")) and values.get("sentences"):
        yield "audit.json", dump({"schema_version": SCHEMA_VERSION, **plain(audit)}) + "\n"
    if (table := values.get("table")) and table.rows and values.get("sentences"):
        yield "files/table.md", table_markdown(table)
        yield "files/table.csv", table_csv(table)


def _print(run: Run, values: Mapping[str, Any], text: str, page: Path) -> None:
    if values.get("sentences") or (run.graph == "find" and values.get("papers")):
        typer.echo(text.split("\n## Evidence")[0].rstrip() + "\n")
    if values.get("sentences") and values.get("completeness"):
        say(escape(values["completeness"].told))
    tell_outcome(values)
    if values.get("papers") or values.get("sentences"):
        tell_page(page, run.name, run.seconds)
