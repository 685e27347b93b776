"""What faults of sources and many runs at once do to `find`; run by evals.source_costs."""

import asyncio
import re
from collections.abc import Mapping
from typing import Any

from evals.source_runs import AT_ONCE, KEYLESS, Bench, Run, Table, tell
from tests.fakes.scholar.faults import TRANSIENT
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import Service

LASTING = ("429", "500", "html", "truncated", "empty", "hang", "drip", "spent", "down")
_SEARCHED: tuple[Service, ...] = ("openalex", "semantic_scholar")
_CHANCE = 0.1
_RUNS = 50
_LIMITS: dict[Service, float] = {"openalex": 60, "semantic_scholar": 25, "crossref": 40}
_LITTLE = {"pool": 4, "per_query": 5, "max_hops": 1, "citing": 5}
"""Options with which a run asks for little."""


def passing_faults(bench: Bench) -> Table:
    """Compare runs under faults that pass, on all services, with a run without any."""
    plans: dict[str, Mapping[str, float]] = {"none": {}}
    plans |= {fault: {fault: _CHANCE} for fault in TRANSIENT}
    plans["all nine"] = dict.fromkeys(TRANSIENT, _CHANCE)
    calm: Run | None = None
    rows = []
    for name, chances in plans.items():
        tell(f"matrix: {name} at 10 %")
        with bench.server() as server:
            server.faults.chances = chances
            settings = bench.settings(server, source_timeout=1.0, source_patience=60.0, **AT_ONCE)
            run = bench.find_once(settings, KEYLESS)
        calm = calm or run
        rows.append({"fault": name, **_compared(run, calm, server)})
    return Table(f"matrix: each fault at 10 %, {', '.join(KEYLESS)}", rows)


def _compared(run: Run, calm: Run, server: ScholarServer) -> dict[str, object]:
    return {
        "same papers and scores": run.ranking == calm.ranking,
        "papers kept": run.kept,
        "requests": len(server.requests),
        "faults": server.faults.counts.total(),
        "failed tries": int(run.used("failed")),
        "repeated answered calls": len(server.repeated()),
        "failures recorded": len(run.failures),
        "seconds": run.seconds,
        "_differing": sorted({row[0] for row in set(run.ranking) ^ set(calm.ranking)}),
        "_repeated": _repeated(server),
        "_failures": run.failures,
    }


def _repeated(server: ScholarServer) -> list[str]:
    keys = set(server.repeated())
    return [f"{item.service}{item.url}"[:300] for item in server.requests if item.key in keys]


def lasting_faults(bench: Bench) -> Table:
    """Run `find` with two sources, one of which always fails in one way."""
    rows = []
    for service in _SEARCHED[::-1]:
        for fault in LASTING:
            tell(f"matrix: {fault} at 100 % on {service}")
            with bench.server() as server:
                server.faults.only[service] = {fault: 1.0}
                settings = bench.settings(
                    server, source_timeout=0.3, source_patience=1.0, **AT_ONCE
                )
                run = bench.find_once(settings, _SEARCHED)
            rows.append({"source": service, "fault": fault, **_survived(run, server, service)})
    return Table(f"matrix: one of {', '.join(_SEARCHED)} always fails", rows)


def _survived(run: Run, server: ScholarServer, service: Service) -> dict[str, object]:
    causes = [re.sub(r"^[^:]*: [^:]*: ", "", text) for text in run.failures]
    return {
        "outcome": run.result["outcome"],
        "papers kept": run.kept,
        "requests to it": len(server.calls(service)),
        "failures recorded": len(run.failures),
        "of other sources": sum(service not in text for text in run.failures),
        "seconds": run.seconds,
        "a cause": _short(causes[0]) if causes else "",
        "_failures": run.failures,
    }


def _short(text: str) -> str:
    flat = re.sub(r"http://127\.0\.0\.1:\d+", "URL", " ".join(text.split())).replace("|", "/")
    return flat if len(flat) <= 100 else f"{flat[:100]}…"


def many_runs(bench: Bench) -> Table:
    """Run `find` many times at once while the services count strictly."""
    tell(f"many: {_RUNS} runs at once")
    with bench.server() as server:
        server.limits |= _LIMITS
        rates = {f"{name}_rate": rate for name, rate in _LIMITS.items()}
        settings = bench.settings(server, source_timeout=10.0, source_patience=60.0, **rates)
        words = sorted(set(re.findall(r"[a-z]{5,}", bench.text.lower())))
        texts = [
            f"{bench.text}\nWe also study {words[number % len(words)]} number {number}."
            for number in range(_RUNS)
        ]

        async def all_runs() -> list[Run]:
            calls = (bench.find(settings, _SEARCHED, options=_LITTLE, text=text) for text in texts)
            return await asyncio.gather(*calls)

        runs = asyncio.run(all_runs())
    counts = {name: len(server.calls(name)) for name in _LIMITS}
    row: dict[str, Any] = {
        "runs": len(runs),
        "finished": sum(run.result["outcome"] == "complete" for run in runs),
        "failures recorded": sum(len(run.failures) for run in runs),
        "too fast": server.too_fast.total(),
        **{f"{name} requests": count for name, count in counts.items()},
        "calls in source_usage": int(sum(run.used("calls") for run in runs)),
        "repeated answered calls": len(server.repeated()),
        "seconds": max(run.seconds for run in runs),
        "seconds by the limits alone": max(counts[name] / rate for name, rate in _LIMITS.items()),
    }
    return Table("many: runs at once in one process, limits kept strictly", [row])
