"""What a command prints and writes of a result; docs/output.md describes the files and their fields."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import typer
from langgraph.store.base import BaseStore
from rich.markup import escape

from citeloom.cli.files import drop_folder, write_notes
from citeloom.cli.finding_results import NOT_PASSED, FindingResults
from citeloom.cli.library_add import tell
from citeloom.cli.read_inputs import own_entries
from citeloom.cli.telling import (
    print_notice,
    print_outcome,
    print_status,
    tell_folder,
    tell_lost,
    tell_page,
)
from citeloom.report.answers import DOUBTFUL, reading_faults
from citeloom.report.json_files import (
    answer_json,
    dump,
    jsonable,
    papers_json,
    run_json,
)
from citeloom.report.markdown import terminal_text
from citeloom.report.reference_files import reference_file
from citeloom.report.result_files import page_of, result_files
from citeloom.report.result_report import SECTIONS, ResultReport
from citeloom.runs.run_record import RunRecord
from citeloom.service.updating import papers_not_seen
from state.results import SCHEMA_VERSION
from state.run import GraphName, as_sentences
from state.verify import ReadReference
from tools.bibliography.citation_style import open_style
from tools.disk import write_whole
from tools.errors import InputError, counted
from tools.run_store import RunStore


async def print_result(
    run: RunRecord,
    values: Mapping[str, Any],
    store: BaseStore,
    *,
    as_json: bool,
    known: frozenset[str] | None = None,
    trace: bool = False,
    speak: str | None = None,
    findings: FindingResults | None = None,
) -> int:
    """Write the files of a run, print its result, and return the exit code.

    Args:
        run: The run.
        values: What its graph gives, or has so far.
        store: Where its drafts are kept.
        as_json: Whether to print the JSON file of the result instead of its text.
        known: Ids of papers that an earlier run has seen: only the others are printed.
        trace: Whether to print the way to an answer, too.
        speak: The voice that says an answer aloud, if one shall.
        findings: What takes the findings of a check, and tells them in place of its report if it prints lines.
    """
    if run.graph == "references":
        return print_references(values, "csl" if as_json else "bibtex")
    if run.graph == "ingest":
        # Without a request it was stopped at once, and its caller says so.
        return tell(values, as_json=as_json) if "request" in values else 1
    style = open_style(run.style) if run.style else None
    graph = cast(GraphName, run.graph)
    own = own_entries(Path(run.bib)) if run.bib else ()
    report = ResultReport.of(graph, values, style, question=run.inputs.get("question", ""), own=own)
    report = replace(report, zotero_uris=run.zotero_uris)
    record, files = await _json_files(run, report, store)
    made = values.get("papers") or (report.paragraphs if graph in SECTIONS else report.told)
    if not made and getattr(values.get("stop"), "subject", "") == "input":
        drop_folder(Path(run.out), run.name)
    elif run.out:
        for name, content in result_files(report, run.formats, more=files).items():
            write_whole(Path(run.out) / name, content)
    if run.notes:
        count = write_notes(Path(run.notes), report)
        print_status(escape(f"{counted(count, 'note')} in {run.notes}"))
    if findings:
        findings.take_text(values, run.inputs.get("file", ""))
    if as_json:
        typer.echo(dump(record))
    elif not (findings and findings.lines):
        _print(run, report, known, trace=trace)
    if speak and values.get("sentences"):
        from citeloom.cli.voice import say_aloud

        say_aloud(str(values["answer"]), speak)
    return _exit_code(report)


async def _json_files(
    run: RunRecord, report: ResultReport, store: BaseStore
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what `--json` prints, and the JSON files, and such, that stand beside the text."""
    values = report.values
    if report.graph in {"ask", "synthesize"}:
        record = answer_json(run, values)
        files = {page_of(report).replace(".html", ".json"): dump(record) + "\n"}
        if values.get("bibtex"):
            files["references.bib"] = str(values["bibtex"])
        return record, files
    record = run_json(run, values)
    if report.graph == "table":
        named = ("columns", "rows", "counts")
        record |= {name: jsonable(values[name]) for name in named if name in values}
        return record, {"run.json": dump(record) + "\n"}
    if report.graph == "verify":
        record["labels"] = dict(values.get("labels") or {})
        files = {"run.json": dump(record) + "\n"}
        if report.told:
            audit = jsonable(values["audit"])
            record["audit"] = {"schema_version": SCHEMA_VERSION, "run": run.name, **audit}
            files["audit.json"] = dump(record["audit"]) + "\n"
        return record, files
    name = values.get("run", "")
    record["drafts"] = jsonable(await RunStore(store, name).rounds.all() if name else [])
    files = {"run.json": dump(record) + "\n"}
    if report.graph == "novelty":
        record["claims"] = jsonable(values.get("claims") or [])
        record["uncompared"] = jsonable(values.get("uncompared") or [])
        lists = {name: record[name] for name in ("claims", "uncompared")}
        own = {"schema_version": SCHEMA_VERSION, "run": run.name, **lists}
        files |= {"novelty.json": dump(own) + "\n", "papers.json": dump(papers_json(values)) + "\n"}
    return {**record, **papers_json(values), "related_work": values.get("related_work", "")}, files


def _print(
    run: RunRecord, report: ResultReport, known: frozenset[str] | None, *, trace: bool
) -> None:
    values, is_section = report.values, report.graph in SECTIONS
    written = report.paragraphs or (report.graph == "find" and values.get("papers"))
    given = bool(written if is_section else report.told)
    if not (is_section and given):  # a section begins with it
        tell_lost(values)
    if given:
        shown = report
        if known is not None:
            new = {**values, "papers": papers_not_seen(values, known)}
            shown = ResultReport.of(report.graph, new)
        typer.echo(terminal_text(shown, details=trace))
    if report.paragraphs and report.coverage:
        print_status(escape(values["completeness"].told))
    for sign, text in reading_faults(values):
        print_notice(sign, text)
    print_outcome(values, told={(item.name, item.cause) for item in values.get("stacked") or ()})
    if run.out and (given or (is_section and values.get("papers"))):
        tell_page(Path(run.out) / page_of(report), run.name, run.seconds)
    elif report.graph == "verify" and Path(run.out).is_dir():
        tell_folder(Path(run.out), run.name, run.seconds)


def _exit_code(report: ResultReport) -> int:
    """Return 0 with a result, 1 without one or where the run could not be ended.

    2 is for an input that an answer or a check cannot be made of, 3 for a text that does not pass.
    """
    values, graph, stop = report.values, report.graph, report.values.get("stop")
    if stop and stop.subject == "input" and graph not in SECTIONS:
        return 2
    if graph == "verify" and report.told and not stop:
        return 0 if values["audit"].passed else NOT_PASSED
    is_given = not stop and values.get("outcome", "nothing") != "nothing"
    done = {
        "verify": False,
        "ask": values.get("sentences"),
        "synthesize": not stop and values.get("answer") and values.get("lines"),
        "review": is_given and values.get("sentences"),
        "novelty": is_given and values.get("claims"),
    }
    return int(not done.get(graph, is_given))


def print_references(
    values: Mapping[str, Any],
    form: str,
    out: Path | None = None,
    findings: FindingResults | None = None,
) -> int:
    """Print the references in one of the forms, or write them; say on standard error what could not be done.

    `findings` takes what was found, and tells it in their place if it prints lines. Returns the exit code.

    Raises:
        InputError: Nothing could be read.
    """
    if stop := values.get("stop"):
        raise InputError(as_sentences(stop.cause, stop.remedy))
    for failure in values.get("failures", ()):
        typer.echo(f"{failure.subject}: {failure.cause}", err=True)
    listed: Sequence[ReadReference] = values.get("references") or ()
    text = reference_file(form, listed)
    if findings:
        findings.take_references(values)
    if findings and findings.lines and not out:
        pass
    elif out:
        out.write_text(text, "utf-8")
    else:
        typer.echo(text, nl=False)
    unsure = sum(one.confidence < DOUBTFUL for one in listed)
    told = [f"{counted(len(listed), 'reference')} read, {unsure} with low confidence"]
    outcomes = Counter(one.check.outcome.replace("_", " ") for one in listed if one.check)
    told += [f"{count} {outcome}" for outcome, count in outcomes.most_common()]
    typer.echo(", ".join(told), err=True)
    return findings.finish("never") if findings else 0
