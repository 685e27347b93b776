"""What the steps before a draft, and before its check, leave of a run's budgets."""

from collections.abc import Mapping
from dataclasses import replace
from math import ceil, floor
from statistics import fmean
from typing import Any

from nodes.cost.section_forecast import checking, drafting, size_of
from nodes.judge import judge_prompts
from nodes.judge.judge_claims import AT_ONCE
from nodes.write.writers import along_plan, beam, per_cite, whole_section
from state.inputs import WriteChoices
from tools.ledger.budget_limits import BudgetKept, Cost
from tools.llm.endpoint import model_price
from tools.llm.open_model import is_embedded
from tools.llm.task import count_tokens
from tools.run_settings import RunSettings, settings_of_runtime
from tools.services import NodeRuntime, Services, open_services


def saving_services(
    state: Mapping[str, Any], runtime: NodeRuntime, *, drafted: bool = False
) -> Services:
    """Return the services of a step that leaves enough for a draft, or where there is one for its check.

    Where no section is to be written (`find` by itself has no `choices`) nothing is kept.
    """
    kept = kept_for_writing(
        state["request"].text, state.get("choices"), settings_of_runtime(runtime), drafted=drafted
    )
    return open_services(runtime, state["run"], kept)


def kept_for_writing(
    text: str, choices: WriteChoices | None, context: RunSettings, *, drafted: bool = False
) -> BudgetKept:
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
        return BudgetKept()
    if is_embedded(context.mind, at) or not at.strong_model:
        return BudgetKept()
    size = size_of({"text": text, "cite": choices.cite, "plan": choices.plan}, context)
    most = _MOST_KEPT / (2 if drafted else 1)
    kept = least = BudgetKept(minutes=most * (context.max_minutes or 0))
    drafts = list(drafting(size, context))
    for row in (*drafts, *checking(size, "starter", context)) if drafts else ():
        calls = 0
        if row.task is judge_prompts.TASK:
            calls = ceil(2 * size.cite / AT_ONCE)
            kept += BudgetKept(calls=1)  # paragraphs are asked about whole
        elif row.task.name in _DRAFTING and not drafted:
            calls = ceil(row.calls[1] / _DRAFTING[row.task.name])
        own = count_tokens(row.task.prompt) + count_tokens(str(row.task.answer.model_json_schema()))
        shown, price = calls * ceil(own + fmean(row.shown)), model_price(at, row.task.tier)
        read = Cost.of(calls, shown, calls * _BRIEF, price)
        cost = Cost.of(calls, shown, calls * ceil(fmean(row.written)), price)
        kept += BudgetKept(cost.calls, cost.tokens, cost.usd)
        least += BudgetKept(0, read.tokens, read.usd)
    return replace(
        kept,
        tokens=max(least.tokens, min(kept.tokens, floor(most * (context.max_tokens or 0)))),
        usd=max(least.usd, min(kept.usd, most * (context.max_usd or 0))),
    )


_DRAFTING = {
    whole_section.TASK.name: 2,
    per_cite.CITED.name: 2,
    per_cite.JOINED.name: 2,
    along_plan.TASK.name: 4,
    beam.TASK.name: 4,
}
"""How often `drafting` foresees each question of a draft at its high end."""
_BRIEF = 300
"""Tokens of a short answer: without room for it a question cannot be asked at all."""
_MOST_KEPT = 0.5
"""Share of the tokens, USD and minutes that is kept for a draft and its check at most, and half of it for the check:
how long answers will be is not known."""
