"""Reflect: decide whether the papers found suffice, and what to search for if they do not.

Reads `request`, `scores`, `hop`, `queries`. Writes `sufficiency`, further `queries` of the next
hop, `hop` and `depth` (arXivBot, section 4: a second query after reasoning on the first answers).
"""

from collections.abc import Sequence

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from nodes.find.plan_queries import MAX_KEYWORDS
from state.query import FacetCover, SearchQuery, Sufficiency
from state.request import Request
from state.run import Failure
from tools.context import RunContext
from tools.desk import open_desk
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.llm.task import Task
from tools.text.phrases import keyphrases
from tools.text.quotes import quote_input
from tools.text.sentences import split_sentences

STAGE = "reflect"
SHOWN = 40
"""Papers shown to the mind, best first."""
ENOUGH = 2
"""Papers that cover a facet, for the embedded engine."""
GAPS = 4
"""Most queries for what is missing in one hop: each may cost a source three calls."""
_COVERS = 0.42
"""Cosine from which a paper's title and abstract cover a sentence of the input."""

PROMPT = """\
You check whether the papers found so far are enough for the related-work section of the work
described in the input.

Name the facets that the section needs (three to six: the problem, each method or resource it builds
on, what it is compared with). For each copy, letter by letter, the sentence of the input that shows
the need, and list the ids of the given papers that cover it. A facet that no paper, or only one,
covers is missing: for each missing facet write one query of at most five keywords that differs from
the queries already asked. Notice when the papers lean to one side, and say so. Use only ids that
are given.
"""


class Found(BaseModel):
    """A paper as the mind sees it."""

    id: str
    title: str
    abstract: str


class Facet(BaseModel):
    """One facet as the mind gives it."""

    name: str
    sentence: str = Field(description="A sentence of the input, verbatim.")
    papers: list[str] = Field(default=[], description="Ids of papers that cover it.")
    query: str = Field(default="", description="Keywords, only where it is missing.")


class Reflection(BaseModel):
    """The mind's answer."""

    facets: list[Facet] = Field(min_length=1)
    reasoning: str


def extract(
    embedder: Embedder, *, text: str, papers: Sequence[Found], asked: Sequence[str]
) -> Reflection:
    """Take each sentence of the input as a facet; a paper near it in meaning covers it."""
    sentences = [span.text for span in split_sentences(text)][:12]
    vectors = embedder.embed([*sentences, *(f"{item.title}. {item.abstract}" for item in papers)])
    near = vectors[: len(sentences)] @ vectors[len(sentences) :].T
    whole = " ".join(asked).lower()
    facets: list[Facet] = []
    named: set[str] = set()
    for row, sentence in enumerate(sentences):
        phrases = [phrase.text for phrase in keyphrases(sentence, limit=4)]
        name = next((phrase for phrase in phrases if phrase not in named), "")
        if not name:
            continue
        named.add(name)
        cover = [papers[column].id for column in range(len(papers)) if near[row, column] >= _COVERS]
        fresh = [phrase for phrase in phrases if phrase.lower() not in whole]
        query = " ".join(" ".join(fresh).split()[:MAX_KEYWORDS]) if len(cover) < ENOUGH else ""
        facets.append(Facet(name=name, sentence=sentence, papers=cover, query=query))
    thin = [facet.name for facet in facets if len(facet.papers) < ENOUGH]
    reasoning = (
        f"Fewer than {ENOUGH} papers are close to what the input says of {', '.join(thin)}."
        if thin
        else f"Each of {len(facets)} statements of the input has at least {ENOUGH} papers close to it."
    )
    return Reflection(facets=facets or [Facet(name=text[:60], sentence=text)], reasoning=reasoning)


TASK = Task(
    name="reflect", prompt=PROMPT, answer=Reflection, tier="strong", extract=extract,
    max_output_tokens=2000,
)  # fmt: skip


class Branch(TypedDict):
    """What this node reads."""

    run: str
    request: Request
    scores: dict[str, float]
    hop: int
    queries: list[SearchQuery]
    sufficiency: list[Sufficiency]


class Update(TypedDict):
    """What this node writes."""

    queries: list[SearchQuery]
    sufficiency: list[Sufficiency]
    hop: int
    depth: int
    failures: list[Failure]


async def reflect(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Ask what is missing; what the mind cannot say is a failure, and the search ends."""
    desk = open_desk(runtime, state["run"])
    desk.progress(STAGE, 0, 1)
    hop, text = state["hop"], state["request"].text
    best = sorted(
        (key for key, score in state["scores"].items() if score >= desk.context.bar),
        key=lambda key: -state["scores"][key],
    )[:SHOWN]
    papers = list((await desk.shelf.papers(best)).values())
    keyed = {f"C{number}": paper for number, paper in enumerate(papers, start=1)}
    found = [
        Found(id=key, title=paper.title, abstract=paper.abstract or "")
        for key, paper in keyed.items()
    ]
    asked = [query.text for query in state["queries"] if query.facet != "whole"]
    done: Update = {
        "queries": [], "sufficiency": state["sufficiency"], "hop": hop, "depth": 0, "failures": [],
    }  # fmt: skip
    try:
        answer = await desk.mind.do(TASK, text=text, papers=found, asked=asked)
    except (AnswerError, RefusedError) as error:
        failure = Failure(
            stage=STAGE, subject=f"hop {hop}", cause=str(error),
            remedy="whether the papers suffice is not known; the search ended here",
        )  # fmt: skip
        return {**done, "failures": [failure]}
    covers = [
        _cover(facet, text, {key: paper.id for key, paper in keyed.items()})
        for facet in answer.facets
    ]
    missing = [cover.name for cover in covers if not cover.covered]
    queries = [
        SearchQuery(
            text=" ".join(facet.query.split()[:MAX_KEYWORDS]), facet="gap", hop=hop + 1,
            reason=f"Nothing found so far covers: {facet.name}.", sentence=cover.sentence,
        )
        for facet, cover in zip(answer.facets, covers, strict=True)
        if facet.query.strip() and not cover.covered
    ]  # fmt: skip
    entry = Sufficiency(
        hop=hop, facets=tuple(covers), missing=tuple(missing), reasoning=answer.reasoning,
        by=desk.mind.name,
    )  # fmt: skip
    desk.progress(STAGE, 1, 1, f"missing: {', '.join(missing)}" if missing else "nothing missing")
    known = {item.casefold() for item in asked}
    fresh = [query for query in queries if query.text.casefold() not in known][:GAPS]
    return {
        **done,
        "queries": fresh,
        "sufficiency": [*state["sufficiency"], entry],
        "hop": hop + 1 if fresh and hop < desk.context.max_hops else hop,
    }


def _cover(facet: Facet, text: str, ids: dict[str, str]) -> FacetCover:
    quote = quote_input(facet.sentence, text)
    papers = tuple(dict.fromkeys(ids[key] for key in facet.papers if key in ids))
    return FacetCover(
        name=facet.name, sentence=quote if quote.verified else None, papers=papers,
        covered=len(papers) >= ENOUGH,
    )  # fmt: skip
