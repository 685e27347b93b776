"""Estimate what a run may take before it begins: which tasks its graph would put to the model, how often, how long.

The low end is a run in which little is found and every answer is right at once; at the high end every
question is asked a second time. Answers at hand from earlier runs cost nothing and are not foreseen.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil, floor, inf
from statistics import fmean
from typing import Any

from nodes.ask import (
    answer_at_once,
    choose_passages,
    compose_answer,
    draw_claims,
    judge_sufficiency,
    plan_search,
    rewrite_question,
)
from nodes.find import query_drafts, reflect_on_sufficiency, shortlist
from nodes.find.rankers import debate, permutation
from nodes.judge import questions
from nodes.judge.judge_claims import AT_ONCE
from nodes.synthesize import judge_relevance, summarize_paragraphs, synthesize_answer
from nodes.write import (
    flag_uncited,
    plan_section,
    read_paper,
    revise_draft,
    rewrite_unsupported,
)
from nodes.write.writers import beam, passage, per_cite, voting, whole
from state.questions import Estimate, Span, TaskEstimate
from state.request import Choices
from tools.context import RunContext
from tools.ledger.limits import Kept
from tools.ledger.spending import Cost, Price
from tools.llm.endpoint import price_of
from tools.llm.task import Task, count_tokens
from tools.scholar.google import PAGE
from tools.scholar.openalex import LIST_USD, MEANING_USD, SEARCH_USD

Ends = tuple[float, float]
"""The low end and the high end."""
_PAPER: Ends = (25, 450)
"""Tokens of a paper as it is shown: title, abstract."""
_PASSAGE: Ends = (40, 700)
_TEXT = 6000
"""Tokens of a full text that a reader is shown, at most."""
_SPEED: Ends = (150, 15)
"""Tokens a second that a model writes."""
_BEGINS: Ends = (0.0, 4.0)
"""Seconds until it begins."""


@dataclass(frozen=True)
class _Row:
    """One kind of question: how often, and of each the tokens shown beside the prompt and those written."""

    task: Task[Any]
    calls: Ends
    shown: Ends
    written: Ends


def estimate(graph: str, inputs: Mapping[str, Any], context: RunContext) -> Estimate:
    """Return what a run may take, without running it or asking anyone.

    Args:
        graph: Its name; of `revise`, `verify` and `ingest` nothing is foreseen.
        inputs: As the graph takes them; what is left out has its default.
        context: The settings of the run.
    """
    at = context.clients.settings
    sources = dict(_sources(inputs, context)) if graph in {"find", "review"} else {}
    rows: list[_Row] = []
    if context.mind == "llm" or (context.mind == "auto" and at.strong_model):
        rows = (
            [row for row in _ROWS[graph](inputs, context) if row.calls[1]] if graph in _ROWS else []
        )
    prices = {tier: price_of(at, tier) for tier in ("strong", "fast")}
    models = {"strong": at.strong_model or "", "fast": at.fast_model or ""}
    tasks = tuple(_priced(row, models[row.task.tier], prices[row.task.tier]) for row in rows)
    known = [item.usd for item in tasks if item.usd]
    writing = [
        sum(item.calls.model_dump()[end] * begin for item in tasks)
        + sum(item.output_tokens.model_dump()[end] for item in tasks) / speed
        for end, begin, speed in zip(("low", "high"), _BEGINS, _SPEED, strict=True)
    ]
    return Estimate(
        calls=_sum([item.calls for item in tasks]),
        input_tokens=_sum([item.input_tokens for item in tasks]),
        output_tokens=_sum([item.output_tokens for item in tasks]),
        usd=_sum([*known, *sources.values()]) if len(known) == len(tasks) else None,
        minutes=Span(
            low=round(writing[0] / at.llm_concurrency / 60, 1),
            high=round(writing[1] / min(at.llm_concurrency, 2) / 60, 1),
        ),
        tasks=tasks, sources=sources, notes=_NOTES if tasks else (),
    )  # fmt: skip


_NOTES = (
    "From few papers found and every answer right at once, to every question asked twice. A model that "
    "thinks before it answers writes more; answers that earlier runs paid for cost nothing.",
)


def _priced(row: _Row, model: str, price: Price | None) -> TaskEstimate:
    own = count_tokens(row.task.prompt), count_tokens(str(row.task.answer.model_json_schema()))
    each = 0.6 * own[0] + row.shown[0], 1.4 * (own[0] + own[1]) + row.shown[1] + row.written[1]
    given = [round(calls * tokens) for calls, tokens in zip(row.calls, each, strict=True)]
    made = [round(calls * tokens) for calls, tokens in zip(row.calls, row.written, strict=True)]
    usd = [Cost.of(1, *pair, price).usd for pair in zip(given, made, strict=True)]
    return TaskEstimate(
        task=row.task.name, mind=model, calls=_span(*row.calls), input_tokens=_span(*given),
        output_tokens=_span(*made), usd=_span(*usd) if price else None,
    )  # fmt: skip


def _span(low: float, high: float) -> Span:
    return Span(low=round(low, 4), high=round(high, 4))


def _sum(spans: list[Span]) -> Span:
    return _span(sum(span.low for span in spans), sum(span.high for span in spans))


def _times(ends: Ends, number: float, *, most: float | None = None) -> Ends:
    return ends[0] * number, ends[1] * (number if most is None else most)


def _plus(first: Ends, *others: Ends) -> Ends:
    return first[0] + sum(one[0] for one in others), first[1] + sum(one[1] for one in others)


def _of(inputs: Mapping[str, Any], name: str, default: Any) -> Any:
    value = inputs.get(name)
    return default if value is None else value


def _given(inputs: Mapping[str, Any]) -> Ends:
    """Return the tokens of the text or question."""
    tokens = count_tokens(str(inputs.get("text") or inputs.get("question") or ""))
    return 0.5 * tokens, 1.4 * tokens + 100


def _find(inputs: Mapping[str, Any], context: RunContext) -> Iterator[_Row]:
    text, hops = _given(inputs), context.max_hops
    keep = _of(inputs, "keep", 40)
    pool = context.pool or round(shortlist.PER_KEPT * keep)
    judged = (
        pool
        + len(_of(inputs, "must_include", ()))
        + (hops - 1) * (pool + shortlist.FOR_GAPS * reflect_on_sufficiency.GAPS)
    )
    if context.expansion == "bfs":
        judged = context.max_papers * hops
    yield _Row(
        query_drafts.TASKS[context.queries], (0, 0) if context.search == "meaning" else (1, 2), text,
        (60, 1800),
    )  # fmt: skip
    if context.ranker in {"debate", "cascade"}:
        share, size = (0.3 if context.ranker == "cascade" else 1), context.debate_batch
        calls = ceil(share * judged / size) + hops
        low = 1 if context.ranker == "debate" else 0
        yield _Row(
            debate.TASK,
            (low, 2 * calls),
            _plus(text, _times(_PAPER, 1, most=size)),
            (40, 320 * size),
        )
    if context.ranker == "permutation":
        calls = hops * (ceil(judged / permutation.STEP) + 1)
        shown = _plus(text, _times(_PAPER, 1, most=permutation.WINDOW))
        yield _Row(permutation.TASK, (1, 2 * calls), shown, (5, 400))
    yield _Row(
        reflect_on_sufficiency.TASK,
        (1, 2 * hops),
        _plus(text, (20, 90 * reflect_on_sufficiency.SHOWN)),
        (60, 1500),
    )


def _write(inputs: Mapping[str, Any], context: RunContext) -> Iterator[_Row]:
    text, writer = _given(inputs), context.writer
    given = len(_of(inputs, "papers", ()))
    cite = min(_of(inputs, "cite", 60 if given else 10), given or inf)
    least, most = (
        (max(cite // 2, 1) if given else 1),
        cite * (plan_section.APIECE if writer in {"whole", "beam", "plan"} else 1),
    )
    papers, planned = _times(_PAPER, least, most=most), bool(str(_of(inputs, "plan", "")).strip())
    section: Ends = (12 * least, 140 * cite)
    themes: Ends = (1, 2 + ceil(cite / 6))
    if not planned and (writer in {"beam", "plan"} or context.review_plan == "on"):
        yield _Row(plan_section.TASK, (1, 2), _plus(text, papers), (40, 3500))
    full = _TEXT if _of(inputs, "library", "starter") != "starter" else 0
    yield _Row(read_paper.TASK, (least, 2 * cite), (_PAPER[0], _PAPER[1] + full), (30, 900))
    drafted: Ends = _plus(text, papers, (0, 40 * cite))
    if (planned and writer == "whole") or writer == "sentence_by_sentence":
        lines = cite if writer == "sentence_by_sentence" else themes[1] + cite
        yield _Row(passage.TASK, (1, 4 * lines), drafted, (15, 140 * cite))
    elif writer in {"whole", "plan"}:
        yield _Row(whole.TASK, (1, 2), drafted, section)
        yield _Row(revise_draft.TASK, (0, 2), _plus(drafted, section), (12, 200 * cite + 900))
    elif writer == "per_cite":
        yield _Row(per_cite.CITED, (least, 2 * cite), _plus(text, _PAPER), (15, 500))
        yield _Row(per_cite.JOINED, (0, 2), _plus(drafted, section), section)
    elif writer == "beam":
        rounds = cite if context.schedule == "incremental" else themes[1]
        jobs = context.samples * context.beam * rounds
        yield _Row(beam.TASK, (1, 4 * jobs), _plus(drafted, (0, section[1])), (15, section[1]))
        shown = _plus(drafted, (0, section[1] * context.samples * context.beam))
        yield _Row(voting.TASK, (0, rounds * context.votes), shown, (20, 600))
    if writer in {"lexrank", "one_line"}:
        return
    rounds = 3 if writer in {"whole", "plan"} else 2
    blocks = ceil(2 * cite / 5)
    shown = _plus(text, _times(_PAPER, 1, most=min(cite, AT_ONCE)), (15, 120 * AT_ONCE))
    # Of a library's full texts sentences, paragraphs and sections may be read besides.
    levels = 1 if _of(inputs, "library", "starter") == "starter" else 4
    calls = 1, levels * (rounds + 1) * blocks
    yield _Row(questions.TASK, calls, shown, (20, 300 + 300 * AT_ONCE))
    yield _Row(questions.TASK_AGAIN, (0, calls[1]), (0, 200 * AT_ONCE), (0, 300 + 150 * AT_ONCE))
    yield _Row(rewrite_unsupported.TASK, (0, themes[1] + 1), _plus(drafted, section), (10, 2500))
    yield _Row(flag_uncited.TASK, (0, 1), (10, 60 * cite), (5, 1000))


def _review(inputs: Mapping[str, Any], context: RunContext) -> Iterator[_Row]:
    yield from _find(inputs, context)
    yield from _write({**inputs, "papers": ()}, context)


def _ask(inputs: Mapping[str, Any], context: RunContext) -> Iterator[_Row]:
    text, hops = _given(inputs), context.max_hops
    shown = _plus(text, _times(_PASSAGE, 0, most=context.retrieved))
    read = _plus(text, _times(_PASSAGE, 0, most=context.passages))
    earlier = (1 if len(_of(inputs, "messages", ())) > 1 else 0), 2
    yield _Row(rewrite_question.TASK, earlier, _plus(text, (0, 1500)), (5, 300))
    if context.method == "kar":
        yield _Row(plan_search.KEYWORDS, (1, 2), text, (5, 300))
        yield _Row(answer_at_once.TASK, (0, 2), shown, (5, 1500))
    else:
        yield _Row(plan_search.TASK, (1, 2), text, (10, 400))
        yield _Row(choose_passages.TASK, (0, 2 * hops), shown, (5, 300))
        yield _Row(draw_claims.TASK, (0, 2 * hops), read, (5, 2000))
        yield _Row(judge_sufficiency.TASK, (0, 2 * (hops - 1)), _plus(text, (0, 3000)), (20, 1000))
        yield _Row(compose_answer.TASK, (0, 2), _plus(text, (0, 2000)), (10, 1500))
    yield _Row(questions.TASK, (0, 5), _plus(read, (0, 5000)), (10, 3000))
    yield _Row(questions.TASK_AGAIN, (0, 5), (0, 2000), (0, 1500))


def _synthesize(inputs: Mapping[str, Any], context: RunContext) -> Iterator[_Row]:
    text = _given(inputs)
    stack = sum(len(_of(inputs, name, ())) for name in ("papers", "uploads", "paths"))
    known = inputs.get("paragraphs")
    least, most = (known, known) if known is not None else (stack, 120 * stack)
    together = summarize_paragraphs.TOGETHER
    window = context.clients.settings.llm_context_tokens
    yield _Row(
        summarize_paragraphs.TASK, (0, 2 * ceil(most / together) + 1),
        _times(_PASSAGE, 0, most=together), (10, 1800),
    )  # fmt: skip
    each = context.relevance == "each"
    judged = (least if each else 0), 2 * (most if each else ceil(most / judge_relevance.TOGETHER))
    yield _Row(
        judge_relevance.TASK, judged, _plus(text, (10, 70 * judge_relevance.TOGETHER)), (5, 600)
    )
    packs = most if context.updates == "each" else ceil(most * _PASSAGE[1] / (window / 2)) + 1
    room = _plus(text, (20, window))
    yield _Row(synthesize_answer.FIRST, (0, 2), room, (10, 2400))
    yield _Row(synthesize_answer.UPDATE, (0, 4 * packs), room, (10, 2400))
    yield _Row(questions.TASK, (0, 16), (20, window), (10, 3300))
    yield _Row(questions.TASK_AGAIN, (0, 16), (0, 2000), (0, 1800))


def kept_for_writing(
    text: str, choices: Choices | None, context: RunContext, *, drafted: bool = False
) -> Kept:
    """Return what a section's draft and its first check may take, each question asked once; nothing without an LLM.

    Args:
        text: The researcher's.
        choices: How the section is to be written; None where none is.
        context: The settings of the run.
        drafted: Whether the check alone is still to come.
    """
    at = context.clients.settings
    budgets = (context.max_usd, context.max_tokens, context.max_calls, context.max_minutes)
    if choices is None or all(limit is None for limit in budgets):
        return Kept()
    if context.mind == "extractive" or not at.strong_model:
        return Kept()
    inputs = {"text": text, "cite": choices.cite, "plan": choices.plan}
    most = _MOST_KEPT / (2 if drafted else 1)
    kept = least = Kept(minutes=most * (context.max_minutes or 0))
    for row in _write(inputs, context):
        calls = 0
        if row.task is questions.TASK:
            calls = ceil(2 * choices.cite / AT_ONCE)
            kept += Kept(calls=1)  # paragraphs are asked about whole
        elif row.task.name in _DRAFTING and not drafted:
            calls = ceil(row.calls[1] / _DRAFTING[row.task.name])
        own = count_tokens(row.task.prompt) + count_tokens(str(row.task.answer.model_json_schema()))
        shown, price = calls * ceil(own + fmean(row.shown)), price_of(at, row.task.tier)
        read = Cost.of(calls, shown, calls * _BRIEF, price)
        cost = Cost.of(calls, shown, calls * ceil(fmean(row.written)), price)
        kept += Kept(cost.calls, cost.tokens, cost.usd)
        least += Kept(0, read.tokens, read.usd)
    return replace(
        kept,
        tokens=max(least.tokens, min(kept.tokens, floor(most * (context.max_tokens or 0)))),
        usd=max(least.usd, min(kept.usd, most * (context.max_usd or 0))),
    )


_DRAFTING = {
    whole.TASK.name: 2, per_cite.CITED.name: 2, per_cite.JOINED.name: 2, passage.TASK.name: 4, beam.TASK.name: 4,
}  # fmt: skip
"""How often `_write` foresees each question of a draft at its high end."""
_BRIEF = 300
"""Tokens of a short answer: without room for it a question cannot be asked at all."""
_MOST_KEPT = 0.5
"""Share of the tokens, USD and minutes that is kept for a draft and its check at most, and half of it for the check:
how long answers will be is not known."""
_ROWS = {"find": _find, "write": _write, "review": _review, "ask": _ask, "synthesize": _synthesize}


def _sources(inputs: Mapping[str, Any], context: RunContext) -> Iterator[tuple[str, Span]]:
    """Return what sources that cost money may take, by their list prices; allowances are not counted."""
    named = _of(inputs, "sources", ())
    searches = query_drafts.MOST_SIDES + (context.max_hops - 1) * reflect_on_sufficiency.GAPS
    if "google" in named:
        pages = searches + context.max_hops * ceil(context.results / PAGE)
        yield "google", _span(0, pages * context.clients.settings.serpapi_price)
    if "openalex" in named:
        rounds = context.max_hops * context.max_depth
        most = 4 * searches * SEARCH_USD + context.max_hops * MEANING_USD + 60 * rounds * LIST_USD
        yield "openalex", _span(0, most)
