"""What a person reads: the tables in Markdown, and what was left out."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from evals.asking.arms import KEYWORDS, REGULAR, USUAL
from evals.retrieval.intervals import Interval

_COSTS = {
    "seconds": "seconds", "cpu_seconds": "CPU seconds", "hops": "hops", "passages": "passages read",
    "claims": "claims", "words": "words", "questions": "questions to the mind",
    "llm_calls": "LLM calls", "input_tokens": "tokens in", "output_tokens": "tokens out",
    "usd": "USD", "setup_seconds": "seconds, once",
}  # fmt: skip
_HOP = {
    "coverage": "coverage", "all_cited": "all papers cited", "reached": "papers read",
    "factual": "factual", "claims": "claims", "words": "words", "seconds": "seconds",
}  # fmt: skip
_SHOWN = 12
"""Most failures of runs, and most questions, that are listed."""
_STAGE = "stage: "


def markdown(found: Mapping[str, Any]) -> str:
    """Return the figures of a benchmark as Markdown."""
    settings = found["settings"]
    blocks = [f"# Asking: {settings['data']}, mind: {settings['mind']}"]
    blocks += _tables(found)
    blocks.append("\n".join(f"- {line}" for line in _notes(found)))
    return "\n\n".join(block for block in blocks if block)


def _tables(found: Mapping[str, Any]) -> Iterator[str]:
    if found["answerable"]["n"]:
        yield "## Factual accuracy and coverage"
        yield _factual(found)
        yield _groups(found)
        yield "## The second hop"
        for name in ("two_papers", "answerable"):
            yield _hops(found, name)
        yield _kinds(found)
    yield "## Honesty"
    yield _honest(found)
    yield _refused(found)
    if found["settings"]["likeness"]:
        yield _likeness(found)
    if found["keywords"]:
        yield "## Keywords against vectors"
        yield _keywords(found["keywords"])
    yield "## Cost"
    everything = _whole(found)
    yield _dear(everything)
    yield _stages(everything)


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
            cells += [_percent(figures.get("factual")), _percent(figures.get("coverage"))]
        rows.append(cells)
    heads = ["arm"]
    for title, group in parts:
        heads += [f"{title} ({group['n']}): factual", "coverage"]
    return _table("As arXivBot's Table 1 (%, mean of answers [95 % interval])", heads, rows)


def _groups(found: Mapping[str, Any]) -> str:
    groups = {
        name: group
        for name, group in found["groups"].items()
        if any("coverage" in figures for figures in group["arms"].values())
    }
    rows = [
        [
            name,
            *(_percent(group["arms"].get(name, {}).get("coverage")) for group in groups.values()),
        ]
        for name in found["answerable"]["arms"]
    ]
    heads = ["arm", *(f"{_plain(name)} ({group['n']})" for name, group in groups.items())]
    return _table("Coverage by group (%)", heads, rows)


def _hops(found: Mapping[str, Any], name: str) -> str:
    group = found["answerable"] if name == "answerable" else found["groups"].get(name)
    if not group or not group["hop_2_minus_1"]:
        return ""
    rows = []
    for retriever, minus in group["hop_2_minus_1"].items():
        for arm in (f"{retriever}-1", f"{retriever}-2"):
            rows.append([arm, *(_span(group["arms"][arm].get(key)) for key in _HOP)])
        rows.append(["difference", *(_span(minus.get(key), sign=True) for key in _HOP)])
    title = f"{_plain(name)} ({group['n']}): with one hop, with two, and the difference in pairs"
    return _table(title, ["arm", *_HOP.values()], rows)


def _kinds(found: Mapping[str, Any]) -> str:
    arms = list(found["answerable"]["arms"])
    rows = [
        [
            _plain(kind),
            str(told["n"]),
            *(f"{100 * told[arm]:.0f}" if arm in told else "" for arm in arms),
        ]
        for kind, told in found["kinds"].items()
    ]
    return _table("Coverage by kind of question (%)", ["kind", "questions", *arms], rows)


def _honest(found: Mapping[str, Any]) -> str:
    rows = []
    for name in _arms(found):
        sums: dict[str, float] = {}
        for group in found["groups"].values():
            for key, value in group["totals"].get(name, {}).items():
                sums[key] = sums.get(key, 0) + value
        rows.append(
            [name, _share(sums, "traced", "sentences"), _share(sums, "right", "sentences"),
             _share(sums, "covered", "points"), f"{sums['broken']:.0f}/{sums['runs']:.0f}"]
        )  # fmt: skip
    heads = ["arm", "sentences traced to quotes that stand", "sentences borne out by their quotes",
             "points covered", "runs that broke"]  # fmt: skip
    return _table("Over all runs", heads, rows)


def _refused(found: Mapping[str, Any]) -> str:
    rows = [
        [name, _share(told, "rightly", "outside"), _share(told, "near_rightly", "near"),
         _share(told, "wrongly", "inside"), _share(told, "resisted", "injections")]
        for name, told in found["refusals"].items()
    ]  # fmt: skip
    heads = ["arm", "rightly, of those outside", "of these, near misses", "wrongly, of those inside",
             "injections resisted"]  # fmt: skip
    return _table("Refused", heads, rows)


def _likeness(found: Mapping[str, Any]) -> str:
    group = found["groups"].get("papers")
    if not group:
        return ""
    rows = [
        [name, _span(figures.get("rougeL")), _span(figures.get("token_f1")),
         _span(figures.get("token_recall")),
         _span(figures.get("coverage")), _span(figures.get("words"))]
        for name, figures in group["arms"].items()
    ]  # fmt: skip
    heads = ["arm", "ROUGE-L", "token F1", "token recall", "coverage", "words"]
    return _table(f"Likeness to people's answers ({group['n']})", heads, rows)


def _keywords(told: Sequence[Mapping[str, Any]]) -> str:
    def row(title: str, of: Mapping[str, float]) -> list[str]:
        saved = 1 - of["seconds_keywords"] / of["seconds_regular"]
        return [
            title, f"{of['length_regular']:.0f}", f"{of['seconds_regular']:.3f}",
            f"{of['context_seconds_regular']:.3f}", f"{of['length_keywords']:.0f}",
            f"{of['seconds_keywords']:.3f}", f"{of['context_seconds_keywords']:.3f}",
            f"{100 * saved:.0f} %", f"{100 * of['accuracy_keywords']:.0f} %",
            f"{100 * of['accuracy_regular']:.0f} %", f"{of['usd_keywords']:.4f}",
            f"{of['usd_regular']:.4f}",
        ]  # fmt: skip

    numbers = [key for key, value in told[0].items() if isinstance(value, float | int)]
    mean = {key: fmean(one[key] for one in told) for key in numbers}
    rows = [row(one["question"].replace("|", "/"), one) for one in told[:_SHOWN]]
    rows.append(row(f"mean of {len(told)}", mean))
    heads = ["question", "answer length (regular)", "time (regular), s", "context", "length (KAR)",
             "time (KAR), s", "context", "time saved", "accuracy (KAR)", "accuracy (regular)",
             "USD (KAR)", "USD (regular)"]  # fmt: skip
    title = f"As KAR's Table 1: `{KEYWORDS}` beside `{REGULAR}`, lengths in characters"
    return _table(title, heads, rows)


def _dear(group: Mapping[str, Any]) -> str:
    rows = [
        [name, *(_amount(figures.get(key), key) for key in _COSTS)]
        for name, figures in group["arms"].items()
    ]
    return _table("Mean cost of one answer", ["arm", *_COSTS.values()], rows)


def _stages(group: Mapping[str, Any]) -> str:
    names = list(
        dict.fromkeys(
            key for figures in group["arms"].values() for key in figures if key.startswith(_STAGE)
        )
    )
    if not names:
        return ""
    rows = [
        [arm, *(_amount(figures.get(key), "usd") for key in names)]
        for arm, figures in group["arms"].items()
    ]
    heads = ["arm", *(_plain(key.removeprefix(_STAGE)) for key in names)]
    return _table("Mean seconds by stage (branches side by side are summed)", heads, rows)


def _notes(found: Mapping[str, Any]) -> list[str]:
    lines = [f"{name} was left out: {why}" for name, why in found["left_out"].items()]
    broken = [
        f"{case['id']}, {name}: {why}"
        for case in found["cases"]
        for name, why in case.get("error", {}).items()
    ]
    lines += broken[:_SHOWN]
    if len(broken) > _SHOWN:
        lines.append(f"{len(broken) - _SHOWN} more runs broke; the JSON file has them all")
    if not found["complete"]:
        lines.append("Stopped before the end: the figures are of what was done until then.")
    made = found["preparation"]
    lines.append(
        f"{made['passages']} passages: {made['vector_seconds']:.1f} s to take the papers in and make "
        f"vectors, {made['keyword_seconds']:.1f} s to make keywords."
    )
    lines.append("Brackets are 95 % bootstrap intervals over questions. A question that was not "
                 f"answered has no factual accuracy and covers nothing. `{USUAL}` is the default.")  # fmt: skip
    return lines


def _arms(found: Mapping[str, Any]) -> list[str]:
    return list(found["refusals"])


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---", *("---:" for _ in heads[1:])], *rows]
    return "\n".join([f"**{title}**", "", *(f"| {' | '.join(line)} |" for line in lines)])


def _percent(found: Interval | None) -> str:
    if found is None:
        return ""
    return f"{100 * found['mean']:.1f} [{100 * found['low']:.1f}, {100 * found['high']:.1f}]"


def _span(found: Interval | None, *, sign: bool = False) -> str:
    if found is None:
        return ""
    digits = 3 if max(abs(found["high"]), abs(found["low"])) < 2 else 1
    form = f"{'+' if sign else ''}.{digits}f"
    return f"{found['mean']:{form}} [{found['low']:{form}}, {found['high']:{form}}]"


def _share(totals: Mapping[str, float], part: str, whole: str) -> str:
    if not totals.get(whole) or part not in totals:
        return ""
    return f"{100 * totals[part] / totals[whole]:.1f} % ({totals[part]:.0f}/{totals[whole]:.0f})"


def _amount(found: Interval | None, key: str) -> str:
    if found is None:
        return ""
    return f"{found['mean']:.4f}" if key == "usd" else f"{found['mean']:.2f}"
