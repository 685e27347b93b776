"""How much of a paper's own reference list `find` recovers, and how long it takes.

    python -m evals.find_coverage PAPERS.jsonl.gz QUERIES.jsonl --home HOME --library NAME [--count 20]

The gold of a query paper is its references in the set that have an abstract and an earlier year; the
paper itself and everything of its year or later is hidden. The library must have been loaded
(`citeloom library add`). Coverage is the share of the gold among the papers kept.
"""

import argparse
import asyncio
import gzip
import json
import random
import statistics
from datetime import date
from pathlib import Path
from time import perf_counter
from typing import Any

from citeloom.settings import Settings
from graphs.find import graph
from state.paper import canonical_id
from tools.clients import Clients
from tools.context import RunContext


async def run_query(
    clients: Clients, row: dict[str, Any], library: str, keep: int
) -> dict[str, Any]:
    """Run `find` for one query paper."""
    context = RunContext(mind="extractive")
    vars(context)["clients"] = clients
    inputs: Any = {
        "text": row["abstract"], "library": library, "sources": ["library"], "keep": keep,
        "before": date(row["year"], 1, 1), "exclude": [row["id"]], "must_include": [],
    }  # fmt: skip
    return dict(await graph.ainvoke(inputs, {"max_concurrency": 16}, context=context))


def main() -> None:
    """Print coverage and seconds, by query and in the mean."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("papers", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--keep", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with gzip.open(options.papers, "rt", encoding="utf-8") as file:
        papers = {row["id"]: row for row in map(json.loads, file)}
    queries = [
        json.loads(line) for line in options.queries.read_text(encoding="utf-8").splitlines()
    ]
    random.Random(options.seed).shuffle(queries)
    clients = Clients(Settings(home=options.home))
    coverages: list[float] = []
    seconds: list[float] = []
    for query in queries[: options.count]:
        row = papers[query["id"]]
        gold = {
            canonical_id(key)
            for key in row["references"]
            if papers[key]["abstract"] and papers[key]["year"] < row["year"]
        }
        if not gold or not row["abstract"]:
            continue
        started = perf_counter()
        result = asyncio.run(run_query(clients, row, options.library, options.keep))
        seconds.append(perf_counter() - started)
        kept = [item for item in result["papers"] if item.selected]
        found = gold & {item.paper.id for item in kept}
        debated = gold & {item.paper.id for item in result["papers"]}
        coverages.append(len(found) / len(gold))
        scores = sorted(item.score for item in result["papers"] if item.paper.id in gold)
        print(
            f"{row['id']:<28} gold {len(gold):>3}  kept {len(kept):>3}  coverage {coverages[-1]:.2f}  "
            f"debated {len(debated) / len(gold):.2f}  {seconds[-1]:5.1f} s  gold scores {scores[:1]}..{scores[-1:]}"
        )
    print(
        f"mean coverage {statistics.mean(coverages):.3f} over {len(coverages)} queries; "
        f"median {statistics.median(seconds):.1f} s, slowest {max(seconds):.1f} s (first one opens the library)"
    )


if __name__ == "__main__":
    main()
