"""One answer of an LLM with all abstracts before it, nothing checked: what every other way of writing is beside."""

from typing import Any
from uuid import uuid4

from pydantic import BaseModel

from evals.runner import judge_task
from evals.writing.cases import Case
from state.run import Usage
from tools.clients import Clients
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import ledger_of_run
from tools.llm.open_model import open_model
from tools.settings import Settings


class Section(BaseModel):
    """The answer."""

    text: str


class Work(BaseModel):
    """A work as it is shown."""

    number: int
    title: str
    abstract: str


WRITE = judge_task(
    "write_bare",
    """Write the related-work section of `paper`, in prose, from `works`, which it cites. Cite a work by its number
in square brackets. Where `example` is given, which is another paper's section, write in its style and take none of
its content.""",
    Section,
    4000,
)


async def write_bare(
    case: Case, example: str, clients: Clients, at: Settings
) -> tuple[str, list[Usage]]:
    """Return a section from one question, in the style of an example if one is given, and what it cost."""
    works = [
        Work(number=number, title=paper.title, abstract=paper.abstract or "")
        for number, paper in enumerate(case.papers, 1)
    ]
    run, limits = f"bare-{uuid4().hex}", BudgetLimits()
    mind = open_model(run, limits, "llm", at, clients.embedder)
    shown: dict[str, Any] = {"example": example} if example else {}
    answer = await mind.do(WRITE, **shown, paper=f"{case.title}\n\n{case.abstract}", works=works)
    return answer.text.strip(), ledger_of_run(run, limits, at.home).usage()
