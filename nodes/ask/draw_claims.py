"""Draw claims: split one passage into single statements that bear on the question.

Reads `run`, `request`, `standalone`, `aspects` and, per branch, one passage. Writes `drawn`. Each claim
carries words of the passage that code has found there (tools.evidence.quotes); a quote that fails is
asked for once more, then its claim is lost. A claim that its quote does not bear out becomes the quote.
"""

from collections.abc import Sequence

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from nodes.ask.judge_sentence import Sources, judge_sentence
from nodes.ask.shown import RECORD, ShownPassage, papers_of, show_passages
from nodes.ask.single import single_claims
from nodes.ask_checked import Asked, ask_checked
from state.asking import AskState, AskUpdate, Claim, Drawn, LostClaim
from state.passage import Passage
from state.quote import Quote
from state.run import Failure
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.evidence.prompt_injection import reported, without_injections
from tools.evidence.quotes import find_quote
from tools.llm.task import Task
from tools.services import Services, open_services
from tools.text.answer_sentences import Source, rate_sentences

STAGE = "draw_claims"
PER_PASSAGE = 4
"""Most claims taken from one passage."""
_BEHIND = 0.3
"""How much less than the passage's best sentence another may answer."""
NO_QUOTE = "its quote is not in the passage"

PROMPT = """\
You read one passage of a research paper for someone who asks the question. Take out what the passage
says that helps to answer it, split into single statements, the most helpful first, at most as many as
`most`. Each statement
- says one thing, and can be understood without the passage: names instead of 'it' or 'the method';
- is said by the passage, not guessed or known from elsewhere, with its numbers and its hedges;
- comes with the words of the passage that say it, copied letter by letter.

Leave out what does not bear on the question. If nothing does, return no statement. Where
quotes_that_failed is given, these words of an earlier answer are not in the passage: copy anew.
"""


class DraftClaim(BaseModel):
    """One statement as the mind gives it."""

    claim: str
    quote: str = Field(description="Words of the passage, verbatim.")


class Statements(BaseModel):
    """The mind's answer."""

    claims: list[DraftClaim]


def extract(
    embedder: Embedder, *, question: str, aspects: Sequence[str], most: int,
    passage: ShownPassage, **_: object,
) -> Statements:  # fmt: skip
    """Copy the passage's sentences that answer best, the best first; a record is one sentence."""
    if passage.section == RECORD[0]:
        return Statements(claims=[DraftClaim(claim=passage.text, quote=passage.text)])
    source = Source(passage.text, passage.paper, tuple(passage.section.split(" > ")))
    rated = rate_sentences(embedder, question, [source])
    best = [item.text for item in rated if item.value >= rated[0].value - _BEHIND]
    alone = [text for text in best if not any(text in other for other in best if other != text)]
    return Statements(claims=[DraftClaim(claim=text, quote=text) for text in alone[:most]])


TASK = Task(
    name="draw_claims", prompt=PROMPT, answer=Statements, tier="fast", extract=extract,
    max_output_tokens=1000,
)  # fmt: skip


class Branch(AskState):
    """What one branch of this node reads."""

    passage: str
    place: int
    of: int
    """How many branches there are."""


async def draw_claims(state: Branch, runtime: Runtime[RunContext]) -> AskUpdate:
    """Keep the claims whose quotes are there; ask once more where some are not."""
    services = open_services(runtime, state["run"])
    passage = (await services.run_store.passages.get([state["passage"]]))[state["passage"]]
    papers = await papers_of(services, state["request"], [passage])
    claims, lost, failures = list[Claim](), list[LostClaim](), list[Failure]()
    for _, shown in show_passages([passage], papers):
        asked = await _ask(services, state, shown, passage)
        sources = Sources({passage.id: passage}, papers)
        claims, lost = _taken(asked, passage, sources, state["hop"])
        remedy = "what this passage says is not in the answer"
        failures += asked.failures(STAGE, passage.id, remedy)
    if commands := without_injections(passage.text)[1]:
        failures.append(reported(STAGE, passage.paper, commands, "a passage of it"))
    services.tick(STAGE, 1, state["of"], f"{len(claims)} claims")
    drawn = Drawn(
        hop=state["hop"], passage=passage.id, place=state["place"],
        claims=tuple(claims[:PER_PASSAGE]), lost=tuple(lost),
    )  # fmt: skip
    return {"drawn": [drawn], "failures": failures}


async def _ask(
    services: Services, state: Branch, shown: ShownPassage, passage: Passage
) -> Asked[Statements]:
    def misquoted(answer: Statements) -> list[str]:
        return [item.quote[:200] for item in answer.claims if not _quote(item.quote, passage)]

    inputs = {
        "question": state["standalone"], "aspects": state["aspects"], "most": PER_PASSAGE,
        "passage": shown,
    }  # fmt: skip
    return await ask_checked(services.mind, TASK, inputs, misquoted, again_as="quotes_that_failed")


def _taken(
    asked: Asked[Statements], passage: Passage, sources: Sources, hop: int
) -> tuple[list[Claim], list[LostClaim]]:
    """Return the claims of all answers whose quotes are there, and those of the last that are lost."""
    claims: list[Claim] = []
    lost: list[LostClaim] = []
    for answer, _ in asked.tried:
        lost = []
        for text, quoted in _singles(answer, passage):
            quote = _quote(quoted, passage)
            if quote is None:
                lost.append(LostClaim(text=text, passage=passage.id, cause=NO_QUOTE))
            elif quote not in [claim.quote for claim in claims]:
                claims.append(_claim(text, quote, passage, sources, hop, len(claims) + 1))
    return claims, lost


def _singles(answer: Statements, passage: Passage) -> list[tuple[str, str]]:
    return [
        single
        for item in answer.claims
        if item.claim.strip()
        for single in single_claims(item.claim, item.quote, passage.text)
    ]


def _quote(claimed: str, passage: Passage) -> Quote | None:
    span = find_quote(claimed, passage.text)
    if span is None or without_injections(span.text)[1]:
        return None
    return Quote(
        text=span.text, paper=passage.paper, part="passage", start=span.start, end=span.end,
        verified=True,
    )  # fmt: skip


def _claim(
    text: str, quote: Quote, passage: Passage, sources: Sources, hop: int, number: int
) -> Claim:
    """Return what a mind drew from the passage, or the quote itself where that does not hold."""
    claim = Claim(
        number=number, text=" ".join(text.split()), passage=passage.id, paper=passage.paper,
        quote=quote, hop=hop,
    )  # fmt: skip
    if judge_sentence(claim.text, [claim], sources, "supported") == "supported":
        return claim
    return claim.model_copy(update={"text": " ".join(quote.text.split())})
