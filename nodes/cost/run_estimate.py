"""Estimate what a run may take before it begins: which tasks its graph would put to the model, how often, how long.

The low end is a run in which little is found and every answer is right at once; at the high end every
question is asked a second time. Answers at hand from earlier runs cost nothing and are not foreseen.
"""

from collections.abc import Iterator, Mapping
from math import ceil
from typing import Any

from nodes.ask import (
    answer_in_one_call,
    compose_answer,
    extract_claims,
    plan_search,
    rewrite_question,
    search_passages,
)
from nodes.common.check_input import plain_criteria
from nodes.common.keyword_task import NAME_KEYWORDS
from nodes.cost.section_forecast import (
    PAPER,
    LowHigh,
    Row,
    checking,
    drafting,
    given_or,
    plus,
    size_of,
    text_tokens,
    times,
)
from nodes.find import generate_queries, reflect_on_sufficiency, shortlist_papers, title_triage
from nodes.find.rankers import debate, permutation
from nodes.judge import judge_prompts
from nodes.novelty import choose_nearest, compare_claim, cut_claims
from nodes.screen import screen_by_criteria
from nodes.synthesize import judge_relevance, summarize_paragraphs, synthesize_answer
from nodes.table import fill_rows
from nodes.write import flag_uncited, plan_section, read_papers, revise_draft, rewrite_unsupported
from nodes.write.writers import whole_section
from state.questions import CostRange, Estimate, TaskEstimate
from tools.ledger.budget_limits import Cost, Price
from tools.llm.endpoint import model_price
from tools.llm.task import count_tokens
from tools.run_settings import RunSettings
from tools.scholar.google import PAGE
from tools.scholar.openalex import LIST_USD, MEANING_USD, SEARCH_USD

_PASSAGE: LowHigh = (40, 700)
_TEXT = 6000
"""Tokens of a full text that a reader is shown, at most."""
_SPEED: LowHigh = (150, 15)
"""Tokens a second that a model writes."""
_BEGINS: LowHigh = (0.0, 4.0)
"""Seconds until it begins."""
_JUDGED_PER_COLLECTED = 4
"""References that a breadth-first search judges for each paper that it collects, when most are not relevant."""


def estimate(graph: str, inputs: Mapping[str, Any], context: RunSettings) -> Estimate:
    """Return what a run may take, without running it or asking anyone.

    Args:
        graph: Its name; of `revise`, `verify` and `ingest` nothing is foreseen.
        inputs: As the graph takes them; what is left out has its default.
        context: The settings of the run.
    """
    at = context.clients.settings
    sources = dict(_sources(inputs, context)) if graph in {"find", "review", "novelty"} else {}
    rows: list[Row] = []
    if context.mind == "llm" or (context.mind == "auto" and at.strong_model):
        rows = (
            [row for row in _ROWS[graph](inputs, context) if row.calls[1]] if graph in _ROWS else []
        )
    prices = {tier: model_price(at, tier) for tier in ("strong", "fast")}
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
        minutes=CostRange(
            low=round(writing[0] / at.llm_concurrency / 60, 1),
            high=round(writing[1] / min(at.llm_concurrency, 2) / 60, 1),
        ),
        tasks=tasks,
        sources=sources,
        notes=_NOTES if tasks else (),
    )


_NOTES = (
    "Low end: few papers found and no repeated questions; high end: every question "
    "asked twice. Reasoning models write more. Answers from earlier runs cost "
    "nothing.",
)


def _priced(row: Row, model: str, price: Price | None) -> TaskEstimate:
    own = count_tokens(row.task.prompt), count_tokens(str(row.task.answer.model_json_schema()))
    each = 0.6 * own[0] + row.shown[0], 1.4 * (own[0] + own[1]) + row.shown[1] + row.written[1]
    given = [round(calls * tokens) for calls, tokens in zip(row.calls, each, strict=True)]
    made = [round(calls * tokens) for calls, tokens in zip(row.calls, row.written, strict=True)]
    usd = [Cost.of(1, *pair, price).usd for pair in zip(given, made, strict=True)]
    return TaskEstimate(
        task=row.task.name,
        mind=model,
        calls=_span(*row.calls),
        input_tokens=_span(*given),
        output_tokens=_span(*made),
        usd=_span(*usd) if price else None,
    )


def _span(low: float, high: float) -> CostRange:
    return CostRange(low=round(low, 4), high=round(high, 4))


def _sum(spans: list[CostRange]) -> CostRange:
    return _span(sum(span.low for span in spans), sum(span.high for span in spans))


def _find(inputs: Mapping[str, Any], context: RunSettings) -> Iterator[Row]:
    text, hops = text_tokens(inputs), context.max_hops
    keep = given_or(inputs, "keep", 40)
    pool = context.pool or round(shortlist_papers.JUDGED_PER_KEPT * keep)
    later = (hops - 1) * shortlist_papers.IN_LATER_HOP
    judged = pool + later + len(given_or(inputs, "must_include", ()))
    if context.expansion == "bfs":
        judged = hops * _JUDGED_PER_COLLECTED * context.max_papers
    yield Row(
        generate_queries.TASKS[context.queries],
        (0, 0) if context.search == "meaning" else (context.runs, 2 * context.runs),
        text,
        (60, 1800),
    )
    if context.triage and context.ranker == "debate" and context.expansion != "bfs":
        titles = plus(text, (5, 30 * title_triage.SHOWN))
        yield Row(title_triage.TASK, (0, 2), titles, (5, 5 * title_triage.SHOWN))
    if context.ranker in {"debate", "cascade"}:
        share, size = (0.3 if context.ranker == "cascade" else 1), context.debate_batch
        calls = ceil(share * judged / size) + hops
        low = 1 if context.ranker == "debate" else 0
        asked = bool(plain_criteria(str(inputs.get("text", ""))))
        yield Row(
            debate.JUDGING if asked else debate.TASK,
            (low, 2 * calls),
            plus(text, times(PAPER, 1, most=size)),
            (40, (320 + 250 * asked) * size),
        )
    if context.ranker == "permutation":
        calls = hops * (ceil(judged / permutation.STEP) + 1)
        shown = plus(text, times(PAPER, 1, most=permutation.WINDOW))
        yield Row(permutation.TASK, (1, 2 * calls), shown, (5, 400))
    yield Row(
        reflect_on_sufficiency.TASK,
        (0, 2 * (hops - 1)),
        plus(text, (20, 90 * reflect_on_sufficiency.SHOWN)),
        (60, 1500),
    )


def _write(inputs: Mapping[str, Any], context: RunSettings) -> Iterator[Row]:
    size, writer = size_of(inputs, context), context.writer
    library = given_or(inputs, "library", "starter")
    if not size.planned and (writer in {"beam", "plan"} or context.review_plan == "on"):
        yield Row(plan_section.TASK, (1, 2), plus(size.text, size.papers), (40, 3500))
    full = _TEXT if library != "starter" else 0
    groups = ceil(size.least / read_papers.AT_ONCE), 2 * ceil(size.cite / read_papers.AT_ONCE) + 2
    each = PAPER[0], read_papers.AT_ONCE * PAPER[1] + full
    yield Row(read_papers.TASK, groups, each, (30, 350 * read_papers.AT_ONCE))
    drafts = list(drafting(size, context))
    yield from drafts
    whole_text = plus(size.drafted, size.tokens)
    if any(row.task is whole_section.TASK for row in drafts):
        yield Row(revise_draft.TASK, (0, 2), whole_text, (12, 200 * size.cite + 900))
    if drafts:
        yield from checking(size, library, context)
        yield Row(rewrite_unsupported.TASK, (0, size.themes + 1), whole_text, (10, 2500))
        yield Row(flag_uncited.TASK, (0, 1), (10, 60 * size.cite), (5, 1000))


def _review(inputs: Mapping[str, Any], context: RunSettings) -> Iterator[Row]:
    yield from _find(inputs, context)
    yield from _write({**inputs, "papers": ()}, context)


def _novelty(inputs: Mapping[str, Any], context: RunSettings) -> Iterator[Row]:
    text = text_tokens(inputs)
    yield from _find(inputs, context)
    yield Row(cut_claims.TASK, (1, 2), text, (40, 900))
    works = times(PAPER, choose_nearest.NEAREST, most=choose_nearest.NEAREST)
    shown = plus(text, (works[0], works[1] + _TEXT))
    yield Row(compare_claim.TASK, (1, 2 * cut_claims.MOST), shown, (200, 2400))


def _ask(inputs: Mapping[str, Any], context: RunSettings) -> Iterator[Row]:
    text, hops = text_tokens(inputs), context.max_hops
    found = context.retrieved or search_passages.USUAL
    window = context.clients.settings.llm_context_tokens
    most = times(_PASSAGE, 0, most=context.retrieved or search_passages.MOST)
    shown = plus(text, (most[0], min(most[1], window)))
    read = plus(text, times(_PASSAGE, 0, most=context.passages))
    earlier = (1 if len(given_or(inputs, "messages", ())) > 1 else 0), 2
    yield Row(rewrite_question.TASK, earlier, plus(text, (0, 1500)), (5, 300))
    if context.method == "kar":
        yield Row(NAME_KEYWORDS, (0, 2), text, (5, 300))
        yield Row(answer_in_one_call.TASK, (0, 2), shown, (5, 1500))
    else:
        yield Row(plan_search.TASK, (1, 2), text, (10, 400))
        waves = hops - 1 + ceil(found / extract_claims.AT_ONCE)
        together = times(_PASSAGE, 0, most=extract_claims.AT_ONCE)
        yield Row(extract_claims.TASK, (0, 2 * waves), plus(text, together), (20, 2000))
        yield Row(compose_answer.TASK, (0, 2), plus(text, (0, 2000)), (10, 1500))
    yield Row(judge_prompts.TASK, (0, 5), plus(read, (0, 5000)), (10, 3000))
    yield Row(judge_prompts.TASK_AGAIN, (0, 5), (0, 2000), (0, 1500))


def _table(inputs: Mapping[str, Any], context: RunSettings) -> Iterator[Row]:
    papers, columns = given_or(inputs, "rows", 0), len(given_or(inputs, "questions", ()))
    shown = times(_PASSAGE, 1, most=min(fill_rows.NEAREST * columns, fill_rows.MOST))
    yield Row(fill_rows.TASK, (papers, 2 * papers), shown, (10 * columns, 120 * columns))


def _screen(inputs: Mapping[str, Any], context: RunSettings) -> Iterator[Row]:
    """Tell the questions on records; one without an abstract is asked about by its full text only."""
    full, looks = inputs.get("stage") == "full_text", 2 if inputs.get("twice") else 1
    sizes = [
        PAPER
        if isinstance(one, str)
        else times((0.8, 1.3), count_tokens(f"{one.get('title')} {one.get('abstract') or ''}"))
        for one in given_or(inputs, "papers", ())
        if full or isinstance(one, str) or one.get("abstract")
    ]
    together = 1 if full else screen_by_criteria.AT_ONCE
    groups = ceil(len(sizes) / together)
    criteria = [text for name in ("include", "exclude") for text in given_or(inputs, name, ())]
    near = _PASSAGE[1] * screen_by_criteria.PARAGRAPHS * len(criteria) if full else 0
    beside = plus(text_tokens(inputs), (0, 1.4 * count_tokens(" ".join(criteria)) + near))
    cells = min(together, len(sizes)) * len(criteria)
    yield Row(
        screen_by_criteria.TASK,
        (0 if full else looks * groups, 2 * looks * groups),
        plus(beside, times(plus((0, 0), *sizes), 1 / max(groups, 1))),
        (20 * cells, screen_by_criteria.TOKENS_BESIDE + screen_by_criteria.TOKENS_EACH * cells),
    )


def _synthesize(inputs: Mapping[str, Any], context: RunSettings) -> Iterator[Row]:
    text = text_tokens(inputs)
    stack = sum(len(given_or(inputs, name, ())) for name in ("papers", "uploads", "paths"))
    known = inputs.get("paragraphs")
    least, most = (known, known) if known is not None else (stack, 120 * stack)
    together = summarize_paragraphs.TOGETHER
    window = context.clients.settings.llm_context_tokens
    yield Row(
        summarize_paragraphs.TASK,
        (0, 2 * ceil(most / together) + 1),
        times(_PASSAGE, 0, most=together),
        (10, 1800),
    )
    each = context.relevance == "each"
    judged = (least if each else 0), 2 * (most if each else ceil(most / judge_relevance.TOGETHER))
    yield Row(
        judge_relevance.TASK, judged, plus(text, (10, 70 * judge_relevance.TOGETHER)), (5, 600)
    )
    packs = most if context.updates == "each" else ceil(most * _PASSAGE[1] / (window / 2)) + 1
    room = plus(text, (20, window))
    yield Row(synthesize_answer.FIRST, (0, 2), room, (10, 2400))
    yield Row(synthesize_answer.UPDATE, (0, 4 * packs), room, (10, 2400))
    yield Row(judge_prompts.TASK, (0, 16), (20, window), (10, 3300))
    yield Row(judge_prompts.TASK_AGAIN, (0, 16), (0, 2000), (0, 1800))


_ROWS = {
    "find": _find,
    "write": _write,
    "review": _review,
    "novelty": _novelty,
    "ask": _ask,
    "table": _table,
    "screen": _screen,
    "synthesize": _synthesize,
}


def _sources(inputs: Mapping[str, Any], context: RunSettings) -> Iterator[tuple[str, CostRange]]:
    """Return what sources that cost money may take, by their list prices; allowances are not counted."""
    named = given_or(inputs, "sources", ())
    runs, later = context.runs, context.max_hops - 1
    searches = runs * generate_queries.MAX_ASPECTS + later * reflect_on_sufficiency.GAPS
    if "google" in named:
        pages = searches + (runs + later) * ceil(context.results / PAGE)
        yield "google", _span(0, pages * context.clients.settings.serpapi_price)
    if "openalex" in named:
        rounds = (runs + later) * context.max_depth
        most = 4 * searches * SEARCH_USD + (runs + later) * MEANING_USD + 60 * rounds * LIST_USD
        yield "openalex", _span(0, most)
