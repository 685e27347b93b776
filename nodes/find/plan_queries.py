"""Plan queries: turn the input into keyword queries for problem, method and contribution.

Reads `request`. Writes `queries`: one for each facet, exclusive of one another, each with a reason
and the sentence of the input that it rests on; and the input as a whole, for sources that search by
meaning (LitLLM, section 3.1, strategy 3).
"""

from typing import Literal

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from state.query import SearchQuery
from state.request import Request
from state.run import Failure
from tools.context import RunContext
from tools.desk import open_desk
from tools.embed.port import Embedder
from tools.errors import PermanentError
from tools.llm.task import Task
from tools.text.phrases import central_phrases, phrase_stems
from tools.text.quotes import quote_input
from tools.text.roles import assign_roles
from tools.text.sentences import split_sentences

STAGE = "plan_queries"
MAX_KEYWORDS = 5

PROMPT = """\
You prepare a search for prior work in scholarly databases, which match keywords.

The input is a researcher's abstract, idea or question. Write three queries that look at it from
different sides:
- problem: the domain and the problem it addresses;
- method: the technique, model or kind of study it uses;
- contribution: what is new about it, or what it delivers.

For each query give at most five keywords, specific enough that a database would rank related papers
first, in English. The queries must not share keywords. Say in one sentence why papers found by the
query matter to the researcher, and copy, letter by letter, the one sentence of the input on which
the query rests.
"""


class QueryDraft(BaseModel):
    """One query as the mind gives it."""

    facet: Literal["problem", "method", "contribution"]
    keywords: list[str] = Field(
        min_length=1, description="Words or short terms, most telling first."
    )
    reason: str
    sentence: str = Field(description="A sentence of the input, verbatim.")


class QueryPlan(BaseModel):
    """The mind's answer."""

    queries: list[QueryDraft] = Field(min_length=1)


def extract(embedder: Embedder, *, text: str) -> QueryPlan:
    """Take the keyphrases of the sentences that state problem, method and contribution."""
    sentences = split_sentences(text)
    roles = assign_roles(sentences)
    problem = roles.get("problem") or roles.get("background") or sentences[0]
    contribution = roles.get("contribution") or sentences[-1]
    method = roles.get("method") or roles.get("data") or contribution
    used: set[str] = set()
    drafts: list[QueryDraft] = []
    facets: tuple[tuple[Literal["problem", "method", "contribution"], str], ...] = (
        ("contribution", contribution.text),
        ("problem", problem.text),
        ("method", method.text),
    )
    for facet, sentence in facets:
        phrases = [
            phrase.text
            for source in dict.fromkeys((sentence, text))
            for phrase in central_phrases(embedder, source, text)
            if not used & set(phrase.stems)
        ]
        chosen = _within_limit(list(dict.fromkeys(phrases)))
        if chosen:
            used |= {item for phrase in chosen for item in phrase_stems(phrase)}
            drafts.append(
                QueryDraft(facet=facet, keywords=chosen, reason=_REASONS[facet], sentence=sentence)
            )
    if not drafts:
        words = text.split()[:MAX_KEYWORDS]
        drafts = [
            QueryDraft(facet="problem", keywords=words, reason=_REASONS["problem"], sentence=text)
        ]
    order = {"problem": 0, "method": 1, "contribution": 2}
    return QueryPlan(queries=sorted(drafts, key=lambda draft: order[draft.facet]))


_REASONS = {
    "problem": "Papers on the same problem are what the work is compared with.",
    "method": "Papers that use such a method show what it can and cannot do.",
    "contribution": "Papers that deliver something similar decide what is new.",
}


def _within_limit(phrases: list[str]) -> list[str]:
    chosen: list[str] = []
    for phrase in phrases:
        if sum(len(item.split()) for item in [*chosen, phrase]) > MAX_KEYWORDS:
            continue
        if chosen and set(phrase_stems(phrase)) & {
            s for item in chosen for s in phrase_stems(item)
        }:
            continue
        chosen.append(phrase)
    return chosen


TASK = Task(
    name="plan_queries", prompt=PROMPT, answer=QueryPlan, tier="strong", extract=extract,
    max_output_tokens=900,
)  # fmt: skip


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
    desk = open_desk(runtime, state["run"])
    desk.progress(STAGE, 0, 1)
    text = state["request"].text
    whole = SearchQuery(
        text=text[:2000], facet="whole", reason="Papers close to the input in meaning."
    )
    try:
        plan = await desk.mind.do(TASK, text=text)
    except PermanentError as error:
        failure = Failure(
            stage=STAGE, subject="queries", cause=str(error),
            remedy="only the input as a whole was searched for; run again for keyword queries",
        )  # fmt: skip
        return {"queries": [whole], "failures": [failure]}
    queries = exclusive(plan.queries, text)
    desk.progress(STAGE, 1, 1, "; ".join(query.text for query in queries))
    return {"queries": [*queries, whole], "failures": []}


def exclusive(drafts: list[QueryDraft], text: str, *, hop: int = 1) -> list[SearchQuery]:
    """Cut each query to five keywords that no earlier query has, and check its sentence."""
    used: set[str] = set()
    queries: list[SearchQuery] = []
    for draft in drafts:
        words: list[str] = []
        for word in (word for term in draft.keywords for word in term.split()):
            stems = set(phrase_stems(word))
            if len(words) < MAX_KEYWORDS and not stems & used:
                words.append(word)
                used |= stems
        if words:
            quote = quote_input(draft.sentence, text)
            queries.append(
                SearchQuery(
                    text=" ".join(words), facet=draft.facet, reason=draft.reason,
                    sentence=quote if quote.verified else None, hop=hop,
                )
            )  # fmt: skip
    return queries
