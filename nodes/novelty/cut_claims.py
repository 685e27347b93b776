"""Cut claims: state what a text claims to contribute, in its author's words, and search for each.

Reads `run`, `request`, `queries`. Writes `contributions`, and `queries`: for each claim one of its terms, and the
claim itself for sources that search by meaning.
"""

from collections.abc import Iterator, Sequence

from pydantic import BaseModel, Field

from nodes.common.ask_model import CheckedAnswer, ask_with_check
from nodes.find.generate_queries import extract_readings
from nodes.find.query_terms import in_one_query
from state.novelty import Contribution, NoveltyState
from state.reducers import add_queries, overwriting
from state.search import SearchQuery, SearchStrategy
from tools.embed.embedder import Embedder
from tools.errors import PermanentError
from tools.evidence.quotes import quote_input
from tools.llm.task import Task
from tools.services import NodeRuntime, open_services
from tools.text.roles import role_scores
from tools.text.words import split_sentences

STAGE = "cut_claims"
MOST = 5
"""Claims of one text."""
_CLAIMS = 3.0
"""Score from which a sentence states a contribution, a way or a finding: see `role_scores`."""

PROMPT = f"""\
You prepare a search for prior art. `text` is what a researcher writes of their own work: an abstract, an idea or a
question. List what it claims to contribute: each thing that it does, makes, combines, measures or finds, and that an
earlier work could have done already. At most {MOST}, and better fewer, first what matters most for what is new about
the work. What others did, why the subject matters, praise, bare figures, and what any work of the field claims (that
it was evaluated, that it is useful) are no claims. An idea of one sentence is one claim; a question is the claim that
its answer would make.

Give each claim as `words`: one stretch of `text` copied letter by letter, a sentence or the part of one that holds
the claim. Where a sentence claims several things that works could share one by one, each is a claim, by its own
stretch of the sentence: no two claims share words. Give with it as `terms` two to four terms of one to three words that
works which did the same would have in their titles and abstracts, in English: sources look for all of them at once,
each as a phrase, so take what such works surely say. No name that `text` coins, no filler. The name of an earlier work
that the claim builds on is a good term.

Where `faults` of an earlier answer are listed, give the whole answer again with these mended.
"""


class Claim(BaseModel):
    """One claim as the mind gives it."""

    words: str = Field(description="Words of the text, verbatim.")
    terms: list[str] = Field(description="Two to four terms to search for.")


class Claims(BaseModel):
    """The mind's answer."""

    claims: list[Claim] = Field(min_length=1)


def extract(embedder: Embedder, *, text: str) -> Claims:
    """Take the sentences that state a contribution, a method or a finding; all of a short text."""
    spans = split_sentences(text)
    last = max(len(spans) - 1, 1)
    scores = [role_scores(span.text, place / last) for place, span in enumerate(spans)]
    claimed = {
        place: max(one["contribution"] + 1, one["method"], one["findings"])
        for place, one in enumerate(scores)
    }
    best = sorted(claimed, key=lambda place: (-claimed[place], place))
    stated = [place for place in best if claimed[place] >= _CLAIMS]
    chosen = best if len(spans) <= 2 else stated or best[:1]
    said = [spans[place].text for place in chosen[:MOST]]
    terms = (extract_readings(embedder, text=one, limit=1).queries[0].keywords for one in said)
    return Claims(
        claims=[Claim(words=one, terms=own) for one, own in zip(said, terms, strict=True)]
    )


TASK = Task(
    name="cut_claims",
    prompt=PROMPT,
    answer=Claims,
    tier="strong",
    extract=extract,
    max_output_tokens=900,
)


async def cut_claims(state: NoveltyState, runtime: NodeRuntime) -> NoveltyState:
    """Ask for the claims; without an answer the whole input is one."""
    services = open_services(runtime, state["run"])
    text = state["request"].text
    services.progress(STAGE, 0, 1)

    def faults(answer: Claims) -> list[str]:
        stated = {one.quote.text for one in _stated(answer.claims, text)}
        return [
            f"not in the text, or with words of a claim before: {one.words!r}"
            for one in answer.claims[:MOST]
            if quote_input(one.words, text).text not in stated
        ]

    try:
        asked = await ask_with_check(services.mind, TASK, {"text": text}, faults)
    except PermanentError as refusal:
        asked = CheckedAnswer[Claims](None, (), (), refusal)
    claims = list(_stated(asked.answer.claims if asked.answer else (), text))
    if not claims:
        claims = [Contribution(number=1, quote=quote_input(text, text))]
    services.progress(STAGE, 1, 1, "; ".join(one.quote.text[:60] for one in claims))
    return {
        "contributions": claims,
        "near": {},
        "claims": overwriting([]),
        "queries": add_queries(state["queries"], [*_queries(claims, services.context.search)]),
        "failures": asked.failures(STAGE, "claims", "CiteLoom took the whole input as one claim"),
    }


def _stated(given: Sequence[Claim], text: str) -> Iterator[Contribution]:
    """Yield the claims whose words stand in the text, and are not those of a claim before."""
    taken: set[int] = set()
    number = 0
    for one in given:
        quote = quote_input(one.words, text)
        words = set(range(quote.start or 0, quote.end or 0))
        if quote.verified and number < MOST and not words & taken:
            taken, number = taken | words, number + 1
            yield Contribution(number=number, quote=quote, terms=tuple(one.terms))


def _queries(claims: Sequence[Contribution], search: SearchStrategy) -> Iterator[SearchQuery]:
    for one in claims:
        why = f"Works that did what claim {one.number} says."
        if search != "meaning" and (words := in_one_query(one.terms)):
            yield SearchQuery(text=words, facet="contribution", reason=why, sentence=one.quote)
        if search != "keywords":
            yield SearchQuery(text=one.quote.text, facet="claim", reason=why, sentence=one.quote)
