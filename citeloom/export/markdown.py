"""A run's result as Markdown."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from citeloom.export.completeness import completeness_text
from citeloom.export.document import Document, document_of, notices, support_of
from citeloom.export.escaping import entry, escape, prose
from state.results import CitedSentence, RankedPaper
from state.run import Failure
from tools.bibliography.write_csl import reference_line

RESTS_ON = (
    "What each citation rests on, word for word from the cited paper; (annotation) stands behind words that are "
    "not the paper's, but were written about it."
)


def review_text(values: Mapping[str, Any], *, document: Document | None = None) -> str:
    """Return review.md: the section, its references, the evidence, and how it was made.

    `document` is the section in its style; it is made from the values where it is not given.
    """
    shown = document or document_of(values)
    listed = [
        f"{f'{item.number}.' if shown.numbered else '-'} {entry(item.entry or reference_line(item.paper))}"
        for item in shown.references
    ]
    sentences: list[CitedSentence] = list(values.get("sentences") or [])
    return _joined(
        "# Related work",
        notice(values),
        prose(values.get("related_work", "")),
        "## References",
        "\n".join(listed),
        "## Evidence",
        RESTS_ON,
        "\n".join(line for item in sentences for line in evidence(item, shown)),
        omitted(values),
        completeness_text(values),
        "## How this was made",
        "\n".join(account(values)),
    )


def papers_text(values: Mapping[str, Any]) -> str:
    """Return papers.md: the papers kept, with the arguments for and against each."""
    papers: list[RankedPaper] = [item for item in values.get("papers") or [] if item.selected]
    return _joined(
        "# Papers found",
        notice(values),
        *("\n".join(ranked(item)) for item in papers),
        completeness_text(values),
        "## How this was made",
        "\n".join(account(values)),
    )


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def ranked(item: RankedPaper) -> Iterator[str]:
    """Yield the lines of a paper: its score and why, the arguments for and against it."""
    retracted = " — **retracted**" if item.paper.retracted else ""
    yield f"{item.rank}. **{escape(item.paper.title)}** — {item.score:.0f}/100{retracted}"
    yield f"   {escape(reference_line(item.paper))}"
    if item.reason:
        yield f"   Score: {escape(item.reason)}."
    if item.debate:
        signed = [("For", one) for one in item.debate.arguments_for]
        for sign, one in [*signed, *(("Against", one) for one in item.debate.arguments_against)]:
            words = one.quote and f"“{escape(one.quote.text)}”{one.quote.whose}"
            quote = words or f"({one.note})"
            yield f"   - {sign}: {escape(one.claim)} {quote}"


def notice(values: Mapping[str, Any]) -> str:
    """Return what a reader must know first, as a block of quotation."""
    return "\n>\n".join(f"> {line}" for line in notices(values))


def evidence(item: CitedSentence, shown: Document) -> Iterator[str]:
    """Yield a line for each citation of a sentence: its verdict and the words behind it."""
    for found in item.citations:
        yield _told(item, shown.cited_as(found.paper), support_of(found))
    if item.verdict:
        together = ", ".join(shown.cited_as(paper) for paper in item.rests_on)
        all_of = " together" if len(item.rests_on) > 1 else ""
        on = f"on {together}{all_of}" if together else "on your own text"
        yield _told(item, on, support_of(item.verdict))
    elif item.basis:
        yield f"- Sentence {item.number}, *your own text*: “{escape(item.basis.text)}”"


def _told(item: CitedSentence, on: str, support: str) -> str:
    verdict, sign, words = support.partition(":")
    return f"- Sentence {item.number}, {escape(on)} *{verdict}*{sign}{escape(words)}"


def omitted(values: Mapping[str, Any]) -> str:
    """Return how many kept papers are not cited, if any."""
    count = len(values.get("uncited") or [])
    what = "paper was kept and is" if count == 1 else "papers were kept and are"
    return (
        f"{count} further {what} not cited; `uncited` in run.json lists the ids." if count else ""
    )


def account(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield how a result was made, a line each."""
    if counts := values.get("counts"):
        yield (
            f"- Records identified: {counts.identified}; duplicates removed: {counts.duplicates_removed}; screened: "
            f"{counts.screened}; past the cut-off: {counts.excluded_by_cutoff}; excluded by request: "
            f"{counts.excluded_by_request}; not assessed: {counts.not_assessed}; assessed: "
            f"{counts.assessed}, of which retracted: {counts.excluded_as_retracted}, not relevant: "
            f"{counts.excluded_by_debate}, beyond the number to keep: {counts.excluded_by_number}; included: "
            f"{counts.included}."
        )
    for query in values.get("queries") or []:
        if query.facet != "whole":
            yield f"- Query ({query.facet}): {escape(query.text)}"
    for reflected in values.get("sufficiency") or []:
        lacking = (
            f" Too few papers on: {', '.join(reflected.missing)}." if reflected.missing else ""
        )
        yield f"- Sufficiency, hop {reflected.hop}: {escape(reflected.reasoning + lacking)}"
    for listing in values.get("listings") or []:
        yield (
            f"- Ordered lists, hop {listing.hop}: {listing.windows} asked for, {listing.complete} complete, "
            f"{listing.incomplete} incomplete, {listing.repeated} with repeated and {listing.invented} with "
            f"invented papers, {listing.failed} unusable"
        )
    yield from spending(values)


def spending(values: Mapping[str, Any], escape: Callable[[str], str] = escape) -> Iterator[str]:
    """Yield what the tasks and sources of a run took, and what went wrong, a line each."""
    for item in values.get("usage") or []:
        if item.input_tokens:
            yield (
                f"- {item.task}: {item.calls} calls ({item.cached} cached) to {escape(item.mind)}, "
                f"{item.input_tokens} + {item.output_tokens} tokens"
                f"{f' ({item.thinking_tokens} of them thinking)' if item.thinking_tokens else ''}, "
                f"{item.usd:.4f} USD"
            )
    for used in values.get("source_usage") or []:
        yield (
            f"- Source {escape(used.source)}: {used.calls} requests, {used.failed} of them failed, {used.cached} "
            f"answers from the cache, {used.usd:.4f} USD"
        )
    failures = values.get("failures") or []
    for sign, fatal in (("Not done", False), ("Stopped early", True)):
        for line in failure_lines(failure for failure in failures if failure.fatal is fatal):
            yield f"- {sign}: {escape(line)}"


def failure_lines(failures: Iterable[Failure]) -> Iterator[str]:
    """Yield a line for each failure, and one for all searches of a source that failed alike."""
    alike: dict[tuple[str, str], list[Failure]] = {}
    for failure in failures:
        source = failure.subject.partition(": ")[0]
        about = source if failure.stage == "search_source" else failure.subject
        alike.setdefault((about, failure.cause), []).append(failure)
    for (about, cause), same in alike.items():
        yield f"{about if len(same) > 1 else same[0].subject}: {cause} ({same[0].remedy})"
