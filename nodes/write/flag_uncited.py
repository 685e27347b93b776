"""Flag: find sentences that claim something about the work of others and cite nobody.

Reads `run`, `final`. Writes `flagged`. A sentence that rests on the researcher's own words, checked,
is not looked at, nor is one that the check of citations has judged.
"""

from collections.abc import Collection, Sequence

from pydantic import BaseModel, Field

from state.audit import UncitedClaim
from state.run import Failure
from state.verify import VerifyState
from state.writing import Sentence
from tools.embed.embedder import Embedder
from tools.errors import AnswerError, KeptError, RefusedError
from tools.llm.task import Task
from tools.services import NodeRuntime, Services, open_services

STAGE = "flag_uncited"
_UNASKED = "CiteLoom did not look for sentences that need a citation: only a model can tell"

PROMPT = """\
You are shown a related-work section. Its sentences are numbered; {P3} marks a citation of P3, and `asked` names
those that cite nobody. Name of these the ones that state something about the work of others as a fact that a
reader would want a citation for: what studies found, what methods do or fail to do, what is common or best
in the field, what named authors did. Look at the sentences around: one that sums up, leads over to or goes on
about works that are cited just before or behind it needs no citation of its own. Leave out sentences about the
section's own authors and their work, announcements, and what everyone in the field knows. Give the number
and, in a few words, what gives it away. If there is none, answer with an empty list.
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


def extract(embedder: Embedder, **_: object) -> Flags:
    """Flag nothing: what needs a citation is for a mind to say."""
    return Flags(flags=[])


TASK = Task(
    name="flag_uncited",
    prompt=PROMPT,
    answer=Flags,
    tier="fast",
    extract=extract,
    max_output_tokens=1000,
)


async def flag_uncited(state: VerifyState, runtime: NodeRuntime) -> VerifyState:
    """Flag the claims of the whole text in one question."""
    services = open_services(runtime, state["run"])
    sentences = state["final"].sentences
    flagged, failures = await flag_claims(services, sentences)
    told = [_UNASKED] if not services.mind.judges else []
    notes = [*state.get("notes", []), *(told if not all(item.keys for item in sentences) else [])]
    return {"flagged": flagged, "failures": failures, "notes": notes}


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
    texts = [Uncited(number=at, text=item.text) for at, item in enumerate(sentences, start=1)]
    asked = [item for item in texts if _is_bare(sentences[item.number - 1], item.number, judged)]
    named = claims_by_name(sentences, judged)
    if not asked:
        return [], []
    try:
        answer = await services.mind.do(
            TASK, sentences=texts, asked=[item.number for item in asked]
        )
    except (AnswerError, RefusedError, KeptError) as error:
        failure = Failure(
            stage=STAGE,
            subject="uncited claims",
            cause=str(error),
            remedy="CiteLoom looked only for authors named without a citation",
            lost=True,
        )
        return named, [failure]
    whys = {flag.number: flag.why for flag in answer.flags}
    told = [_claim(item, whys[item.number]) for item in asked if item.number in whys]
    # Authors named are there for all to see, whatever a model makes of it.
    told += [item for item in named if item.sentence not in whys]
    return sorted(told, key=lambda item: item.sentence), []


def claims_by_name(
    sentences: Sequence[Sentence], judged: Collection[int] = ()
) -> list[UncitedClaim]:
    """Return the sentences that name authors and cite nobody: what code can tell."""
    return [
        _claim(Uncited(number=number, text=item.text), "names authors without a citation")
        for number, item in enumerate(sentences, start=1)
        if " et al" in item.text and _is_bare(item, number, judged)
    ]


def _is_bare(sentence: Sentence, number: int, judged: Collection[int]) -> bool:
    """Whether a sentence cites nobody, and nobody has judged it."""
    basis = sentence.basis
    return not sentence.keys and number not in judged and not (basis and basis.verified)


def _claim(item: Uncited, why: str) -> UncitedClaim:
    return UncitedClaim(
        sentence=item.number,
        text=item.text,
        why=" ".join(why.split()) or "states others' work",
    )
