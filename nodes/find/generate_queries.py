"""Generate queries: turn the input into keyword queries by the run's strategy, with an LLM or without one.

Reads `request`. Writes `request`, which gets the criteria that a model finds in a question, and `queries`: keyword
queries (one, three readings of the whole, one each for problem, method and contribution, or as many sides as the
input has), each with a reason and the sentence of the input that it rests on; and the input as a whole, for sources
that search by meaning.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Literal

from pydantic import BaseModel, Field

from nodes.common.ask_model import CheckedAnswer, ask_with_check
from nodes.common.check_input import MOST_CRITERIA
from nodes.cost.kept_budget import saving_services
from nodes.find.independent_runs import FEWEST, texts_of_runs, unite_queries
from nodes.find.query_terms import MAX_KEYWORDS, compose, in_one_query, stems_of
from state.channels import FindState
from state.inputs import CheckedRequest
from state.quote import Criterion
from state.run import Failure
from state.search import QueryStrategy, SearchQuery
from tools.embed.embedder import Embedder
from tools.errors import PermanentError
from tools.evidence.quotes import quote_input
from tools.llm.task import Task
from tools.scholar.open_source import answers_query
from tools.services import NodeRuntime, Services
from tools.text.keyphrases import own_names, phrase_stems, salient_phrases
from tools.text.roles import assign_roles
from tools.text.words import content_stems, split_sentences

STAGE = "generate_queries"
READINGS = 3
MAX_ASPECTS = 8
_ANOTHER = 0.7
"""Temperature of the answers for further searches."""
_OPENING = """\
You prepare a search for prior work in scholarly databases. They match terms: a paper is found only if
all or nearly all terms of a query occur in it, a term of several words as a phrase.

The input is a researcher's abstract, idea or question. """
_SINGLE = """\
Write one query that stands for the whole of it.
"""
_MULTIPLE = """\
Write three alternative queries, each of them for the whole of it: in different words, as authors of
different communities would put it. They may share terms, but no two may be the same.
"""
_OPTIMIZED = """\
Write three queries that look at it from different sides:
- problem: the domain and the problem it addresses;
- method: the technique, model or kind of study it uses;
- contribution: what is new about it, or what it delivers.
The queries must not share terms.
"""
_SEVERAL = """\
Write three to eight queries, one for each body of prior work that its related-work section would
have to discuss, and no more than it needs:
- problem: the domain and the problem it addresses;
- method: each technique, model or kind of study that it uses and that has a literature of its own;
- contribution: what it delivers, and what it is compared with.
"""
_CLOSING = """\

For each query first copy, letter by letter, the one sentence of the input on which it rests; then say
in one sentence which papers it should find and why they matter to the researcher; then give two to
four terms, in English. A term is an expression of one to three words that papers of the field write
in their titles and abstracts just so ('literature review' is one term). No names that the input itself
coins, no filler such as 'novel' or 'approach', no two terms of which one contains the other.

Example: of a work that maps air quality by the lichens seen in street photographs, a query for its
method has the terms 'lichen', 'image classification', 'street view'; 'automatic lichen recognition in
street photographs' would be found nowhere.

Where a list of sentences that failed is given, those are not in the input: copy again.

Most inputs tell of a researcher's own work: then `criteria` stays empty. Only where the input asks which
papers there are, or lists conditions that papers must meet, state in `criteria` what a paper must meet to be
an answer: at most five, each one condition that title and abstract of a paper can show, in a short clause.
Required is what the input demands; what it merely prefers is not. Add none that it does not state. A
condition on the years of publication is one of its own, with its first and last year as `from_year` and
`to_year`; all others have none. Where `conditions` are given, they are the items of its list.
"""
InputAspect = Literal["problem", "method", "contribution", "all"]


class QueryDraft(BaseModel):
    """One query as the mind gives it."""

    facet: InputAspect = Field(
        default="all", description="The side it looks at; 'all' for the whole."
    )
    sentence: str = Field(description="A sentence of the input, verbatim.")
    reason: str
    keywords: list[str] = Field(min_length=1, description="Its terms, most telling first.")


class CriterionDraft(BaseModel):
    """One condition as the mind gives it."""

    criterion: str
    required: bool
    from_year: int | None = Field(default=None, description="Of a condition on years alone.")
    to_year: int | None = None


class QueryPlan(BaseModel):
    """The mind's answer."""

    queries: list[QueryDraft] = Field(min_length=1)
    criteria: list[CriterionDraft] = Field(
        default=[], description="Empty unless the input is a question or a list of conditions."
    )


def extract_optimized(embedder: Embedder, *, text: str, **_: object) -> QueryPlan:
    """Take salient phrases around the sentences that state problem, method and contribution."""
    sentences = split_sentences(text)
    roles = assign_roles(sentences)
    problem = roles.get("problem") or roles.get("background") or sentences[0]
    contribution = roles.get("contribution") or sentences[-1]
    method = roles.get("method") or roles.get("data") or contribution
    sides: dict[InputAspect, str] = {
        "contribution": contribution.text,
        "problem": problem.text,
        "method": method.text,
    }
    used = set(own_names(text))
    drafts: dict[str, QueryDraft] = {}
    # The contribution chooses first: it is what the others are told from.
    phrases = salient_phrases(embedder, text, list(sides.values()))
    for (facet, sentence), ranked in zip(sides.items(), phrases, strict=True):
        if words := compose(ranked, without=used):
            used |= {item for word in words for item in phrase_stems(word)}
            drafts[facet] = QueryDraft(
                facet=facet, keywords=words, reason=_REASONS[facet], sentence=sentence
            )
    ordered = [drafts[facet] for facet in _REASONS if facet in drafts]
    return QueryPlan(queries=ordered or [_first_words(text, "problem", _REASONS["problem"])])


_REASONS = {
    "problem": "Papers on the same problem are what the work is compared with.",
    "method": "Papers that use such a method show what it can and cannot do.",
    "contribution": "Papers that deliver something similar decide what is new.",
}
_WHOLE = "Papers that share its main terms are on the same subject."


def extract_readings(embedder: Embedder, *, text: str, limit: int, **_: object) -> QueryPlan:
    """Join the most salient phrase with others, different ones in each of `limit` readings."""
    names = own_names(text)
    ranked = [
        phrase
        for phrase in salient_phrases(embedder, text, [text])[0]
        if not names & set(phrase.stems)
    ]
    # A longer lead would leave no room for what tells the readings apart.
    lead = [item for item in ranked if len(item.stems) <= MAX_KEYWORDS // 2][:1]
    used: set[str] = set()
    readings: list[QueryDraft] = []
    for _reading in range(limit):
        words = compose([*lead, *(item for item in ranked if not used & set(item.stems))])
        if not words or any(words == reading.keywords for reading in readings):
            break
        stems = {item for word in words for item in phrase_stems(word)}
        used |= stems.difference(*(item.stems for item in lead))
        readings.append(QueryDraft(keywords=words, reason=_WHOLE, sentence=_richest(text, stems)))
    return QueryPlan(queries=readings or [_first_words(text, "all", _WHOLE)])


def _first_words(text: str, facet: InputAspect, reason: str) -> QueryDraft:
    """Return what is searched for where a text has no phrase."""
    words = text.split()[:MAX_KEYWORDS]
    return QueryDraft(facet=facet, keywords=words, reason=reason, sentence=text)


def _richest(text: str, stems: Collection[str]) -> str:
    """Return the sentence with most of the words, the first of several."""
    spans = [span.text for span in split_sentences(text)]
    return max(spans, key=lambda span: len(set(stems) & set(content_stems(span))))


def _task(task: str, extract: Callable[..., QueryPlan], most_tokens: int) -> Task[QueryPlan]:
    return Task(
        name="generate_queries",
        prompt=_OPENING + task + _CLOSING,
        answer=QueryPlan,
        tier="strong",
        extract=extract,
        max_output_tokens=most_tokens,
    )


SINGLE = _task(_SINGLE, partial(extract_readings, limit=1), 500)
MULTIPLE = _task(_MULTIPLE, partial(extract_readings, limit=READINGS), 900)
OPTIMIZED = _task(_OPTIMIZED, extract_optimized, 900)
SEVERAL = _task(_SEVERAL, extract_optimized, 1800)
TASKS: Mapping[QueryStrategy, Task[QueryPlan]] = {
    "single": SINGLE,
    "multiple": MULTIPLE,
    "optimized": OPTIMIZED,
    "several": SEVERAL,
}


def drafts_of_strategy(strategy: QueryStrategy, plan: QueryPlan) -> list[QueryDraft]:
    """Return the drafts that a strategy has room for: the first of each side, or of the whole."""
    if strategy == "several":
        return plan.queries[:MAX_ASPECTS]
    if strategy == "optimized":
        firsts = {draft.facet: draft for draft in reversed(plan.queries)}
        return [draft for draft in plan.queries if firsts[draft.facet] is draft]
    drafts = plan.queries[: 1 if strategy == "single" else READINGS]
    return [draft.model_copy(update={"facet": "all"}) for draft in drafts]


async def generate_queries(state: FindState, runtime: NodeRuntime) -> FindState:
    """Ask for queries; without an answer the input itself is still searched for."""
    services = saving_services(state, runtime)
    services.progress(STAGE, 0, 1)
    request, context = state["request"], services.context
    texts = texts_of_runs(request.text, context.runs)
    if services.mind.varies and context.search != "meaning":
        texts += [request.text] * (context.runs - len(texts))
    wholes = [
        SearchQuery(text=text[:2000], facet="whole", reason="Papers close to the input in meaning.")
        for text in texts
    ]
    failures = _too_short(context.runs) if len(texts) < context.runs else []
    if context.search == "meaning":
        services.progress(STAGE, 1, 1, _left_out(wholes[0], request.sources))
        return {"queries": unite_queries([[one] for one in wholes]), "failures": failures}
    answers = await asyncio.gather(
        *(_ask(services, request, text, run) for run, text in enumerate(texts))
    )
    made = [_queries(services, request.text, asked) for asked in answers]
    services.progress(STAGE, 1, 1, "; ".join(query.text for mine in made for query in mine))
    both = context.search == "both"
    of_runs = [
        [*mine, whole] if both or not mine else mine
        for mine, whole in zip(made, wholes, strict=True)
    ]
    for asked in answers:
        failures += asked.failures(STAGE, "queries", _UNCHECKED if asked.answer else _NO_KEYWORDS)
    update: FindState = {"queries": unite_queries(of_runs), "failures": failures}
    if services.mind.judges and answers[0].answer:
        update["request"] = request.model_copy(update={"criteria": criteria_of(answers[0].answer)})
    return update


_NO_KEYWORDS = "CiteLoom searched only for the input as a whole; run again for keyword queries"
_UNCHECKED = "CiteLoom used these queries without a sentence of the input"


def _too_short(runs: int) -> list[Failure]:
    return [
        Failure(
            stage=STAGE,
            subject=f"{runs} independent searches",
            cause=f"without a model they search for halves of your text, which has fewer than {FEWEST} sentences",
            remedy="CiteLoom searched once; give a longer text, or use a model",
        )
    ]


async def _ask(
    services: Services, request: CheckedRequest, text: str, run: int
) -> CheckedAnswer[QueryPlan]:
    """Ask for the queries of one search, for a mind that answers alike each time from its part of the text."""
    varies, strategy = services.mind.varies, services.context.queries
    try:
        return await ask_with_check(
            services.mind,
            TASKS[strategy],
            {"text": request.text if varies else text, **_listed(request)},
            partial(_not_in, request.text, strategy),
            again_as="sentences_that_failed",
            sample=run,
            temperature=_ANOTHER if run else 0.0,
        )
    except PermanentError as refusal:
        return CheckedAnswer[QueryPlan](None, (), (), refusal)


def _queries(services: Services, text: str, asked: CheckedAnswer[QueryPlan]) -> list[SearchQuery]:
    if asked.answer is None:
        return []
    strategy = services.context.queries
    drafts = drafts_of_strategy(strategy, asked.answer)
    if not services.mind.varies:
        # A half of the text may use a name that only the other half says to be its own.
        drafts = [_without(own_names(text), draft) for draft in drafts]
    return checked(drafts, text, exclusive=strategy == "optimized")


def _without(names: Collection[str], draft: QueryDraft) -> QueryDraft:
    words = [word for word in draft.keywords if not set(phrase_stems(word)) & set(names)]
    return draft.model_copy(update={"keywords": words or draft.keywords})


def _listed(request: CheckedRequest) -> dict[str, list[str]]:
    """Return the items of a list, of which the text keeps no marks."""
    items = [one.criterion for one in request.criteria]
    return {"conditions": items} if len(items) > 1 else {}


def criteria_of(plan: QueryPlan) -> tuple[Criterion, ...]:
    """Return the first few conditions of a plan, each once."""
    found = {text: one for one in plan.criteria if (text := " ".join(one.criterion.split()))}
    rows = list(found.items())[:MOST_CRITERIA]
    return tuple(Criterion(**one.model_dump() | {"criterion": text}) for text, one in rows)


def _left_out(whole: SearchQuery, sources: Sequence[str]) -> str:
    names = [name for name in sources if not answers_query(whole, name)]
    left = len(names) < len(sources)
    return f"skipped, no search by meaning: {', '.join(names)}" * bool(names and left)


def _not_in(text: str, strategy: QueryStrategy, plan: QueryPlan) -> list[str]:
    """Return the sentences on which drafts rest that do not stand in the input."""
    sentences = [draft.sentence for draft in drafts_of_strategy(strategy, plan)]
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
                text=query,
                facet=draft.facet,
                reason=draft.reason,
                sentence=quote if quote.verified else None,
            )
        )
    return queries
