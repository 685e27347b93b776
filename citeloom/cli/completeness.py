"""How complete a result may be, in words."""

from collections.abc import Mapping
from typing import Any

from citeloom.cli.escaping import escape
from state.finding import Completeness


def assessed(values: Mapping[str, Any]) -> Completeness | None:
    """Return what was said of completeness; None where the run ended before anything was."""
    found: Completeness | None = values.get("completeness")
    return found if found is not None and found.caveats else None


def completeness_line(found: Completeness) -> str:
    """Return one sentence: what was found, of how many, and how sure that is."""
    papers = "1 relevant paper" if found.found == 1 else f"{found.found} relevant papers"
    if found.estimate is None or found.low is None or found.high is None:
        return f"Found {papers}; how many there are cannot be estimated."
    share = (
        "; judging ended before relevance did, so that the share found is not known"
        if found.share is None
        else f", a share of {found.share:.0%}"
    )
    return (
        f"Found {papers} of an estimated {found.estimate:.0f} or more "
        f"(95 % interval {found.low:.0f} to {found.high:.0f}){share}."
    )


def completeness_text(values: Mapping[str, Any]) -> str:
    """Return the section on completeness, or nothing where it was not looked into."""
    found = assessed(values)
    if found is None:
        return ""
    lines = [f"- {escape(caveat)}" for caveat in found.caveats]
    if found.channels:
        often = ", ".join(f"{count} by {number}" for number, count in _often(found))
        names = ", ".join(escape(name) for name in found.channels)
        lines.append(
            f"- Channels: {names}. Relevant papers by how many channels found them: {often}."
        )
    if found.method:
        lines.append(f"- Method: {escape(found.method)}.")
    parts = [
        "## How complete it is",
        completeness_line(found)
        + (f" Why it ended there: {escape(found.stopped)}." if found.stopped else ""),
        _curve(found),
        "\n".join(lines),
    ]
    return "\n\n".join(part for part in parts if part)


def _often(found: Completeness) -> list[tuple[int, int]]:
    return [(number, count) for number, count in enumerate(found.found_by, start=1) if count]


def _curve(found: Completeness) -> str:
    if not found.curve:
        return ""
    rows = [
        f"| {escape(point.step)} | {point.looked_at} | {point.relevant} |" for point in found.curve
    ]
    return "\n".join(["| after | papers seen | relevant among them |", "|---|---:|---:|", *rows])
