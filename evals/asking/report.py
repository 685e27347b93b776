"""What a person reads: the tables in Markdown, and what was left out."""

from collections.abc import Iterator, Mapping
from typing import Any

from evals.asking.arms import USUAL
from evals.figures import sums
from evals.tables import broken_runs, bullets, costs_table, percent, share, signed, span, table

_COSTS = {
    "seconds": "seconds", "cpu_seconds": "CPU seconds", "hops": "hops", "passages": "passages read",
    "claims": "claims", "words": "words", "questions": "questions to the mind",
    "llm_calls": "LLM calls", "input_tokens": "tokens in", "output_tokens": "tokens out",
    "usd": "USD", "setup_seconds": "seconds, once",
    "stage: search_passages": "seconds, context",
}  # fmt: skip
_HOP = {
    "coverage": "coverage", "all_cited": "all papers cited", "reached": "papers read",
    "factual": "factual", "claims": "claims", "words": "words", "seconds": "seconds",
}  # fmt: skip


def markdown(found: Mapping[str, Any]) -> str:
    """Return the figures of a benchmark as Markdown."""
    settings = found["settings"]
    blocks = [f"# Asking: {settings['data']}, mind: {settings['mind']}"]
    blocks += _tables(found)
    blocks.append(bullets(_notes(found)))
    return "\n\n".join(block for block in blocks if block)


def _tables(found: Mapping[str, Any]) -> Iterator[str]:
    if found["answerable"]["n"]:
        yield "## Factual accuracy and coverage"
        yield _factual(found)
        yield _groups(found)
        yield "## The second hop"
        for name in ("two_papers", "answerable"):
            yield _hops(found, name)
        yield "## Honesty"
    yield _honest(found)
    yield _refused(found)
    yield "## Cost"
    yield costs_table("Mean cost of one answer", _whole(found)["arms"], _COSTS)


def _whole(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the group that costs are told of: the answerable questions, if there are any."""
    groups: list[Mapping[str, Any]] = [found["answerable"], *found["groups"].values()]
    return next(group for group in groups if group["n"])


def _factual(found: Mapping[str, Any]) -> str:
    parts = [("all", found["answerable"]), *found["ages"].items()]
    rows = []
    for name in found["answerable"]["arms"]:
        cells = [name]
        for _, group in parts:
            figures = group["arms"].get(name, {})
            cells += [percent(figures.get("factual")), percent(figures.get("coverage"))]
        rows.append(cells)
    heads = ["arm"]
    for title, group in parts:
        heads += [f"{title} ({group['n']}): factual", "coverage"]
    return table("As arXivBot's Table 1 (%, mean of answers [95 % interval])", heads, rows)


def _groups(found: Mapping[str, Any]) -> str:
    groups = {
        name: group
        for name, group in found["groups"].items()
        if any("coverage" in figures for figures in group["arms"].values())
    }
    rows = [
        [
            name,
            *(percent(group["arms"].get(name, {}).get("coverage")) for group in groups.values()),
        ]
        for name in found["answerable"]["arms"]
    ]
    heads = ["arm", *(f"{_plain(name)} ({group['n']})" for name, group in groups.items())]
    return table("Coverage by group (%)", heads, rows)


def _hops(found: Mapping[str, Any], name: str) -> str:
    group = found["answerable"] if name == "answerable" else found["groups"].get(name)
    if not group or not group["hop_2_minus_1"]:
        return ""
    title = f"{_plain(name)} ({group['n']}): with one hop, with two, and the difference in pairs"
    rows = []
    for retriever, minus in group["hop_2_minus_1"].items():
        for arm in (f"{retriever}-1", f"{retriever}-2"):
            rows.append([arm, *(span(group["arms"][arm].get(key)) for key in _HOP)])
        rows.append(["difference", *(signed(minus.get(key)) for key in _HOP)])
    return table(title, ["arm", *_HOP.values()], rows)


def _honest(found: Mapping[str, Any]) -> str:
    rows = []
    for name in found["refusals"]:
        all_ = sums(group["totals"].get(name, {}) for group in found["groups"].values())
        rows.append(
            [name, share(all_, "traced", "sentences"), share(all_, "right", "sentences"),
             share(all_, "covered", "points"), f"{all_['broken']:.0f}/{all_['runs']:.0f}"]
        )  # fmt: skip
    heads = ["arm", "sentences traced to quotes that stand", "traced, and supported as the run says",
             "points covered", "runs that broke"]  # fmt: skip
    return table("Over all runs", heads, rows)


def _refused(found: Mapping[str, Any]) -> str:
    rows = [
        [name, share(told, "rightly", "outside"), share(told, "near_rightly", "near"),
         share(told, "wrongly", "inside"), share(told, "resisted", "injections")]
        for name, told in found["refusals"].items()
    ]  # fmt: skip
    heads = ["arm", "rightly, of those outside", "of these, near misses", "wrongly, of those inside",
             "injections resisted"]  # fmt: skip
    return table("Refused", heads, rows)


def _notes(found: Mapping[str, Any]) -> list[str]:
    lines = [f"{name} was left out: {why}" for name, why in found["left_out"].items()]
    lines += broken_runs(found["cases"])
    made = found["preparation"]
    lines.append(
        f"{made['passages']} passages: {made['vector_seconds']:.1f} s to take the papers in and make "
        f"vectors, {made['keyword_seconds']:.1f} s to make keywords."
    )
    lines.append("Brackets are 95 % bootstrap intervals over questions. A question that was not "
                 f"answered has no factual accuracy and covers nothing. `{USUAL}` is the default.")  # fmt: skip
    return lines


def _plain(name: str) -> str:
    return name.replace("_", " ")
