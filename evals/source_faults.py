"""What faults of sources and many runs at once do to `find`; run by evals.source_costs."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any

from evals.source_runs import AT_ONCE, KEYLESS, Bench, Run, Table, tell
from tests.fakes.scholar.faults import TRANSIENT
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import Service

LASTING = ("429", "500", "html", "truncated", "empty", "hang", "drip", "spent", "down")
_SEARCHED: tuple[Service, ...] = ("openalex", "semantic_scholar")
_CHANCE, _TIMES = 0.1, 3
_HUNDRED: dict[str, Any] = {"keep": 100, "options": {"pool": 110, "bar": 0.0}}
"""A run that certainly keeps 100 papers."""
_RUNS = 50
_LIMITS: dict[Service, float] = {"openalex": 60, "semantic_scholar": 25, "crossref": 40}
_LITTLE = {"pool": 4, "results": 15, "max_hops": 1, "citing": 5}
"""Options with which a run asks for little."""


def passing_faults(bench: Bench) -> Table:
    """Compare runs under faults that pass, on all services, with a run without any."""
    plans: dict[str, Mapping[str, float]] = {"none": {}}
    plans |= {fault: {fault: _CHANCE} for fault in TRANSIENT}
    plans["all nine"] = dict.fromkeys(TRANSIENT, _CHANCE)
    tell("matrix: the run to compare with")
    calm, _ = _stormy(bench, {}, 0)
    rows = []
    for place, (name, chances) in enumerate(plans.items()):
        tell(f"matrix: {name} at 10 %")
        # Each plan has luck of its own: with one seed, all would hit the same requests.
        seeds = range(bench.seed + _TIMES * place, bench.seed + _TIMES * (place + 1))
        storms = [_stormy(bench, chances, seed) for seed in seeds]
        rows.append({"fault": name, **_compared(calm, storms)})
    return Table(f"matrix: faults at 10 % on {', '.join(KEYLESS)}; sums of {_TIMES} runs", rows)


def _stormy(bench: Bench, chances: Mapping[str, float], seed: int) -> tuple[Run, ScholarServer]:
    with bench.server(seed=seed) as server:
        server.faults.chances = chances
        settings = bench.settings(server, source_timeout=1.0, source_patience=60.0, **AT_ONCE)
        return bench.find_once(settings, KEYLESS, **_HUNDRED), server


def _compared(calm: Run, storms: Sequence[tuple[Run, ScholarServer]]) -> dict[str, object]:
    runs, servers = [run for run, _ in storms], [server for _, server in storms]
    same = sum(run.ranking == calm.ranking for run in runs)
    differing = [sorted({row[0] for row in {*run.ranking} ^ {*calm.ranking}}) for run in runs]
    return {
        "same papers and scores": f"{same} of {len(runs)}",
        "papers kept": " ".join(str(run.kept) for run in runs),
        "requests": sum(len(server.requests) for server in servers),
        "faults": sum(server.faults.counts.total() for server in servers),
        "failed tries": sum(int(run.used("failed")) for run in runs),
        "repeated answered calls": sum(len(server.repeated()) for server in servers),
        "failures recorded": sum(len(run.failures) for run in runs),
        "seconds": sum(run.seconds for run in runs),
        "_differing": differing,
        "_repeated": [url for server in servers for url in _repeated(server)],
        "_failures": [text for run in runs for text in run.told],
    }


def _repeated(server: ScholarServer) -> list[str]:
    keys = set(server.repeated())
    return [
        f"{item.service}{item.url[:300]} {item.status} {item.fault or 'whole'}"
        for item in server.requests
        if item.key in keys
    ]


def lasting_faults(bench: Bench) -> Table:
    """Run `find` with two sources, one of which always fails in one way."""
    rows = []
    for service in _SEARCHED[::-1]:
        # Without it, other papers come up: their texts are embedded here, outside the seconds.
        _failing(bench, service, "spent")
        for fault in LASTING:
            tell(f"matrix: {fault} at 100 % on {service}")
            run, server = _failing(bench, service, fault)
            rows.append({"source": service, "fault": fault, **_survived(run, server, service)})
    return Table(f"matrix: one of {', '.join(_SEARCHED)} always fails", rows)


def _failing(bench: Bench, service: Service, fault: str) -> tuple[Run, ScholarServer]:
    with bench.server() as server:
        server.faults.only[service] = {fault: 1.0}
        settings = bench.settings(server, source_timeout=0.3, source_patience=1.0, **AT_ONCE)
        return bench.find_once(settings, _SEARCHED), server


def _survived(run: Run, server: ScholarServer, service: Service) -> dict[str, object]:
    of_it = [item for item in run.failures if item.subject.split(":")[0] == service]
    return {
        "outcome": run.result["outcome"],
        "papers kept": run.kept,
        "requests to it": len(server.calls(service)),
        "failures recorded": len(of_it),
        "of others": len(run.failures) - len(of_it),
        "seconds": run.seconds,
        "the first": _short(of_it[0].cause) if of_it else "",
        "_failures": run.told,
    }


def _short(text: str) -> str:
    flat = re.sub(r"http://127\.0\.0\.1:\d+", "URL", " ".join(text.split())).replace("|", "/")
    return flat if len(flat) <= 70 else f"{flat[:70]}…"


def many_runs(bench: Bench) -> Table:
    """Run `find` many times at once while the services count strictly."""
    rows = []
    for shared in (True, False):
        tell(f"many: {_RUNS} runs at once, {'one cache' if shared else 'a cache each'}")
        with bench.server() as server:
            server.limits |= _LIMITS
            runs = asyncio.run(_all_at_once(bench, server, shared=shared))
        rows.append({"caches": "one" if shared else "one each", **_together(runs, server)})
        if not shared:
            rows[-1]["repeated answered calls"] = "–"  # each run asks for itself
    return Table(f"many: {_RUNS} runs at once in one process, limits kept strictly", rows)


async def _all_at_once(bench: Bench, server: ScholarServer, *, shared: bool) -> list[Run]:
    rates = {f"{name}_rate": rate for name, rate in _LIMITS.items()}
    patient = {"source_timeout": 10.0, "source_patience": 60.0, **rates}
    homes = [bench.settings(server, **patient) for _ in range(1 if shared else _RUNS)] * _RUNS
    words = sorted(set(re.findall(r"[a-z]{5,}", bench.text.lower())))
    texts = [
        f"{bench.text}\nWe also study {words[number % len(words)]} number {number}."
        for number in range(_RUNS)
    ]
    return await asyncio.gather(
        *(
            bench.find(settings, _SEARCHED, options=_LITTLE, text=text)
            for settings, text in zip(homes, texts, strict=False)
        )
    )


def _together(runs: Sequence[Run], server: ScholarServer) -> dict[str, object]:
    counts = {name: len(server.calls(name)) for name in _LIMITS}
    return {
        "finished": sum(run.result["outcome"] == "complete" for run in runs),
        "failures recorded": sum(len(run.failures) for run in runs),
        "too fast": server.too_fast.total(),
        **{f"{name} requests": count for name, count in counts.items()},
        "calls in source_usage": int(sum(run.used("calls") for run in runs)),
        "repeated answered calls": len(server.repeated()),
        "seconds": max(run.seconds for run in runs),
        "seconds by the limits": max(counts[name] / rate for name, rate in _LIMITS.items()),
        "_failures": [text for run in runs for text in run.told],
    }
