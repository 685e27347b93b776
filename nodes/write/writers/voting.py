"""Votes on drafts (ChatCite, section 3.2.2): blind to order, seeded, recorded with their lineage."""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from operator import attrgetter

from pydantic import BaseModel, Field

from nodes.write.lines import plain_text
from nodes.write.writers.port import Stage
from state.run import Failure
from state.writing import Draft, Vote
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.llm.task import Task
from tools.services import Services

STAGE = "keep_drafts"
_RECENT = 8
"""Sentences of each version that are shown where the window has no room for all."""

PROMPT = """\
You judge versions of an unfinished related-work section for the work described in the input. They
differ in their last sentences. Vote for the one that best compares the papers with each other and
with the work, holds together as prose, keeps to what the papers say, and repeats nothing. The order
in which the versions stand means nothing. Answer with the label of one version and a short reason.
"""


class Version(BaseModel):
    """A draft as the mind sees it."""

    label: str
    text: str


class Ballot(BaseModel):
    """The mind's answer."""

    best: str = Field(description="The label of one version, as given.")
    reason: str = ""


def extract(embedder: Embedder, *, versions: Sequence[Version], **_: object) -> Ballot:
    """Take the first: the embedded engine's versions do not differ, so that it is never asked."""
    return Ballot(best=versions[0].label, reason="the first")


TASK = Task(
    name="vote_drafts", prompt=PROMPT, answer=Ballot, tier="fast", extract=extract,
    max_output_tokens=300,
)  # fmt: skip


async def hold_votes(
    services: Services, stage: Stage, candidates: Sequence[Draft]
) -> tuple[list[Draft], list[Vote], list[Failure]]:
    """Return the distinct drafts with their votes, best first, the votes, and those not counted."""
    texts = {plain_text(draft.sentences): draft for draft in sorted(candidates, key=_id)[::-1]}
    drafts = sorted(texts.values(), key=_id)
    failures: list[Failure] = []
    numbers = range(max(services.context.votes, 1)) if len(drafts) > 1 else ()
    polls = (_vote(services, stage, drafts, number, failures) for number in numbers)
    votes = [vote for vote in await asyncio.gather(*polls) if vote]
    tally = Counter(vote.chosen for vote in votes)
    counted = [draft.model_copy(update={"votes": tally[draft.id]}) for draft in drafts]
    counted.sort(key=lambda draft: (-draft.votes, len(draft.repairs), draft.id))
    return counted, votes, failures


_id = attrgetter("id")


async def _vote(
    services: Services,
    stage: Stage,
    drafts: Sequence[Draft],
    number: int,
    failures: list[Failure],
) -> Vote | None:
    order = list(drafts)
    place = f"{stage.position}/{number}"
    random.Random(f"{services.context.seed}/{place}").shuffle(order)
    labels = {chr(ord("A") + at): draft for at, draft in enumerate(order)}
    try:
        ballot = await services.mind.do(
            TASK, sample=number, text=stage.request.text,
            versions=_versions(services, stage, labels),
        )  # fmt: skip
        if chosen := labels.get(ballot.best.strip().upper()[-1:]):
            ids = tuple(draft.id for draft in order)
            return Vote(chosen=chosen.id, order=ids, reason=ballot.reason)
        cause = f"it chose '{ballot.best[:60]}', which is none of the versions"
    except (AnswerError, RefusedError) as error:
        cause = str(error)
    subject = f"line {stage.position + 1}, vote {number + 1}"
    failures.append(Failure(stage=STAGE, subject=subject, cause=cause, remedy="not counted"))
    return None


def _versions(services: Services, stage: Stage, labels: dict[str, Draft]) -> list[Version]:
    """Show the drafts whole, or the last sentences of each, in which they differ most."""
    whole = [
        Version(label=label, text=plain_text(draft.sentences)) for label, draft in labels.items()
    ]
    if services.mind.spare(TASK, text=stage.request.text, versions=whole) >= 0:
        return whole
    return [
        Version(label=label, text=f"[...] {plain_text(draft.sentences[-_RECENT:])}")
        for label, draft in labels.items()
    ]
