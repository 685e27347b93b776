"""Compare a claim with the works nearest to it: the same, overlapping, or another thing, by words of both.

Reads `run`, `request` and, per branch, one claim and the ids of works. Writes `claims`. Full texts are read where they
can be had. A model says which part of the claim a work also says and which it lacks; code finds the words of both, and
a comparison without them counts for nothing. Words that stand in both are the same whoever looks. Without a model the
nearest sentences are shown, and no verdict is given.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, Field

from nodes.common.ask_model import ask_with_check
from nodes.common.node_errors import fatal_failure_of
from nodes.judge.full_text import nearest_paragraphs, search_full_texts
from nodes.novelty.choose_nearest import sentence_nearness
from nodes.write.paper_passages import shown_paper
from state.channels import Shared
from state.novelty import ClaimNovelty, Contribution, Found, NearestWork, NoveltyState, Relation
from state.paper import Paper
from state.passage import Passage
from state.quote import Quote
from state.run import Failure
from tools.embed.embedder import Embedder
from tools.errors import BudgetError, PermanentError
from tools.evidence.passage_search import Searcher
from tools.evidence.prompt_injection import own_words, without_injections
from tools.evidence.quotes import MIN_LENGTH, find_quote, quote_paper, quotes_of
from tools.llm.task import Task
from tools.services import NodeRuntime, Services, open_services

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
2. claim_words: the part of `claim` that these words also say, copied letter by letter; empty where they say none of it.
3. missing_words: the part of `claim` that this work does not say, copied letter by letter and apart from claim_words;
   empty where it says all.
4. common: what kind of thing claim_words names.
   - substance: the way, the finding or the combination that the claim offers as its own.
   - task: what both set out to do, each in its way.
   - subject: what both are about, or what every work on it does.
5. relation:
   - same: this work says all that the claim says, in whatever words; whoever knew it would not call the claim new.
   - overlaps: it says a part of the claim's substance: the same way for another task, or the same finding on other
     data or in another task, where the claim names its own. A work that the claim builds on overlaps only in what the
     claim says beyond its name.
   - differs: they share nothing, the subject, or the task alone.

Most works near to a claim differ from it: say that they overlap only where you could show its author the words.
Judge by the words shown, not by what you know of these works. Where they are silent on a part of the claim, that part
is not shared. Names that the researcher coins are no part of the claim. Where `faults` of an earlier answer are
listed, give the whole answer again with these mended.
"""


class Comparison(BaseModel):
    """What the mind says of one work."""

    key: str = Field(description="The work's key, as given.")
    paper_words: str = Field(description="Words of the work, verbatim.")
    claim_words: str = Field(default="", description="Words of the claim that it also says.")
    missing_words: str = Field(default="", description="Words of the claim that it does not say.")
    common: Literal["subject", "task", "substance"] = Field(
        default="subject", description="What kind of thing the claim's words name that both share."
    )
    relation: Literal["same", "overlaps", "differs"] = Field(
        description="'overlaps' takes a shared substance; a shared subject or task alone is 'differs'."
    )


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


async def compare_claim(state: Branch, runtime: NodeRuntime) -> NoveltyState:
    """Read what can be had of the works, and have them compared with the claim."""
    services = open_services(runtime, state["run"])
    claim = state["claim"]
    services.tick(STAGE, 0, state["of"], claim.quote.text[:80])
    known = await services.run_store.papers.get(state["works"])
    papers = [known[key] for key in state["works"] if key in known]
    passages, failures = await _passages(services, state, papers)
    works = await asyncio.to_thread(_beside, services.clients.embedder, claim, papers, passages)
    told = [one for one in works if one.paper.abstract or one.paper.id in passages]
    if services.mind.judges and told:
        compared, failed = await _compared(services, state, told, passages)
        failures += failed
        works = compared + [
            _left(one, "only its title is known") for one in works if one not in told
        ]
    services.tick(STAGE, 1, state["of"], claim.quote.text[:80])
    return {"claims": [_told(claim, works)], "failures": failures}


async def _passages(
    services: Services, state: Branch, papers: Sequence[Paper]
) -> tuple[dict[str, list[Passage]], list[Failure]]:
    """Return the paragraphs of the works' full texts that are nearest to the claim, by the works' ids."""
    first, request, claim = papers[:_READ], state["request"], state["claim"].quote.text
    near, failures = await nearest_paragraphs(
        services, request, first, [claim], _PARAGRAPHS, stage=STAGE
    )
    unread = {claim: [paper for paper in first if paper.id not in near]}
    found, failed = await search_full_texts(services, request, unread, stage=STAGE)
    return found | near, [*failures, *failed]


def _beside(
    embedder: Embedder,
    claim: Contribution,
    papers: Sequence[Paper],
    passages: Mapping[str, Sequence[Passage]],
) -> list[NearestWork]:
    """Return the works with their sentence that is nearest to the claim; the claim's own words are the same."""
    if not papers:
        return []
    nearness = sentence_nearness(embedder, embedder.embed([claim.quote.text]), papers)
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
        "works": [
            shown_paper(one.paper, key, passages.get(one.paper.id, ())) for key, one in keys.items()
        ],
    }

    found: dict[str, NearestWork] = {}

    def faults(answer: Comparisons) -> list[str]:
        """Keep the comparisons that stand, and say what is wrong with the others."""
        given = {one.key: one for one in answer.works}
        told = [f"there is no work {key}" for key in given if key not in keys]
        for key, work in keys.items():
            judged = _judged(work, given.get(key), claim, own[key], services.mind_name)
            if isinstance(judged, str):
                told.append(f"{key}{judged}")
            else:
                found[key] = judged
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
    why = "the model gave no answer whose words stand in the work and in the claim"
    compared = [found.get(key) or _left(work, why) for key, work in keys.items()]
    return compared, asked.failures(STAGE, subject, remedy)


def _left(work: NearestWork, why: str) -> NearestWork:
    return work if work.relation == "same" else work.model_copy(update={"why": why})


def _judged(
    work: NearestWork, said: Comparison | None, claim: Contribution, own: Sequence[Quote], by: str
) -> NearestWork | str:
    """Return the work with what the mind said of it, or what is wrong with that."""
    if said is None:
        return " was left out"
    if (words := own_words(said.paper_words, work.paper, own)) is None:
        return f": not in its words: {said.paper_words!r}"
    if work.relation == "same":  # by code, which needs nobody's word
        return work
    relation, text, begin = said.relation, claim.quote.text, claim.quote.start or 0
    if relation == "same" and said.missing_words.strip():
        relation = "overlaps"
    if relation == "overlaps" and said.common != "substance":
        relation = "differs"
    shared, missing = (
        find_quote(one, text, least=1) for one in (said.claim_words, said.missing_words)
    )
    if (relation != "differs" and not shared) or (relation == "overlaps" and not missing):
        return f": not in the claim: {said.claim_words!r} or {said.missing_words!r}"
    apart = not (shared and missing) or shared.end <= missing.start or missing.end <= shared.start
    if relation == "overlaps" and not apart:
        return ": claim_words and missing_words are the same words"
    parts = {
        name: claim.quote.model_copy(
            update={"text": one.text, "start": begin + one.start, "end": begin + one.end}
        )
        for name, one in (("claim_words", shared), ("missing_words", missing))
        if one
    }
    more = {"relation": relation, "paper_words": words, "why": "", "by": by}
    return work.model_copy(update={**more, **parts})


_ORDER: Sequence[Relation] = ("same", "overlaps", "differs", "not_compared")


def _distance(one: NearestWork) -> tuple[int, int, float]:
    """Say how far a work is from the claim: by its relation, by how much of the claim it says, by meaning."""
    says = len(one.claim_words.text) if one.claim_words else 0
    return _ORDER.index(one.relation), -says, -one.similarity if says else 0.0


def _told(claim: Contribution, works: Sequence[NearestWork]) -> ClaimNovelty:
    """Return what was found of a claim, first the works that say most of it."""
    counts = Counter(one.relation for one in works)
    lacking: Found = "not_compared" if counts["not_compared"] or not works else "not_found"
    known: tuple[Literal["same", "overlaps"], ...] = ("same", "overlaps")

    return ClaimNovelty(
        number=claim.number,
        claim=claim.quote.text,
        found=next((one for one in known if counts[one]), lacking),
        counts=counts,
        nearest=tuple(sorted(works, key=_distance)),
    )
