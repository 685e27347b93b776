"""Compare a claim with the works nearest to it: the same, overlapping, or another thing, by words of both.

Reads `run`, `request` and, per branch, one claim and the ids of works. Writes `claims`. Full texts are read where they
can be had. A model says what both share and where they part; code finds the words of both, and a comparison
without them counts for nothing. Words that stand in both are the same whoever looks. Without a model the
nearest sentences are shown, and no verdict is given.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from nodes.common.ask_model import ask_with_check
from nodes.common.node_errors import fatal_failure_of
from nodes.judge.full_text import read_full_texts, search_full_texts
from nodes.novelty.choose_nearest import sentence_nearness
from nodes.write.paper_passages import ShownPassage, shown_passages
from state.channels import Shared
from state.novelty import ClaimNovelty, Contribution, Found, NearestWork, NoveltyState
from state.paper import Paper
from state.passage import Passage
from state.quote import Quote
from state.run import Failure
from tools.embed.embedder import Embedder
from tools.errors import BudgetError, PermanentError
from tools.evidence.passage_search import Searcher
from tools.evidence.prompt_injection import without_injections
from tools.evidence.quotes import MIN_LENGTH, find_quote, quote_paper
from tools.llm.task import Task
from tools.run_settings import RunSettings
from tools.services import Services, open_services
from tools.text.words import Span

STAGE = "compare_claim"
_READ = 3
"""Works of a claim whose full texts are read."""
_PARAGRAPHS = 3
"""Paragraphs of a full text that are shown, those nearest to the claim."""

PROMPT = f"""\
A researcher claims a contribution. You compare the claim with earlier works, as an examiner of prior art does: not
whether the claim is good, only whether an earlier work already says it. `text` is what the researcher writes,
`claim` the claim, in words of that text and to be understood as the text means it. Each of the `works` has its key,
title, year and abstract and, where its full text was at hand, `passages` of it that are near to the claim.

Answer for each work under its key, in this order:
1. paper_words: the stretch of this work's words that comes nearest to the claim and decides, copied letter by letter
   from its title, abstract or passages, at least {MIN_LENGTH} characters long.
2. claim_words: the part of `claim` that these words answer, copied letter by letter; empty where they answer no part.
3. shares: what both do, as a clause without a subject ("show change over time as a river"); empty if nothing but the
   subject.
4. differs: what the claim has and this work has not, as a clause without a subject ("of rankings, not of themes").
5. relation:
   - same: this work says all that the claim says, in whatever words; whoever knew it would not call the claim new.
   - overlaps: it says a part of the claim that makes the claim what it is: the same task by another way, the same way
     for another task, or the same finding on other data where the claim names its data. A work that the claim builds
     on overlaps only in what the claim says beyond its name.
   - differs: what they share is the subject, or what every work on the subject does.

Judge by the words shown, not by what you know of these works. Where they are silent on a part of the claim, that part
is not shared. Names that the researcher coins are no part of the claim. Where `faults` of an earlier answer are
listed, give the whole answer again with these mended.
"""


class Work(BaseModel):
    """An earlier work as the mind sees it."""

    key: str
    title: str
    year: int | None = None
    abstract: str = ""
    passages: list[ShownPassage] | None = None


class Comparison(BaseModel):
    """What the mind says of one work."""

    key: str = Field(description="The work's key, as given.")
    paper_words: str = Field(description="Words of the work, verbatim.")
    claim_words: str = Field(default="", description="Words of the claim, verbatim.")
    shares: str = ""
    differs: str = ""
    relation: Literal["same", "overlaps", "differs"]


class Comparisons(BaseModel):
    """The mind's answer."""

    works: list[Comparison]


def extract(embedder: Embedder, **_: object) -> Comparisons:
    """Say nothing: to compare is not for the embedded engine."""
    return Comparisons(works=[])


TASK = Task(
    name="compare_claim",
    prompt=PROMPT,
    answer=Comparisons,
    tier="strong",
    extract=extract,
    max_output_tokens=2400,
)


class Branch(Shared):
    """What one branch of this node reads."""

    claim: Contribution
    works: list[str]
    of: int
    """How many branches there are."""


async def compare_claim(state: Branch, runtime: Runtime[RunSettings]) -> NoveltyState:
    """Read what can be had of the works, and have them compared with the claim."""
    services = open_services(runtime, state["run"])
    claim = state["claim"]
    services.tick(STAGE, 0, state["of"], claim.quote.text[:80])
    known = await services.run_store.papers.get(state["works"])
    papers = [known[key] for key in state["works"] if key in known]
    passages, failures = await _passages(services, state, papers)
    embedder = services.clients.embedder
    works = await asyncio.to_thread(_beside, embedder, claim, papers, passages)
    told = [one for one in works if one.paper.abstract or one.paper.id in passages]
    if services.mind.judges and told:
        compared, failed = await _compared(services, state, told, passages)
        failures += failed
        rest = (_left(one, "only its title is known") for one in works if one not in told)
        works = [*compared, *rest]
    services.tick(STAGE, 1, state["of"], claim.quote.text[:80])
    return {"claims": [_told(claim, works)], "failures": failures}


async def _passages(
    services: Services, state: Branch, papers: Sequence[Paper]
) -> tuple[dict[str, list[Passage]], list[Failure]]:
    """Return the paragraphs of the works' full texts that are nearest to the claim, by the works' ids."""
    first, claim = papers[:_READ], state["claim"].quote.text
    texts, failures = await read_full_texts(services, state["request"], first, stage=STAGE)
    unread = [paper for paper in first if not texts[paper.id].passages]
    found, failed = await search_full_texts(
        services, state["request"], {claim: unread}, stage=STAGE
    )
    embedder = services.clients.embedder

    def nearest() -> dict[str, list[Passage]]:
        read = {key: text.passages for key, text in texts.items() if text.passages}
        return {
            key: Searcher(passages, embedder).paragraphs(claim, _PARAGRAPHS)
            for key, passages in read.items()
        }

    return found | await asyncio.to_thread(nearest), [*failures, *failed]


def _beside(
    embedder: Embedder,
    claim: Contribution,
    papers: Sequence[Paper],
    passages: Mapping[str, Sequence[Passage]],
) -> list[NearestWork]:
    """Return the works with their sentence that is nearest to the claim; the claim's own words are the same."""
    if not papers:
        return []
    asked = embedder.embed([claim.quote.text])
    nearness = sentence_nearness(embedder, asked, papers)
    return [
        _nearest(embedder, claim, paper, one[0], passages.get(paper.id, ()))
        for paper, one in zip(papers, nearness, strict=True)
    ]


def _nearest(
    embedder: Embedder,
    claim: Contribution,
    paper: Paper,
    similarity: float,
    passages: Sequence[Passage],
) -> NearestWork:
    own = quotes_of(passages)
    words = quote_paper(claim.quote.text, paper, own)
    same = words.verified
    if not same:
        near = Searcher(list(_as_passages(paper, passages)), embedder).nearest(claim.quote.text, 3)
        told = [one.text for one in near if not without_injections(one.text)[1]]
        words = quote_paper(told[0], paper, own) if told else words
    return NearestWork(
        paper=paper,
        similarity=round(similarity, 4),
        relation="same" if same else "not_compared",
        shares="these words stand in both" if same else "",
        claim_words=claim.quote if same else None,
        paper_words=words if words.verified else None,
        read="full_text" if passages else "abstract",
    )


def _as_passages(paper: Paper, passages: Sequence[Passage]) -> Iterator[Passage]:
    for text in filter(None, (paper.title, paper.abstract, *(one.text for one in paper.snippets))):
        yield Passage(
            id=text[:16], paper=paper.id, title=paper.title, start=0, end=len(text), text=text
        )
    yield from passages


def quotes_of(passages: Sequence[Passage]) -> list[Quote]:
    """Return passages as words of their papers that are known to stand there."""
    return [
        Quote(
            text=item.text,
            paper=item.paper,
            part=item.part,
            start=item.start,
            end=item.start + len(item.text),
            verified=True,
            place=item.place,
        )
        for item in passages
    ]


async def _compared(
    services: Services,
    state: Branch,
    works: Sequence[NearestWork],
    passages: Mapping[str, Sequence[Passage]],
) -> tuple[list[NearestWork], list[Failure]]:
    """Return the works as the mind compares them; one whose words cannot be found is not compared."""
    claim, keys = state["claim"], {f"W{place}": one for place, one in enumerate(works, start=1)}
    own = {key: quotes_of(passages.get(one.paper.id, ())) for key, one in keys.items()}
    inputs = {
        "text": state["request"].headed,
        "claim": claim.quote.text,
        "works": [_shown(key, one.paper, passages) for key, one in keys.items()],
    }

    def faults(answer: Comparisons) -> list[str]:
        given = {one.key: one for one in answer.works}
        told = [f"{key} was left out" for key in keys if key not in given]
        for key, one in given.items():
            if key not in keys:
                told.append(f"there is no work {key}")
            elif _words(one, keys[key].paper, own[key]) is None:
                told.append(f"{key}: not in its words: {one.paper_words!r}")
            elif one.relation != "differs" and not _part(one, claim):
                told.append(f"{key}: not in the claim: {one.claim_words!r}")
        return told

    remedy = "CiteLoom shows the nearest sentences of these works without comparing them"
    subject = f"claim {claim.number}"
    try:
        asked = await ask_with_check(services.mind, TASK, inputs, faults)
    except BudgetError as spent:
        return [_left(one, str(spent)) for one in works], [fatal_failure_of(STAGE, spent)]
    except PermanentError as refusal:
        failed = Failure(stage=STAGE, subject=subject, cause=str(refusal), remedy=remedy, lost=True)
        return [_left(one, "the model gave no answer") for one in works], [failed]
    given = {one.key: one for one in asked.answer.works} if asked.answer else {}
    found = [
        _with(work, given.get(key), claim, own[key], services.mind_name)
        for key, work in keys.items()
    ]
    return found, asked.failures(STAGE, subject, remedy)


def _shown(key: str, paper: Paper, passages: Mapping[str, Sequence[Passage]]) -> Work:
    return Work(
        key=key,
        title=without_injections(paper.title)[0],
        year=paper.year,
        abstract=without_injections(paper.abstract or "")[0],
        passages=shown_passages(passages[paper.id])[0] if passages.get(paper.id) else None,
    )


def _left(work: NearestWork, why: str) -> NearestWork:
    return work if work.relation == "same" else work.model_copy(update={"why": why})


def _with(
    work: NearestWork, said: Comparison | None, claim: Contribution, own: Sequence[Quote], by: str
) -> NearestWork:
    """Return the work with what the mind said of it, where the words of both are found."""
    if said is None:
        return _left(work, "the model gave no answer")
    words, part = _words(said, work.paper, own), _part(said, claim)
    if words is None or (part is None and said.relation != "differs"):
        return _left(work, "the model's quote stands in neither")
    if work.relation == "same":  # by code, which needs nobody's word
        return work
    at = (claim.quote.start or 0) + (part.start if part else 0)
    return work.model_copy(
        update={
            "relation": said.relation,
            "shares": said.shares.strip(),
            "differs": said.differs.strip(),
            "paper_words": words,
            "claim_words": part
            and claim.quote.model_copy(
                update={"text": part.text, "start": at, "end": at + len(part.text)}
            ),
            "why": "",
            "by": by,
        }
    )


def _words(said: Comparison, paper: Paper, own: Sequence[Quote]) -> Quote | None:
    """Return the work's words that decide; none where it has not these words, or they command whoever reads them."""
    words = quote_paper(said.paper_words, paper, own)
    return words if words.verified and not without_injections(words.text)[1] else None


def _part(said: Comparison, claim: Contribution) -> Span | None:
    """Return the part of the claim that a comparison is on."""
    return find_quote(said.claim_words, claim.quote.text, least=1)


_ORDER = ("same", "overlaps", "differs", "not_compared")


def _told(claim: Contribution, works: Sequence[NearestWork]) -> ClaimNovelty:
    """Return what was found of a claim: the closest relation that any work has to it."""
    compared_first = sorted(works, key=lambda one: _ORDER.index(one.relation))
    ranked = [
        one
        for relation, same in groupby(compared_first, key=lambda one: one.relation)
        for one in (
            same if relation == "not_compared" else sorted(same, key=lambda one: -one.similarity)
        )
    ]
    compared = [one for one in ranked if one.relation != "not_compared"]
    found: Found = "not_compared"
    if compared and compared[0].relation in {"same", "overlaps"}:
        found = "same" if compared[0].relation == "same" else "overlaps"
    elif compared and len(compared) == len(ranked):
        found = "not_found"
    return ClaimNovelty(
        number=claim.number,
        claim=claim.quote.text,
        found=found,
        compared=len(compared),
        nearest=tuple(ranked),
    )
