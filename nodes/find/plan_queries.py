"""Plan queries: turn the input into keyword queries, by the run's strategy.

Reads `request`. Writes `queries`: keyword queries (one, three readings of the whole, or one each
for problem, method and contribution, exclusive of one another), each with a reason and the sentence
of the input that it rests on; and the input as a whole, for sources that search by meaning.
"""

from collections.abc import Sequence

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.find.query_drafts import MAX_KEYWORDS, Reading, ask_drafts, keywords
from state.query import SearchQuery
from state.request import Request
from state.run import Failure
from tools.context import RunContext
from tools.errors import PermanentError
from tools.evidence.quotes import quote_input
from tools.scholar.opening import suits
from tools.services import Services, open_services
from tools.text.phrases import phrase_stems

STAGE = "plan_queries"


class Update(TypedDict):
    """What this node writes."""

    queries: list[SearchQuery]
    failures: list[Failure]


class Branch(TypedDict):
    """What this node reads."""

    run: str
    request: Request


async def plan_queries(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Ask for queries; without an answer the input itself is still searched for."""
    services = open_services(runtime, state["run"])
    services.progress(STAGE, 0, 1)
    text = state["request"].text
    whole = SearchQuery(
        text=text[:2000], facet="whole", reason="Papers close to the input in meaning."
    )
    if services.context.search == "meaning":
        services.progress(STAGE, 1, 1, _left_out(whole, state["request"].sources))
        return {"queries": [whole], "failures": []}
    try:
        drafts, failures = await _drafts(services, text)
    except PermanentError as error:
        failure = Failure(
            stage=STAGE, subject="queries", cause=str(error),
            remedy="only the input as a whole was searched for; run again for keyword queries",
        )  # fmt: skip
        return {"queries": [whole], "failures": [failure]}
    queries = checked(drafts, text, exclusive=services.context.queries == "optimized")
    services.progress(STAGE, 1, 1, "; ".join(query.text for query in queries))
    if services.context.search == "both" or not queries:
        queries = [*queries, whole]
    return {"queries": queries, "failures": failures}


def _left_out(whole: SearchQuery, sources: Sequence[str]) -> str:
    names = [name for name in sources if not suits(whole, name)]
    left = len(names) < len(sources)
    return f"left out, as they do not search by meaning: {', '.join(names)}" * bool(names and left)


async def _drafts(services: Services, text: str) -> tuple[list[Reading], list[Failure]]:
    """Ask for drafts, and once more where the sentence of one is not in the input."""
    strategy = services.context.queries
    first = await ask_drafts(services.mind, strategy, text)
    wrong = [draft.sentence for draft in first if not quote_input(draft.sentence, text).verified]
    if not wrong:
        return first, []
    try:
        second = await ask_drafts(services.mind, strategy, text, again=wrong)
    except PermanentError as error:
        failure = Failure(
            stage=STAGE, subject="queries", cause=str(error),
            remedy="queries whose sentence is not in the input are asked without one",
        )  # fmt: skip
        return first, [failure]
    # The queries themselves stay: only what they rest on was at fault.
    better = _by_side(second)
    return [
        draft
        if quote_input(draft.sentence, text).verified or side not in better
        else draft.model_copy(update={"sentence": better[side].sentence})
        for side, draft in _by_side(first).items()
    ], []


def _by_side(drafts: Sequence[Reading]) -> dict[tuple[str, int], Reading]:
    """Key the drafts by what they ask about; queries for the whole by their place."""
    return {
        (draft.about, place if draft.about == "all" else 0): draft
        for place, draft in enumerate(drafts)
    }


def checked(drafts: Sequence[Reading], text: str, *, exclusive: bool) -> list[SearchQuery]:
    """Make queries of drafts: a few keywords each, no query twice, sentences checked.

    Args:
        drafts: As the mind gave them.
        text: The input, in which their sentences must stand.
        exclusive: Whether a keyword of one query may not come in a later one.
    """
    used: set[str] = set()
    known: set[frozenset[str]] = set()
    queries: list[SearchQuery] = []
    for draft in drafts:
        words: list[str] = []
        mine: set[str] = set()
        for word in keywords(draft.keywords):
            stems = set(phrase_stems(word))
            if len(words) < MAX_KEYWORDS and not stems & (mine | used):
                words.append(word)
                mine |= stems
        if not words or frozenset(mine) in known:
            continue
        known.add(frozenset(mine))
        used |= mine if exclusive else set()
        quote = quote_input(draft.sentence, text)
        queries.append(
            SearchQuery(
                text=" ".join(words), facet=draft.about, reason=draft.reason,
                sentence=quote if quote.verified else None,
            )
        )  # fmt: skip
    return queries
