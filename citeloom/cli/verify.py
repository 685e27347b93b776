"""`citeloom verify`: check the citations of a text, print what is wrong, write audit.json."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer
from pydantic import TypeAdapter
from rich.markup import escape

from citeloom.cli.progress import say
from citeloom.cli.reference_keys import read_references
from citeloom.cli.runs import Run
from state.audit import Audit, ReferenceFinding
from state.results import CitedSentence
from state.writing import CitationVerdict
from tools.errors import InputError

SCHEMA_VERSION = 1
NOT_PASSED = 3
_WORDS = {
    "fabricated": "leads to no paper",
    "mis_cited": "the paper does not say it",
    "contradicted": "the paper says the opposite",
    "no_verified_quote": "no words of the paper could be shown for it",
    "no_abstract": "not checked: the paper has no abstract",
    "not_verbatim": "not checked: it is not the paper's own sentence, and there is no LLM to judge it",
    "metadata_error": "wrong details",
    "retracted": "the paper was retracted",
    "superseded": "a later version was published",
}


def references(papers: Path | None) -> list[dict[str, Any]]:
    """Return the records of a file of references; a file that cannot be read ends the program.

    Raises:
        typer.Exit: It cannot be read; the reason has been printed.
    """
    if papers is None:
        return []
    try:
        return list(read_references(papers))
    except InputError as error:
        say(f"[red]citeloom:[/red] {escape(str(error))}")
        raise typer.Exit(2) from error


def finish_verify(run: Run, values: Mapping[str, Any], *, as_json: bool) -> int:
    """Write the files, print the report, return the exit code.

    Returns:
        0 where the text passed, 3 where it did not, 2 for an input that cannot be used, 1 where the
        run was stopped.
    """
    from citeloom.cli.results import run_record

    audit: Audit | None = values.get("audit")
    labels: Mapping[str, str] = values.get("labels") or {}
    record = {**run_record(run, values), "labels": dict(labels)}
    folder = Path(run.out)
    _write(folder / "run.json", record)
    stop = values.get("stop")
    if audit and audit.sentences:
        told = {"schema_version": SCHEMA_VERSION, "run": run.name, **audit.model_dump(mode="json")}
        _write(folder / "audit.json", told)
        if as_json:
            typer.echo(json.dumps({**record, "audit": told}, ensure_ascii=False, indent=2))
        else:
            typer.echo(report(audit, values.get("sentences") or [], labels))
    elif as_json:
        typer.echo(json.dumps(record, ensure_ascii=False, indent=2, default=str))
    if not as_json:
        _say_rest(run, values, folder)
    if stop:
        return 2 if stop.subject == "input" else 1
    if audit is None or not audit.sentences:
        return 1
    return 0 if audit.passed else NOT_PASSED


def report(audit: Audit, sentences: list[CitedSentence], labels: Mapping[str, str]) -> str:
    """Return what was found, as plain text: the problems first to last, then the outcome."""
    lines: list[str] = []
    for sentence in sentences:
        problems = [line for item in sentence.citations for line in _problem(item, labels)]
        claims = [item.why for item in audit.uncited_claims if item.sentence == sentence.number]
        problems += [f"    no citation: {why}" for why in claims]
        if problems:
            lines += [f"Sentence {sentence.number}: {sentence.text}", *problems, ""]
    if audit.references:
        lines += ["References:", *(_reference(item) for item in audit.references), ""]
    counts = (
        ("supported", audit.supported), ("partly supported", audit.partly),
        ("contradicted", audit.contradicted), ("not in the source", audit.not_in_source),
        ("not checked", audit.not_checked),
    )  # fmt: skip
    told = ", ".join(f"{number} {name}" for name, number in counts if number) or "none"
    lines.append(
        f"{audit.sentences} sentences, {audit.sentences_citing} of them with citations; citations: {told}."
    )
    lines += [f"    {note}" for note in audit.notes]
    lines.append("Passed." if audit.passed else f"Not passed. {'; '.join(audit.reasons)}.")
    return "\n".join(lines)


def _problem(item: CitationVerdict, labels: Mapping[str, str]) -> Iterator[str]:
    bad = item.verdict in {"contradicted", "not_in_source", "not_checked"}
    if not bad and not item.cause:
        return
    why = _WORDS["contradicted"] if item.verdict == "contradicted" else _WORDS.get(item.cause, "")
    yield f"    {labels.get(item.key, item.key)}: {why or item.verdict.replace('_', ' ')}"
    if bad and item.claim:
        yield f"      claimed: {item.claim}"
    if bad and item.quote:
        yield f"      the paper: “{item.quote.text}”"
    yield from (f"      note: {alarm}" for alarm in item.alarms)
    if item.better:
        yield f"      it is said by {item.better}"


def _reference(item: ReferenceFinding) -> str:
    remedy = f" ({item.remedy})" if item.remedy else ""
    return (
        f"    {item.key or item.paper}: {_WORDS.get(item.cause, item.cause)}: {item.detail}{remedy}"
    )


def _say_rest(run: Run, values: Mapping[str, Any], folder: Path) -> None:
    for note in (*getattr(values.get("request"), "notes", ()), *(values.get("notes") or ())):
        say(f"[yellow]Note:[/yellow] {escape(note)}.")
    for failure in values.get("failures") or ():
        if not failure.fatal:
            said = f"{failure.subject}: {failure.cause}"
            say(f"[yellow]Not done:[/yellow] {escape(said)} ({escape(failure.remedy)})")
    if stop := values.get("stop"):
        say(f"[red]citeloom:[/red] {escape(stop.cause)}")
    say(f"Results are in [bold]{escape(str(folder))}[/bold]  (run {run.name}, {run.seconds:.0f} s)")


def _write(path: Path, value: Mapping[str, Any]) -> None:
    """Write a file as a whole or not at all."""
    plain = TypeAdapter(Any).dump_python(value, mode="json")
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(json.dumps(plain, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    temporary.replace(path)
