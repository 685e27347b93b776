"""`citeloom eval retrieval`, how much of papers' own references `find` recovers, and `citeloom eval relevance`."""

import sys
import tempfile
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import correlation, fmean, pstdev
from time import perf_counter
from typing import Annotated, Any

import typer

from evals.figures import RESAMPLES, grouped, means, minus, noted, run_of, spent
from evals.retrieval.corpus import Case, choose_cases, read_corpus, read_queries
from evals.retrieval.without_attribution import debating_without_attribution
from evals.retrieval.works import Works, key_for, served_at, serving, sliced
from evals.runner import Options, Suite, choose, online_sources, say
from evals.trials import (
    BenchClients,
    Row,
    attempted,
    check_file,
    cost_of,
    fresh_home,
    json_lines,
    remembering,
    results_of,
    run_graph,
)
from tools.clients import Clients
from tools.errors import InputError, counted

DEFAULT, BARE = "default", "no_attribution"
KEEP = "keep"
"""Stands for the number of papers that are kept."""


ARMS: Mapping[str, Mapping[str, object]] = {
    "single": {"queries": "single", "expansion": "none"},
    "multiple": {"queries": "multiple", "expansion": "none"},
    "optimized": {"queries": "optimized", "expansion": "none"},
    "bfs": {"expansion": "bfs", "max_hops": 1, "max_papers": KEEP},
    "bfs_ranked": {"expansion": "bfs", "max_hops": 1},
    DEFAULT: {},
    "runs": {"runs": 3},
    "embedding": {"ranker": "embedding"},
    "permutation": {"ranker": "permutation"},
    "cascade": {"ranker": "cascade"},
    BARE: {},
}
"""Ways to find: fields of `tools.run_settings.RunSettings`; what is left out is the product's default. For BARE no
setting says it: its debates have no quotes."""


def try_arm(
    task: tuple[Case, str],
    *,
    url: str,
    snapshot: Path | None,
    sources: Sequence[str],
    keep: int,
    mind: str,
    vectors: Path,
) -> Row:
    """Run one arm for one query; whatever goes wrong stands in the row.

    The row has 'kept' (canonical ids, best first), 'counts', and 'completeness' as the run estimated it. `url` is
    the local source's; it is empty where those of the network are asked, or a slice (`snapshot`) is searched.
    """
    case, arm = task
    choices = {
        **({"search": "keywords"} if url or snapshot else {}),
        "mind": mind,
        "refresh": True,
        **{name: keep if value == KEEP else value for name, value in ARMS[arm].items()},
    }
    inputs = {
        "text": case.text,
        "sources": list(sources),
        "keep": keep,
        "exclude": list(case.own),
        **({"before": case.before} if case.before else {}),
    }
    started = perf_counter()
    debating = debating_without_attribution if arm == BARE else nullcontext
    with fresh_home() as here, debating():
        local = {
            "snapshot": snapshot,
            **(
                served_at(url, key_for(case.until, case.hidden, f"{arm}-{here.home.name}"))
                if url
                else {}
            ),
        }
        clients = BenchClients(here.model_copy(update=local), remembering(vectors))
        result = attempted(lambda: run_graph("find", inputs, clients, choices))
    papers = [item for item in result.get("papers", ()) if item.selected]
    asked, stop = result.get("source_usage", ()), result.get("stop")
    completeness = result.get("completeness")
    cost = cost_of(result.get("usage", ()), perf_counter() - started)
    kept = [case.name_of(item.paper) for item in sorted(papers, key=lambda one: one.rank)]
    return {
        "case": case.id,
        "arm": arm,
        "kept": list(dict.fromkeys(kept)),
        "counts": {
            "source_calls": sum(usage.calls for usage in asked),
            "retraction_calls": sum(usage.calls for usage in asked if usage.source == "crossref"),
            "usd": sum(usage.usd for usage in asked),
            "llm_calls": cost["llm_calls"],
            "llm_usd": cost["usd"],
            "questions": cost["questions"],
            "seconds": cost["seconds"],
            "failures": len(result["failures"]) if "failures" in result else 1,
        },
        "tasks": spent(result.get("usage", ())),
        "completeness": completeness.model_dump(mode="json") if completeness else None,
        "error": result.get("error") or (stop.cause if stop and not papers else ""),
    }


def coverage(kept: Sequence[str], gold: Collection[str]) -> float:
    """Return the share of the gold that was kept (LitLLM's coverage)."""
    return len(set(kept) & set(gold)) / len(gold)


def measures_at(k: int, kept: Sequence[str], gold: Collection[str]) -> dict[str, float | None]:
    """Return the measures of one ranking; None where one does not apply.

    `normalised_recall_at_k` is LitLLM's formula 1: relevant papers among the first `k`, over relevant papers among
    all that were kept, so it judges the order, not the search. Fewer than `k` kept count as misses.
    """
    first, possible = len(set(kept[:k]) & set(gold)), len(set(kept) & set(gold))
    return {
        "coverage": coverage(kept, gold),
        "precision_at_k": first / k,
        "normalised_recall_at_k": first / possible if possible else None,
        "recall_at_k": first / len(gold),
        "kept": len(kept),
    }


def summarise(cases: Sequence[Case], rows: Sequence[Row], *, k: int, seed: int) -> dict[str, Any]:
    """Return the figures of each arm, their differences to `default`, and those of each query."""
    queries = [_query(case, mine, k) for case, mine in grouped(cases, rows)]
    names = run_of(queries, ARMS)
    return {
        "arms": means(queries, names, seed=seed),
        "minus_default": minus(queries, names, DEFAULT, seed=seed),
        "completeness": _completeness(queries),
        "queries": queries,
    }


def _query(case: Case, rows: Mapping[str, Row], k: int) -> dict[str, Any]:
    default = rows.get(DEFAULT)
    found: dict[str, Any] = {
        "id": case.id,
        "year": case.before and case.before.year,
        "gold": len(case.gold),
        "arms": {
            name: measures_at(k, row["kept"], case.gold) | row["counts"]
            for name, row in rows.items()
        },
        "gold_ids": sorted(case.gold),
        "kept_ids": {name: row["kept"] for name, row in rows.items()},
    }
    found |= noted(rows, ["error"])
    if default and (said := default["completeness"]):
        found["completeness"] = {
            **{name: said.get(name) for name in _ESTIMATED},
            "stopped": said.get("stopped", ""),
            "gold_kept": len(case.gold & set(default["kept"])),
            "coverage": coverage(default["kept"], case.cited or case.gold),
        }
    return found


_ESTIMATED = ("kept", "estimate", "low", "high", "share", "share_low", "share_high")


def _completeness(queries: Sequence[Mapping[str, Any]]) -> dict[str, float] | None:
    """Compare what the default arm said of its own completeness with what it covered."""
    said = [query["completeness"] for query in queries if "completeness" in query]
    known = [one for one in said if one["share"] is not None]
    if not known:
        return None
    shares, truths = [one["share"] for one in known], [one["coverage"] for one in known]
    errors = [share - truth for share, truth in zip(shares, truths, strict=True)]
    inside = [
        one["share_low"] <= one["coverage"] <= one["share_high"]
        for one in known
        if one["share_low"] is not None
    ]
    found = {
        "n": float(len(known)),
        "estimated_share": fmean(shares),
        "coverage": fmean(truths),
        "mean_error": fmean(errors),
        "mean_absolute_error": fmean(map(abs, errors)),
    }
    if inside:
        found["coverage_inside_interval"] = fmean(inside)
    if pstdev(shares) and pstdev(truths):
        found["correlation"] = correlation(shares, truths)
    return found


USUAL_COUNT = 60
LIVE_CALLS, LIVE_USD = 45, 0.014
"""What `default` asks for a query, as measured against the local source with OpenAlex's prices."""


@dataclass(frozen=True, kw_only=True)
class RetrievalOptions(Options):
    """The command as given."""

    queries: Annotated[
        Path, typer.Option(help="JSON lines with 'id' of a paper, or 'id', 'text' and 'gold'.")
    ]
    data: Annotated[
        Path | None,
        typer.Option(help="A folder that holds papers.jsonl.gz, to search on this machine."),
    ] = None
    sources: Annotated[
        str,
        typer.Option(
            metavar="A,B",
            help="Without --data: ask these, such as openalex,semantic_scholar. With it, 'snapshot' searches a "
            "slice of the data, made as of a dump of OpenAlex.",
        ),
    ] = ""
    keep: Annotated[int, typer.Option(help="Papers to keep.", min=1, max=200)] = 100
    k: Annotated[int, typer.Option(help="How many papers count as the first ones.", min=1)] = 40
    arms: Annotated[
        str,
        typer.Option(
            metavar="A,B",
            help="What to compare with 'default', which always runs; 'all' for all arms.",
        ),
    ] = "default"
    vectors: Annotated[
        Path | None, typer.Option(help="Keep the vectors of texts there for the next time.")
    ] = None


class Retrieval(Suite[RetrievalOptions]):
    """Measure how much of papers' own reference lists, or of questions' gold, `find` recovers, arm by arm.

    It runs the real graph against a local source that answers as OpenAlex does.
    """

    def prepare(self) -> None:
        """Read the corpus and the queries that it has."""
        options = self.options
        check_file(options.vectors)
        self.arms = choose("" if options.arms == "all" else options.arms, ARMS, "arm", (DEFAULT,))
        queries = read_queries(options.queries)
        # Only a number that was asked for must be there; the usual one is a limit.
        count = options.n if options.n is not None else min(USUAL_COUNT, len(queries))
        local = "snapshot" if options.sources == "snapshot" else "openalex"
        if (options.data is None) == (not options.sources or local == "snapshot"):
            raise InputError(
                "name either --data, a folder with papers, or --sources, which are asked"
            )
        self.corpus = read_corpus(options.data) if options.data else None
        self.sources = (local,) if self.corpus else online_sources(options.sources)
        self.chosen = choose_cases(self.corpus, queries, count)
        self.runs = len(self.chosen.cases) * len(self.arms)
        if self.corpus is None:
            say(
                f"{options.sources}: {counted(self.runs, 'run')} of about {LIVE_CALLS} calls and {LIVE_USD} USD "
                "of OpenAlex; a work that fits and is not in the gold is a miss there"
            )
            if sys.stdin.isatty() and not typer.confirm("Ask them?"):
                raise InputError("nothing was asked")

    def rows(self) -> Generator[Row]:
        """Run each arm, one query after the other."""
        options = self.options
        with ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="citeloom-vectors-"))
            url, made = "", None
            if self.corpus and self.sources == ("snapshot",):
                say(f"making a slice of {len(self.corpus.records)} papers")
                made = sliced(self.corpus, Path(folder))
            elif self.corpus:
                say(f"starting a local source with {len(self.corpus.records)} papers")
                url = stack.enter_context(serving(Works(self.corpus)))
            tasks = [(case, arm) for case in self.chosen.cases for arm in self.arms]
            run = partial(
                try_arm,
                url=url,
                snapshot=made,
                sources=self.sources,
                keep=options.keep,
                mind=options.mind,
                vectors=options.vectors or Path(folder) / "vectors.sqlite",
            )
            yield from stack.enter_context(closing(results_of(run, tasks, options.workers)))

    def found(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the figures."""
        options = self.options
        summary = summarise(self.chosen.cases, rows, k=options.k, seed=options.seed)
        return {
            "settings": {
                "data": options.data.name if options.data else None,
                "sources": list(self.sources),
                "n": len(self.chosen.cases),
                "keep": options.keep,
                "k": options.k,
                "seed": options.seed,
                "mind": options.mind,
                "resamples": RESAMPLES,
                "arms": {name: dict(ARMS[name]) for name in summary["arms"]},
            },
            "left_out": self.chosen.left_out,
            **summary,
        }

    def notes(self, found: dict[str, Any]) -> list[str]:
        """Say which gold is not in the data, and what the seconds hold."""
        notes = super().notes(found)
        if lacking := sum(case.lacking for case in self.chosen.cases):
            notes.append(
                f"{lacking} gold papers are not in the data, or not before the query's day, and count nowhere."
            )
        if self.corpus:
            notes.append(
                "Seconds hold no network: the source is on this machine, and vectors of texts are made once for all."
            )
        return notes


FIRST = 10
"""`eval relevance`: ranks that count as first. Its inputs were written before the ranking was last worked on;
constants are chosen by the odd ones, and the even ones say what that is worth."""
HALVES = ("odd", "even")


def read_inputs() -> list[dict[str, Any]]:
    """Return the packaged inputs: their text, the papers that must be read, and those that must be first."""
    return [row for _, row in json_lines(Path(__file__).with_name("relevance.jsonl"))]


class Relevance(Suite[Options]):
    """Measure which papers of the starter library `find` judges and ranks first, for short inputs."""

    def rows(self) -> Generator[Row]:
        """Find for each input, one after the other."""
        with fresh_home() as here:
            clients, choices = Clients(here), {"mind": self.options.mind}
            for case in read_inputs()[: self.options.n]:
                yield _row(
                    case,
                    attempted(partial(run_graph, "find", {"text": case["text"]}, clients, choices)),
                )

    def found(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the figures of both halves."""
        return {
            "settings": {"mind": self.options.mind, "seed": self.options.seed},
            "resamples": RESAMPLES,
            "cases": list(rows),
            "halves": means(rows, HALVES, seed=self.options.seed),
        }


def _row(case: Mapping[str, Any], result: dict[str, Any]) -> Row:
    ranks = {item.paper.id: item.rank for item in result.get("papers", ())}
    unread = [key for key in case["judged"] if key not in ranks]
    late = [key for key in case["first"] if not ranks.get(key, FIRST + 1) <= FIRST]
    figures = {
        "judged": 1 - len(unread) / len(case["judged"]),
        "first_ten": 1 - len(late) / len(case["first"]),
        "seconds": result.get("took"),
    }
    stop = result.get("stop")
    return {
        "id": case["id"],
        "case": case["id"],
        "ranks": {key: ranks.get(key) for key in case["judged"]},
        "arms": {HALVES[(int(case["id"]) + 1) % 2]: figures},
        "error": result.get("error") or (stop.cause if stop else ""),
    }
