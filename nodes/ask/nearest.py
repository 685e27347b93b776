"""What a person reads where nothing answers: the sentences nearest to the question, and no answer."""

import asyncio

from nodes.ask.answer_sources import load_answer_sources
from nodes.ask.take_question import CLOSEST
from state.ask import AskState, Nearest
from state.passage import OF_RECORD
from tools.evidence.prompt_injection import without_injections
from tools.services import Services
from tools.text.answer_sentences import Source, rate_sentences

_MOST = 3


async def nearest_sentences(state: AskState, services: Services) -> list[Nearest]:
    """Return the sentences nearest to the question among all that was retrieved, one of a passage.

    Raises:
        LibraryError: The library is gone.
    """
    ids = dict.fromkeys(hit.passage for hop in state.get("hops", []) for hit in hop.retrieved)
    sources = await load_answer_sources(services, state["request"], ids)
    read = [item for item in sources.passages.values() if item.section != OF_RECORD]
    texts = [Source(without_injections(item.text)[0], item.title, item.section) for item in read]
    rated = await asyncio.to_thread(
        rate_sentences, services.clients.embedder, state["standalone"], texts
    )
    best = {item.source: item.text for item in reversed(rated) if item.whole}
    order = dict.fromkeys(item.source for item in rated if item.source in best)
    found = []
    for place in list(order)[:_MOST]:
        passage = read[place]
        paper = sources.papers.get(passage.paper)
        year = f" ({paper.year})" if paper and paper.year else ""
        found.append(
            Nearest(
                text=" ".join(best[place].split()),
                passage=passage.id,
                paper=passage.paper,
                title=without_injections(passage.title)[0],
                citation=f"{without_injections(paper.citation)[0]}{year}" if paper else "",
                place=passage.place,
            )
        )
    return found


def listed(nearest: list[Nearest]) -> str:
    """Return these sentences as a list, each with its paper, section and page."""
    if not nearest:
        return ""
    return CLOSEST + "\n".join(f"- {_source(item)}: “{item.text}”" for item in nearest)


def _source(item: Nearest) -> str:
    paper = f"{item.citation}: {item.title}" if item.citation else item.title
    return f"{paper}, {item.place}" if item.place else paper
