"""Compose: write the answer out of the claims, and nothing else.

Reads `run`, `request`, `standalone`, `aspects`, `hops`, `held`, `direct`. Writes `held`, `draft`,
`missing`. At most `claims` of the claims are given (six by default, as in arXivBot's figure 2): the best for each
thing that the answer must cover, in turn. A sentence without claims is asked for once more, then lost.
"""

import asyncio
from collections.abc import Sequence
from functools import partial

import numpy as np
from langgraph.runtime import Runtime
from pydantic import BaseModel
from typing_extensions import TypedDict

from nodes.ask.plan_search import ASPECTS
from nodes.ask.shown import ShownClaim, as_held, papers_of, show_claims
from nodes.ask.single import single_sentences
from state.asking import Claim, DraftSentence, Hop
from state.request import Request
from state.run import Failure
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.llm.task import Task
from tools.services import Services, open_services
from tools.text.asking.answer import answer as answered
from tools.text.asking.answer import uncovered
from tools.text.language import language_name

STAGE = "compose_answer"
_FEWEST = 3
"""Letters of a phrase."""

PROMPT = """\
You answer a question in a few sentences of plain prose, in the language given, from numbered claims
that were taken from research papers. The claims are all you know: what they do not say, you do not
say. For each sentence give the numbers of the claims it rests on, every sentence at least one. Answer
the question itself first; merge claims that say the same; name a paper by its authors where the
reader needs to know whose finding it is; keep numbers and hedges as they are; write no brackets,
numbers of claims or lists into the text. A claim that does not bear on the question is left out.

Name in `missing`, in short phrases, what the question asks for and no claim tells. If the claims do
not answer the question at all, give no sentence. Where sentences_that_failed is given, these of an
earlier answer named no claim: rest them on claims or leave them out.
"""


class Sentence(BaseModel):
    """One sentence as the mind gives it."""

    text: str
    claims: list[int]


class Answer(BaseModel):
    """The mind's answer."""

    sentences: list[Sentence]
    missing: list[str] = []


def extract(
    embedder: Embedder, *, question: str, aspects: Sequence[str], claims: Sequence[ShownClaim],
    **_: object,
) -> Answer:  # fmt: skip
    """Put the claims in order, merge what repeats, and say whose they are."""
    held = as_held(claims)
    sentences = answered(embedder, question, aspects, held)
    return Answer(
        sentences=[Sentence(text=item.text, claims=list(item.claims)) for item in sentences],
        missing=list(uncovered(embedder, question, aspects, held)),
    )


TASK = Task(
    name="compose_answer", prompt=PROMPT, answer=Answer, tier="strong", extract=extract,
    max_output_tokens=1500,
)  # fmt: skip


class Branch(TypedDict):
    """What this node reads."""

    run: str
    request: Request
    standalone: str
    aspects: list[str]
    hops: list[Hop]
    held: list[Claim]


class Update(TypedDict):
    """What this node writes."""

    held: list[Claim]
    draft: list[DraftSentence]
    missing: list[str]
    failures: list[Failure]


async def compose_answer(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Write the answer; where the mind cannot, the claims themselves are the answer."""
    services = open_services(runtime, state["run"])
    services.progress(STAGE, 0, 1)
    last = state["hops"][-1].missing if state["hops"] else ()
    if not state["held"]:
        missing = list(last or state["aspects"])
        return {"held": [], "draft": [], "missing": missing, "failures": []}
    chosen = await asyncio.to_thread(
        select, services.clients.embedder, state["aspects"], state["held"], services.context.claims
    )
    papers = await papers_of(services, state["request"], chosen)
    shown = show_claims(chosen, papers)
    try:
        draft, missing = await _ask(services, state, shown)
        draft = single_sentences(draft, {claim.number: claim for claim in chosen})
    except (AnswerError, RefusedError) as error:
        failure = Failure(
            stage=STAGE, subject=state["standalone"][:80], cause=str(error),
            remedy="the claims stand in the place of the answer, as they were drawn",
        )  # fmt: skip
        draft = [DraftSentence(text=item.text, claims=(item.number,)) for item in chosen]
        return {"held": chosen, "draft": draft, "missing": list(last), "failures": [failure]}
    services.progress(STAGE, 1, 1, f"{len(draft)} sentences")
    return {"held": chosen, "draft": draft, "missing": missing, "failures": []}


async def _ask(
    services: Services, state: Branch, shown: Sequence[ShownClaim]
) -> tuple[list[DraftSentence], list[str]]:
    numbers = {item.number for item in shown}
    ask = partial(
        services.mind.do, TASK, language=language_name(state["request"].language),
        question=state["standalone"], aspects=state["aspects"], claims=list(shown),
    )  # fmt: skip
    answer = await ask()
    if failed := [item.text for item in answer.sentences if not resting(item, numbers)]:
        answer = await ask(sentences_that_failed=failed)
    draft = [
        DraftSentence(text=" ".join(item.text.split()), claims=resting(item, numbers))
        for item in answer.sentences
        if item.text.strip() and resting(item, numbers)
    ]
    return draft, in_words(answer.missing)


def in_words(missing: Sequence[str]) -> list[str]:
    """Return what is missing as phrases; small models send numbers of claims, or nothing."""
    phrases = [" ".join(item.split()) for item in missing]
    return [item for item in phrases if sum(map(str.isalpha, item)) >= _FEWEST][:ASPECTS]


def resting(sentence: Sentence, numbers: set[int]) -> tuple[int, ...]:
    """Return the claims that a sentence rests on, of those that there are."""
    return tuple(dict.fromkeys(number for number in sentence.claims if number in numbers))


def select(
    embedder: Embedder, aspects: Sequence[str], claims: Sequence[Claim], most: int
) -> list[Claim]:
    """Return the claims to answer with, in their order: the best for each aspect, in turn.

    CPU-bound: call it in a worker thread.
    """
    if len(claims) <= most:
        return list(claims)
    targets = list(aspects) or [""]
    vectors = embedder.embed([*targets, *(claim.text for claim in claims)])
    near = vectors[: len(targets)] @ vectors[len(targets) :].T
    rankings = [np.argsort(-row, kind="stable").tolist() for row in near]
    picked: list[int] = []
    while len(picked) < most:
        for ranking in rankings:
            following = next((place for place in ranking if place not in picked), None)
            if following is not None and len(picked) < most:
                picked.append(following)
    return [claims[place] for place in sorted(picked)]
