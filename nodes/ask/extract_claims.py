"""Extract claims: split the passages into single statements that bear on the question.

Reads `run`, `request`, `standalone`, `aspects`, `query`, `hops`, `held`. Writes `held`, `hops`. Each claim
carries words of its passage that code has found there (tools.evidence.quotes); a quote that fails is
asked for once more, then its claim is lost. A claim with a number or a name that stands nowhere in its passage and
paper becomes the quote.
"""

from collections.abc import Sequence

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from nodes.ask.answer_sources import (
    PASSAGE_FIELDS,
    AnswerSources,
    ShownPassage,
    fit_to_window,
    is_several_sentences,
    load_answer_sources,
    whole_sentences,
)
from nodes.ask.search_passages import aspects_sought
from nodes.common.ask_model import CheckedAnswer, ask_with_check
from state.ask import AskState, AskUpdate, Claim, DroppedClaim
from state.passage import OF_RECORD, Passage
from state.quote import Quote
from tools.counting import counted
from tools.embed.embedder import Embedder
from tools.evidence.facts import standing_nowhere
from tools.evidence.prompt_injection import injection_failure, without_injections
from tools.evidence.quotes import find_quote
from tools.llm.task import Task
from tools.run_settings import RunSettings
from tools.services import open_services
from tools.text.answer_sentences import Source, rate_sentences
from tools.text.words import distinct_content_stems

STAGE = "extract_claims"
PER_PASSAGE = 4
"""Most claims taken from one passage."""
_SAME = 0.9
"""Share of the words of both from which two claims say the same."""
_BEHIND = 0.3
"""How much less than the passage's best sentence another may answer."""
NO_QUOTE = "its quote is not in the passage"

PROMPT = f"""\
You read passages of research papers for someone who asks `question`; a whole answer covers the `aspects`.
Take out what the passages say that helps to answer it, as single statements. The answer is then written
from these statements alone, by someone who does not see the passages: what you leave out is lost, and
what cannot be understood by itself is of no use. So give of each passage every statement that helps,
the most helpful first, at most as many as `most`; a passage that is about the question has two to four.
A passage that does not bear on it has none.

Each statement has, in this order,
1. `passage`: the id of its passage;
2. `quote`: the words of that passage that say it, copied letter by letter and in one piece;
3. `claim`: one thing that these words say, to be understood without the passage. Put the names in for
   'it', 'we' and 'this method', which the title or the sentences before may tell; keep numbers,
   conditions and hedges; add nothing that you guess or know from elsewhere.

{PASSAGE_FIELDS}
Example: the question is "How long do Orrin lamps burn?", and S2, from "Orrin lamps in cold rooms" by Falk
and Ude, has the text "We cooled the room to 4 degrees. Here they burnt for 31 hours on one filling, which may
be due to the thicker oil. The glass was blown in Turku."
Then the statements are
- passage "S2", quote "Here they burnt for 31 hours on one filling", claim "Orrin lamps burnt for 31 hours on
  one filling in a room of 4 degrees.";
- passage "S2", quote "which may be due to the thicker oil", claim "That Orrin lamps burn for 31 hours in a
  room of 4 degrees may be due to the thicker oil."
Where the glass was blown does not bear on the question.

Where `faults` is given, an earlier answer had these: copy anew, at least a whole clause, and split what says
several things.
"""


class DraftClaim(BaseModel):
    """One statement as the mind gives it."""

    passage: str
    quote: str = Field(description="Words of the passage, verbatim.")
    claim: str


class Statements(BaseModel):
    """The mind's answer."""

    claims: list[DraftClaim]


def extract(
    embedder: Embedder,
    *,
    question: str,
    aspects: Sequence[str],
    most: int,
    passages: Sequence[ShownPassage],
    **_: object,
) -> Statements:
    """Copy the sentences of each passage that answer best, the best first; a record is one sentence."""
    asked = aspects if len(aspects) > 1 else [question]
    return Statements(
        claims=[
            DraftClaim(passage=item.id, quote=text, claim=text)
            for item in passages
            for text in best_sentences(embedder, asked, item)[:most]
        ]
    )


def best_sentences(embedder: Embedder, asked: Sequence[str], passage: ShownPassage) -> list[str]:
    """Return the sentences of a passage that answer each question best, the best first; a record is one."""
    if passage.section == OF_RECORD[0]:
        return [passage.text]
    source = Source(passage.text, passage.title, tuple(passage.section.split(" > ")))
    found = [rate_sentences(embedder, question, [source]) for question in asked]
    first = max((rated[0].value for rated in found if rated), default=0.0)
    fit = any(item.fits for rated in found for item in rated)
    near = [
        item
        for rated in found
        for item in rated
        if item.value >= first - _BEHIND and (item.fits or not fit)
    ]
    best = list(dict.fromkeys(item.text for item in sorted(near, key=lambda item: -item.value)))
    return [text for text in best if not any(text in other for other in best if other != text)]


TASK = Task(
    name="extract_claims",
    prompt=PROMPT,
    answer=Statements,
    tier="fast",
    extract=extract,
    max_output_tokens=2000,
)


async def extract_claims(state: AskState, runtime: Runtime[RunSettings]) -> AskUpdate:
    """Keep the claims whose quotes are there; ask once more where some are not."""
    services = open_services(runtime, state["run"])
    *earlier, hop = state["hops"]
    sources = await load_answer_sources(services, state["request"], hop.chosen)
    keyed = sources.shown(hop.chosen)
    inputs: dict[str, object] = {
        "question": state["standalone"],
        "aspects": aspects_sought(state["aspects"], state["hops"], state["query"]),
        "most": PER_PASSAGE,
    }
    shown = fit_to_window(services.mind, TASK, (item for _, item in keyed), **inputs)
    named = {item.id: passage for passage, item in keyed[: len(shown)]}
    if not named:
        return {}

    def faults(answer: Statements) -> list[str]:
        long = [item.claim[:200] for item in answer.claims if is_several_sentences(item.claim)]
        return [f"several sentences: {text}" for text in long] + [
            f"not in {item.passage}, or too short: {item.quote[:200]}"
            for item in answer.claims
            if item.passage not in named or not quote_in(item.quote, named[item.passage])
        ]

    asked = await ask_with_check(services.mind, TASK, {**inputs, "passages": shown}, faults)
    held, lost = list(state["held"]), list[DroppedClaim]()
    for name, passage in named.items():
        taken, gone = _taken(asked, name, passage, sources)
        lost += gone
        for claim in taken[:PER_PASSAGE]:
            if not any(_repeats(claim, other) for other in held):
                held.append(claim.model_copy(update={"number": len(held) + 1, "hop": hop.number}))
    services.progress(STAGE, 1, 1, counted(len(held), "claim"))
    failures = asked.failures(STAGE, f"hop {hop.number}", "the answer does not cover its passages")
    failures += [
        injection_failure(STAGE, passage.paper, commands, "a passage of it")
        for passage in sources.passages.values()
        if (commands := without_injections(passage.text)[1])
    ]
    read = {"chosen": tuple(item.id for item in named.values()), "lost": tuple(lost)}
    return {"held": held, "hops": [*earlier, hop.model_copy(update=read)], "failures": failures}


def _taken(
    asked: CheckedAnswer[Statements], name: str, passage: Passage, sources: AnswerSources
) -> tuple[list[Claim], list[DroppedClaim]]:
    """Return a passage's claims of all answers whose quotes are there, and those of the last that are lost."""
    claims: list[Claim] = []
    lost: list[DroppedClaim] = []
    for answer, _ in asked.tried:
        lost = []
        for item in answer.claims:
            if item.passage != name or not item.claim.strip():
                continue
            if (quote := quote_in(item.quote, passage)) is None:
                lost.append(DroppedClaim(text=item.claim, passage=passage.id, cause=NO_QUOTE))
            elif quote not in [claim.quote for claim in claims]:
                claims.append(claim_on(quote, passage, item.claim, sources))
    return claims, lost


def quote_in(claimed: str, passage: Passage) -> Quote | None:
    """Return words that stand in a passage as a quote; None for others, and for commands."""
    span = find_quote(claimed, passage.text)
    if span is None or without_injections(span.text)[1]:
        return None
    return Quote(
        text=span.text,
        paper=passage.paper,
        part=passage.part,
        start=span.start,
        end=span.end,
        verified=True,
    )


def claim_on(
    quote: Quote, passage: Passage, text: str, sources: AnswerSources, number: int = 1
) -> Claim:
    """Return what a mind drew from a passage; the quote's sentence where nothing, or a number or name from nowhere."""
    whole = whole_sentences(quote, passage.text)
    claim = Claim(
        number=number,
        text=" ".join((text or whole).split()),
        passage=passage.id,
        paper=passage.paper,
        quote=quote,
        evidence=whole,
    )
    if standing_nowhere(claim.text, sources.around([claim])):
        return claim.model_copy(update={"text": " ".join(whole.split())})
    return claim


def _repeats(claim: Claim, other: Claim) -> bool:
    """Whether a claim of the same paper says the same in the same words."""
    words, theirs = distinct_content_stems(claim.text), distinct_content_stems(other.text)
    same = words == theirs or len(words & theirs) >= _SAME * max(len(words | theirs), 1)
    return claim.paper == other.paper and same
