"""Dumps as OpenAlex and Semantic Scholar give them out, in small."""

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def openalex_work(number: int) -> dict[str, Any]:
    words = f"Bees of region {number} store honey over winter in wooden hives on southern slopes."
    return {
        "id": f"https://openalex.org/W{1000 + number}",
        "doi": f"https://doi.org/10.5555/w{number}",
        "title": f"Honey stores of region {number} in winter",
        "publication_year": 2020,
        "publication_date": "2020-03-01",
        "abstract_inverted_index": {word: [at] for at, word in enumerate(words.split())},
        "authorships": [{"author": {"display_name": "Ann Abel"}}],
        "referenced_works": ["https://openalex.org/W1000"],
    }


def s2orc_paper(number: int) -> dict[str, Any]:
    parts = [
        ("title", f"Radar tracks of bees in meadow {number}"),
        ("authorfirstname", "Ann"),
        ("authorfirstname", "B."),
        ("authorlastname", "Abel"),
        (
            "abstract",
            f"We follow the bees of meadow {number} by harmonic radar for two whole summers, and find that "
            "the memory of landmarks corrects the drift of their paths.",
        ),
        ("sectionheader", "Introduction"),
        (
            "paragraph",
            f"Honey bees of meadow {number} find the way home over two kilometres although landmarks "
            "change with the seasons, hedges grow, and fields are mown.",
        ),
        ("sectionheader", "Results"),
        (
            "paragraph",
            f"The tracks of meadow {number} show that landmark memory corrects the drift of path "
            "integration within minutes after a bee has left the feeder there.",
        ),
        ("bibentry", "R. Menzel. 2005. Honey bees navigate by a map. PNAS 102, 3040-3045."),
    ]
    text, places = "", dict[str, list[dict[str, int]]]()
    for kind, words in parts:
        places.setdefault(kind, []).append({"start": len(text), "end": len(text) + len(words)})
        text += f"{words}\n"
    return {
        "corpusid": number,
        "externalids": {"arxiv": None, "mag": None, "doi": f"10.5555/s{number}"},
        "content": {
            "source": {"pdfurls": None, "pdfsha": "ab", "oainfo": None},
            "text": text,
            "annotations": {kind: json.dumps(spans) for kind, spans in places.items()}
            | {"figurecaption": None},
        },
    }


def packed(path: Path, items: Iterable[dict[str, Any] | str]) -> Path:
    """Write JSON Lines, packed by gzip; a text goes in as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for item in items:
            line = item if isinstance(item, str) else json.dumps(item, separators=(",", ":"))
            file.write(f"{line}\n")
    return path
