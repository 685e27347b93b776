"""Extract claims: split the passages into single statements that tell what is asked, and say what is missing.

Reads `run`, `request`, `standalone`, `aspects`, `hop`, `hops`, `held`. Writes `held`, `hops` and, where another
search is wanted, `query`, `why`, `hop` (arXivBot, section 4: the best passages, their claims, whether these suffice,
and whether they are one-sided). One question reads eight passages. Each claim carries words of its passage that code
has found there (tools.evidence.quotes); a quote that fails is asked for once more, then its claim is lost. What no
claim with found words tells is missing, whatever the mind says. A claim with a number or a name that stands nowhere in
its passage and paper becomes the quote.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from pydantic import BaseModel, Field

from nodes.ask.answer_sources import (
    PASSAGE_FIELDS,
    AnswerSources,
    ShownPassage,
    fit_to_window,
    in_words,
    is_several_sentences,
    load_answer_sources,
    whole_sentences,
)
from nodes.ask.plan_search import LONGEST
from nodes.common.ask_model import CheckedAnswer, ask_with_check
from state.ask import AskState, AskUpdate, Claim, DroppedClaim, Hop
from state.passage import OF_RECORD, Passage
from state.quote import Quote
from tools.embed.embedder import Embedder
from tools.errors import counted
from tools.evidence.facts import standing_nowhere
from tools.evidence.prompt_injection import injection_failure, without_injections
from tools.evidence.quotes import find_quote
from tools.llm.task import Task
from tools.services import NodeRuntime, open_services
from tools.text.answer_sentences import AnswerSource, rate_sentences
from tools.text.questions import keywords, read_question
from tools.text.words import distinct_content_stems, share_of_stems

STAGE = "extract_claims"
AT_ONCE = 8
"""Passages of one question. The next eight are read where there is no claim yet and no search is left."""
PER_PASSAGE = 4
"""Most claims taken from one passage."""
_SAME = 0.9
"""Share of the words of both from which two claims say the same."""
_BEHIND = 0.3
"""How much less than the passage's best sentence another may answer."""
_PASSAGE_BEHIND = 0.35
"""How much less than the best passage's sentence a further passage's may be worth."""
_NAMED = 0.7
"""Share of a title's content words from which a question names it."""
NO_QUOTE = "its quote is not in the passage"

PROMPT = f"""\
You read what a search found in research papers for someone who asks `question`; a whole answer covers the `aspects`.
Many passages only share words with the question: leave these. Take out what the others say that answers, as single
statements. The answer is then written from these statements alone, by someone who does not see the passages: what you
leave out is lost, and what cannot be understood by itself is of no use. Use at most `most_passages` passages, those
that help most and together cover the aspects, and take at most `most_of_each` statements out of each of them, the most
helpful first. If none answers, give no statement.

In `claims` each statement has, in this order,
1. `passage`: the id of its passage;
2. `quote`: the words of that passage that say it, copied letter by letter and in one piece, at least a whole clause;
3. `claim`: one thing that these words say, to be understood without the passage. Put the names in for
   'it', 'we' and 'this method', which the title or the sentences before may tell; keep numbers,
   conditions and hedges; add nothing that you guess or know from elsewhere;
4. `tells`: the numbers, from 1, of the aspects that it tells; 0 where it answers the question in another respect; none
   where it only is on their subject.

Then judge whether the statements suffice: in `missing`, in short phrases, what is asked and none of them tells; in
`bias`, if all are of one paper, language, data set or side though the question asks for more, which; in `reasoning`
one sentence on why they suffice or not. If `queries` is given and they do not, `query` has at most twelve
English words to search for next, of what is missing, as a paper would say it; none of the `queries` asked already.

{PASSAGE_FIELDS}
Example: asked "How long do Orrin lamps burn, and what do they cost?", with the aspects "burning time" and "price",
and S2, from "Orrin lamps in cold rooms" by Falk and Ude: "We cooled the room to 4 degrees. Here they burnt for 31 hours
on one filling, which may be due to the thicker oil. The glass was blown in Turku.": one statement, passage "S2", quote
"Here they burnt for 31 hours on one filling", claim "Orrin lamps burnt for 31 hours on one filling in a room of 4
degrees.", tells [1]; missing ["price of Orrin lamps"], query "Orrin lamp price cost".

Where `faults` is given, an earlier answer had these: copy anew, and split what says several things.
"""


class DraftClaim(BaseModel):
    """One statement as the mind gives it."""

    passage: str
    quote: str = Field(description="Words of the passage, verbatim.")
    claim: str
    tells: list[int] = []


class Statements(BaseModel):
    """The mind's answer."""

    claims: list[DraftClaim]
    reasoning: str = ""
    missing: list[str] = []
    bias: str = ""
    query: str = ""


def extract(
    embedder: Embedder,
    *,
    aspects: Sequence[str],
    most_passages: int,
    most_of_each: int,
    passages: Sequence[ShownPassage],
    **_: object,
) -> Statements:
    """Copy the sentences that answer best, of each question put in turn; search for one that none answers by itself."""
    found = {aspect: answering(embedder, aspect, passages) for aspect in aspects}
    turns = dict.fromkeys(key for ids in zip_longest(*found.values()) for key in ids if key)
    by_id = {item.id: item for item in passages}
    missing = [aspect for aspect, ids in found.items() if not ids]
    return Statements(
        claims=[
            DraftClaim(
                passage=key,
                quote=text,
                claim=text,
                tells=[number for number, ids in enumerate(found.values(), 1) if key in ids],
            )
            for key in [*turns][:most_passages]
            for text in best_sentences(embedder, aspects, by_id[key])[:most_of_each]
        ],
        missing=missing,
        query=keywords(missing[0], {}) if missing and len(aspects) > 1 else "",
    )


def answering(embedder: Embedder, question: str, passages: Sequence[ShownPassage]) -> list[str]:
    """Return the passages with a sentence that answers, the best first.

    A question for authors or a year is answered by the record of the paper that it names, or that
    has the sentence nearest to it.
    """
    asks = read_question(question).for_record
    records = [item for item in passages if asks and item.section == OF_RECORD[0]]
    others = [item for item in passages if item.section != OF_RECORD[0]]
    if named := [item for item in records if _names(question, item.title)]:
        return [item.id for item in named][:1]
    sources = [
        AnswerSource(item.text, item.title, tuple(item.section.split(" > "))) for item in others
    ]
    rated = rate_sentences(embedder, question, sources)
    near = [
        item for item in rated if item.answers and item.value >= rated[0].value - _PASSAGE_BEHIND
    ]
    ids = list(dict.fromkeys(others[item.source].id for item in near))
    if records and near:
        title = others[near[0].source].title
        return [item.id for item in records if item.title == title] or ids
    return ids


def _names(question: str, title: str) -> bool:
    """Whether a question has a paper's title, or asks for nothing that the title has not."""
    terms = read_question(question).terms
    whole = bool(terms) and set(terms) <= distinct_content_stems(title)
    return whole or share_of_stems(title, question) >= _NAMED


def best_sentences(embedder: Embedder, asked: Sequence[str], passage: ShownPassage) -> list[str]:
    """Return the sentences of a passage that answer each question best, the best first; a record is one."""
    if passage.section == OF_RECORD[0]:
        return [passage.text]
    source = AnswerSource(passage.text, passage.title, tuple(passage.section.split(" > ")))
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
    tier="strong",
    extract=extract,
    max_output_tokens=2000,
)


async def extract_claims(state: AskState, runtime: NodeRuntime) -> AskUpdate:
    """Keep the claims whose quotes are there; ask once more where some are not. Say what to search for next."""
    services = open_services(runtime, state["run"])
    *earlier, hop = state["hops"]
    left = hop.number < services.context.max_hops
    ids = [hit.passage for hit in hop.retrieved]
    sources = await load_answer_sources(services, state["request"], ids)
    keyed = sources.shown(ids)
    aspects = _sought(state["aspects"], earlier)
    queries = [item.query for item in state["hops"]]
    inputs: dict[str, Any] = {
        "question": state["standalone"],
        "aspects": aspects,
        "most_passages": services.context.passages,
        "most_of_each": PER_PASSAGE,
        **({"queries": queries} if left else {}),
    }
    drawn = _Drawn(sources, list(state["held"]), hop.number, services.context.passages)
    answer, failures = Statements(claims=[]), []
    together = max(AT_ONCE, services.context.passages)
    while keyed:
        some = keyed[:together] if services.mind.composes else keyed
        shown = fit_to_window(services.mind, TASK, (item for _, item in some), **inputs)
        named = {item.id: passage for passage, item in some[: len(shown)]}
        keyed = keyed[len(shown) :]
        asked = await ask_with_check(
            services.mind, TASK, {**inputs, "passages": shown}, _faults_in(named)
        )
        drawn.take(asked, named, len(aspects))
        answer = asked.answer or Statements(claims=[])
        remedy = "the answer does not cover its passages"
        failures += asked.failures(STAGE, f"hop {hop.number}", remedy)
        if drawn.held or left or asked.answer is None:
            break
    failures += [
        injection_failure(STAGE, passage.paper, commands, "a passage of it")
        for passage in drawn.read.values()
        if (commands := without_injections(passage.text)[1])
    ]
    untold = [aspect for number, aspect in enumerate(aspects, 1) if number not in drawn.told]
    missing = tuple(in_words(answer.missing or untold))
    bias = answer.bias.strip()
    judged = hop.model_copy(
        update={
            "chosen": tuple(drawn.chosen),
            "read": tuple(drawn.read),
            "lost": tuple(drawn.lost),
            "reasoning": answer.reasoning.strip(),
            "sufficient": not (missing or untold or bias),
            "named": tuple(dict.fromkeys(drawn.named)),
            "missing": missing,
            "bias": bias,
        }
    )
    told = counted(len(drawn.held), "claim")
    services.progress(STAGE, 1, 1, f"{told}; missing: {', '.join(missing)}" if missing else told)
    query = " ".join(answer.query.split())[:LONGEST]
    again = left and not judged.sufficient and query
    wanted: AskUpdate = {}
    if again and query.casefold() not in {item.casefold() for item in queries}:
        why = bias or f"missing: {'; '.join(missing)}"
        wanted = {"query": query, "why": why, "hop": state["hop"] + 1}
    return {"held": drawn.held, "hops": [*earlier, judged], "failures": failures, **wanted}


def _sought(aspects: list[str], earlier: Sequence[Hop]) -> list[str]:
    """Return what this search is to tell: after the first, what is missing."""
    return list(earlier[-1].missing) or aspects if earlier else aspects


def _faults_in(named: Mapping[str, Passage]) -> Callable[[Statements], list[str]]:
    def faults(answer: Statements) -> list[str]:
        long = [item.claim[:200] for item in answer.claims if is_several_sentences(item.claim)]
        return [f"several sentences: {text}" for text in long] + [
            f"not in {item.passage}, or too short: {item.quote[:200]}"
            for item in answer.claims
            if item.passage not in named or not quote_in(item.quote, named[item.passage])
        ]

    return faults


@dataclass
class _Drawn:
    """What was drawn from the passages of one search."""

    sources: AnswerSources
    held: list[Claim]
    hop: int
    most: int
    """Passages that claims are taken of."""
    read: dict[str, Passage] = field(default_factory=dict)
    chosen: list[str] = field(default_factory=list)
    lost: list[DroppedClaim] = field(default_factory=list)
    named: list[int] = field(default_factory=list)
    """Numbers of claims that tell something asked for."""
    told: set[int] = field(default_factory=set)
    """Numbers of the aspects that they tell."""

    def take(
        self, asked: CheckedAnswer[Statements], named: Mapping[str, Passage], aspects: int
    ) -> None:
        """Take the claims of all answers whose quotes are there; those of the last whose are not are lost."""
        self.read |= {passage.id: passage for passage in named.values()}
        taken: dict[str, dict[Quote, tuple[Claim, list[int]]]] = {}
        lost: list[DroppedClaim] = []
        for answer, _ in asked.tried:
            lost = []
            # Small models name no aspects: what they do not call missing counts as told.
            silent = not answer.missing and not any(item.tells for item in answer.claims)
            for item in (item for item in answer.claims if item.passage in named):
                passage = named[item.passage]
                if not item.claim.strip():
                    continue
                if (quote := quote_in(item.quote, passage)) is None:
                    lost.append(DroppedClaim(text=item.claim, passage=passage.id, cause=NO_QUOTE))
                    continue
                tells = [*range(1, aspects + 1)] if silent else item.tells
                claim = claim_on(quote, passage, item.claim, self.sources)
                taken.setdefault(passage.id, {}).setdefault(quote, (claim, tells))
        self.lost += lost
        for key, claims in [*taken.items()][: self.most - len(self.chosen)]:
            self.chosen.append(key)
            for claim, tells in [*claims.values()][:PER_PASSAGE]:
                self._hold(claim, [one for one in tells if 0 <= one <= aspects])

    def _hold(self, claim: Claim, tells: list[int]) -> None:
        same = next((other for other in self.held if _repeats(claim, other)), None)
        if same is None:
            same = claim.model_copy(update={"number": len(self.held) + 1, "hop": self.hop})
            self.held.append(same)
        self.told.update(tells)
        self.named += [same.number] if tells else []


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
