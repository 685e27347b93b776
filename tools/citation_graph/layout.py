"""Where each paper stands in the picture of what was found: its year across, its way down."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

from state.results import RankedPaper
from tools.citation_graph.discovery_channels import Way, way_of

Lane = Way | Literal["unknown"]
LANES: Sequence[Lane] = (
    "keywords", "meaning", "references", "citations", "recommendations", "named", "unknown",
)  # fmt: skip
"""From top to bottom. Of two ways of one hop the upper one names the lane."""

PITCH = 27.0
"""Least distance of two papers, pixels; more than the largest circle is wide."""
WIDEST = 110.0
"""Most pixels between two columns, so that a few papers do not stand far apart."""
PLOT = 1000.0
"""Width of the plot, pixels."""
STEPS = (1, 2, 5, 10, 20, 50, 100)
"""Years that may share a column."""
MOST_COLUMNS = 36
"""More than these are joined, several years in one."""
_PAD = 18.0
_ROWS = 3
"""Papers of one year and way above each other before a second column is begun for the year."""


@dataclass(frozen=True, kw_only=True)
class Spot:
    """One paper in the picture."""

    number: int
    """Its place among the papers given, from 0."""
    item: RankedPaper
    lane: Lane
    x: float
    y: float

    @property
    def radius(self) -> float:
        """Pixels, larger for a better score."""
        return 5 + 7 * self.item.score / 100


@dataclass(frozen=True, kw_only=True)
class Column:
    """One year or a few, or the papers without one."""

    year: int | None
    """The first one."""
    left: float
    width: float
    abreast: int
    """How many papers of one lane stand beside each other."""
    skips: bool
    """Whether years are left out before it, since no paper is of them."""


@dataclass(frozen=True, kw_only=True)
class Band:
    """One lane."""

    lane: Lane
    top: float
    height: float
    papers: int


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Where everything stands, in pixels from the upper left corner of the plot."""

    spots: Sequence[Spot]
    columns: Sequence[Column]
    bands: Sequence[Band]
    years: int
    """How many years share a column."""
    width: float
    height: float


def lane_of(item: RankedPaper) -> Lane:
    """Return how a paper was found first."""
    ways = [(hit.hop, LANES.index(way_of(hit))) for hit in item.found_by]
    return LANES[min(ways)[1]] if ways else "unknown"


def lay_out(papers: Sequence[RankedPaper]) -> Layout:
    """Give each paper a place of its own: no two circles overlap. Papers come best first."""
    cells: dict[tuple[Lane, int | None], list[int]] = {}
    years = _step({item.paper.year for item in papers if item.paper.year})
    for number, item in enumerate(papers):
        year = item.paper.year
        first = year // years * years if year else None
        cells.setdefault((lane_of(item), first), []).append(number)
    sizes = {cell: len(numbers) for cell, numbers in cells.items()}
    columns = _columns(_places(sizes), years)
    bands = _bands(sizes, columns)
    top = {band.lane: band for band in bands}
    spots = [
        _spot(number, place, papers[number], top[lane], columns[year], len(numbers))
        for (lane, year), numbers in cells.items()
        for place, number in enumerate(numbers)
    ]
    return Layout(
        spots=sorted(spots, key=lambda spot: spot.number),
        columns=list(columns.values()),
        bands=bands,
        years=years,
        width=sum(column.width for column in columns.values()),
        height=sum(band.height for band in bands),
    )


def _step(years: set[int]) -> int:
    counts = {step: len({year // step for year in years}) for step in STEPS}
    return next((step for step in STEPS if counts[step] <= MOST_COLUMNS), STEPS[-1])


def _places(sizes: Mapping[tuple[Lane, int | None], int]) -> dict[int | None, int]:
    """Return how many places abreast each year needs, so that the plot is no wider than need be."""
    most = int(PLOT // PITCH)
    years = sorted({year for _, year in sizes}, key=lambda year: (year is not None, year))
    rows = _ROWS
    while True:
        places = {
            year: max(ceil(size / rows) for (_, own), size in sizes.items() if own == year)
            for year in years
        }
        if sum(places.values()) <= max(most, len(years)):
            return places
        rows += 1


def _columns(places: Mapping[int | None, int], years: int) -> dict[int | None, Column]:
    pitch = min(max(PLOT / max(sum(places.values()), 1), PITCH), WIDEST)
    columns: dict[int | None, Column] = {}
    left, last = 0.0, None
    for year, count in places.items():
        width = count * pitch
        skips = year is not None and last is not None and year > last + years
        columns[year] = Column(
            year=year, left=left, width=width, abreast=int(width // PITCH), skips=skips
        )
        left, last = left + width, year
    return columns


def _bands(
    sizes: Mapping[tuple[Lane, int | None], int], columns: Mapping[int | None, Column]
) -> list[Band]:
    rows: Counter[Lane] = Counter()
    papers: Counter[Lane] = Counter()
    for (lane, year), size in sizes.items():
        rows[lane] = max(rows[lane], ceil(size / columns[year].abreast))
        papers[lane] += size
    bands: list[Band] = []
    top = 0.0
    for lane in (lane for lane in LANES if lane in rows):
        height = max(rows[lane] * PITCH, 2 * PITCH) + _PAD  # two lines of text name a lane
        bands.append(Band(lane=lane, top=top, height=height, papers=papers[lane]))
        top += height
    return bands


def _spot(
    number: int, place: int, item: RankedPaper, band: Band, column: Column, together: int
) -> Spot:
    abreast = min(column.abreast, together)
    rows = ceil(together / abreast)
    row, at = divmod(place, abreast)
    in_row = min(abreast, together - row * abreast)
    step = column.width / abreast
    x = column.left + column.width / 2 + (at - (in_row - 1) / 2) * step
    y = band.top + band.height / 2 + (row - (rows - 1) / 2) * PITCH
    return Spot(number=number, item=item, lane=lane_of(item), x=x, y=y)
