"""Refine: make the draft of an answer relevant, natural and free of repetition (WikiChat only).

Reads `run`, `request`, `standalone`, `held`, `draft`. Writes `draft` (WikiChat, step 9). Each sentence
keeps the claims it rests on; one that would lose them is not taken.
"""

from collections.abc import Sequence

from langgraph.runtime import Runtime
from pydantic import BaseModel

from nodes.ask.compose_answer import Sentence, drafts
from nodes.ask.single import single_sentences
from state.asking import AskState, AskUpdate
from state.run import Failure
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.llm.task import Task
from tools.services import open_services
from tools.text.language import language_name

STAGE = "refine_answer"

PROMPT = """\
You refine the draft of an answer, in the language given: drop sentences that do not bear on the
question or repeat another, order the rest so that it reads naturally, and mend what is no longer true
by its own dates ('will appear in 2019'). Change no fact and add none. Each sentence keeps the numbers
of the claims it rests on.
"""


class Refined(BaseModel):
    """The mind's answer."""

    sentences: list[Sentence]


def extract(embedder: Embedder, *, sentences: Sequence[Sentence], **_: object) -> Refined:
    """Leave the sentences as they are: they are the papers' own."""
    return Refined(sentences=list(sentences))


TASK = Task(
    name="refine_answer", prompt=PROMPT, answer=Refined, tier="strong", extract=extract,
    max_output_tokens=1500,
)  # fmt: skip


async def refine_answer(state: AskState, runtime: Runtime[RunContext]) -> AskUpdate:
    """Refine the draft; where that fails, it stays as it was."""
    services = open_services(runtime, state["run"])
    before = state["draft"]
    if not before:
        return {"draft": [], "failures": []}
    try:
        answer = await services.mind.do(
            TASK, language=language_name(state["request"].language), question=state["standalone"],
            sentences=[Sentence(text=item.text, claims=list(item.claims)) for item in before],
        )  # fmt: skip
    except (AnswerError, RefusedError) as error:
        failure = Failure(
            stage=STAGE, subject="answer", cause=str(error), remedy="the draft was not refined"
        )
        return {"draft": before, "failures": [failure]}
    claims = {claim.number: claim for claim in state["held"]}
    kept = {item.text for item in before}
    refined = single_sentences(drafts(answer.sentences, set(claims)), claims, kept)
    return {"draft": refined or before, "failures": []}
