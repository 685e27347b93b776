"""Check: hold each sentence of the answer against the quotes of its claims.

Reads `run`, `request`, `standalone`, `held`, `draft`. Writes `draft`, `verdicts`. A mind that can read says whether the
quotes bear a sentence out; code decides what it can: opposites, numbers from nowhere, words that have
nothing to do with the quotes (nodes.ask.judge_sentence). A sentence that fails gives way to its claims.
"""

import asyncio
from collections.abc import Sequence

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from nodes.ask.judge_sentence import Sources, borne_out
from nodes.ask.shown import papers_of
from state.asking import Claim, DraftSentence
from state.request import Request
from state.run import Failure
from state.writing import Support
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.evidence.contradiction import contradicts
from tools.llm.task import Task
from tools.services import Services, open_services
from tools.text.words import coverage

STAGE = "check_answer"
BAD = frozenset({"contradicted", "not_in_source"})
_ORDER: tuple[Support, ...] = (
    "supported",
    "not_checked",
    "partly",
    "not_in_source",
    "contradicted",
)
"""From the best verdict to the worst; of the mind's and the code's the worse one counts."""
_ENOUGH = 0.4
"""Share of a sentence's content words that its quotes must have, for words alone to support it."""

PROMPT = """\
You check an answer. For each of its sentences decide whether the quotes given with it, copied from
research papers, support what it says:
- supported: they say it;
- partly: they say some of it, or something weaker;
- contradicted: they say the opposite;
- not_in_source: they do not say it.

Judge by the quotes only, not by what you know or what sounds right. Give a verdict for every number.
"""


class Shown(BaseModel):
    """A sentence and what it rests on, as the mind sees it."""

    number: int
    sentence: str
    quotes: list[str]


class Verdict(BaseModel):
    """The mind's verdict on one sentence."""

    number: int
    verdict: str = Field(description="supported, partly, contradicted or not_in_source.")


class Verdicts(BaseModel):
    """The mind's answer."""

    verdicts: list[Verdict]


def extract(embedder: Embedder, *, sentences: Sequence[Shown]) -> Verdicts:
    """Compare the words of each sentence with its quotes."""
    return Verdicts(
        verdicts=[Verdict(number=item.number, verdict=_by_words(item)) for item in sentences]
    )


def _by_words(item: Shown) -> str:
    if any(contradicts(item.sentence, quote) for quote in item.quotes):
        return "contradicted"
    return "supported" if coverage(item.sentence, " ".join(item.quotes)) >= _ENOUGH else "partly"


TASK = Task(
    name="check_answer", prompt=PROMPT, answer=Verdicts, tier="strong", extract=extract,
    max_output_tokens=600,
)  # fmt: skip


class Branch(TypedDict):
    """What this node reads."""

    run: str
    request: Request
    standalone: str
    held: list[Claim]
    draft: list[DraftSentence]


class Update(TypedDict):
    """What this node writes."""

    draft: list[DraftSentence]
    verdicts: list[Support]
    failures: list[Failure]


async def check_answer(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Keep the sentences that their quotes bear out; in the place of others put their claims."""
    services = open_services(runtime, state["run"])
    services.progress(STAGE, 0, 1)
    claims = {claim.number: claim for claim in state["held"]}
    said, failures = await _asked(services, state["draft"], claims)
    sources = await _sources(services, state)
    draft: list[DraftSentence] = []
    verdicts: list[Support] = []
    for place, sentence in enumerate(state["draft"], start=1):
        held = [claims[number] for number in sentence.claims]
        verdict = await asyncio.to_thread(borne_out, sentence.text, held, sources)
        if place in said:
            verdict = max(verdict, said[place], key=_ORDER.index)
        if verdict not in BAD:
            draft.append(sentence)
            verdicts.append(verdict)
            continue
        failures.append(_refused(sentence, verdict))
        for claim in _unsaid(held, sentence, state["draft"], draft):
            draft.append(DraftSentence(text=_as_sentence(claim.text), claims=(claim.number,)))
            verdicts.append("supported")
    services.progress(STAGE, 1, 1, f"{len(draft)} sentences stand")
    return {"draft": draft, "verdicts": verdicts, "failures": failures}


async def _asked(
    services: Services, draft: Sequence[DraftSentence], claims: dict[int, Claim]
) -> tuple[dict[int, Support], list[Failure]]:
    """Return the mind's verdicts by the sentences' places, from 1."""
    shown = [
        Shown(
            number=place,
            sentence=item.text,
            quotes=[claims[number].quote.text for number in item.claims],
        )
        for place, item in enumerate(draft, start=1)
    ]
    if not shown:
        return {}, []
    try:
        answer = await services.mind.do(TASK, sentences=shown)
    except (AnswerError, RefusedError) as error:
        failure = Failure(
            stage=STAGE, subject="answer", cause=str(error),
            remedy="only code has checked the sentences against their quotes",
        )  # fmt: skip
        return {}, [failure]
    verdicts: dict[int, Support] = {}
    for item in answer.verdicts:
        word = "_".join(item.verdict.strip(" .").casefold().replace("-", " ").split())
        found = next((known for known in _ORDER if known == word), None)
        if found:
            verdicts[item.number] = found
    return verdicts, []


async def _sources(services: Services, state: Branch) -> Sources:
    passages = await services.run_store.passages([claim.passage for claim in state["held"]])
    papers = await papers_of(services, state["request"], state["held"])
    foreign = state["request"].language != "en"
    return Sources(services.clients.embedder, passages, papers, foreign)


def _unsaid(
    held: Sequence[Claim], sentence: DraftSentence, all_: Sequence[DraftSentence],
    kept: Sequence[DraftSentence],
) -> list[Claim]:  # fmt: skip
    """Return the claims of a refused sentence that no other sentence rests on."""
    others = {number for item in (*all_, *kept) if item is not sentence for number in item.claims}
    return [claim for claim in held if claim.number not in others]


def _as_sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _refused(sentence: DraftSentence, verdict: Support) -> Failure:
    word = "contradict it" if verdict == "contradicted" else "do not say it"
    return Failure(
        stage=STAGE, subject=sentence.text[:200], cause=f"the quotes of its claims {word}",
        remedy="the sentence was left out; its claims are told as they were drawn",
    )  # fmt: skip
