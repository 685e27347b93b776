"""A run's result as Markdown."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from citeloom.export.completeness import completeness_text
from citeloom.export.document import SectionDocument, notices, section_document, support_of
from citeloom.export.escaping import entry, escape, prose
from state.results import CitedSentence, RankedPaper
from state.run import Failure
from tools.bibliography.write_csl import reference_line
from tools.counting import counted

RESTS_ON_LABEL = (
    "What each citation rests on, word for word from the cited paper; (annotation) stands behind words that are "
    "not the paper's, but were written about it, and (the input text) behind your own."
)


def review_text(values: Mapping[str, Any], *, document: SectionDocument | None = None) -> str:
    """Return review.md: the section, its references, the evidence, and how it was made.

    `document` is the section in its style; it is made from the values where it is not given.
    """
    shown = document or section_document(values)
    sentences: list[CitedSentence] = list(values.get("sentences") or [])
    return _joined(
        *_section(values, shown, prose, entry),
        "## Evidence",
        RESTS_ON_LABEL,
        "\n".join(line for item in sentences for line in evidence(item, shown)),
        omitted(values),
        completeness_text(values),
        "## How this was made",
        "\n".join(account(values)),
    )


def review_shown(values: Mapping[str, Any]) -> str:
    """Return the section and its references for a terminal, which renders no Markdown: nothing is escaped."""
    return _joined(*_section(values, section_document(values), str, str))


def _section(
    values: Mapping[str, Any],
    shown: SectionDocument,
    prose: Callable[[str], str],
    entry: Callable[[str], str],
) -> tuple[str, ...]:
    listed = [
        f"{f'{item.number}.' if shown.numbered else '-'} {entry(item.entry or reference_line(item.paper))}"
        for item in shown.references
    ]
    return (
        "# Related work",
        notice(values),
        prose(values.get("related_work", "")),
        "## References",
        "\n".join(listed),
    )


def papers_text(values: Mapping[str, Any]) -> str:
    """Return papers.md: the papers kept, with the arguments for and against each."""
    made = ("## How this was made", "\n".join(account(values)))
    return _joined(*_papers(values, escape), *made)


def papers_shown(values: Mapping[str, Any]) -> str:
    """Return the papers kept for a terminal, with nothing escaped."""
    return _joined(*_papers(values, str))


def _papers(values: Mapping[str, Any], escape: Callable[[str], str]) -> Iterator[str]:
    yield "# Papers found"
    yield notice(values)
    for item in values.get("papers") or []:
        if item.selected:
            yield "\n".join(ranked(item, escape))
    yield completeness_text(values, escape)


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def ranked(item: RankedPaper, escape: Callable[[str], str] = escape) -> Iterator[str]:
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


def evidence(item: CitedSentence, shown: SectionDocument) -> Iterator[str]:
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
    what = counted(count, "further paper was kept and is", "further papers were kept and are")
    return f"{what} not cited; `uncited` in run.json lists the ids." if count else ""


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
                f"- {item.task}: {counted(item.calls, 'call')} ({item.cached} cached) to {escape(item.mind)}, "
                f"{item.input_tokens} + {item.output_tokens} tokens"
                f"{f' ({item.thinking_tokens} of them thinking)' if item.thinking_tokens else ''}, "
                f"{item.usd:.4f} USD"
            )
    for used in values.get("source_usage") or []:
        yield (
            f"- Source {escape(used.source)}: {counted(used.calls, 'request')}, {used.failed} of them failed, "
            f"{counted(used.cached, 'answer')} from the cache, {used.usd:.4f} USD"
        )
    failures = values.get("failures") or []
    for sign, fatal in (("Not done", False), ("Stopped early", True)):
        for line in failure_lines(failure for failure in failures if failure.fatal is fatal):
            yield f"- {sign}: {escape(line)}"


def failure_lines(failures: Iterable[Failure]) -> Iterator[str]:
    """Yield a line for each cause, with what failed by it; of several searches of a source the source."""
    alike: dict[str, list[Failure]] = {}
    for failure in failures:
        alike.setdefault(failure.cause, []).append(failure)
    for cause, same in alike.items():
        sources = Counter(_source(failure) for failure in same)
        names = [
            source if (source := _source(failure)) and sources[source] > 1 else failure.subject
            for failure in same
        ]
        about = list(dict.fromkeys(names))
        more = f" and {len(about) - _NAMED} more" if len(about) > _NAMED else ""
        yield f"{', '.join(about[:_NAMED])}{more}: {cause} ({same[0].remedy})"


def _source(failure: Failure) -> str:
    """Return the source that a search failed at, or '' for another failure."""
    return failure.subject.partition(": ")[0] if failure.stage == "search_source" else ""


_NAMED = 3
"""Most subjects that are named of one cause."""
