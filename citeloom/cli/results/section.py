"""`review`, `find`, `write` and `revise`: the files of the output folder, and what is printed.

The files and their fields are a public contract; docs/output.md describes them.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer
from langgraph.store.base import BaseStore
from rich.markup import escape

from citeloom.cli.files import write_whole
from citeloom.cli.results.record import run_json
from citeloom.cli.telling import print_outcome, print_status, tell_lost, tell_page
from citeloom.export.completeness import with_completeness_text
from citeloom.export.document import in_other_style
from citeloom.export.files import all_files, papers_record
from citeloom.export.markdown import papers_shown, review_shown
from citeloom.export.plain import dump, plain
from citeloom.runs.run_record import RunRecord
from citeloom.service.updating import papers_not_seen
from tools.bibliography.citation_style import open_style
from tools.run_store import RunStore


async def finish(
    run: RunRecord,
    values: Mapping[str, Any],
    store: BaseStore,
    *,
    as_json: bool,
    known: frozenset[str] | None = None,
) -> int:
    """Write the files, print the result, and return the exit code: 0 unless there is nothing.

    Of papers those are printed alone whose ids are not `known` to an earlier run, where there is one.
    """
    if run.graph in {"write", "revise"}:
        values = {**values, "papers": []}  # there the channel holds what the caller named
    foreign = open_style(run.style) if run.style else None
    if foreign and values.get("sentences"):
        values = in_other_style(values, foreign)
    values = {**values, "completeness": with_completeness_text(values)}
    rounds = await RunStore(store, values.get("run", "")).rounds.all() if values.get("run") else []
    record = {**run_json(run, values), "drafts": plain(rounds)}
    if known is not None:
        text = papers_shown({**values, "papers": papers_not_seen(values, known)})
    else:
        text = review_shown(values) if run.graph != "find" else papers_shown(values)
    folder = Path(run.out)
    own = {"run.json": dump(record) + "\n"}
    files = all_files(run.graph, values, run.formats, style=foreign, more=own)
    page = "papers.html" if run.graph == "find" else "review.html"
    for name, content in files.items():
        write_whole(folder / name, content)
    if as_json:
        typer.echo(
            dump(
                {**record, **papers_record(values), "related_work": values.get("related_work", "")}
            )
        )
    else:
        _print(run, values, text, folder / page)
    nothing = values.get("outcome", "nothing") == "nothing"
    unwritten = run.graph == "review" and not values.get("sentences")
    return 1 if values.get("stop") or nothing or unwritten else 0


def _print(run: RunRecord, values: Mapping[str, Any], text: str, page: Path) -> None:
    if values.get("sentences") or (run.graph == "find" and values.get("papers")):
        typer.echo(text)
    else:
        tell_lost(values)
    if values.get("sentences") and values.get("completeness"):
        print_status(escape(values["completeness"].told))
    print_outcome(values)
    if values.get("papers") or values.get("sentences"):
        tell_page(page, run.name, run.seconds)
