"""Rows of related-work sections made for the tests, in the format of the benchmark."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ABSTRACT = (
    "Bees navigate over long distances, yet the cues they use remain disputed. We propose a model of "
    "bee navigation that combines path integration with visual landmarks. We test the model with "
    "harmonic radar tracks of displaced honey bees. The results show that landmark memory corrects "
    "the drift of path integration."
)
SECTION = (
    "Path integration has been studied in ants [1]. Landmarks guide bees home, too [2, 3].\n\n"
    "None of these works tracks the animals."
)


def cited(key: str | None, title: str | None, abstract: str | None = None) -> dict[str, Any]:
    """One paper that a section cites."""
    return {
        "key": key,
        "id": f"10.5555/{key}" if key else None,
        "title": title,
        "authors": ["Ada Weaver", "Ben Reed"],
        "year": 2012,
        "abstract": abstract,
    }


ANTS = cited(
    "1",
    "Path integration in desert ants",
    "We show that desert ants integrate their path. Ants were displaced on a featureless plain. "
    "The results show that the home vector is kept for hours.",
)
MARKS = cited(
    "2",
    "Landmark memory of honey bees",
    "We study how honey bees use landmarks. Bees were trained in an arena with two cylinders. "
    "We find that a bee matches a remembered picture of the landmarks.",
)
BARE = cited("3", "The homing of solitary bees")


def row(key: str = "bees", **changes: Any) -> dict[str, Any]:
    """One row; `changes` replace its fields."""
    return {
        "id": key,
        "source": "made",
        "target": {"title": "How bees find home", "abstract": ABSTRACT},
        "gold_related_work": SECTION,
        "gold_sentences": [
            {"text": "Path integration has been studied in ants [1].", "cites": ["1"]},
            {"text": "Landmarks guide bees home, too [2, 3].", "cites": ["2", "3"]},
            {"text": "None of these works tracks the animals.", "cites": []},
        ],
        "cited": [ANTS, MARKS, BARE],
        **changes,
    }


def write(path: Path, rows: Iterable[object]) -> Path:
    """Write rows, or texts as they are, as lines."""
    lines = (one if isinstance(one, str) else json.dumps(one) for one in rows)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path
