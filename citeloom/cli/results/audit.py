"""`citeloom verify`: check the citations of a text, print what is wrong, write audit.html, audit.md, audit.json."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import typer

from citeloom.cli.files import write_whole
from citeloom.cli.results.record import run_json
from citeloom.cli.telling import print_outcome, tell_folder, tell_lost, tell_page
from citeloom.export.document import support_of
from citeloom.export.escaping import escape
from citeloom.export.html import to_html
from citeloom.export.markdown import spending
from citeloom.export.plain import SCHEMA_VERSION, dump, plain
from citeloom.runs.run_record import RunRecord
from state.audit import Audit, ReferenceFinding
from state.quote import Quote
from state.results import CitedSentence
from state.writing import CitationVerdict, SupportVerdict
from tools.counting import counted

NOT_PASSED = 3
TITLE = "Citations checked"
_WORDS = {
    "fabricated": "most likely invented",
    "not_found": "not found",
    "unresolved": "leads to no paper",
    "mis_cited": "the paper does not say it",
    "contradicted": "the paper says the opposite",
    "partly": "the paper says only a part of it, or something weaker",
    "no_verified_quote": "no words of the paper could be shown for it",
    "not_in_abstract": "not in the abstract, which is all that was read",
    "not_checked": "not checked",
    "metadata_error": "wrong details",
    "retracted": "the paper was retracted",
    "concern": "in doubt",
    "corrected": "corrected",
    "superseded": "a later version was published",
}


async def finish(run: RunRecord, values: Mapping[str, Any], store: object, *, as_json: bool) -> int:
    """Write the files, print the report, return the exit code.

    Returns:
        0 where the text passed, 3 where it did not, 2 for an input that cannot be used, 1 where the
        run was stopped.
    """
    audit: Audit | None = values.get("audit")
    sentences: list[CitedSentence] = values.get("sentences") or []
    labels: Mapping[str, str] = values.get("labels") or {}
    record = {**run_json(run, values), "labels": dict(labels)}
    folder = Path(run.out)
    write_whole(folder / "run.json", dump(record) + "\n")
    checked = audit if audit and audit.sentences else None
    if checked:
        told = {"schema_version": SCHEMA_VERSION, "run": run.name, **plain(checked)}
        write_whole(folder / "audit.json", dump(told) + "\n")
        lines = [f"# {TITLE}", "", *_report(checked, sentences, labels, escape, whole=True)]
        lines += ["", "## How this was checked", "", *_account(values), ""]
        markdown = "\n".join(lines)
        write_whole(folder / "audit.md", markdown)
        write_whole(folder / "audit.html", to_html(TITLE, markdown))
        if as_json:
            record["audit"] = told
        else:
            tell_lost(values)
            typer.echo("\n".join(_report(checked, sentences, labels)))
    if as_json:
        typer.echo(dump(record))
    else:
        print_outcome(values)
        if checked:
            tell_page(folder / "audit.html", run.name, run.seconds)
        else:
            tell_folder(folder, run.name, run.seconds)
    if stop := values.get("stop"):
        return 2 if stop.subject == "input" else 1
    if checked is None:
        return 1
    return 0 if checked.passed else NOT_PASSED


def _report(
    audit: Audit,
    sentences: list[CitedSentence],
    labels: Mapping[str, str],
    escape: Callable[[str], str] = str,
    *,
    whole: bool = False,
) -> Iterator[str]:
    """Yield lines of Markdown: the outcome, what is wrong first to last, and of the `whole` all that was checked."""
    yield "Passed." if audit.passed else f"Not passed. {escape('; '.join(audit.reasons))}."
    counts = (
        ("supported", audit.supported),
        ("partly supported", audit.partly),
        ("contradicted", audit.contradicted),
        ("not in the source", audit.not_in_source),
        ("not in the abstract", audit.not_in_abstract),
        ("not checked", audit.not_checked),
    )
    told = ", ".join(f"{number} {name}" for name, number in counts if number) or "none"
    yield ""
    yield f"{counted(audit.sentences, 'sentence')}, {audit.sentences_citing} of them with citations; citations: {told}."
    if audit.notes:
        yield from ("", *(f"- {escape(note)}" for note in audit.notes))
    wrong = [line for item in sentences for line in _wrong(item, audit, labels, escape)]
    if wrong:
        yield from ("", "## What to look at", *wrong)
    if audit.references:
        yield from ("", "## References", "")
        yield from (f"- {escape(_reference(item))}" for item in audit.references)
    if whole:
        yield from ("", "## Each citation", "")
        for item in sentences:
            for one in item.citations:
                verdict, _, words = support_of(one).partition(": ")
                yield f"- Sentence {item.number}, {_told(one, labels, verdict, words, escape)}"


def _account(values: Mapping[str, Any]) -> Iterator[str]:
    mind = str(values.get("mind") or "extractive")
    rest = (
        f"the rest by {mind}" if mind != "extractive" else "the rest by nobody, for no LLM is set"
    )
    yield f"- By code: what is word for word in the paper's record; {escape(rest)}."
    yield from (f"- Note: {escape(note)}." for note in values.get("notes") or ())
    yield from spending(values)


def _wrong(
    item: CitedSentence, audit: Audit, labels: Mapping[str, str], escape: Callable[[str], str]
) -> Iterator[str]:
    """Yield a sentence with what is to be said of it, or nothing."""
    told = [line for one in item.citations for line in _problem(one, labels, escape)]
    claims = [one.why for one in audit.uncited_claims if one.sentence == item.number]
    told += [f"- no citation: {escape(why)}" for why in claims]
    if told:
        yield from ("", f"Sentence {item.number}: {escape(item.text)}", "")
        yield from told


def _problem(
    item: CitationVerdict, labels: Mapping[str, str], escape: Callable[[str], str]
) -> Iterator[str]:
    if item.verdict == "supported" and not item.cause:
        return
    told = item.cause if item.verdict in {"supported", "not_in_source"} else item.verdict
    yield f"- {_told(item, labels, _WORDS.get(told, item.verdict), item.reason, escape)}"
    more: list[str] = []
    if item.verdict != "supported":
        more += [f"claimed: {item.claim}"] if item.claim else []
        more += [_words(item.quote)] if item.quote else []
        more += [f"full text: {item.unread}"] if item.unread else []
    more += [f"nearest, {_words(quote)}" for quote in item.nearest]
    more += [f"note: {alarm}" for alarm in item.alarms]
    more += [f"first called {_named(item.first)}, then asked about again"] if item.first else []
    more += [f"it is said by {item.better}"] if item.better else []
    yield from (f"    - {escape(line)}" for line in more)


def _words(quote: Quote) -> str:
    place = f" ({quote.place})" if quote.place else ""
    return f"{quote.words_of}{place}: “{quote.text}”"


def _named(verdict: SupportVerdict) -> str:
    return "partly supported" if verdict == "partly" else verdict.replace("_", " ")


def _told(
    item: CitationVerdict,
    labels: Mapping[str, str],
    verdict: str,
    why: str,
    escape: Callable[[str], str],
) -> str:
    return f"{escape(labels.get(item.key, item.key))} *{verdict}*{why and f': {escape(why)}'}"


def _reference(item: ReferenceFinding) -> str:
    remedy = f" ({item.remedy})" if item.remedy else ""
    return f"{item.key or item.paper}: {_WORDS.get(item.cause, item.cause)}: {item.detail}{remedy}"
