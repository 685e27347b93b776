"""Judge sufficiency: reason whether the claims answer the question, and what to search for if not.

Reads `run`, `request`, `standalone`, `aspects`, `query`, `hop`, `hops`, `held`. Writes `hops` and, where
another hop is wanted, `query`, `why`, `hop` (arXivBot, section 4 and the appendix: reasoning in steps,
which also notices that what was found first is one-sided). The mind first shows the words that answer;
what it shows no words for that code has found is missing, whatever it then says.
"""

from collections.abc import Sequence

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from nodes.ask.answer_sources import CLAIM_FIELDS, ShownClaim, load_answer_sources
from nodes.ask.compose_answer import in_words, telling
from nodes.ask.plan_search import LONGEST
from nodes.common.ask_model import ask_with_check
from state.ask import AskState, AskUpdate
from tools.embed.embedder import Embedder
from tools.evidence.quotes import fold_text
from tools.llm.task import Task
from tools.run_settings import RunSettings
from tools.services import open_services

STAGE = "judge_sufficiency"

PROMPT = f"""\
Claims were drawn from research papers to answer `question`. You decide whether they answer all of it, or
whether to search once more. Do not answer the question. In this order:
1. `found`: for each thing that the answer must contain (start from `aspects`; add what the question
   plainly asks for besides) the words that tell it, copied letter by letter from one claim or its quote,
   half a sentence or more. Words on the subject that do not tell the thing asked for do not count: then
   leave `words` empty.
2. `reasoning`: what follows from that, in two or three sentences. If the claims are all from one paper,
   language, data set or side of a comparison though the question asks for more, the search was too close
   to that side: say so in `bias`, else leave it empty.
3. `missing`: what no words were found for, in short phrases.
4. `sufficient`: true if nothing is missing and nothing is one-sided.
5. `query`, if not sufficient: at most twelve English words to search for, of what is missing, as a paper
   would say it; none of the `queries` that were asked already.

{CLAIM_FIELDS}
Yes: asked "How large is Norla, and may it be sold?", with claim 1 "Norla has 40 hours of speech." and claim 2
"Norla is free for any use, sale included.": found [{{"aspect": "size of Norla", "words": "Norla has 40 hours of
speech"}}, {{"aspect": "whether it may be sold", "words": "free for any use, sale included"}}], missing [],
sufficient true, query "".
No: asked "Which is the largest speech corpus?", with claims "Norla is the largest corpus of Finnish speech." and
"Norla was read by 300 people.": found [{{"aspect": "largest speech corpus", "words": ""}}], reasoning "The claims
name the largest of one language; the question asks about all.", bias "all claims are on a Finnish corpus",
missing ["the largest corpus of all languages"], sufficient false, query "largest multilingual speech corpus
hours".

Where `faults` is given, these words of an earlier answer are not in any claim or quote.
"""


class AspectFound(BaseModel):
    """One thing that the answer must contain, and the words that tell it."""

    aspect: str
    words: str = Field(description="Copied from a claim or its quote; empty if none tell it.")


class SufficiencyAnswer(BaseModel):
    """The mind's answer."""

    found: list[AspectFound]
    reasoning: str
    bias: str = ""
    missing: list[str] = []
    sufficient: bool
    query: str = ""


def extract(
    embedder: Embedder,
    *,
    question: str,
    aspects: Sequence[str],
    claims: Sequence[ShownClaim],
    queries: Sequence[str],
) -> SufficiencyAnswer:
    """Be content with what there is: passages that do not answer were not chosen."""
    told = telling(embedder, question, aspects, claims)
    found = [AspectFound(aspect=aspect, words=item.words) for aspect, item in told.items() if item]
    missing = [aspect for aspect, item in told.items() if not item]
    if found:
        reasoning = "CiteLoom found sentences that answer."
        reasoning += " Another search would find no others." if missing else ""
        return SufficiencyAnswer(
            found=found, reasoning=reasoning, sufficient=not missing, missing=missing
        )
    nothing = "No passage answers the question, and another search would find the same."
    return SufficiencyAnswer(found=[], reasoning=nothing, sufficient=False, missing=list(aspects))


TASK = Task(
    name="judge_sufficiency",
    prompt=PROMPT,
    answer=SufficiencyAnswer,
    tier="strong",
    extract=extract,
    max_output_tokens=1000,
)


async def judge_sufficiency(state: AskState, runtime: Runtime[RunSettings]) -> AskUpdate:
    """Ask whether the claims suffice; a mind that cannot tell ends the search."""
    services = open_services(runtime, state["run"])
    *earlier, hop = state["hops"]
    sources = await load_answer_sources(services, state["request"], state["held"])
    shown = sources.shown_claims(state["held"])
    queries = [item.query for item in state["hops"]]
    said = fold_text("\n".join(f"{item.claim}\n{item.words}" for item in shown))

    def misquoted(answer: SufficiencyAnswer) -> list[str]:
        return [item.words for item in answer.found if fold_text(item.words) not in said]

    asked = await ask_with_check(
        services.mind,
        TASK,
        {
            "question": state["standalone"],
            "aspects": state["aspects"],
            "claims": shown,
            "queries": queries,
        },
        misquoted,
    )
    if (answer := asked.answer) is None:
        remedy = "CiteLoom cannot tell whether the claims suffice; the search ended here"
        return {"failures": asked.failures(STAGE, f"hop {hop.number}", remedy)}
    untold = [
        item.aspect
        for item in answer.found
        if not fold_text(item.words) or fold_text(item.words) not in said
    ]
    told = [fold_text(item.words) for item in answer.found if fold_text(item.words)]
    named = tuple(
        item.number
        for item in shown
        if any(words in fold_text(f"{item.claim}\n{item.words}") for words in told)
    )
    sufficient = answer.sufficient and bool(answer.found and state["held"]) and not untold
    missing = tuple(in_words(answer.missing or untold))
    judged = hop.model_copy(
        update={
            "reasoning": answer.reasoning.strip(),
            "sufficient": sufficient,
            "named": named,
            "missing": () if sufficient else missing,
            "bias": answer.bias.strip(),
        }
    )
    query = " ".join(answer.query.split())[:LONGEST]
    services.progress(STAGE, 1, 1, "enough" if sufficient else f"missing: {', '.join(missing)}")
    if sufficient or not query or query.casefold() in {item.casefold() for item in queries}:
        return {"hops": [*earlier, judged]}
    why = answer.bias.strip() or (f"missing: {'; '.join(missing)}" if missing else "more to find")
    return {
        "hops": [*earlier, judged],
        "query": query,
        "why": why,
        "hop": state["hop"] + 1,
    }
