"""Compose: write the answer out of the claims, and nothing else.

Reads `run`, `request`, `standalone`, `aspects`, `hops`, `held`. Writes `draft`, `missing`. At most
`claims` of the claims are given (six by default, as in arXivBot's figure 2), first all that tell something asked for,
then the best for each thing that the answer must cover, in turn. A sentence without claims is asked for once more, then
lost. Nothing is asked where no claim tells anything that was asked for.
"""

import asyncio
from collections.abc import Collection, Sequence

import numpy as np
from pydantic import BaseModel

from nodes.ask.answer_sources import (
    CLAIM_FIELDS,
    ShownClaim,
    in_words,
    is_several_sentences,
    load_answer_sources,
    quote_as_sentence,
)
from nodes.common.ask_model import ask_with_check
from state.ask import AskState, AskUpdate, Claim, DraftSentence
from tools.embed.embedder import Embedder
from tools.errors import counted
from tools.llm.task import Task
from tools.services import NodeRuntime, open_services
from tools.text.answer_sentences import AnswerSource, rate_sentences
from tools.text.words import language_name

STAGE = "compose_answer"
_MOST = 4
"""Sentences that the embedded engine quotes."""
_BEHIND = 0.3
"""How much less than the best quote another may answer."""

PROMPT = f"""\
You answer `question` in a few sentences of plain prose, in `language`, from numbered claims that were
taken from research papers. A whole answer covers the `aspects`. The claims are all you know: what they
do not say, you do not say. For each sentence give first in `claims` the numbers of those it rests on, at
least one, then its `text`. Answer the question itself first; merge claims that say the same; name a paper
by its authors where the reader needs to know whose finding it is; say of each thing only what its own
claims say of it; keep numbers and hedges as they are; write no brackets, numbers of claims or lists into
the text. A claim that does not bear on the question is left out.

Name in `missing`, in short phrases, what the question asks for and no claim tells. If the claims do
not answer the question at all, give no sentence. Where `faults` is given, an earlier answer had these: rest
each sentence on claims or leave it out, and split what is several.

{CLAIM_FIELDS}"""


class Sentence(BaseModel):
    """One sentence as the mind gives it."""

    claims: list[int]
    text: str


class Answer(BaseModel):
    """The mind's answer."""

    sentences: list[Sentence]
    missing: list[str] = []


def extract(
    embedder: Embedder,
    *,
    question: str,
    aspects: Sequence[str],
    claims: Sequence[ShownClaim],
    **_: object,
) -> Answer:
    """Quote the sentences that answer best, best first, each with its source: of several questions one each."""
    told = telling(embedder, question, aspects, claims)
    kept = [item for item in told.values() if item]
    if len(told) < 2:
        kept = _best(embedder, question, claims)
    sentences = [
        Sentence(text=quote_as_sentence(item.words, item), claims=[item.number])
        for item in {item.number: item for item in kept}.values()
    ]
    return Answer(
        sentences=sentences, missing=[aspect for aspect, item in told.items() if not item]
    )


def telling(
    embedder: Embedder, question: str, aspects: Sequence[str], claims: Sequence[ShownClaim]
) -> dict[str, ShownClaim | None]:
    """Return, for each question put, the claim that answers it best, None where none does.

    Where one question is put all claims were drawn for it, and the first answers.
    """
    if len(aspects) < 2:
        return {question: claims[0]} if claims else {}
    told: dict[str, ShownClaim | None] = {}
    for aspect in aspects:
        best = next(iter(rate_sentences(embedder, aspect, _sources(claims))), None)
        told[aspect] = claims[best.source] if best and best.tells else None
    if not any(told.values()) and claims:
        told[aspects[0]] = claims[0]
    return told


def _sources(claims: Sequence[ShownClaim]) -> list[AnswerSource]:
    return [
        AnswerSource(item.words, item.title, tuple(item.section.split(" > "))) for item in claims
    ]


def _best(embedder: Embedder, question: str, claims: Sequence[ShownClaim]) -> list[ShownClaim]:
    """Return the claims that answer about as well as the best, which come first."""
    order: dict[int, float] = {}
    fitting: set[int] = set()
    for item in rate_sentences(embedder, question, _sources(claims)):
        order.setdefault(item.source, item.value)
        fitting |= {item.source} if item.fits else set()
    best = max(order.values(), default=0.0)
    order = {0: best, **order}  # drawn first: the best sentence of the passage chosen first
    return [
        claims[place]
        for place, value in order.items()
        if value >= best - _BEHIND and (not place or not fitting or place in fitting)
    ][:_MOST]


TASK = Task(
    name="compose_answer",
    prompt=PROMPT,
    answer=Answer,
    tier="strong",
    extract=extract,
    max_output_tokens=1500,
)


async def compose_answer(state: AskState, runtime: NodeRuntime) -> AskUpdate:
    """Write the answer; where the mind cannot, the claims themselves are the answer."""
    services = open_services(runtime, state["run"])
    services.progress(STAGE, 0, 1)
    last = state["hops"][-1].missing if state["hops"] else ()
    named = {number for hop in state["hops"] for number in hop.named}
    judged = all(
        hop.sufficient is not None for hop in state["hops"]
    )  # not where an old run goes on
    if not state["held"] or (judged and not named):
        return {"draft": [], "missing": list(last or state["aspects"])}
    chosen = await asyncio.to_thread(
        select,
        services.clients.embedder,
        state["aspects"],
        state["held"],
        services.context.claims,
        named,
    )
    shown = (await load_answer_sources(services, state["request"], chosen)).shown_claims(chosen)
    numbers = {item.number for item in shown}

    def faults(answer: Answer) -> list[str]:
        long = [
            f"several sentences: {item.text}"
            for item in answer.sentences
            if is_several_sentences(item.text)
        ]
        baseless = (item for item in answer.sentences if numbers.isdisjoint(item.claims))
        return long + [f"rests on no claim: {item.text}" for item in baseless]

    asked = await ask_with_check(
        services.mind,
        TASK,
        {
            "language": language_name(state["request"].language),
            "question": state["standalone"],
            "aspects": state["aspects"],
            "claims": list(shown),
        },
        faults,
    )
    if asked.answer is None:
        remedy = "the answer lists the claims as extracted"
        return {
            "missing": list(last),
            "draft": [DraftSentence(text=item.text, claims=(item.number,)) for item in chosen],
            "failures": asked.failures(STAGE, state["standalone"][:80], remedy),
        }
    draft = [
        DraftSentence(text=" ".join(item.text.split()), claims=tuple(known))
        for item in asked.answer.sentences
        if (known := [key for key in dict.fromkeys(item.claims) if key in numbers])
        and item.text.strip()
    ]
    services.progress(STAGE, 1, 1, counted(len(draft), "sentence"))
    return {"draft": draft, "missing": in_words(asked.answer.missing)}


def select(
    embedder: Embedder,
    aspects: Sequence[str],
    claims: Sequence[Claim],
    most: int,
    named: Collection[int] = (),
) -> list[Claim]:
    """Return the claims to answer with, in their order: those named, then the best for each aspect, in turn.

    A claim that was named as what answers is never left out, even where there are more than `most`.

    CPU-bound: call it in a worker thread.
    """
    if len(claims) <= most:
        return list(claims)
    targets = list(aspects) or [""]
    vectors = embedder.embed([*targets, *(claim.text for claim in claims)])
    near = vectors[: len(targets)] @ vectors[len(targets) :].T
    rankings = [np.argsort(-row, kind="stable").tolist() for row in near]
    picked = [place for place, claim in enumerate(claims) if claim.number in named]
    while len(picked) < most:
        for ranking in rankings:
            following = next((place for place in ranking if place not in picked), None)
            if following is not None and len(picked) < most:
                picked.append(following)
    return [claims[place] for place in sorted(picked)]
