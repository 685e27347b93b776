"""Passages of a paper's full text that say most of its aim, method, results and limits."""

import asyncio
from collections import Counter
from collections.abc import Sequence

from pydantic import BaseModel

from nodes.judge.full_text import library_text
from state.inputs import CheckedRequest
from state.paper import Paper
from state.passage import Passage
from tools.evidence.prompt_injection import without_injections
from tools.llm.task import count_tokens
from tools.services import Services

_SECTIONS = (
    ("introduc", "motivation"),
    ("method", "approach", "material", "design", "model", "system", "setup"),
    ("result", "experiment", "evaluation", "finding", "analysis"),
    ("limit", "discussion", "conclusion", "threat", "future"),
)
"""Sections that tell most; each has its turn before other sections have any."""


class ShownPassage(BaseModel):
    """A passage as a model sees it."""

    section: str
    text: str


class ShownPaper(BaseModel):
    """A paper as a model sees it."""

    key: str
    title: str
    year: int | None = None
    abstract: str = ""
    passages: list[ShownPassage] | None = None


async def full_text(services: Services, paper: Paper, request: CheckedRequest) -> list[Passage]:
    """Return the passages of the paper's fullest document in the run's library; 'starter' has none."""
    if request.library == "starter" or "library" not in request.sources:
        return []
    return await asyncio.to_thread(library_text, await services.library(request.library), paper)


def telling(passages: Sequence[Passage], room: float) -> list[Passage]:
    """Return passages of so many tokens in reading order: the first of each telling section, and so on."""
    turns: Counter[int] = Counter()
    order: list[tuple[int, int, int]] = []
    for place, item in enumerate(passages):
        heading = " ".join(item.section).lower()
        kinds = (at for at, known in enumerate(_SECTIONS) if any(word in heading for word in known))
        kind = next(kinds, None)
        turns[-1 if kind is None else kind] += 1
        order.append((1_000_000 + place, 0, place) if kind is None else (turns[kind], kind, place))
    taken: list[int] = []
    for *_, place in sorted(order):
        room -= count_tokens(passages[place].text) + 10
        taken += [place] if room >= 0 else []
    return [passages[place] for place in sorted(taken)]


def shown_passages(passages: Sequence[Passage]) -> tuple[list[ShownPassage], list[str]]:
    """Return passages as a model sees them, and the sentences left out because they command whoever reads them."""
    cleaned = [(item.section, *without_injections(item.text)) for item in passages]
    shown = [ShownPassage(section=" > ".join(section), text=text) for section, text, _ in cleaned]
    return shown, [told for *_, commands in cleaned for told in commands]


def shown_paper(paper: Paper, key: str, passages: Sequence[Passage] = ()) -> ShownPaper:
    """Return a paper as a model sees it, without sentences that command whoever reads them."""
    return ShownPaper(
        key=key,
        title=without_injections(paper.title)[0],
        year=paper.year,
        abstract=without_injections(paper.abstract or "")[0],
        passages=shown_passages(passages)[0] or None,
    )
