"""Citation graphs made by code, in the format of the benchmark."""

import gzip
import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_TOPICS = (
    "honeybee colony foraging waggle dance nectar pollen swarm hive queen worker comb",
    "glacier moraine meltwater crevasse firn icefall ablation snowpack albedo drainage basin ridge",
    "violin varnish soundpost bridge resonance tonewood luthier bowing timbre string plate bass",
)
_VERBS = ("shapes", "limits", "predicts", "follows", "explains", "changes")


def paper(
    key: str, title: str, abstract: str | None, year: int | None, *, cites: Iterable[str] = ()
) -> dict[str, Any]:
    """One record, as a line of the file holds it."""
    return {
        "id": key,
        "title": title,
        "abstract": abstract,
        "year": year,
        "authors": ["Ada Weaver", "Ben Reed"],
        "venue": "Journal of Looms",
        "role": "made",
        "citation_count_crossref": None,
        "references": list(cites),
        "external_references": [f"10.9999/outside.{key.rsplit('.', 1)[-1]}"],
        "unresolved_references": ["Some book"],
    }


def write(folder: Path, papers: Iterable[dict[str, Any]]) -> Path:
    """Write papers where the benchmark looks for them; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / "papers.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in papers)
    return folder


def topics(seed: int = 0, per_topic: int = 10) -> list[dict[str, Any]]:
    """Papers of three topics that share words within a topic and mostly cite within it.

    The last paper of topic t, `10.5555/t.last`, cites all earlier ones of its topic.
    """
    chance = random.Random(seed)
    papers: list[dict[str, Any]] = []
    for topic, vocabulary in enumerate(_TOPICS):
        words = vocabulary.split()
        mine: list[str] = []
        for number in range(per_topic):
            last = number == per_topic - 1
            cites = mine if last else chance.sample(mine, min(2, len(mine)))
            if papers and not last and chance.random() < 0.2:
                cites = [*cites, chance.choice(papers)["id"]]
            key = f"10.5555/{topic}.{'last' if last else number}"
            title = f"How the {' '.join(chance.sample(words, 2))} {chance.choice(_VERBS)} the {words[0]}"
            body = " ".join(_sentence(chance, words) for _ in range(3))
            papers.append(paper(key, f"{title} {number}", body, 2000 + number, cites=cites))
            mine = [*mine, key]
    return papers


def _sentence(chance: random.Random, words: list[str]) -> str:
    one, two, three = chance.sample(words, 3)
    return f"We study how the {one} {chance.choice(_VERBS)} the {two} of the {three}."
