"""Ask a person: one way for every question of a run; docs/people.md tells of them.

A node that asks is run again from its start when the answer comes, and so does nothing before it asks that
costs money or may come out otherwise. Papers are shown as cards, beside the ids that the steps work with.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from langgraph.types import interrupt
from pydantic import ValidationError

from state.paper import Paper
from state.questions import ApprovalMode, PaperCard, PersonAnswer, PersonQuestion
from tools.errors import CiteLoomError, EndedError
from tools.run_store import RunStore

SHOWN = 40
"""Papers shown at most: a checkpoint copies them at each step."""
ReadT = TypeVar("ReadT")
CLOSING = "Send an empty answer to continue unchanged, or 'stop' to finish now."
_FORM = 'send nothing, the edited text, or {"action": "accept"|"edit"|"stop", "text": ...}'


def should_ask(asking: ApprovalMode, why: str) -> bool:
    """Whether a person is to be asked, where `why` is the reason to, if there is one."""
    return asking in {"on", True} or (asking == "auto" and bool(why))


async def ask_person(
    question: PersonQuestion, read: Callable[[str], Awaitable[ReadT]]
) -> ReadT | None:
    """Stop for a person; an answer that cannot be used is asked for again, with the reason.

    Args:
        question: What is asked; its proposal is what the run would do.
        read: Turns an edited proposal into what the run goes on with; its errors are told.

    Returns:
        What `read` made of the answer; None where the run goes on as proposed.

    Raises:
        EndedError: The person ends the run.
    """
    shown = question
    while True:
        given = interrupt(shown.model_dump(mode="json"))
        text = ""
        try:
            answer = PersonAnswer.model_validate(given)
            text = answer.text.strip()
            if answer.action == "stop":
                break
            if answer.action == "accept" or text in {"", question.proposal.strip()}:
                return None
            return await read(answer.text)
        except ValidationError:
            shown = shown.model_copy(update={"error": f"the answer cannot be read: {_FORM}"})
        except CiteLoomError as error:
            shown = shown.model_copy(update={"error": str(error), "proposal": text})
    raise EndedError(f"you ended the run when it asked about the {question.kind}")


def make_paper_cards(
    papers: Mapping[int, Paper],
    *,
    chosen: Callable[[str], bool] = lambda _: True,
    scores: Mapping[str, float] | None = None,
    whys: Mapping[str, str] | None = None,
) -> tuple[PaperCard, ...]:
    """Return the papers, by their numbers, as a person sees them."""
    return tuple(
        PaperCard(
            number=number,
            id=paper.id,
            title=paper.title,
            year=paper.year,
            score=(scores or {}).get(paper.id),
            chosen=chosen(paper.id),
            why=(whys or {}).get(paper.id, ""),
        )
        for number, paper in papers.items()
    )


async def load_paper_cards(
    store: RunStore, keys: Iterable[str], scores: Mapping[str, float] | None = None
) -> list[PaperCard]:
    """Return cards of the first of these papers, numbered in their order."""
    first = list(keys)[:SHOWN]
    papers = await store.papers.get(first)
    numbered = {n: papers[key] for n, key in enumerate(first, start=1) if key in papers}
    return list(make_paper_cards(numbered, scores=scores, whys=await first_arguments(store, first)))


async def first_arguments(store: RunStore, keys: Sequence[str]) -> dict[str, str]:
    """Return the first argument for each paper that was debated."""
    debates = await store.debates.get(keys)
    return {
        key: debate.arguments_for[0].claim
        for key, debate in debates.items()
        if debate.arguments_for
    }
