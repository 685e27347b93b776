"""What sources cost and survive: `find` and its parts against the fake of the scholarly services.

    python -m evals.source_costs [--text FILE] [--runs cost,links,matrix,many] [--seed N] [--json FILE]

Prints one Markdown table after the other; nothing leaves the machine. Every run has a temporary
home and the embedded engine. Prices, limits and faults are the fake's (tests/fakes/scholar), as far
as the services' documentation and recorded answers tell them.

cost    A default `find` with one source and more, at the default rates: its seconds contain the
        waits for the services' rates and the time of embedding, but not the services' own latency.
links   References and metadata of 200 papers with about 40 references each through OpenAlex alone,
        for papers that share some references, as those of one field do, and for some that hardly do.
matrix  A `find` of 100 papers under each fault that passes, three times with other luck each; a
        default `find` with a source that always fails in one way.
many    50 runs at once in one process that ask for little, with one cache and with one each.

Pauses after failures are as short as in the tests (tools.http.engine.FIRST_PAUSE of 0.02 s instead
of 0.4 s, LONGEST_PAUSE of 0.2 s instead of 8 s), and in matrix nothing waits for a service's rate.
So seconds compare cases with one another; they are not those of a real run. The fake shares the
process and its cores, texts are embedded once (but in cost), and its answers are worked out once.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from heapq import heapify, heappop, heappush
from pathlib import Path
from time import perf_counter
from typing import Any

from evals.source_faults import lasting_faults, many_runs, passing_faults
from evals.source_runs import AT_ONCE, KEYLESS, Bench, Table, shorten_pauses, tell, warm
from state.paper import Paper, canonical_id
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import Work, make_world
from tests.support import RememberingEmbedder
from tools.ledger.ledger import RunLedger
from tools.ledger.limits import Limits
from tools.scholar.opening import open_online

_EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "abstract.md"
_KINDS = ("list", "search", "semantic")
_PAPERS, _REFERENCES = 200, 40


def costs(bench: Bench) -> Table:
    """Run a default `find` with one source, two, and all that need no key."""
    cases: list[tuple[str, Sequence[str], dict[str, Any]]] = [
        ("openalex", KEYLESS[:1], {}),
        ("openalex, without a key", KEYLESS[:1], {"openalex_api_key": None}),
        ("openalex, semantic_scholar", KEYLESS[:2], {}),
        (", ".join(KEYLESS), KEYLESS, {}),
    ]
    rows = []
    for name, sources, others in cases:
        tell(f"cost: {name}")
        with bench.server() as server:
            settings = bench.settings(server, **others)
            run = bench.find_once(settings, sources, embedder=RememberingEmbedder())
        rows.append(
            {
                "sources": name,
                **{f"{one} requests": len(server.calls(one)) for one in KEYLESS},
                **{f"{kind} calls": server.charged.by_kind[kind] for kind in _KINDS},
                "_kinds": dict(server.charged.by_kind),
                "USD charged": f"{server.charged.usd:.4f}",
                "USD in source_usage": f"{run.used('usd'):.4f}",
                "papers kept": run.kept,
                "failures recorded": len(run.failures),
                "seconds": run.seconds,
                "_failures": run.told,
            }
        )
    return Table("cost: a default `find`", rows)


def links(bench: Bench) -> Table:
    """Get the references of 200 papers and the records of all that they cite."""
    rows = []
    for size, spread in ((9_000, False), (30_000, True)):
        tell(f"links: {size:,} works")
        world = warm(make_world(size, bench.seed, references=_REFERENCES, crowd=0))
        works = [
            work for work in world.held("openalex")
            if work.doi and work.title and work.duplicate_of is None
            and work.openalex_lists_references and 0 <= len(work.references) - _REFERENCES <= 4
        ]  # fmt: skip
        chosen = _least_shared(works, _PAPERS) if spread else works[-_PAPERS:]
        with bench.server(world) as server:
            figures = asyncio.run(_follow(bench, server, chosen))
        how = "that share the fewest" if spread else "newest"
        rows.append({"papers": f"the {_PAPERS} {how} of {size:,}", **figures})
    return Table("links: references and metadata of 200 papers through OpenAlex", rows)


async def _follow(bench: Bench, server: ScholarServer, works: Sequence[Work]) -> dict[str, object]:
    settings = bench.settings(server, **AT_ONCE)
    ledger = RunLedger("links", Limits(), settings.home)
    source = open_online("openalex", settings, ledger)
    papers = [
        Paper(id=canonical_id(work.doi or ""), title=work.title, doi=work.doi) for work in works
    ]
    began = perf_counter()
    linked = await source.references(papers)
    distinct = list(dict.fromkeys(key for keys in linked.links.values() for key in keys))
    records = await source.get(distinct)
    return {
        "references": sum(map(len, linked.links.values())),
        "distinct": len(distinct),
        "records": len(records),
        "list calls": server.charged.by_kind["list"],
        "free calls": len(server.requests) - server.charged.by_kind["list"],
        "USD charged": f"{server.charged.usd:.4f}",
        "USD in source_usage": f"{sum(row.usd for row in ledger.sources()):.4f}",
        "seconds": perf_counter() - began,
    }


def _least_shared(works: Sequence[Work], count: int) -> list[Work]:
    """Choose works that share few references, each next one the fewest with those before it."""
    heap = [(0, place) for place in range(len(works))]
    heapify(heap)
    chosen: list[Work] = []
    seen: set[int | str] = set()
    while heap and len(chosen) < count:
        _, place = heappop(heap)
        shared = len(seen.intersection(works[place].references))
        if heap and shared > heap[0][0]:  # more than it was, and no longer the fewest
            heappush(heap, (shared, place))
            continue
        chosen.append(works[place])
        seen.update(works[place].references)
    return chosen


RUNS: dict[str, tuple[Callable[[Bench], Table], ...]] = {
    "cost": (costs,),
    "links": (links,),
    "matrix": (passing_faults, lasting_faults),
    "many": (many_runs,),
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--text", type=Path, default=_EXAMPLE)
    parser.add_argument("--runs", default=",".join(RUNS))
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    names = options.runs.split(",")
    if unknown := sorted(set(names) - set(RUNS)):
        parser.error(f"no such runs: {', '.join(unknown)}; there are: {', '.join(RUNS)}")
    shorten_pauses()
    tables: list[Table] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        bench = Bench(Path(home), options.text.read_text(encoding="utf-8"), options.seed)
        for measure in (measure for name in names for measure in RUNS[name]):
            tables.append(measure(bench))
            print(tables[-1].markdown(), end="\n\n", flush=True)
    if options.json:
        found = {
            "text": options.text.name,
            "seed": options.seed,
            "tables": list(map(asdict, tables)),
        }
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
