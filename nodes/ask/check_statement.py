"""Check one statement of the mind's own answer against passages (WikiChat only).

Reads `run`, `request`, `wanted` and, per branch, one statement. Writes `drawn` (WikiChat, step 7): the
statement becomes a claim only with words of a passage that bear it out; else it is lost.
"""

from collections.abc import Sequence

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from nodes.ask.hold_claims import PLACE
from nodes.ask.judge_sentence import Sources, judge_sentence
from nodes.ask.search_passages import passages_for
from nodes.ask.shown import ShownPassage, papers_of, show_passages
from state.asking import AskState, AskUpdate, Claim, Drawn, LostClaim
from state.passage import Passage
from state.quote import Quote
from state.run import Failure
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.evidence.quotes import find_quote
from tools.llm.task import Task
from tools.services import Services, open_services

STAGE = "check_statement"

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
    """Support nothing: whether other words say the same, words do not tell."""
    return Check(supported=False)


TASK = Task(
    name="check_statement", prompt=PROMPT, answer=Check, tier="strong", extract=extract,
    max_output_tokens=400,
)  # fmt: skip


class Branch(AskState):
    """What one branch of this node reads."""

    statement: str
    place: int


async def check_statement(state: Branch, runtime: Runtime[RunContext]) -> AskUpdate:
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
    sources = Sources({passage.id: passage}, papers)
    if judge_sentence(statement, [claim], sources, "supported") != "supported":
        return LostClaim(text=statement, passage=passage.id, cause="its quote does not bear it out")
    await services.run_store.passages.put([passage])
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
