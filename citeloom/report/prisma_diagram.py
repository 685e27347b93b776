"""The PRISMA 2020 flow diagram (Page et al., BMJ 372:n71) of a screening, as SVG."""

from collections.abc import Iterator, Sequence
from html import escape
from textwrap import wrap

from state.screening import Protocol
from tools.screening.flow import Flow

_WIDTH, _GAP, _LINE, _PAD, _LEFT = 320, 40, 18, 12, 40
Box = Sequence[str]


def prisma_svg(flow: Flow, protocol: Protocol) -> str:
    """Return the diagram: what went on at the left, what left the review at the right."""
    rows = [*_rows(flow, protocol)]
    heights = [max(map(_height, pair)) for _, *pair in rows]
    tops = [_PAD + sum(heights[:at]) + _GAP * at for at in range(len(rows))]
    drawn: list[str] = []
    for at, (phase, left, right) in enumerate(rows):
        top, middle = tops[at], tops[at] + heights[at] / 2
        height = heights[at]
        x, centre = _LEFT + _PAD, _LEFT + _PAD + _WIDTH / 2
        drawn.append(
            f'<rect x="{_PAD}" y="{top}" width="{_LEFT - _PAD}" height="{height}" fill="#d9e6f5"/>'
            f'<text transform="translate({_PAD + 19} {middle}) rotate(-90)" text-anchor="middle">{phase}</text>'
        )
        drawn.append(_box(x, top, height, left))
        if right:
            drawn.append(_box(x + _WIDTH + _GAP, top, height, right))
            drawn.append(_arrow(x + _WIDTH, middle, x + _WIDTH + _GAP, middle))
        if at:
            drawn.append(_arrow(centre, tops[at] - _GAP, centre, top))
    width, height = _LEFT + 2 * _WIDTH + _GAP + 2 * _PAD, tops[-1] + heights[-1] + _PAD
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" font-family="sans-serif" font-size="13"><title>PRISMA 2020 flow diagram</title>'
        '<defs><marker id="a" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0L8 4L0 8z"/></marker></defs>'
        f'<rect width="{width}" height="{height}" fill="#fff"/>{"".join(drawn)}</svg>\n'
    )


def _rows(flow: Flow, protocol: Protocol) -> Iterator[tuple[str, Box, Box]]:
    """Yield each row: its phase, what goes on, and what leaves."""
    yield (
        "Identification",
        [f"Records identified (n = {sum(flow.identified.values())})",
         *(f"  {name} (n = {count})" for name, count in flow.identified.items())],
        ["Records removed before screening:", f"  Duplicate records (n = {flow.duplicates})",
         *([f"  Not screened (n = {flow.not_screened})"] if flow.not_screened else [])],
    )  # fmt: skip
    reasons = [
        f"  {number} {protocol.criteria.get(number, '')} (n = {count})"
        for number, count in flow.excluded_by_reason.items()
    ]
    full_text = "full_text" in protocol.stages
    yield (
        "Screening",
        [f"Records screened (n = {flow.screened})"],
        [f"Records excluded (n = {flow.excluded})", *([] if full_text else reasons)],
    )
    if full_text:
        yield (
            "Retrieval",
            [f"Reports sought for retrieval (n = {flow.sought})"],
            [f"Reports not retrieved (n = {flow.not_retrieved})",
             *([f"Reports not yet assessed (n = {flow.not_assessed})"] if flow.not_assessed else [])],
        )  # fmt: skip
        excluded = sum(flow.excluded_by_reason.values())
        yield (
            "Eligibility",
            [f"Reports assessed for eligibility (n = {flow.assessed})"],
            [f"Reports excluded (n = {excluded})", *reasons],
        )
    yield "Included", [f"Studies included in review (n = {flow.included})"], []


def _lines(box: Box) -> list[str]:
    return [
        part
        for line in box
        for part in wrap(line, 44, subsequent_indent=" " * (len(line) - len(line.lstrip())))
    ]


def _height(box: Box) -> int:
    return max(90, _LINE * len(_lines(box)) + 2 * _PAD) if box else 0


def _box(x: float, y: float, height: float, box: Box) -> str:
    texts = "".join(
        f'<text x="{x + _PAD + (12 if line.startswith(" ") else 0)}" y="{y + _PAD + _LINE * at + 13}">'
        f"{escape(line.strip())}</text>"
        for at, line in enumerate(_lines(box))
    )
    return f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{height}" fill="#fff" stroke="#333"/>{texts}'


def _arrow(x: float, y: float, to_x: float, to_y: float) -> str:
    return f'<path d="M{x} {y}L{to_x} {to_y}" stroke="#333" fill="none" marker-end="url(#a)"/>'
