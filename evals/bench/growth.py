"""How a figure of the bench grows with size, as lines on a page."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from html import escape

from evals.bench.row import Row

_WIDE, _HIGH, _LEFT, _FOOT = 640, 220, 60, 30


def pictures(rows: Iterable[Row]) -> str:
    """Return a picture for each figure that was measured at several sizes, both scales from zero.

    So cost that grows with size alone is a straight line through the corner.
    """
    found: dict[tuple[str, str, str], dict[float, float]] = defaultdict(dict)
    for row in rows:
        if row.size is not None:
            found[row.part, row.what, row.unit][row.size] = row.value
    return "".join(
        _picture(f"{part}: {what}, {unit}".removesuffix(", "), values)
        for (part, what, unit), values in found.items()
        if len(values) > 1
    )


def _picture(title: str, values: Mapping[float, float]) -> str:
    widest, highest = max(values), max(values.values()) or 1.0
    points = {
        size: (
            _LEFT + size / widest * (_WIDE - _LEFT - 40),
            (_HIGH - _FOOT) - value / highest * (_HIGH - _FOOT - 20),
        )
        for size, value in sorted(values.items())
    }
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points.values())
    marks = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" />'
        f'<text x="{x:.1f}" y="{y - 8:.1f}" text-anchor="middle">{values[size]:.3g}</text>'
        f'<text x="{x:.1f}" y="{_HIGH - 8}" text-anchor="middle">{size:,.0f}</text>'
        for size, (x, y) in points.items()
    )
    axes = f"{_LEFT},10 {_LEFT},{_HIGH - _FOOT} {_WIDE - 20},{_HIGH - _FOOT}"
    return (
        f"<figure><figcaption>{escape(title)}</figcaption>"
        f'<svg viewBox="0 0 {_WIDE} {_HIGH}" role="img" aria-label="{escape(title)}">'
        f'<polyline class="zero" points="{axes}" /><polyline points="{line}" />{marks}</svg></figure>'
    )
