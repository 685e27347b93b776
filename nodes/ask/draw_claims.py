"""Draw claims: split one passage into single statements that bear on the question.

Reads `run`, `request`, `standalone`, `aspects` and, per branch, one passage. Writes `drawn`. Each claim
carries words of the passage that code has found there (tools.evidence.quotes); a quote that fails is
asked for once more, then its claim is lost. A claim that its quote does not bear out becomes the quote.
"""

import asyncio
from collections.abc import Sequence
from functools import partial

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from nodes.ask.judge_sentence import Sources, borne_out
from nodes.ask.search_passages import RECORD
from nodes.ask.shown import ShownPassage, as_shown, papers_of, show_passages
from nodes.ask.single import single_claims
from state.asking import Claim, Drawn, LostClaim
from state.passage import Passage
from state.quote import Quote
from state.request import Request
from state.run import Failure
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.evidence.prompt_injection import without_injections
from tools.evidence.quotes import find_quote
from tools.llm.task import Task
from tools.services import Services, open_services
from tools.text.asking.claims import draw_claims as draw

STAGE = "draw_claims"
PER_PASSAGE = 4
"""Most claims taken from one passage."""
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
    """Take the passage's sentences that bear on the question, made plain; a record is one sentence."""
    if passage.section == RECORD[0]:
        return Statements(claims=[DraftClaim(claim=passage.text, quote=passage.text)])
    found = draw(embedder, question, aspects, as_shown(passage), most)
    return Statements(claims=[DraftClaim(claim=item.text, quote=item.quote) for item in found])


TASK = Task(
    name="draw_claims", prompt=PROMPT, answer=Statements, tier="fast", extract=extract,
    max_output_tokens=1000,
)  # fmt: skip


class Branch(TypedDict):
    """What one branch of this node reads."""

    run: str
    request: Request
    standalone: str
    aspects: list[str]
    passage: str
    hop: int
    place: int
    of: int
    """How many branches there are."""


class Update(TypedDict):
    """What this node writes."""

    drawn: list[Drawn]
    failures: list[Failure]


async def draw_claims(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Keep the claims whose quotes are there; ask once more where some are not."""
    services = open_services(runtime, state["run"])
    passage = (await services.run_store.passages([state["passage"]]))[state["passage"]]
    papers = await papers_of(services, state["request"], [passage])
    shown = show_passages([passage], papers)
    claims, lost, failures = list[Claim](), list[LostClaim](), list[Failure]()
    if shown:
        reading = _Reading(
            services,
            state,
            passage,
            shown[0][1],
            Sources(services.clients.embedder, {passage.id: passage}, papers),
        )
        try:
            claims, lost = await reading.claims()
        except (AnswerError, RefusedError) as error:
            failures.append(_unread(passage, str(error)))
    if commands := without_injections(passage.text)[1]:
        failures.append(_commanding(passage, commands))
    services.tick(STAGE, 1, state["of"], f"{len(claims)} claims")
    drawn = Drawn(
        hop=state["hop"], passage=passage.id, place=state["place"], claims=tuple(claims),
        lost=tuple(lost),
    )  # fmt: skip
    return {"drawn": [drawn], "failures": failures}


class _Reading:
    """One passage being read."""

    def __init__(
        self,
        services: Services,
        state: Branch,
        passage: Passage,
        shown: ShownPassage,
        sources: Sources,
    ) -> None:
        self._desk = services
        self._state = state
        self._passage = passage
        self._shown = shown
        self._sources = sources

    async def claims(self) -> tuple[list[Claim], list[LostClaim]]:
        """Return the claims that hold, and those that do not."""
        drafts = await self._ask([])
        failed = [item.quote for item in drafts if not self._quote(item.quote)]
        if failed:
            again = await self._ask([quote[:200] for quote in failed])
            good = [item for item in drafts if self._quote(item.quote)]
            drafts = [*good, *(item for item in again if item not in good)]
        claims: list[Claim] = []
        lost: list[LostClaim] = []
        for item in drafts:
            taken = await asyncio.to_thread(self._take, item, len(claims) + 1)
            if isinstance(taken, LostClaim):
                lost.append(taken)
            elif taken.quote not in [claim.quote for claim in claims]:
                claims.append(taken)
        return claims[:PER_PASSAGE], lost

    async def _ask(self, failed: list[str]) -> list[DraftClaim]:
        ask = partial(
            self._desk.mind.do, TASK, question=self._state["standalone"],
            aspects=self._state["aspects"], most=PER_PASSAGE, passage=self._shown,
        )  # fmt: skip
        answer = await (ask(quotes_that_failed=failed) if failed else ask())
        return [
            DraftClaim(claim=claim, quote=quote)
            for item in answer.claims
            if item.claim.strip()
            for claim, quote in single_claims(item.claim, item.quote, self._passage.text)
        ]

    def _quote(self, claimed: str) -> Quote | None:
        span = find_quote(claimed, self._passage.text)
        if span is None or without_injections(span.text)[1]:
            return None
        return Quote(
            text=span.text, paper=self._passage.paper, part="passage", start=span.start,
            end=span.end, verified=True,
        )  # fmt: skip

    def _take(self, item: DraftClaim, number: int) -> Claim | LostClaim:
        quote = self._quote(item.quote)
        if quote is None:
            return LostClaim(text=item.claim, passage=self._passage.id, cause=NO_QUOTE)
        claim = Claim(
            number=number, text=" ".join(item.claim.split()), passage=self._passage.id,
            paper=self._passage.paper, quote=quote, hop=self._state["hop"],
        )  # fmt: skip
        if borne_out(claim.text, [claim], self._sources) == "supported":
            return claim
        return claim.model_copy(update={"text": " ".join(quote.text.split())})


def _unread(passage: Passage, cause: str) -> Failure:
    return Failure(
        stage=STAGE, subject=passage.id, cause=cause,
        remedy="what this passage says is not in the answer",
    )  # fmt: skip


def _commanding(passage: Passage, commands: Sequence[str]) -> Failure:
    return Failure(
        stage=STAGE, subject=passage.paper,
        cause=f"a passage of it commands whoever reads it by machine: '{' '.join(commands)[:200]}'",
        remedy="these words were not shown to the mind; look at the paper yourself",
    )  # fmt: skip
