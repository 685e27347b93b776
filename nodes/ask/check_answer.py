"""Check: hold each sentence of the answer against the quotes of its claims, in their passages.

Reads `run`, `request`, `standalone`, `held`, `draft`. Writes `draft`, `verdicts`. A sentence that is
its passage's own is supported; of any other a mind that can read says whether the quotes support
it, and code may refuse it (nodes.ask.judge_sentence). A sentence that fails gives way to the quotes of
its claims.
"""

from collections.abc import Mapping, Sequence

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from nodes.ask.judge_sentence import judge_sentence
from nodes.ask.shown import (
    PASSAGE_FIELDS,
    Rests,
    ShownPassage,
    Sources,
    fitting,
    resting,
    sources_of,
)
from nodes.ask_checked import ask_checked
from state.asking import AskState, AskUpdate, CheckedSentence, Claim, DraftSentence
from state.run import Failure
from state.writing import Support
from tools.context import RunContext
from tools.counting import counted
from tools.embed.port import Embedder
from tools.evidence.support import BAD
from tools.llm.task import Task
from tools.services import Services, open_services
from tools.text.source_lines import without_numbers

STAGE = "check_answer"
PROMPT = f"""\
You check an answer to `question`. Each of its sentences is given with the `quotes` that it rests on: words
copied from a passage, named by its id. Read the quotes where they stand, in `passages`, and decide for
each sentence whether they say it.

Look first at who and what: 'it' in a passage is what the sentences before it speak of, 'it' in the answer
what the question or the sentence before asks about. A sentence that says of one thing what the passage
says of another is not supported, however many words agree. Then look at numbers, direction, conditions
and hedges. Judge by the passages only, not by what you know or what sounds right.

Give for every number first `reason`: whom and what the quotes speak of, and whether the sentence says the
same, in one or two sentences. Then `verdict`:
- supported: the quotes, read in their passage, say it;
- partly: they say some of it, or something weaker;
- contradicted: they say the opposite;
- not_in_source: they do not say it, or say it of something else.

{PASSAGE_FIELDS}
Example: the sentence "Linnet tolerates frost down to 9 degrees below zero." with the quote "It survives 9 degrees
of frost", and the passage "Linnet and Hoby were sown in May. Hoby is hardier than Linnet: it survives 9 degrees
of frost.": reason "'It' is Hoby; of Linnet only that it is less hardy.", verdict "contradicted".
"""


class Shown(BaseModel):
    """A sentence and what it rests on, as the mind sees it."""

    number: int
    sentence: str
    quotes: list[Rests]


class Verdict(BaseModel):
    """The mind's verdict on one sentence."""

    number: int
    reason: str
    verdict: str = Field(description="supported, partly, contradicted or not_in_source.")


class Verdicts(BaseModel):
    """The mind's answer."""

    verdicts: list[Verdict]


def extract(
    embedder: Embedder, *, question: str, sentences: Sequence[Shown],
    passages: Sequence[ShownPassage],
) -> Verdicts:  # fmt: skip
    """Give no verdict: what is more than a quote with its source is for an LLM to judge."""
    return Verdicts(verdicts=[])


TASK = Task(
    name="check_answer", prompt=PROMPT, answer=Verdicts, tier="strong", extract=extract,
    max_output_tokens=1500,
)  # fmt: skip


async def check_answer(state: AskState, runtime: Runtime[RunContext]) -> AskUpdate:
    """Keep the sentences that their quotes support; in the place of others put the quotes."""
    services = open_services(runtime, state["run"])
    services.progress(STAGE, 0, 1)
    claims = {claim.number: claim for claim in state["held"]}
    sources = await sources_of(services, state["request"], state["held"])
    drafted = resting(state["draft"], claims)
    said, failures = await _asked(services, state["standalone"], drafted, claims, sources)
    checked: list[CheckedSentence] = []
    for place, sentence in enumerate(drafted, start=1):
        held = [claims[number] for number in sentence.claims]
        verdict = judge_sentence(sentence.text, held, sources, said.get(place))
        if verdict not in BAD:
            checked.append(_checked(sentence.text, sentence.claims, verdict))
            continue
        failures.append(_refused(sentence, verdict))
        for claim in _unsaid(held, sentence, drafted, checked):
            checked.append(_checked(_quote(claim), (claim.number,), "supported"))
    services.progress(STAGE, 1, 1, counted(len(checked), "sentence stands", "sentences stand"))
    draft = [DraftSentence(text=item.text, claims=item.claims) for item in checked]
    return {"draft": draft, "verdicts": checked, "failures": failures}


def _checked(text: str, claims: tuple[int, ...], verdict: Support) -> CheckedSentence:
    return CheckedSentence(text=text, claims=claims, verdict=verdict)


async def _asked(
    services: Services, question: str, draft: Sequence[DraftSentence],
    claims: Mapping[int, Claim], sources: Sources,
) -> tuple[dict[int, str], list[Failure]]:  # fmt: skip
    """Return the mind's verdicts by the sentences' places, from 1."""
    if not draft or services.context.method == "kar":
        return {}, []
    used = dict.fromkeys(claims[number].passage for item in draft for number in item.claims)
    shown = sources.shown(used)
    ids = {passage.id: item.id for passage, item in shown}
    quotes = {
        number: Rests(passage=ids[claim.passage], words=claim.quote.text)
        for number, claim in claims.items()
        if claim.passage in ids
    }
    inputs = {
        "question": question,
        "sentences": [
            Shown(number=place, sentence=item.text, quotes=[quotes[key] for key in item.claims])
            for place, item in enumerate(draft, start=1)
        ],
    }
    passages = fitting(services.mind, TASK, (item for _, item in shown), **inputs)
    asked = await ask_checked(services.mind, TASK, {**inputs, "passages": passages})
    said = {item.number: item.verdict for item in asked.answer.verdicts} if asked.answer else {}
    remedy = "sentences that are no quotes stand as not checked"
    return said, asked.failures(STAGE, "answer", remedy)


def _unsaid(
    held: Sequence[Claim], sentence: DraftSentence, all_: Sequence[DraftSentence],
    kept: Sequence[DraftSentence],
) -> list[Claim]:  # fmt: skip
    """Return the claims of a refused sentence that no other sentence rests on."""
    others = {number for item in (*all_, *kept) if item is not sentence for number in item.claims}
    return [claim for claim in held if claim.number not in others]


def _quote(claim: Claim) -> str:
    return without_numbers(claim.evidence or claim.quote.text)


def _refused(sentence: DraftSentence, verdict: Support) -> Failure:
    word = "contradict it" if verdict == "contradicted" else "do not say it"
    return Failure(
        stage=STAGE, subject=sentence.text[:200], cause=f"the quotes of its claims {word}",
        remedy="the sentence was left out; the quotes of its claims stand in its place",
    )  # fmt: skip
