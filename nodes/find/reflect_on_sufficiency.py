"""Sufficiency reflection: decide whether the papers found suffice, and what to search for if they do not.

Reads `request`, `scores`, `hop`, `hop_gain`, `queries`, `hits`, `same`, `sufficiency`. Writes `sufficiency`,
further `queries` of the next hop, `hop` and `depth` (arXivBot, section 4: a second query after reasoning on
the first answers), and for the next hop a `hop_gain` of 0. No mind is asked where no search is
left, or where a hop after the first added nothing: then the relevant papers that the query for a facet found
cover it. A mind sees of each paper its score, its title and one line, not its abstract.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from textwrap import shorten

from pydantic import BaseModel, Field, model_serializer

from nodes.common.ask_model import ask_with_check
from nodes.cost.kept_budget import saving_services
from nodes.find.query_terms import MAX_KEYWORDS, compose, in_one_query, stems_of
from nodes.find.rankers.ranker import TITLE_WITHHELD
from state.channels import FindState
from state.paper import Paper
from state.quote import Debate
from state.reducers import add_queries
from state.search import FacetCoverage, SearchQuery, Sufficiency
from tools.embed.calibration import calibrated
from tools.embed.embedder import Embedder
from tools.errors import counted
from tools.evidence.prompt_injection import without_injections
from tools.evidence.quotes import quote_input
from tools.llm.task import Task
from tools.services import NodeRuntime, Services
from tools.text.keyphrases import (
    candidate_phrases,
    keyphrases,
    own_names,
    phrase_stems,
    salient_phrases,
)
from tools.text.words import split_sentences

STAGE = "reflect_on_sufficiency"
SHOWN = 40
"""Papers shown to the mind, best first."""
_LINE, _TITLE = 110, 60
"""Most characters of the line shown of a paper, and of its title where a text names it."""
ENOUGH = 2
"""Papers that cover a facet, for the embedded engine."""
GAPS = 4
"""Most queries for what is missing in one hop: each may cost a source three calls."""
NO_GAIN = "the last search added nothing"
NO_SEARCH_LEFT = "it reached the maximum number of searches"
_COVERS = 0.42
"""Cosine from which a paper's title and abstract cover a sentence of the input."""

PROMPT = """\
You check whether the papers found so far are enough for the related-work section of the work
described in the input. Of each paper you see its id, in brackets a judge's score (0 to 100: how surely
such a section would cite it), its title and one line of its text.

First reason, in three sentences at most: to which side do the papers lean, and what would a reader
who knows the field miss? Name papers by their titles, never by id.

Then name the facets that the section needs (three to six: the problem, each method or resource it
builds on, what it is compared with). For each copy, letter by letter, the sentence of the input that
shows the need, and list the ids of the given papers that are about it; one that only touches on it
does not cover it. A facet is missing where no paper covers it, or only one, or where the papers that do
leave out works that a paragraph on it could not do without.

Give for each missing facet two to four terms to search for, all of which a paper should have:
expressions of one to three words that papers of the field write just so. The query must differ from
those in asked. A facet that is covered gets no terms. Where faults of an earlier answer are listed, mend
them.
"""


class FoundPaper(BaseModel):
    """A paper; a mind sees 'P3 (84) Title | line', the embedded engine the abstract."""

    id: str
    score: float
    title: str
    line: str
    abstract: str

    @model_serializer
    def shown(self) -> str:
        """Return what a mind sees."""
        return f"{self.id} ({self.score:.0f}) {self.title} | {self.line}"


class FacetAnswer(BaseModel):
    """One facet as the mind gives it."""

    name: str
    sentence: str = Field(description="A sentence of the input, verbatim.")
    papers: list[str] = Field(default=[], description="Ids of papers that cover it.")
    keywords: list[str] = Field(default=[], description="Terms, only where it is missing.")


class Reflection(BaseModel):
    """The mind's answer."""

    reasoning: str
    facets: list[FacetAnswer] = Field(min_length=1)


def extract(
    embedder: Embedder,
    *,
    text: str,
    papers: Sequence[FoundPaper],
    asked: Sequence[str] = (),
    **_: object,
) -> Reflection:
    """Take each sentence of the input as a facet; a paper near it in meaning covers it."""
    sentences = [span.text for span in split_sentences(text)][:12]
    vectors = embedder.embed([*sentences, *(f"{item.title}. {item.abstract}" for item in papers)])
    near = calibrated(embedder, vectors[: len(sentences)] @ vectors[len(sentences) :].T)
    queries = _gap_queries(embedder, text, sentences, asked)
    facets: list[FacetAnswer] = []
    named: set[str] = set()
    for row, sentence in enumerate(sentences):
        names = [phrase.text for phrase in keyphrases(sentence, limit=4)]
        name = next((phrase for phrase in names if phrase not in named), "")
        if not name:
            continue
        named.add(name)
        cover = [papers[column].id for column in range(len(papers)) if near[row, column] >= _COVERS]
        query = queries[row] if len(cover) < ENOUGH else []
        facets.append(FacetAnswer(name=name, sentence=sentence, papers=cover, keywords=query))
    thin = [facet.name for facet in facets if len(facet.papers) < ENOUGH]
    reasoning = (
        f"Fewer than {ENOUGH} papers are close to what the input says of {', '.join(thin)}."
        if thin
        else f"Each of {counted(len(facets), 'statement')} of the input has at least {ENOUGH} papers close to it."
    )
    return Reflection(
        facets=facets or [FacetAnswer(name=text[:60], sentence=text)], reasoning=reasoning
    )


def _gap_queries(
    embedder: Embedder, text: str, sentences: Sequence[str], asked: Sequence[str]
) -> list[list[str]]:
    """Return, for each sentence, what it says that was not asked for, beside the text's subject.

    Words of the sentence alone lead away from the subject: half of a query holds it there.
    """
    own = own_names(text)
    known = {item for query in asked for stems in stems_of(query) for item in stems} | own
    queries: list[list[str]] = []
    for sentence, ranked in zip(sentences, salient_phrases(embedder, text, sentences), strict=True):
        said = {phrase_stems(group) for group in candidate_phrases(sentence)}
        here = [phrase for phrase in ranked if phrase.stems in said]
        fresh = compose(here, without=known, limit=MAX_KEYWORDS // 2)
        stems = {item for word in fresh for item in phrase_stems(word)}
        subject = compose(ranked, without=own | stems, limit=MAX_KEYWORDS - len(fresh))
        queries.append([*fresh, *subject] if fresh else [])
    return queries


TASK = Task(
    name="reflect_on_sufficiency",
    prompt=PROMPT,
    answer=Reflection,
    tier="strong",
    extract=extract,
    max_output_tokens=2000,
)


async def reflect_on_sufficiency(state: FindState, runtime: NodeRuntime) -> FindState:
    """Ask what is missing; what the mind cannot say is a failure, and the search ends."""
    services = saving_services(state, runtime)
    services.progress(STAGE, 0, 1)
    hop, earlier = state["hop"], state["sufficiency"]
    done: FindState = {
        "queries": state["queries"],
        "sufficiency": earlier,
        "hop": hop,
        "depth": 0,
        "failures": [],
    }
    no_gain, last = hop > 1 and state["hop_gain"] == 0, hop >= services.context.max_hops
    if no_gain or last:
        ended = [_ended(state, services, NO_GAIN if no_gain else NO_SEARCH_LEFT)] if earlier else []
        services.progress(STAGE, 1, 1, NO_GAIN if no_gain else NO_SEARCH_LEFT)
        return {**done, "sufficiency": [*earlier, *ended]}
    keyed = await _best(services, state["scores"])
    asked = [query.text for query in state["queries"] if not query.by_meaning]
    text = state["request"].text
    inputs = {
        "text": text,
        "papers": await _shown(services, keyed, state["scores"]),
        "asked": asked,
    }
    asked_of = await ask_with_check(
        services.mind, TASK, inputs, partial(_faults, text, keyed.keys())
    )
    answer = asked_of.answer
    if answer is None:
        remedy = "CiteLoom cannot tell whether the papers suffice; the search ended here"
        return {**done, "failures": asked_of.failures(STAGE, f"hop {hop}", remedy)}
    ids = {key: paper.id for key, paper in keyed.items()}
    covers = [_cover(facet, text, ids) for facet in answer.facets]
    missing = tuple(cover.name for cover in covers if not cover.covered)
    fresh = _fresh(answer.facets, covers, asked, hop + 1)
    stopped = (
        "" if fresh else "it found no new query" if missing else "every part of the text has papers"
    )
    entry = Sufficiency(
        hop=hop,
        facets=tuple(covers),
        missing=missing,
        reasoning=_by_title(answer.reasoning, keyed),
        by=services.mind.name,
        stopped=stopped,
    )
    services.progress(
        STAGE,
        1,
        1,
        f"missing: {', '.join(missing)}" if missing else "every part of the text has papers",
    )
    return {
        **done,
        "queries": state["queries"] if stopped else add_queries(state["queries"], fresh),
        "sufficiency": [*earlier, entry],
        "hop": hop if stopped else hop + 1,
        "hop_gain": 0,
    }


def _ended(state: FindState, services: Services, why: str) -> Sufficiency:
    """Return the last reflection, with the relevant papers that this hop's queries found for what was missing."""
    before, same, bar = state["sufficiency"][-1], state["same"], services.context.effective_bar
    text_of = {
        query.reason: query.text for query in state["queries"] if query.hop == state["hop"] > 1
    }
    facets: list[FacetCoverage] = []
    for facet in before.facets:
        query = text_of.get(_reason(facet.name), "") if not facet.covered else ""
        answers = [
            same.get(hit.paper, hit.paper) for hit in state["hits"] if query and hit.by == query
        ]
        relevant = [key for key in answers if state["scores"].get(key, -1.0) >= bar]
        papers = tuple(dict.fromkeys([*facet.papers, *relevant]))
        covered = facet.covered or (len(papers) >= ENOUGH and bool(relevant))
        facets.append(facet.model_copy(update={"papers": papers, "covered": covered}))
    return Sufficiency(
        hop=state["hop"],
        facets=tuple(facets),
        missing=tuple(facet.name for facet in facets if not facet.covered),
        reasoning=f"{why}.".capitalize(),
        by=services.mind_name,
        stopped=why,
    )


def _reason(facet: str) -> str:
    return f"Nothing found so far covers: {facet}."


def _faults(text: str, ids: Collection[str], answer: Reflection) -> list[str]:
    """Say which sentences are not in the input, and which ids were not given."""
    sentences = [
        f"not in the input: {one.sentence!r}"
        for one in answer.facets
        if not quote_input(one.sentence, text).verified
    ]
    named = dict.fromkeys(key for one in answer.facets for key in one.papers)
    return [*sentences, *(f"no paper has the id {key!r}" for key in named if key not in ids)]


async def _best(services: Services, scores: dict[str, float]) -> dict[str, Paper]:
    """Return the best papers under the short ids that the mind is shown."""
    relevant = [key for key, score in scores.items() if score >= services.context.effective_bar]
    best = sorted(relevant, key=lambda key: -scores[key])[:SHOWN]
    papers = (await services.run_store.papers.get(best)).values()
    return {f"P{number}": paper for number, paper in enumerate(papers, start=1)}


async def _shown(
    services: Services, keyed: Mapping[str, Paper], scores: Mapping[str, float]
) -> list[FoundPaper]:
    """Return what is shown of the papers: nothing that commands a machine."""
    debates = await services.run_store.debates.get([paper.id for paper in keyed.values()])
    found: list[FoundPaper] = []
    for key, paper in keyed.items():
        abstract = without_injections(paper.abstract or "")[0]
        found.append(
            FoundPaper(
                id=key,
                score=scores[paper.id],
                abstract=abstract,
                title=without_injections(paper.title)[0] or TITLE_WITHHELD,
                line=shorten(_line(abstract, debates.get(paper.id)), _LINE, placeholder=" ..."),
            )
        )
    return found


def _line(abstract: str, debate: Debate | None) -> str:
    """Return the words that spoke for a paper when it was judged, else its first sentence."""
    quotes = [one.quote.text for one in debate.arguments_for if one.quote] if debate else []
    spoken = [quote for quote in quotes if quote in abstract]
    return next(iter([*spoken, *(span.text for span in split_sentences(abstract))]), "")


def _by_title(reasoning: str, keyed: Mapping[str, Paper]) -> str:
    """Name by its title each paper that a reasoning names by the id of this question."""
    titles = {
        key: f"'{shorten(paper.title, _TITLE, placeholder=' ...')}'" for key, paper in keyed.items()
    }
    return re.sub(r"\bP\d+\b", lambda found: titles.get(found[0], found[0]), reasoning)


def _cover(facet: FacetAnswer, text: str, ids: dict[str, str]) -> FacetCoverage:
    quote = quote_input(facet.sentence, text)
    papers = tuple(dict.fromkeys(ids[key] for key in facet.papers if key in ids))
    return FacetCoverage(
        name=facet.name,
        sentence=quote if quote.verified else None,
        papers=papers,
        covered=len(papers) >= ENOUGH and not facet.keywords,
    )


def _fresh(
    facets: Sequence[FacetAnswer], covers: Sequence[FacetCoverage], asked: Sequence[str], hop: int
) -> list[SearchQuery]:
    """Return the queries for uncovered facets whose words, in any order, were not asked before."""
    known = {_words(query) for query in asked}
    queries: list[SearchQuery] = []
    for facet, cover in zip(facets, covers, strict=True):
        text = in_one_query(facet.keywords)
        words = _words(text)
        if cover.covered or not words or words in known:
            continue
        known.add(words)
        queries.append(
            SearchQuery(
                text=text,
                facet="gap",
                hop=hop,
                sentence=cover.sentence,
                reason=_reason(facet.name),
            )
        )
    return queries[:GAPS]


def _words(query: str) -> frozenset[str]:
    return frozenset[str]().union(*stems_of(query))
