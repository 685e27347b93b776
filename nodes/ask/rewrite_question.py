"""Rewrite: make a follow-up question one that can be understood without the conversation.

Reads `run`, `request`, `history`. Writes `standalone`.
"""

from collections.abc import Sequence

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from state.asking import Turn
from state.request import Request
from state.run import Failure
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.llm.task import Task
from tools.services import open_services
from tools.text.asking.rewrite import rewrite

STAGE = "rewrite_question"
_LONGEST = 600
"""Characters of a rewritten question: one that is longer answers instead of asking."""

PROMPT = """\
You are given a conversation about research papers and the question that comes next. Write the
question so that someone who has not read the conversation understands it: put in the names that
'it', 'they', 'that method' or an ellipsis stand for. Add nothing that was not asked, do not answer,
keep its language. A question that stands alone is returned as it is.
"""


class Standalone(BaseModel):
    """The mind's answer."""

    question: str = Field(min_length=1)


def extract(embedder: Embedder, *, conversation: Sequence[Turn], question: str) -> Standalone:
    """Put the subject of earlier turns in the place of what refers to it."""
    return Standalone(question=rewrite(question, conversation))


TASK = Task(
    name="rewrite_question", prompt=PROMPT, answer=Standalone, tier="fast", extract=extract,
    max_output_tokens=300,
)  # fmt: skip


class Branch(TypedDict):
    """What this node reads."""

    run: str
    request: Request
    history: list[Turn]


class Update(TypedDict):
    """What this node writes."""

    standalone: str
    failures: list[Failure]


async def rewrite_question(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Rewrite the question; what cannot be rewritten is asked as it stands."""
    services = open_services(runtime, state["run"])
    asked = state["request"].text
    if not state["history"]:
        return {"standalone": asked, "failures": []}
    try:
        answer = await services.mind.do(TASK, conversation=state["history"], question=asked)
    except (AnswerError, RefusedError) as error:
        failure = Failure(
            stage=STAGE, subject=asked[:80], cause=str(error),
            remedy="the question was asked as it stands; repeat what it is about",
        )  # fmt: skip
        return {"standalone": asked, "failures": [failure]}
    question = " ".join(answer.question.split())
    return {"standalone": question if len(question) <= _LONGEST else asked, "failures": []}
