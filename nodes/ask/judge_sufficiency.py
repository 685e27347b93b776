"""Judge sufficiency: reason whether the claims answer the question, and what to search for if not.

Reads `run`, `request`, `standalone`, `aspects`, `query`, `hop`, `hops`, `held`. Writes `hops` and, where
another hop is wanted, `query`, `why`, `hop` (arXivBot, section 4 and the appendix: reasoning in steps,
which also notices that what was found first is one-sided).
"""

from collections.abc import Sequence

from langgraph.runtime import Runtime
from pydantic import BaseModel

from nodes.ask.plan_search import ASPECTS
from nodes.ask.shown import ShownClaim, claims_as_shown
from nodes.ask_checked import ask_checked
from state.asking import AskState, AskUpdate
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.llm.task import Task
from tools.services import open_services

STAGE = "judge_sufficiency"
_LONGEST = 300
"""Characters of a query."""

PROMPT = """\
You decide whether the claims found so far answer the whole question, or whether to search once more.
Reason in steps, in `reasoning`:
1. What must an answer contain? Start from `aspects`.
2. Which claims give which part of it? Which part does no claim give?
3. Are the claims one-sided: all from one paper, language, data set or side of a comparison, though the
   question asks for more? Then the first query was too close to that side: say so in `bias`.
Then say whether they suffice, name in `missing` what is wanting, in short phrases, and, if they do not
suffice, write in `query` at most twelve English words to search for: what is missing, in the words of
a paper that would say it, and other than the queries already asked. Do not answer the question.

Example: asked for the largest speech corpus, with claims on corpora of Finnish only: bias "all claims
are on Finnish corpora", missing ["corpora of other languages"], query "largest speech corpus
multilingual all languages hours".
"""


class Judgement(BaseModel):
    """The mind's answer."""

    reasoning: str
    sufficient: bool
    missing: list[str] = []
    bias: str = ""
    query: str = ""


def extract(
    embedder: Embedder, *, question: str, aspects: Sequence[str], claims: Sequence[ShownClaim],
    queries: Sequence[str],
) -> Judgement:  # fmt: skip
    """Be content with what there is: passages that do not answer were not chosen."""
    if claims:
        return Judgement(reasoning="Sentences that answer were found.", sufficient=True)
    nothing = "No passage has a sentence that answers, and another search would find the same."
    return Judgement(reasoning=nothing, sufficient=False, missing=list(aspects))


TASK = Task(
    name="judge_sufficiency", prompt=PROMPT, answer=Judgement, tier="strong", extract=extract,
    max_output_tokens=800,
)  # fmt: skip


async def judge_sufficiency(state: AskState, runtime: Runtime[RunContext]) -> AskUpdate:
    """Ask whether the claims suffice; a mind that cannot tell ends the search."""
    services = open_services(runtime, state["run"])
    *earlier, hop = state["hops"]
    shown = await claims_as_shown(services, state["request"], state["held"])
    queries = [item.query for item in state["hops"]]
    asked = await ask_checked(
        services.mind, TASK,
        {
            "question": state["standalone"], "aspects": state["aspects"], "claims": shown,
            "queries": queries,
        },
    )  # fmt: skip
    if (answer := asked.answer) is None:
        remedy = "whether the claims suffice is not known; the search ended here"
        return {"failures": asked.failures(STAGE, f"hop {hop.number}", remedy)}
    sufficient = answer.sufficient and bool(state["held"])
    missing = tuple(" ".join(item.split()) for item in answer.missing if item.strip())[:ASPECTS]
    judged = hop.model_copy(
        update={
            "reasoning": answer.reasoning.strip(), "sufficient": sufficient,
            "missing": () if sufficient else missing, "bias": answer.bias.strip(),
        }
    )  # fmt: skip
    query = " ".join(answer.query.split())[:_LONGEST]
    services.progress(STAGE, 1, 1, "enough" if sufficient else f"missing: {', '.join(missing)}")
    if sufficient or not query or query.casefold() in {item.casefold() for item in queries}:
        return {"hops": [*earlier, judged]}
    why = answer.bias.strip() or (f"missing: {'; '.join(missing)}" if missing else "more to find")
    return {
        "hops": [*earlier, judged], "query": query, "why": why, "hop": state["hop"] + 1,
    }  # fmt: skip
