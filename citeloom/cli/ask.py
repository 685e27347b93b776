"""`citeloom ask`: print an answer with its sources, and on request the way to it."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from pydantic import TypeAdapter
from rich.markup import escape

from citeloom.cli.progress import say
from citeloom.cli.runs import Run
from state.asking import AnswerSentence, Claim, Hop
from state.paper import Paper
from state.passage import Passage

SCHEMA_VERSION = 1
_TOLD = (
    "request", "standalone", "answer", "sentences", "claims", "passages", "cited", "hops", "missing", "outcome",
    "stop", "failures", "seconds", "usage", "source_usage", "mind", "library", "retriever", "method",
)  # fmt: skip


def finish_ask(
    run: Run, values: Mapping[str, Any], *, as_json: bool, trace: bool = False, speak: str = ""
) -> int:
    """Print the answer, write it where a folder was named, return the exit code.

    Returns:
        0 with an answer, 1 without one, 2 for a question that cannot be used.
    """
    record = answer_record(run.name, run.inputs.get("question", ""), values)
    if run.out:
        write_answer(Path(run.out), record, values)
    if as_json:
        typer.echo(json.dumps(record, ensure_ascii=False, indent=2))
    else:
        typer.echo(printed(values, trace=trace))
        tell_faults(values)
    if speak and values.get("sentences"):
        from citeloom.cli.voice import say_aloud

        say_aloud(str(values["answer"]), speak)
    stop = values.get("stop")
    if stop and stop.subject == "input":
        return 2
    return 0 if values.get("sentences") else 1


def answer_record(run: str, question: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer as callers of `--json` get it; docs/output.md describes its fields."""
    plain = TypeAdapter(Any).dump_python
    return {
        "schema_version": SCHEMA_VERSION, "run": run, "question": question,
        **{name: plain(values.get(name), mode="json") for name in _TOLD},
    }  # fmt: skip


def printed(values: Mapping[str, Any], *, trace: bool = False) -> str:
    """Return the answer as plain text: prose, sources, and with `trace` the hops that led to it."""
    if "answer" not in values:
        return _unfinished(values)
    parts = [str(values["answer"])]
    sources = _sources(values)
    if sources:
        parts.append("\n".join(["Sources:", *sources]))
    if trace:
        parts.append("\n".join(_trace(values)))
    return "\n\n".join(parts)


def _sources(values: Mapping[str, Any]) -> list[str]:
    papers: dict[str, Paper] = {}
    for paper in values.get("cited") or ():
        papers |= dict.fromkeys((paper.id, *paper.aliases), paper)
    passages: dict[str, Passage] = {item.id: item for item in values.get("passages") or ()}
    lines = []
    for claim in values.get("claims") or ():
        paper, passage = papers.get(claim.paper), passages.get(claim.passage)
        year = f" ({paper.year})" if paper and paper.year else ""
        name = f"{paper.citation}{year}: {paper.title}" if paper else claim.paper
        place = f", {passage.place}" if passage and passage.place else ""
        lines += [
            f"[{claim.number}] {name}{place}",
            f"    {claim.paper}",
            f"    “{claim.quote.text}”",
        ]
    return lines


def _trace(values: Mapping[str, Any]) -> list[str]:
    lines = [f"Question understood as: {values.get('standalone', '')}"]
    hops: Sequence[Hop] = values.get("hops") or ()
    for hop in hops:
        lines.append(f"Hop {hop.number}: {hop.query}  ({hop.why})")
        lines.append(f"    {len(hop.retrieved)} passages found, {len(hop.chosen)} read")
        if hop.claims:
            lines.append(f"    claims {', '.join(map(str, hop.claims))}")
        lines += [f"    not taken: {item.text} ({item.cause})" for item in hop.lost]
        if hop.reasoning:
            lines.append(f"    {hop.reasoning}")
        if hop.bias:
            lines.append(f"    one-sided: {hop.bias}")
        if hop.missing:
            lines.append(f"    missing: {'; '.join(hop.missing)}")
    sentences: Sequence[AnswerSentence] = values.get("sentences") or ()
    lines += [f"Sentence {item.number}: {item.verdict}" for item in sentences]
    times = values.get("seconds") or {}
    if times:
        told = ", ".join(f"{name} {value:.2f} s" for name, value in times.items())
        lines.append(f"Time: {told}")
    return lines


def _unfinished(values: Mapping[str, Any]) -> str:
    """Return what a run has that was stopped before its answer was written."""
    held: Sequence[Claim] = values.get("held") or ()
    if not held:
        return "The run was stopped before anything was found."
    lines = ["The run was stopped before the answer was written. Claims so far:"]
    return "\n".join([*lines, *(f"- {claim.text} ({claim.paper})" for claim in held)])


def tell_faults(values: Mapping[str, Any]) -> None:
    """Say on standard error what went wrong."""
    for note in getattr(values.get("request"), "notes", ()):
        say(f"[yellow]Note:[/yellow] {escape(note)}.")
    for failure in values.get("failures") or ():
        if not failure.fatal:
            said = f"{failure.subject}: {failure.cause}"
            say(f"[yellow]Not done:[/yellow] {escape(said)} ({escape(failure.remedy)})")


def write_answer(folder: Path, record: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    """Write answer.json and answer.md."""
    text = f"# {record['question']}\n\n{printed(values, trace=True)}\n"
    _write(folder / "answer.json", json.dumps(record, ensure_ascii=False, indent=2) + "\n")
    _write(folder / "answer.md", text)


def _write(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
