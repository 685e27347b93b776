"""What flows through `ask`: claims, hops, and the sentences of an answer.

arXivBot's terms: a passage is filtered and split into claims; a hop is a query with what it found;
the answer is made of claims and nothing else (section 4, figure 2).
"""

from typing import Annotated, Any, cast

from langchain_core.messages import AnyMessage, convert_to_messages
from langgraph.graph.message import REMOVE_ALL_MESSAGES, add_messages
from pydantic import Field

from state.channels import Result, Routed
from state.paper import Paper
from state.passage import Passage, PassageHit
from state.quote import Quote
from state.reducers import KeptFromLastRun, StartsAs, keep_last
from state.value import Day, FrozenModel
from state.writing import SupportVerdict


class Claim(FrozenModel):
    """One thing that one passage says and that bears on the question."""

    number: int = Field(ge=1, description="Its number in the answer's brackets.")
    text: str
    passage: str = Field(description="Id of the passage.")
    paper: str = Field(description="Canonical id of the passage's paper.")
    quote: Quote = Field(description="Verified words; the offsets are those in the passage's text.")
    evidence: str = Field(default="", description="The whole sentences in which the quote stands.")
    hop: int = Field(default=1, ge=1, description="The hop that brought it.")


class DroppedClaim(FrozenModel):
    """A claim that was not taken, and why."""

    text: str
    passage: str = ""
    cause: str


class Hop(FrozenModel):
    """One query, what it found, and what the mind made of it."""

    number: int = Field(ge=1)
    query: str
    why: str = Field(default="", description="Why this query was asked.")
    retrieved: tuple[PassageHit, ...] = ()
    read: tuple[str, ...] = Field(default=(), description="Ids of the passages read.")
    chosen: tuple[str, ...] = Field(
        default=(), description="Ids of those whose words were taken, best first."
    )
    claims: tuple[int, ...] = Field(
        default=(), description="Numbers of the claims that it brought."
    )
    lost: tuple[DroppedClaim, ...] = ()
    named: tuple[int, ...] = Field(
        default=(), description="Numbers of the claims that tell something asked for."
    )
    reasoning: str = Field(default="", description="Why that suffices or not.")
    sufficient: bool | None = Field(default=None, description="None where nobody judged it.")
    missing: tuple[str, ...] = Field(default=(), description="What is still wanting, in words.")
    bias: str = Field(default="", description="How what was found is one-sided, if it is.")


class AnswerSentence(FrozenModel):
    """One sentence of the answer and the claims it rests on."""

    number: int = Field(ge=1)
    text: str = Field(description="Without brackets.")
    claims: tuple[int, ...] = Field(default=(), description="Numbers of its claims; never empty.")
    verdict: SupportVerdict = Field(
        default="not_checked", description="Whether its claims bear it out."
    )


class Nearest(FrozenModel):
    """A sentence near to a question that nothing answers: where to read on, and no answer."""

    text: str = Field(description="Verbatim.")
    passage: str = Field(description="Id of the passage.")
    paper: str = Field(description="Canonical id of its paper.")
    title: str
    citation: str = Field(default="", description="Authors and year, as people write them.")
    place: str = Field(default="", description="Section and page, for people.")
    part: str = Field(default="passage", description="What it is a quote of: see Quote.part.")


class CitedPaper(FrozenModel):
    """A paper that an answer cited, for questions that refer to it."""

    id: str
    title: str
    citation: str = ""


class ConversationTurn(FrozenModel):
    """One earlier question and its answer."""

    question: str
    answer: str = ""
    papers: tuple[CitedPaper, ...] = Field(
        default=(), description="Of the last turn of a thread: what it cited, in order."
    )


class PassageConditions(FrozenModel):
    """Which papers a question is put to; what is empty is no condition."""

    papers: tuple[str, ...] = ()
    first_year: int | None = None
    last_year: int | None = None
    before: Day | None = None
    tags: tuple[str, ...] = ()


class DraftSentence(FrozenModel):
    """One sentence of an answer as the mind gave it."""

    text: str
    claims: tuple[int, ...] = ()


class CheckedSentence(DraftSentence):
    """One sentence, and whether its claims bear it out."""

    verdict: SupportVerdict


def sum_seconds(left: dict[str, float], right: dict[str, float]) -> dict[str, float]:
    """Sum seconds by step."""
    return {key: left.get(key, 0.0) + right.get(key, 0.0) for key in {**left, **right}}


def append_messages(left: Any, right: Any) -> list[AnyMessage]:
    """Append messages as LangGraph does; what is no message is left out, not raised.

    An error raised by a channel would reach a caller of the server as "internal error".
    """
    usable: list[Any] = []
    known = {item.id for item in left or ()} | {REMOVE_ALL_MESSAGES}
    for item in right if isinstance(right, list) else [right]:
        try:
            made = convert_to_messages([item])
        except (ValueError, TypeError, NotImplementedError):
            continue
        usable += [one for one in made if one.type != "remove" or one.id in known]
    return cast(list[AnyMessage], add_messages(left, usable))


class AskState(Routed, total=False):
    """What the nodes of `ask` share. `request.text` is the question as it was asked."""

    messages: Annotated[list[AnyMessage], KeptFromLastRun(), append_messages]
    wanted: Annotated[PassageConditions, keep_last(PassageConditions)]
    history: Annotated[list[ConversationTurn], keep_last(list[ConversationTurn])]
    """Earlier questions and answers of the conversation, oldest first."""
    standalone: str
    """The question so that it can be understood without the conversation."""
    aspects: list[str]
    """What a whole answer must cover."""
    query: str
    """What is searched for in this hop."""
    why: str
    hop: Annotated[int, StartsAs(lambda: 1)]
    hops: Annotated[list[Hop], keep_last(list[Hop])]
    held: Annotated[list[Claim], keep_last(list[Claim])]
    """The claims so far, each once."""
    draft: Annotated[list[DraftSentence], keep_last(list[DraftSentence])]
    verdicts: Annotated[list[CheckedSentence], keep_last(list[CheckedSentence])]
    """The sentences of `draft` as they were checked; one that is changed since has no verdict."""
    missing: list[str]
    times: Annotated[dict[str, float], sum_seconds]
    """Seconds by step; those of parallel branches are summed."""
    claims: list[Claim]
    """The claims of the last answer, and `cited` its papers."""
    cited: list[Paper]
    referents: list[CitedPaper]
    """The papers of the last answer that cited any, in order: what a follow-up may refer to."""


class AskOutput(Result, total=False):
    """What `ask` gives."""

    standalone: str
    answer: str
    """In prose, each sentence ending in the numbers of its claims: [1, 2]."""
    sentences: list[AnswerSentence]
    claims: list[Claim]
    """The claims of the answer, by number."""
    passages: list[Passage]
    """The passages of these claims."""
    cited: list[Paper]
    """Their papers."""
    hops: list[Hop]
    missing: list[str]
    """What the library did not tell, in words."""
    nearest: list[Nearest]
    """Where there is no answer: the sentences nearest to the question, the nearest first."""
    messages: Annotated[list[AnyMessage], KeptFromLastRun(), append_messages]
    seconds: dict[str, float]
    library: str
    method: str
    retriever: str


class AskUpdate(AskState, AskOutput, total=False):
    """What a node of `ask` may write."""
