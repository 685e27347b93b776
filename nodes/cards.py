"""Papers as a person sees them, in questions and in the state of a run, beside the ids that its steps work with."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from state.paper import Paper
from state.questions import PaperCard
from tools.run_store import RunStore

SHOWN = 40
"""Papers shown at most: a checkpoint copies them at each step."""


def cards(
    papers: Mapping[int, Paper],
    *,
    chosen: Callable[[str], bool] = lambda _: True,
    scores: Mapping[str, float] | None = None,
    whys: Mapping[str, str] | None = None,
) -> tuple[PaperCard, ...]:
    """Return the papers, by their numbers, as a person sees them."""
    return tuple(
        PaperCard(
            number=number, id=paper.id, title=paper.title, year=paper.year,
            score=(scores or {}).get(paper.id), chosen=chosen(paper.id),
            why=(whys or {}).get(paper.id, ""),
        )
        for number, paper in papers.items()
    )  # fmt: skip


async def cards_of(
    store: RunStore, keys: Iterable[str], scores: Mapping[str, float] | None = None
) -> list[PaperCard]:
    """Return cards of the first of these papers, numbered in their order."""
    first = list(keys)[:SHOWN]
    papers = await store.papers.get(first)
    numbered = {n: papers[key] for n, key in enumerate(first, start=1) if key in papers}
    return list(cards(numbered, scores=scores, whys=await reasons(store, first)))


async def reasons(store: RunStore, keys: Sequence[str]) -> dict[str, str]:
    """Return the first argument for each paper that was debated."""
    debates = await store.debates.get(keys)
    return {
        key: debate.arguments_for[0].claim
        for key, debate in debates.items()
        if debate.arguments_for
    }
