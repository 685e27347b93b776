"""Flag: find sentences that claim something about the work of others and cite nobody.

Reads `run`, `final`. Writes `flagged`. A sentence that rests on the researcher's own words, checked,
is not looked at, nor is one that the check of citations has judged.
"""

from collections.abc import Collection, Sequence

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from state.audit import UncitedClaim
from state.run import Failure
from state.verifying import VerifyState
from state.writing import Sentence
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.errors import AnswerError, KeptError, RefusedError
from tools.evidence.uncited_claims import cue_of
from tools.llm.task import Task
from tools.services import Services, open_services

STAGE = "flag_uncited"

PROMPT = """\
You are shown sentences of a related-work section that cite nobody. Name those that state something
about the work of others as a fact that a reader would want a citation for: what studies found, what
methods do or fail to do, what is common or best in the field, what named authors did. Leave out
sentences about the section's own authors and their work, sentences that only lead over or announce
what follows, and definitions that everyone in the field knows. Give the sentence's number as it is
shown and, in a few words, what gives it away. If there is none, answer with an empty list.
"""


class Uncited(BaseModel):
    """A sentence as the mind sees it."""

    number: int
    text: str


class Flag(BaseModel):
    """One sentence that needs a citation."""

    number: int
    why: str = Field(default="", description="What gives it away, in a few words.")


class Flags(BaseModel):
    """The mind's answer."""

    flags: list[Flag] = []


def extract(embedder: Embedder, *, sentences: Sequence[Uncited]) -> Flags:
    """Flag by cues such as 'recent studies' or 'it has been shown'."""
    found = [(item.number, cue_of(item.text)) for item in sentences]
    return Flags(flags=[Flag(number=number, why=why) for number, why in found if why])


TASK = Task(
    name="flag_uncited", prompt=PROMPT, answer=Flags, tier="fast", extract=extract,
    max_output_tokens=1000,
)  # fmt: skip


async def flag_uncited(state: VerifyState, runtime: Runtime[RunContext]) -> VerifyState:
    """Flag the claims of the whole text in one question."""
    services = open_services(runtime, state["run"])
    flagged, failures = await flag_claims(services, state["final"].sentences)
    return {"flagged": flagged, "failures": failures}


async def flag_claims(
    services: Services, sentences: Sequence[Sentence], judged: Collection[int] = ()
) -> tuple[list[UncitedClaim], list[Failure]]:
    """Return the claims that cite nobody, and what went wrong.

    Args:
        services: Of the run.
        sentences: The text.
        judged: Numbers of sentences that have a verdict, and are not looked at.

    Raises:
        BudgetError: The run's budget is spent.
        TransientError: The endpoint was unreachable or busy after its retries.
        PermanentError: The endpoint rejects the key, the model's name or the request.
    """
    shown = _shown(sentences, judged)
    if not shown:
        return [], []
    try:
        answer = await services.mind.do(TASK, sentences=shown)
    except (AnswerError, RefusedError, KeptError) as error:
        failure = Failure(
            stage=STAGE, subject="uncited claims", cause=str(error),
            remedy="they were looked for by their wording only", lost=True,
        )  # fmt: skip
        return claims_by_cue(sentences, judged), [failure]
    # Authors named are there for all to see, whatever a model makes of it.
    named = [(item.number, cue_of(item.text)) for item in shown if " et al" in item.text]
    whys = {number: why for number, why in named if why}
    whys |= {flag.number: flag.why for flag in answer.flags}
    return [_claim(item, whys[item.number]) for item in shown if item.number in whys], []


def claims_by_cue(
    sentences: Sequence[Sentence], judged: Collection[int] = ()
) -> list[UncitedClaim]:
    """Return the claims that cite nobody, as their wording tells."""
    return [_claim(item, why) for item in _shown(sentences, judged) if (why := cue_of(item.text))]


def _shown(sentences: Sequence[Sentence], judged: Collection[int]) -> list[Uncited]:
    return [
        Uncited(number=number, text=sentence.text)
        for number, sentence in enumerate(sentences, start=1)
        if not sentence.keys
        and number not in judged
        and not (sentence.basis and sentence.basis.verified)
    ]


def _claim(item: Uncited, why: str) -> UncitedClaim:
    return UncitedClaim(
        sentence=item.number,
        text=item.text,
        why=" ".join(why.split()) or "it states what others did",
    )
