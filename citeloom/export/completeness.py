"""How complete a result may be, in words."""

from collections.abc import Callable, Mapping
from typing import Any

from citeloom.export.escaping import escape
from state.search import Completeness
from tools.bibliography.write_csl import reference_line


def with_completeness_text(values: Mapping[str, Any]) -> Completeness | None:
    """Return what was said of completeness; None where the run ended before anything was."""
    found: Completeness | None = values.get("completeness")
    return found if found is not None and found.caveats else None


def completeness_text(values: Mapping[str, Any], escape: Callable[[str], str] = escape) -> str:
    """Return the section on completeness, or nothing where it was not looked into."""
    found = with_completeness_text(values)
    if found is None:
        return ""
    lines = [f"- {escape(caveat)}" for caveat in found.caveats]
    if found.channels:
        often = ", ".join(f"{count:.1f} by {number}" for number, count in _often(found))
        names = ", ".join(escape(name) for name in found.channels)
        lines.append(f"- Channels: {names}. Such papers by how many channels found them: {often}.")
    if found.method:
        lines.append(f"- Method: {escape(found.method)}.")
    parts = [
        "## How complete it is",
        escape(found.told)
        + (f" Why it ended there: {escape(found.stopped)}." if found.stopped else ""),
        _missing(found, escape),
        _curve(found, escape),
        "\n".join(lines),
    ]
    return "\n\n".join(part for part in parts if part)


def _often(found: Completeness) -> list[tuple[int, float]]:
    return [(number, count) for number, count in enumerate(found.found_by, start=1) if count]


def _missing(found: Completeness, escape: Callable[[str], str]) -> str:
    named = [item for item in found.missing if item.paper]
    lines = [
        f"- {escape(reference_line(item.paper))} Cited by {len(item.cited_by)} of the papers kept."
        for item in named
        if item.paper
    ]
    return (
        "\n".join(["Cited by several papers kept, and not found by the search:", "", *lines])
        if lines
        else ""
    )


def _curve(found: Completeness, escape: Callable[[str], str]) -> str:
    if not found.curve:
        return ""
    rows = [f"| {escape(point.step)} | {point.looked_at} | {point.kept} |" for point in found.curve]
    return "\n".join(["| after | papers seen | kept ones among them |", "|---|---:|---:|", *rows])
