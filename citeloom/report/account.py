"""How a result was made and how complete it is, as Markdown: searches, calls, sources, and what went wrong."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from citeloom.report.escaping import escape
from state.run import Failure
from state.search import Completeness
from tools.bibliography.write_records import reference_line
from tools.errors import counted

_NAMED = 3
"""Most subjects that are named of one cause."""


def coverage_blocks(found: Completeness | None) -> Iterator[str]:
    """Yield what was estimated of completeness, a block each: the estimate, what is missing, the curve, the caveats."""
    if found is None:
        return
    yield escape(found.told) + (
        f" Why it stopped: {escape(found.stopped)}." if found.stopped else ""
    )
    if named := [(item.paper, len(item.cited_by)) for item in found.missing if item.paper]:
        yield "Cited by several kept papers, but not found by the search:\n\n" + "\n".join(
            f"- {escape(reference_line(paper))} Cited by {count} kept papers."
            for paper, count in named
        )
    if found.curve:
        rows = (f"| {escape(one.step)} | {one.looked_at} | {one.kept} |" for one in found.curve)
        yield "\n".join(["| after | papers found | of these kept |", "|---|---:|---:|", *rows])
    names = ", ".join(found.channels)
    counts = enumerate(found.found_by, start=1)
    often = ", ".join(f"{count} by {number}" for number, count in counts if count)
    told = (
        *found.caveats,
        names and f"Ways of searching: {names}. Kept papers by how many ways found them: {often}.",
        found.method and f"Method: {found.method}.",
    )
    yield "\n".join(f"- {escape(line)}" for line in told if line)


def account(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield how a section or a search was made, a line each."""
    if counts := values.get("counts"):
        yield (
            f"- Records identified: {counts.identified}; duplicates removed: "
            f"{counts.duplicates_removed}; screened: {counts.screened}; past the cut-off: "
            f"{counts.excluded_by_cutoff}; left out by request: {counts.excluded_by_request}; "
            f"not assessed: {counts.not_assessed}; assessed: {counts.assessed}, of which "
            f"retracted: {counts.excluded_as_retracted}, not relevant: "
            f"{counts.excluded_by_debate}, beyond the number to keep: "
            f"{counts.excluded_by_number}; included: {counts.included}."
        )
    yield from (
        f"- Query ({query.facet}): {escape(query.text)}"
        for query in values.get("queries") or ()
        if not query.by_meaning
    )
    for one in values.get("sufficiency") or ():
        lacking = f" Too few papers on: {', '.join(one.missing)}." if one.missing else ""
        yield f"- Sufficiency, hop {one.hop}: {escape(one.reasoning + lacking)}"
    yield from (
        f"- Ordered lists, hop {listing.hop}: {listing.windows} asked for, {listing.complete} complete, "
        f"{listing.incomplete} incomplete, {listing.repeated} with repeated and {listing.invented} with "
        f"invented papers, {listing.failed} unusable"
        for listing in values.get("listings") or ()
    )
    yield from spending(values)


def spending(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the tasks and sources of a run took, and what went wrong, a line each."""
    yield from (
        f"- {item.task}: {counted(item.calls, 'call')} ({item.cached} cached) to {escape(item.mind)}, "
        f"{item.input_tokens} + {item.output_tokens} tokens"
        f"{f' ({item.thinking_tokens} of them thinking)' if item.thinking_tokens else ''}, "
        f"{item.usd:.4f} USD"
        for item in values.get("usage") or ()
        if item.input_tokens
    )
    yield from (
        f"- Source {escape(used.source)}: {counted(used.calls, 'request')}, {used.failed} of them failed, "
        f"{counted(used.cached, 'answer')} from the cache, {used.usd:.4f} USD"
        for used in values.get("source_usage") or ()
    )
    for sign, fatal in (("Not done", False), ("Stopped early", True)):
        alike = (failure for failure in values.get("failures") or [] if failure.fatal is fatal)
        yield from (f"- {sign}: {escape(line)}" for line in failure_lines(alike))


def failure_lines(failures: Iterable[Failure]) -> Iterator[str]:
    """Yield a line of plain text for each cause, with what failed by it; of several searches of a source the source."""
    alike: dict[str, list[Failure]] = {}
    for failure in failures:
        alike.setdefault(failure.cause, []).append(failure)
    for cause, same in alike.items():
        searched = [failure.stage == "search_source" for failure in same]
        sources = [failure.subject.partition(": ")[0] for failure in same]
        often = Counter(
            name for name, is_search in zip(sources, searched, strict=True) if is_search
        )
        about = list(
            dict.fromkeys(
                source if is_search and often[source] > 1 else failure.subject
                for failure, source, is_search in zip(same, sources, searched, strict=True)
            )
        )
        more = f" and {len(about) - _NAMED} more" if len(about) > _NAMED else ""
        yield f"{', '.join(about[:_NAMED])}{more}: {cause} ({same[0].remedy})"


def lost_answers(values: Mapping[str, Any]) -> str:
    """Return what weaker things stand in the place of answers that the model did not give; empty where it gave all."""
    lost = [item for item in values.get("failures") or () if item.lost]
    if not lost:
        return ""
    times = "once" if len(lost) == 1 else f"{len(lost)} times"
    ways = dict.fromkeys(f"{item.remedy[:1].upper()}{item.remedy[1:]}." for item in lost)
    return (
        f"Partial: the model gave no usable answer {times}, and the run continued without "
        f"it. {' '.join(ways)}"
    )
