"""The best papers of a run so far, as a person who watches it sees them: why each matters, and its quote."""

from collections.abc import Iterable, Mapping
from typing import Any

from tools.run_store import RunStore

BEST = 12
"""How many papers a watcher is shown."""


async def best_papers(
    store: RunStore, keys: Iterable[str], scores: Mapping[str, float]
) -> list[dict[str, Any]]:
    """Return the papers of these ids in their order, as JSON: the paper, its score, why, and the quote behind that."""
    first = list(keys)
    papers, debates = await store.papers.get(first), await store.debates.get(first)
    found = []
    for key in (key for key in first if key in papers):
        reasons = debates[key].arguments_for if key in debates else ()
        quote = reasons[0].quote if reasons else None
        found.append(
            {
                "paper": papers[key].model_dump(
                    mode="json", include={"id", "title", "authors", "year", "venue"}
                ),
                "score": scores.get(key),
                "why": reasons[0].claim if reasons else "",
                "quote": quote.model_dump(mode="json") if quote and quote.verified else None,
            }
        )
    return found
