"""Begin: check the options of writing before anything is searched for.

Reads the input of `review`. Writes `choices`, hands the input on to `find`, and overwrites what an
earlier run on the same thread may have left in the outputs of writing.
"""

import asyncio

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.intake import check_range, parse
from nodes.write.writers.registry import check_writer
from state.audit import Audit
from state.channels import ReviewInputs
from state.reducers import replaced
from state.request import Choices, Request, WriteOptions
from state.results import CitedSentence, Reference
from state.run import Failure, Outcome
from state.table import ComparisonTable
from state.writing import CitationVerdict, Plan
from tools.bibliography.style import named_style
from tools.context import RunContext, context_of
from tools.errors import InputError

STAGE = "begin_review"
HANDED_ON = (
    "text",
    "library",
    "sources",
    "before",
    "keep",
    "must_include",
    "exclude",
    "include_retracted",
)


class Update(TypedDict):
    """What this node writes besides the input that it hands on."""

    run: str
    request: Request
    choices: Choices
    stop: Failure | None
    failures: list[Failure]
    related_work: str
    sentences: list[CitedSentence]
    references: list[Reference]
    removed: list[CitationVerdict]
    uncited: list[str]
    audit: Audit
    table: ComparisonTable
    notes: list[str]
    outline: Plan
    outcome: Outcome


async def begin_review(state: ReviewInputs, runtime: Runtime[RunContext]) -> Update:
    """Refuse what could not be written, before anything is searched for and paid."""
    stop: Failure | None = None
    choices = Choices()
    try:
        options = parse(WriteOptions, state)
        check_writer(context_of(runtime).writer, planned=bool(options.plan.strip()))
        await asyncio.to_thread(named_style, options.style)
        choices = Choices(
            cite=check_range("cite", options.cite, 1, 200), plan=options.plan, style=options.style
        )
    except InputError as error:
        stop = Failure(stage=STAGE, subject="input", cause=str(error), fatal=True)
    update: Update = {
        "run": "",
        "request": Request(text=""),
        "choices": choices,
        "stop": stop,
        "failures": replaced([stop] if stop else []),
        "related_work": "",
        "sentences": [],
        "references": [],
        "removed": [],
        "uncited": [],
        "audit": Audit(passed=False, reasons=("nothing was audited yet",)),
        "table": ComparisonTable(),
        "notes": [],
        "outline": Plan(lines=()),
        "outcome": "nothing",
    }
    # Ephemeral channels are empty after one step: what `find` is to read is written again.
    return {**update, **{name: state[name] for name in HANDED_ON if name in state}}  # type: ignore[literal-required, typeddict-item]
