"""Vote: judge the drafts of a round and keep the best.

Reads `run`, `request`, `outline`, `position`, `drafts`, `candidates`. Writes `drafts` (the
survivors), `position`; the round goes to the shelf with its losers (ChatCite, section 3.2.2).
Votes are blind to order: each sees the drafts shuffled by a seed that the run fixes.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from nodes.write.lines import plain_text, without_markers
from state.reducers import replaced
from state.request import Request
from state.run import Failure
from state.writing import Draft, DraftRound, Plan, Vote
from tools.context import RunContext
from tools.desk import Desk, open_desk
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.llm.task import Task
from tools.text.compose import fluency

STAGE = "vote_drafts"

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


def extract(embedder: Embedder, *, text: str, versions: Sequence[Version]) -> Ballot:
    """Vote by comparison, variety and length, measured on the text."""
    from tools.text.sentences import split_sentences

    scores = {
        version.label: fluency(
            [without_markers(span.text) for span in split_sentences(version.text)]
        )
        for version in versions
    }
    best = max(versions, key=lambda version: scores[version.label]).label
    return Ballot(best=best, reason=f"fluency {scores[best]:.2f}, best of {len(versions)}")


TASK = Task(
    name="vote_drafts", prompt=PROMPT, answer=Ballot, tier="fast", extract=extract,
    max_output_tokens=300,
)  # fmt: skip


class Branch(TypedDict):
    """What this node reads."""

    run: str
    request: Request
    outline: Plan
    position: int
    candidates: list[Draft]


class Update(TypedDict):
    """What this node writes."""

    drafts: list[Draft]
    candidates: list[Draft]
    position: int
    failures: list[Failure]


async def vote_drafts(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Hold the votes and keep the `beam` drafts with most of them."""
    desk = open_desk(runtime, state["run"])
    position, lines = state["position"], state["outline"].lines
    drafts = _distinct(state["candidates"])
    votes: list[Vote] = []
    failures: list[Failure] = []
    if len(drafts) > 1:
        polls = [_vote(desk, state, drafts, number) for number in range(max(desk.context.votes, 1))]
        for result in await asyncio.gather(*polls):
            votes += [result] if isinstance(result, Vote) else []
            failures += [result] if isinstance(result, Failure) else []
    tally = Counter(vote.chosen for vote in votes)
    counted = [draft.model_copy(update={"votes": tally[draft.id]}) for draft in drafts]
    counted.sort(key=lambda draft: (-draft.votes, bool(draft.repairs), draft.id))
    survivors = counted[: max(desk.context.beam, 1)]
    await desk.shelf.put_round(
        DraftRound(
            round=position + 1, line=lines[position].number, drafts=tuple(counted), votes=tuple(votes),
            survivors=tuple(draft.id for draft in survivors),
        )
    )  # fmt: skip
    desk.progress("write", position + 1, len(lines))
    return {
        "drafts": survivors,
        "candidates": replaced([]),
        "position": position + 1,
        "failures": failures,
    }


def _distinct(drafts: Sequence[Draft]) -> list[Draft]:
    """Return one draft for each text, in the order of their ids."""
    first: dict[str, Draft] = {}
    for draft in sorted(drafts, key=lambda draft: draft.id):
        first.setdefault(plain_text(draft.sentences), draft)
    return list(first.values())


async def _vote(desk: Desk, state: Branch, drafts: Sequence[Draft], number: int) -> Vote | Failure:
    order = list(drafts)
    random.Random(f"{desk.context.seed}/{state['position']}/{number}").shuffle(order)
    labels = {chr(ord("A") + place): draft for place, draft in enumerate(order)}
    versions = [
        Version(label=label, text=plain_text(draft.sentences)) for label, draft in labels.items()
    ]
    try:
        ballot = await desk.mind.do(
            TASK, sample=number, text=state["request"].text, versions=versions
        )
    except (AnswerError, RefusedError) as error:
        return Failure(
            stage=STAGE, subject=f"vote {number + 1}", cause=str(error), remedy="not counted"
        )
    chosen = labels.get(ballot.best.strip().upper()[-1:])
    if chosen is None:
        return Failure(
            stage=STAGE, subject=f"line {state['position'] + 1}, vote {number + 1}",
            cause=f"it chose '{ballot.best}', which is none of the versions", remedy="not counted",
        )  # fmt: skip
    return Vote(chosen=chosen.id, order=tuple(draft.id for draft in order), reason=ballot.reason)
