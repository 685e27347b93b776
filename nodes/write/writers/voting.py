"""Votes on drafts (ChatCite, section 3.2.2): blind to order, seeded, recorded with their lineage."""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from operator import attrgetter
from typing import Any

from pydantic import BaseModel, Field

from nodes.write.cited_papers import PaperToCite, draft_text
from nodes.write.writers.writer import DraftingState
from state.run import Failure
from state.writing import Draft, Vote
from tools.embed.embedder import Embedder
from tools.errors import AnswerError, KeptError, RefusedError
from tools.llm.task import Task
from tools.services import Services

STAGE = "choose_draft"
_RECENT = 8
"""Sentences of each version that are shown where the window has no room for all."""
_TEMPERATURE = 0.7
"""Votes that cannot differ are one vote."""

PROMPT = """\
You judge versions of an unfinished related-work section, for its authors: `text` is their abstract,
idea or question. All versions begin with `so_far`, where it is given, and go on as told under their
label. `papers` are those that the versions tell of in different words, each with its own words: its
abstract, or `elements` copied from it.

First compare the versions on each of these, in one sentence each that names labels and points at words:
- coherence: does each sentence take up the one before, and does each paragraph make one point?
- comparison: are the papers set against each other and against the authors' work, on an axis that
  matters here, instead of told one by one?
- faithfulness: does every sentence stay within the papers' words, with their numbers and hedges? A
  stronger or wider claim is worse than a dull sentence.
- fluency: are sentences clear, of one thought, and differently built?
- repetition: is anything said twice, within a version or after `so_far`?

Then vote for one version. One that says of a paper what its words do not say loses to one that does
not; else comparison and coherence count most. The order in which versions stand means nothing, and
neither does length. For example: "A makes both pots 'stronger', which only {P2} measured; B says so of
{P2} alone" on faithfulness is reason enough to vote for B, though A reads better.
"""


class Version(BaseModel):
    """A draft as the mind sees it."""

    label: str
    text: str


class Ballot(BaseModel):
    """The mind's answer: what it sees in the versions, and then its vote."""

    coherence: str = ""
    comparison: str = ""
    faithfulness: str = ""
    fluency: str = ""
    repetition: str = ""
    best: str = Field(description="The label of one version, as given.")

    @property
    def reason(self) -> str:
        """What was said of each dimension."""
        said = self.model_dump(exclude={"best"})
        return " ".join(f"{name}: {text}" for name, text in said.items() if text)


def extract(embedder: Embedder, *, versions: Sequence[Version], **_: object) -> Ballot:
    """Take the first: the embedded engine's versions do not differ, so that it is never asked."""
    return Ballot(best=versions[0].label)


TASK = Task(
    name="choose_draft",
    prompt=PROMPT,
    answer=Ballot,
    tier="fast",
    extract=extract,
    max_output_tokens=600,
)


async def hold_votes(
    services: Services,
    stage: DraftingState,
    candidates: Sequence[Draft],
    papers: Sequence[PaperToCite],
) -> tuple[list[Draft], list[Vote], list[Failure]]:
    """Return the distinct drafts with their votes, best first, the votes, and those not counted.

    No more votes are asked for once a draft has more than half of `votes`, unless all are to be cast: first as
    many as decide if they agree, at once, and then the others. Each vote sees the versions in another order.

    Args:
        services: Of the run.
        stage: How far the section has come.
        candidates: The drafts of this round.
        papers: What they tell of in different words.
    """
    texts = {draft_text(draft.sentences): draft for draft in sorted(candidates, key=_id)[::-1]}
    drafts = sorted(texts.values(), key=_id)
    failures: list[Failure] = []
    votes: list[Vote] = []
    tally: Counter[str] = Counter()
    most = max(services.context.votes, 1) if len(drafts) > 1 else 0
    decisive = most if services.context.every_vote else most // 2 + 1
    for numbers in (range(min(decisive, most)), range(decisive, most)):
        if max(tally.values(), default=0) < decisive:
            polls = (_vote(services, stage, drafts, papers, number, failures) for number in numbers)
            votes += [vote for vote in await asyncio.gather(*polls) if vote]
            tally = Counter(vote.chosen for vote in votes)
    counted = [draft.model_copy(update={"votes": tally[draft.id]}) for draft in drafts]
    counted.sort(key=lambda draft: (-draft.votes, len(draft.repairs), draft.id))
    return counted, votes, failures


_id = attrgetter("id")


async def _vote(
    services: Services,
    stage: DraftingState,
    drafts: Sequence[Draft],
    papers: Sequence[PaperToCite],
    number: int,
    failures: list[Failure],
) -> Vote | None:
    order = list(drafts)
    random.Random(f"{services.context.seed}/{stage.position}").shuffle(order)
    turn = number % len(order)
    order = [*order[turn:], *order[:turn]]
    labels = {chr(ord("A") + at): draft for at, draft in enumerate(order)}
    try:
        ballot = await services.mind.do(
            TASK,
            sample=number,
            temperature=_TEMPERATURE,
            **_shown(services, stage, labels, papers),
        )
        if chosen := labels.get(ballot.best.strip().upper()[-1:]):
            ids = tuple(draft.id for draft in order)
            return Vote(chosen=chosen.id, order=ids, reason=ballot.reason)
        cause = f"it chose '{ballot.best[:60]}', which is none of the versions"
    except (AnswerError, RefusedError, KeptError) as error:
        cause = str(error)
    subject = f"line {stage.position + 1}, vote {number + 1}"
    told = Failure(stage=STAGE, subject=subject, cause=cause, remedy="not counted", lost=True)
    failures.append(told)
    return None


def _shown(
    services: Services,
    stage: DraftingState,
    labels: dict[str, Draft],
    papers: Sequence[PaperToCite],
) -> dict[str, Any]:
    """Show what the drafts share once, and then each; where there is no room, the last sentences only."""
    texts = [[item.text for item in draft.sentences] for draft in labels.values()]
    same = takewhile(lambda told: len(set(told)) == 1, zip(*texts, strict=False))
    shared = [told[0] for told in same]
    inputs: dict[str, Any] = {"text": stage.request.text, "papers": papers}
    if shared:
        inputs["so_far"] = " ".join(shared)
    inputs["versions"] = [
        Version(label=label, text=" ".join(text[len(shared) :]))
        for label, text in zip(labels, texts, strict=True)
    ]
    if services.mind.spare(TASK, **inputs) >= 0:
        return inputs
    versions = [
        Version(label=label, text=f"[...] {draft_text(draft.sentences[-_RECENT:])}")
        for label, draft in labels.items()
    ]
    return {"text": stage.request.text, "papers": [], "versions": versions}
