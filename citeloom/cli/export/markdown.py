"""A run's result as Markdown."""

import re
from collections.abc import Mapping
from typing import Any

from citeloom.cli.export.completeness import completeness_text
from citeloom.cli.export.document import Document, document_of, notices
from citeloom.cli.export.escaping import escape
from state.results import CitedSentence, RankedPaper, Reference
from tools.bibliography.write_csl import reference_line

_ADDRESS = re.compile(r"(https?://[^\s<>|\\]+?)(?=[.,;]?(?:\s|$))")


def review_text(values: Mapping[str, Any], *, document: Document | None = None) -> str:
    """Return review.md: the section, its references, the evidence, and how it was made.

    `document` is the section in its style; it is made from the values where it is not given.
    """
    sentences: list[CitedSentence] = list(values.get("sentences") or [])
    shown = document or document_of(values)
    parts = [
        "# Related work",
        _notice(values),
        escape(values.get("related_work", "")),
        "## References",
        "\n".join(_reference(item, numbered=shown.numbered) for item in shown.references),
        "## Evidence",
        "What each citation rests on, word for word from the cited paper's record.",
        "\n".join(line for item in sentences for line in _evidence(item, shown)),
        _omitted(values),
        completeness_text(values),
        "## How this was made",
        _account(values),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _reference(item: Reference, *, numbered: bool) -> str:
    sign = f"{item.number}." if numbered else "-"
    return f"{sign} {marked_entry(item.entry or reference_line(item.paper))}"


def marked_entry(text: str) -> str:
    """Return an entry as Markdown; an address is marked as one, and needs no escaping then."""
    parts = _ADDRESS.split(text)
    return "".join(f"<{part}>" if at % 2 else escape(part) for at, part in enumerate(parts))


def papers_text(values: Mapping[str, Any]) -> str:
    """Return papers.md: the papers kept, with the arguments for and against each."""
    papers: list[RankedPaper] = [item for item in values.get("papers") or [] if item.selected]
    blocks = [_ranked(item) for item in papers]
    parts = [
        "# Papers found",
        _notice(values),
        *blocks,
        completeness_text(values),
        "## How this was made",
        _account(values),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _ranked(item: RankedPaper) -> str:
    lines = [
        f"{item.rank}. **{escape(item.paper.title)}** — {item.score:.0f}/100"
        + (" — **retracted**" if item.paper.retracted else ""),
        f"   {escape(reference_line(item.paper))}",
    ]
    if item.debate:
        for sign, arguments in (
            ("+", item.debate.arguments_for),
            ("−", item.debate.arguments_against),
        ):
            for argument in arguments:
                quote = (
                    f" “{escape(argument.quote.text)}”" if argument.quote else f" ({argument.note})"
                )
                lines.append(f"   {sign} {escape(argument.claim)}{quote}")
    return "\n".join(lines)


def _notice(values: Mapping[str, Any]) -> str:
    return "\n>\n".join(f"> {line}" for line in notices(values))


def _evidence(item: CitedSentence, shown: Document) -> list[str]:
    lines = [
        f"- Sentence {item.number}, {escape(shown.cited_as(verdict.paper))} *{verdict.verdict.replace('_', ' ')}*"
        + (": " if verdict.quote else "")
        + " … ".join(
            f"“{escape(quote.text)}”" for quote in (verdict.quote, *verdict.further) if quote
        )
        for verdict in item.citations
    ]
    if item.basis:
        lines.append(f"- Sentence {item.number}, *your own text*: “{escape(item.basis.text)}”")
    return lines


def _omitted(values: Mapping[str, Any]) -> str:
    count = len(values.get("uncited") or [])
    if not count:
        return ""
    what = "paper was kept and is" if count == 1 else "papers were kept and are"
    return f"{count} further {what} not cited; `uncited` in run.json lists the ids."


def _account(values: Mapping[str, Any]) -> str:
    lines: list[str] = []
    if counts := values.get("counts"):
        lines.append(
            f"- Records identified: {counts.identified}; duplicates removed: {counts.duplicates_removed}; screened: "
            f"{counts.screened}; past the cut-off: {counts.excluded_by_cutoff}; excluded by request: "
            f"{counts.excluded_by_request}; not assessed: {counts.not_assessed}; assessed: "
            f"{counts.assessed}, of which retracted: {counts.excluded_as_retracted}, not relevant: "
            f"{counts.excluded_by_debate}, beyond the number to keep: {counts.excluded_by_number}; included: "
            f"{counts.included}."
        )
    for query in values.get("queries") or []:
        if query.facet != "whole":
            lines.append(f"- Query ({query.facet}): {escape(query.text)}")
    for entry in values.get("sufficiency") or []:
        lines.append(f"- Sufficiency, hop {entry.hop}: {escape(entry.reasoning)}")
    for listing in values.get("listings") or []:
        lines.append(
            f"- Ordered lists, hop {listing.hop}: {listing.windows} asked for, {listing.complete} complete, "
            f"{listing.incomplete} incomplete, {listing.repeated} with repeated and {listing.invented} with "
            f"invented papers, {listing.failed} unusable"
        )
    for item in values.get("usage") or []:
        if item.input_tokens:
            lines.append(
                f"- {item.task}: {item.calls} calls ({item.cached} cached) to {escape(item.mind)}, "
                f"{item.input_tokens} + {item.output_tokens} tokens, {item.usd:.4f} USD"
            )
    for used in values.get("source_usage") or []:
        lines.append(
            f"- Source {escape(used.source)}: {used.calls} requests, {used.failed} of them failed, {used.cached} "
            f"answers from the cache, {used.usd:.4f} USD"
        )
    for failure in (item for item in values.get("failures") or [] if not item.fatal):
        lines.append(
            f"- Not done: {escape(failure.subject)}: {escape(failure.cause)} ({escape(failure.remedy)})"
        )
    if stop := values.get("stop"):
        lines.append(f"- Stopped early: {escape(stop.cause)} {escape(stop.remedy)}")
    return "\n".join(lines)
