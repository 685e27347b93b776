"""Rewrite: make a follow-up question one that can be understood without the conversation.

Reads `run`, `request`, `history`, `wanted`. Writes `standalone`, and `wanted` where the question is put to
papers that the last answer cited.
"""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from nodes.common.ask_model import ask_with_check
from state.ask import AskState, AskUpdate, ConversationTurn
from tools.embed.embedder import Embedder
from tools.errors import InputError, counted
from tools.llm.task import Task
from tools.services import NodeRuntime, open_services
from tools.text.follow_up import absent, resolve_follow_up

STAGE = "rewrite_question"
_LONGEST = 600
"""Characters of a rewritten question: one that is longer answers instead of asking."""

PROMPT = """\
You are given a conversation about research papers and the question that comes next. Write the
question so that someone who has not read the conversation understands it: put in the names that
'it', 'they', 'that method' or an ellipsis stand for. Add nothing that was not asked, do not answer,
keep its language. A question that stands alone is returned as it is.

`conversation` has earlier questions with their answers, oldest first, the last with the `papers` that it cited, in
their order. Where the question is put to some of these alone ('it', 'the second'), give their ids in `papers`.
"""


class Standalone(BaseModel):
    """The mind's answer."""

    question: str = Field(min_length=1)
    papers: list[str] = Field(
        default=[],
        description="Ids of the papers of the conversation, if the question is put to these alone.",
    )


def extract(
    embedder: Embedder, *, conversation: Sequence[ConversationTurn], question: str
) -> Standalone:
    """Look up what 'the second', 'it' and a bare 'why?' refer to."""
    found = resolve_follow_up(question, conversation)
    return Standalone(question=found.question, papers=list(found.papers))


TASK = Task(
    name="rewrite_question",
    prompt=PROMPT,
    answer=Standalone,
    tier="fast",
    extract=extract,
    max_output_tokens=300,
)


async def rewrite_question(state: AskState, runtime: NodeRuntime) -> AskUpdate:
    """Rewrite the question; what cannot be rewritten is asked as it stands."""
    services = open_services(runtime, state["run"])
    given, history, wanted = state["request"].text, state["history"], state["wanted"]
    if not history:
        return {"standalone": given, "failures": []}
    if missing := absent(given, cited := history[-1].papers):
        raise InputError(
            f"the last answer cited {counted(len(cited), 'paper')}, so there is no {missing} paper"
        )
    asked = await ask_with_check(services.mind, TASK, {"conversation": history, "question": given})
    answer = asked.answer or Standalone(question=given)
    known = {paper.id for paper in cited}
    papers = tuple(key for key in dict.fromkeys(answer.papers) if key in known)
    if papers and not wanted.papers:
        wanted = wanted.model_copy(update={"papers": papers})
    question = " ".join(answer.question.split())
    return {
        "standalone": question if len(question) <= _LONGEST else given,
        "wanted": wanted,
        "failures": asked.failures(
            STAGE, given[:80], "CiteLoom asked the question as it is; repeat its subject"
        ),
    }
