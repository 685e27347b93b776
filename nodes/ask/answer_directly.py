"""Answer directly: let the mind say what it believes, before it has read anything (WikiChat only).

Reads `run`, `request`, `standalone`. Writes `direct`, `statements`, `arrived` (WikiChat, steps 5 and 6 as the arXivBot
paper numbers them). Nothing of it enters the answer unchecked: see nodes.ask.check_statement. The
embedded engine believes nothing.
"""

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from nodes.ask.hold_claims import DIRECT
from state.asking import AskState, AskUpdate
from state.run import Failure
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.evidence.prompt_injection import without_injections
from tools.llm.task import Task
from tools.services import open_services

STAGE = "answer_directly"
STATEMENTS = 6
"""Most statements that are checked."""

ANSWER_PROMPT = """\
Answer the question about research papers from what you know, in at most six sentences of plain prose
in English, as concrete as you can: names of systems and data sets, numbers, years. Each of your
statements will be checked against papers. Where you know nothing, answer with an empty text.
"""

SPLIT_PROMPT = """\
Split the answer to a question into single statements, each of which can be checked by itself: one fact
a statement, in the order of the answer, with names in the place of 'it' and 'they'. Add nothing, drop
no hedge and no number. Leave out what states no fact, such as opinions and politeness.
"""


class Direct(BaseModel):
    """The mind's own answer."""

    text: str


class Split(BaseModel):
    """Its statements."""

    statements: list[str] = Field(default=[])


def know_nothing(embedder: Embedder, *, question: str) -> Direct:
    """Return no answer: the embedded engine knows nothing but what it reads."""
    return Direct(text="")


def split_nothing(embedder: Embedder, *, question: str, answer: str) -> Split:
    """Return no statement: the embedded engine has stated nothing."""
    return Split()


ANSWER = Task(
    name="answer_directly", prompt=ANSWER_PROMPT, answer=Direct, tier="strong", extract=know_nothing,
    max_output_tokens=600,
)  # fmt: skip
SPLIT = Task(
    name="split_answer", prompt=SPLIT_PROMPT, answer=Split, tier="fast", extract=split_nothing,
    max_output_tokens=800,
)  # fmt: skip


async def answer_directly(state: AskState, runtime: Runtime[RunContext]) -> AskUpdate:
    """Ask what the mind believes, and split it; without an answer only passages speak."""
    services = open_services(runtime, state["run"])
    question = state["standalone"]
    try:
        direct = (await services.mind.do(ANSWER, question=question)).text.strip()
        if not direct:
            return {"direct": "", "statements": [], "arrived": [DIRECT], "failures": []}
        split = await services.mind.do(SPLIT, question=question, answer=direct)
    except (AnswerError, RefusedError) as error:
        failure = Failure(
            stage=STAGE, subject=question[:80], cause=str(error),
            remedy="the answer rests on passages only",
        )  # fmt: skip
        return {"direct": "", "statements": [], "arrived": [DIRECT], "failures": [failure]}
    stated = [" ".join(item.split()) for item in split.statements if item.strip()]
    usable = [item for item in stated if not without_injections(item)[1]]
    return {
        "direct": direct,
        "statements": usable[:STATEMENTS],
        "arrived": [DIRECT],
        "failures": [],
    }
