"""Check one statement of the mind's own answer against passages (WikiChat only).

Reads `run`, `request`, `wanted` and, per branch, one statement. Writes `drawn` (WikiChat, step 7): the
statement becomes a claim only with words of a passage that bear it out; else it is lost.
"""

import asyncio
from collections.abc import Sequence

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from nodes.ask.hold_claims import PLACE
from nodes.ask.judge_sentence import Sources, borne_out
from nodes.ask.search_passages import passages_for
from nodes.ask.shown import ShownPassage, papers_of, show_passages
from state.asking import Claim, Drawn, LostClaim, Wanted
from state.passage import Passage
from state.quote import Quote
from state.request import Request
from state.run import Failure
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.evidence.quotes import find_quote
from tools.llm.task import Task
from tools.services import Services, open_services
from tools.text.sentences import split_sentences
from tools.text.words import coverage

STAGE = "check_statement"
_ENOUGH = 0.6
"""Share of a statement's content words that a sentence must have, for words alone to support it."""

PROMPT = """\
You check one statement against passages of research papers. Say whether a passage supports it, and if
one does, name its id and copy, letter by letter, the words that say it. Judge by the passages only:
what sounds right and is not said there is not supported. Use only ids that are given.
"""


class Check(BaseModel):
    """The mind's answer."""

    supported: bool
    passage: str = Field(default="", description="Id of the passage.")
    quote: str = Field(default="", description="Words of that passage, verbatim.")


def extract(embedder: Embedder, *, statement: str, passages: Sequence[ShownPassage]) -> Check:
    """Support it by the sentence that has most of its words."""
    best = max(
        ((coverage(statement, span.text), item.id, span.text)
         for item in passages for span in split_sentences(item.text)),
        default=(0.0, "", ""),
    )  # fmt: skip
    return Check(supported=best[0] >= _ENOUGH, passage=best[1], quote=best[2])


TASK = Task(
    name="check_statement", prompt=PROMPT, answer=Check, tier="strong", extract=extract,
    max_output_tokens=400,
)  # fmt: skip


class Branch(TypedDict):
    """What one branch of this node reads."""

    run: str
    request: Request
    wanted: Wanted
    statement: str
    place: int


class Update(TypedDict):
    """What this node writes."""

    drawn: list[Drawn]
    failures: list[Failure]


async def check_statement(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Look for passages that bear the statement out."""
    services = open_services(runtime, state["run"])
    failures: list[Failure] = []
    try:
        found = await _check(services, state)
    except (AnswerError, RefusedError) as error:
        found = LostClaim(text=state["statement"], cause="it could not be checked")
        failures = [
            Failure(
                stage=STAGE, subject=state["statement"][:80], cause=str(error),
                remedy="the statement was left out",
            )
        ]  # fmt: skip
    drawn = Drawn(
        hop=1, passage=found.passage, place=PLACE + state["place"],
        claims=(found,) if isinstance(found, Claim) else (),
        lost=(found,) if isinstance(found, LostClaim) else (),
    )  # fmt: skip
    return {"drawn": [drawn], "failures": failures}


async def _check(services: Services, state: Branch) -> Claim | LostClaim:
    statement = state["statement"]
    library = await services.library(state["request"].library)
    _, passages = await passages_for(services, library, statement, state["wanted"])
    passages = passages[: services.context.passages]
    papers = await papers_of(services, state["request"], passages)
    pairs = show_passages(passages, papers)
    keyed = {shown.id: passage for passage, shown in pairs}
    if not keyed:
        return LostClaim(text=statement, cause="no passage was found")
    answer = await services.mind.do(TASK, statement=statement, passages=[item for _, item in pairs])
    passage = keyed.get(answer.passage)
    if not answer.supported or passage is None:
        return LostClaim(text=statement, cause="no passage says it")
    claim = _claim(statement, answer.quote, passage)
    if claim is None:
        return LostClaim(
            text=statement, passage=passage.id, cause="its quote is not in the passage"
        )
    sources = Sources(services.clients.embedder, {passage.id: passage}, papers)
    verdict = await asyncio.to_thread(borne_out, statement, [claim], sources)
    if verdict != "supported":
        return LostClaim(text=statement, passage=passage.id, cause="its quote does not bear it out")
    await services.run_store.put_passages([passage])
    return claim


def _claim(statement: str, quote: str, passage: Passage) -> Claim | None:
    span = find_quote(quote, passage.text)
    if span is None:
        return None
    words = Quote(
        text=span.text, paper=passage.paper, part="passage", start=span.start, end=span.end,
        verified=True,
    )  # fmt: skip
    return Claim(
        number=1, text=statement, passage=passage.id, paper=passage.paper, quote=words,
        origin="direct",
    )  # fmt: skip
