"""The figures as a picture: bars with whiskers, in SVG."""

from collections.abc import Mapping
from html import escape

from evals.intervals import Interval

_LEFT, _WIDTH, _RIGHT = 110, 460, 60
_ROW, _BAR, _HEAD, _GAP = 26, 16, 34, 18
_MARKED = "default"
_FONT = "font-family='system-ui, sans-serif' font-size='12'"


def draw(
    arms: Mapping[str, Mapping[str, Interval]], measures: Mapping[str, str], title: str
) -> str:
    """Return an SVG with a panel for each measure and a bar for each arm.

    Args:
        arms: The figures by arm and measure.
        measures: The heading of each panel, by measure; one that no arm has is left out.
        title: What the picture shows.
    """
    panels: list[str] = []
    top = 40
    for measure, heading in measures.items():
        bars = {name: found[measure] for name, found in arms.items() if measure in found}
        if bars:
            panels += _panel(bars, heading, top)
            top += _HEAD + _ROW * len(bars) + _GAP
    width = _LEFT + _WIDTH + _RIGHT
    return "\n".join(
        [
            f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {top}' width='{width}' "
            f"height='{top}' role='img' {_FONT}>",
            f"<title>{escape(title)}</title>",
            f"<rect width='{width}' height='{top}' fill='#fff'/>",
            f"<text x='12' y='22' font-size='13' font-weight='600'>{escape(title)}</text>",
            *panels,
            "</svg>\n",
        ]
    )


def _panel(bars: Mapping[str, Interval], heading: str, top: int) -> list[str]:
    longest = max((bar["high"] for bar in bars.values()), default=0.0) or 1.0
    lines = [f"<text x='12' y='{top + 20}' font-weight='600'>{escape(heading)}</text>"]
    for at, (name, bar) in enumerate(bars.items()):
        lines += _bar(name, bar, top + _HEAD + at * _ROW, _WIDTH / longest)
    return lines


def _bar(name: str, bar: Interval, top: int, scale: float) -> list[str]:
    mean, low, high = (max(bar[key], 0.0) * scale for key in ("mean", "low", "high"))
    middle = top + _BAR / 2
    colour = "#4a90c2" if name == _MARKED else "#b9cbd6"
    text = _number(bar["mean"])
    said = f"{name}: {text} (95 % interval {_number(bar['low'])} to {_number(bar['high'])})"
    return [
        f"<g><title>{escape(said)}</title>",
        f"<text x='{_LEFT - 8}' y='{middle + 4}' text-anchor='end'>{escape(name)}</text>",
        f"<rect x='{_LEFT}' y='{top}' width='{mean:.1f}' height='{_BAR}' fill='{colour}'/>",
        f"<path d='M{_LEFT + low:.1f} {middle}H{_LEFT + high:.1f}M{_LEFT + low:.1f} {middle - 4}v8"
        f"M{_LEFT + high:.1f} {middle - 4}v8' stroke='#222' fill='none'/>",
        f"<text x='{_LEFT + high + 6:.1f}' y='{middle + 4}'>{text}</text></g>",
    ]


def _number(value: float) -> str:
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.0f}"
