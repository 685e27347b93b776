"""`citeloom ask`: print an answer with its sources, and on request the way to it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from citeloom.cli.files import write_whole
from citeloom.cli.telling import print_outcome, tell_lost, tell_page
from citeloom.export.html import to_html
from citeloom.export.plain import SCHEMA_VERSION, dump, plain
from citeloom.runs.run_record import RunRecord
from state.ask import AnswerSentence, Claim, Hop
from tools.counting import counted

_TOLD = (
    "request",
    "standalone",
    "answer",
    "sentences",
    "claims",
    "passages",
    "cited",
    "hops",
    "missing",
    "nearest",
    "outcome",
    "stop",
    "failures",
    "seconds",
    "usage",
    "source_usage",
    "mind",
    "library",
    "method",
    "retriever",
)


async def finish(
    run: RunRecord,
    values: Mapping[str, Any],
    store: object,
    *,
    as_json: bool,
    trace: bool = False,
    speak: str | None = None,
) -> int:
    """Print the answer, write it where a folder was named, return the exit code.

    Returns:
        0 with an answer, 1 without one, 2 for a question that cannot be used.
    """
    record = answer_record(run.name, run.inputs.get("question", ""), values)
    if run.out:
        text = f"# {record['question']}\n\n{printed(values, trace=True)}\n"
        write_whole(Path(run.out) / "answer.json", dump(record) + "\n")
        write_whole(Path(run.out) / "answer.md", text)
        write_whole(Path(run.out) / "answer.html", to_html(record["question"], text))
    if as_json:
        typer.echo(dump(record))
    else:
        tell_lost(values)
        typer.echo(printed(values, trace=trace))
        print_outcome(values)
        if run.out:
            tell_page(Path(run.out) / "answer.html", run.name, run.seconds)
    if speak and values.get("sentences"):
        from citeloom.cli.voice import say_aloud

        say_aloud(str(values["answer"]), speak)
    stop = values.get("stop")
    if stop and stop.subject == "input":
        return 2
    return 0 if values.get("sentences") else 1


def answer_record(run: str, question: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer as callers of `--json` get it; docs/output.md describes its fields."""
    told = {name: plain(values.get(name)) for name in _TOLD}
    return {"schema_version": SCHEMA_VERSION, "run": run, "question": question, **told}


def printed(values: Mapping[str, Any], *, trace: bool = False) -> str:
    """Return the answer as plain text: prose, sources, and with `trace` the hops that led to it."""
    if "answer" not in values:
        return _unfinished(values)
    told = str(values["messages"][-1].content)
    return "\n".join([told, "", *_trace(values)]) if trace else told


def _trace(values: Mapping[str, Any]) -> list[str]:
    lines = [f"Question understood as: {values.get('standalone', '')}"]
    hops: Sequence[Hop] = values.get("hops") or ()
    for hop in hops:
        lines.append(f"Hop {hop.number}: {hop.query}  ({hop.why})")
        lines.append(f"    {counted(len(hop.retrieved), 'passage')} found, {len(hop.chosen)} read")
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
