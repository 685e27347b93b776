"""`citeloom verify`: check the citations of a text, print what is wrong, write audit.json."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer

from citeloom.cli.files import SCHEMA_VERSION, dump, plain, write_whole
from citeloom.cli.results.record import run_record
from citeloom.cli.runs import Run
from citeloom.cli.telling import tell_folder, tell_outcome
from state.audit import Audit, ReferenceFinding
from state.results import CitedSentence
from state.writing import CitationVerdict

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


async def finish(run: Run, values: Mapping[str, Any], store: object, *, as_json: bool) -> int:
    """Write the files, print the report, return the exit code.

    Returns:
        0 where the text passed, 3 where it did not, 2 for an input that cannot be used, 1 where the
        run was stopped.
    """
    audit: Audit | None = values.get("audit")
    labels: Mapping[str, str] = values.get("labels") or {}
    record = {**run_record(run, values), "labels": dict(labels)}
    folder = Path(run.out)
    write_whole(folder / "run.json", dump(record) + "\n")
    checked = audit if audit and audit.sentences else None
    if checked:
        told = {"schema_version": SCHEMA_VERSION, "run": run.name, **plain(checked)}
        write_whole(folder / "audit.json", dump(told) + "\n")
        if as_json:
            record["audit"] = told
        else:
            typer.echo(report(checked, values.get("sentences") or [], labels))
    if as_json:
        typer.echo(dump(record))
    else:
        tell_outcome(values)
        tell_folder(folder, run.name, run.seconds)
    if stop := values.get("stop"):
        return 2 if stop.subject == "input" else 1
    if checked is None:
        return 1
    return 0 if checked.passed else NOT_PASSED


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
        yield f"      the paper: “{item.quote.text}”{item.quote.whose}"
    yield from (f"      note: {alarm}" for alarm in item.alarms)
    if item.better:
        yield f"      it is said by {item.better}"


def _reference(item: ReferenceFinding) -> str:
    remedy = f" ({item.remedy})" if item.remedy else ""
    return (
        f"    {item.key or item.paper}: {_WORDS.get(item.cause, item.cause)}: {item.detail}{remedy}"
    )
