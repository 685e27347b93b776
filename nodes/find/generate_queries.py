"""Query generation: turn the input into keyword queries, by the run's strategy.

Reads `request`. Writes `queries`: keyword queries (one, three readings of the whole, one each for
problem, method and contribution, or as many sides as the input has), each with a reason and the
sentence of the input that it rests on; and the input as a whole, for sources that search by meaning.
"""

from collections.abc import Sequence
from functools import partial

from langgraph.runtime import Runtime

from nodes.ask_checked import Asked, ask_checked
from nodes.find.query_drafts import TASKS, QueryDraft, QueryPlan, in_one_query, stems_of, wanted
from nodes.keeping import saving_services
from state.channels import FindState
from state.finding import QueryStrategy
from state.query import SearchQuery
from tools.context import RunContext
from tools.errors import PermanentError
from tools.evidence.quotes import quote_input
from tools.scholar.opening import suits

STAGE = "generate_queries"


async def generate_queries(state: FindState, runtime: Runtime[RunContext]) -> FindState:
    """Ask for queries; without an answer the input itself is still searched for."""
    services = saving_services(state, runtime)
    services.progress(STAGE, 0, 1)
    text = state["request"].text
    whole = SearchQuery(
        text=text[:2000], facet="whole", reason="Papers close to the input in meaning."
    )
    if services.context.search == "meaning":
        services.progress(STAGE, 1, 1, _left_out(whole, state["request"].sources))
        return {"queries": [whole], "failures": []}
    strategy = services.context.queries
    try:
        asked = await ask_checked(
            services.mind, TASKS[strategy], {"text": text}, partial(_not_in, text, strategy),
            again_as="sentences_that_failed",
        )  # fmt: skip
    except PermanentError as refusal:
        asked = Asked[QueryPlan](None, (), (), refusal)
    if asked.answer is None:
        remedy = "only the input as a whole was searched for; run again for keyword queries"
        return {"queries": [whole], "failures": asked.failures(STAGE, "queries", remedy)}
    drafts = wanted(strategy, asked.answer)
    queries = checked(drafts, text, exclusive=strategy == "optimized")
    services.progress(STAGE, 1, 1, "; ".join(query.text for query in queries))
    if services.context.search == "both" or not queries:
        queries = [*queries, whole]
    remedy = "queries whose sentence is not in the input are asked without one"
    return {"queries": queries, "failures": asked.failures(STAGE, "queries", remedy)}


def _left_out(whole: SearchQuery, sources: Sequence[str]) -> str:
    names = [name for name in sources if not suits(whole, name)]
    left = len(names) < len(sources)
    return f"left out, as they do not search by meaning: {', '.join(names)}" * bool(names and left)


def _not_in(text: str, strategy: QueryStrategy, plan: QueryPlan) -> list[str]:
    """Return the sentences on which drafts rest that do not stand in the input."""
    sentences = [draft.sentence for draft in wanted(strategy, plan)]
    return [sentence for sentence in sentences if not quote_input(sentence, text).verified]


def checked(drafts: Sequence[QueryDraft], text: str, *, exclusive: bool) -> list[SearchQuery]:
    """Make queries of drafts: a few terms each, no query twice, sentences checked.

    Args:
        drafts: As the mind gave them.
        text: The input, in which their sentences must stand.
        exclusive: Whether a term of one query may not come in a later one.
    """
    used: list[frozenset[str]] = []
    known: set[frozenset[str]] = set()
    queries: list[SearchQuery] = []
    for draft in drafts:
        query = in_one_query(draft.keywords, used if exclusive else ())
        stems = stems_of(query)
        words = frozenset[str]().union(*stems)
        if not words or words in known:
            continue
        known.add(words)
        used += stems
        quote = quote_input(draft.sentence, text)
        queries.append(
            SearchQuery(
                text=query, facet=draft.facet, reason=draft.reason,
                sentence=quote if quote.verified else None,
            )
        )  # fmt: skip
    return queries
