"""Judge claims: whether the sources of a text say what its sentences say of them.

One question for `write`, `verify`, `revise`, `ask` and `synthesize`. The judge's verdict counts with words that code
has found in the source. Where it sees nothing wrong and the sentence nearly copies these words with a difference
(tools.evidence.differences), it is asked once more, in a question that shows both side by side, and that
answer stands. A model of inference answers the same questions (tools.llm.entailment).
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from nodes.common.ask_model import ask_with_check
from nodes.judge.judge_prompts import (
    TASK,
    TASK_AGAIN,
    Asked,
    Compared,
    JudgedItem,
    JudgedItems,
    JudgedSentence,
    Passage,
    Source,
)
from state.quote import Quote
from state.run import Failure
from state.writing import INPUT, Purpose, SupportVerdict, VerdictReason
from tools.evidence.differences import differences
from tools.evidence.own_sentences import without_markers
from tools.evidence.prompt_injection import without_injections
from tools.evidence.quotes import find_quote, fold_text, quote_fault
from tools.llm.task import TaskModel
from tools.services import Services
from tools.text.words import split_sentences, tokens

AT_ONCE = 10
"""Claims of one question."""
_TOKENS_EACH, _TOKENS_BESIDE = 300, 300


@dataclass(frozen=True, slots=True)
class Words:
    """Words of a source that the judge may be shown, and where they stand."""

    text: str
    part: str = "abstract"
    start: int = 0
    """Their offset in the text that they are a part of."""
    section: str = ""
    place: str = ""
    """For people: section and page."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A source, and what of it is shown."""

    paper: str
    """Its id, or 'input'."""
    words: tuple[Words, ...] = ()
    title: str = ""
    authors: str = ""
    year: int | None = None

    def quote(self, claimed: str) -> Quote | None:
        """Return words that stand in what is shown, as a quote; None for others, and for commands."""
        for item in (*self.words, Words(self.title, "title")):
            span = find_quote(claimed, item.text) if item.text else None
            if span and not without_injections(span.text)[1]:
                start = item.start + span.start
                return Quote(
                    text=span.text,
                    paper=self.paper,
                    part=item.part,
                    start=start,
                    end=start + len(span.text),
                    verified=True,
                    place=item.place,
                )
        return None

    def around(self, quote: Quote) -> str:
        """Return the whole sentences in which a quote stands."""
        for item in self.words:
            if (item.part, item.start <= (quote.start or 0) < item.start + len(item.text)) == (
                quote.part,
                True,
            ):
                first, last = (quote.start or 0) - item.start, (quote.end or 0) - item.start
                spans = [
                    one
                    for one in split_sentences(item.text)
                    if one.start < last and first < one.end
                ]
                return " ".join(one.text for one in spans) or quote.text
        return quote.text

    def shown(self, key: str) -> Source:
        """Return it as the judge sees it: sentences that command whoever reads them are left out."""
        own = [item for item in self.words if item.part in _WHOLE]
        passages = [
            Passage(section=item.section, text=text)
            for item in self.words
            if item not in own and (text := without_injections(item.text)[0]).strip()
        ]
        return Source(
            key=key,
            title=without_injections(self.title)[0],
            authors=without_injections(self.authors)[0],
            year=self.year,
            passages=passages or None,
            abstract="\n".join(without_injections(item.text)[0] for item in own) or None,
        )


FIRST_PERSON = frozenset({"we", "our", "ours", "us", "i", "my"})
_WHOLE = ("abstract", "annotation")
"""Parts that are shown as the abstract."""


@dataclass(frozen=True, slots=True)
class Item:
    """What is to be judged."""

    id: str
    sentence: int
    sources: tuple[str, ...]
    """Keys of the evidence; 'input' for the researcher's own text."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a judge says of an item, with the words that decide it, the deciding ones first."""

    verdict: SupportVerdict
    quotes: tuple[Quote, ...] = ()
    claim: str = ""
    reason: str = ""
    purpose: Purpose = ""
    differs: tuple[str, ...] = ()
    """In what the sentence differs from words that it nearly copies."""
    first: SupportVerdict | None = None
    """What the judge said before it was asked about that."""
    misquoted: bool = False
    """Whether none of the words that it gave could be found."""

    @property
    def states_claim(self) -> bool:
        """Whether it says in its own words what is claimed; what only repeats the quote may hide what is not there."""
        claim = fold_text(self.claim).rstrip(".")
        return bool(claim) and all(claim not in fold_text(quote.text) for quote in self.quotes)


@dataclass
class Bench:
    """One check of a text: who judges, what stands in the text, what may bear it out, and what went wrong."""

    services: Services
    stage: str
    sentences: Mapping[int, str]
    """All of the text, with markers, by number."""
    evidence: Mapping[str, Evidence]
    """By key; the researcher's own text as 'input'."""
    about: str = ""
    """The question that the text answers, if it answers one."""
    strange: Callable[["Item"], Sequence[str]] = lambda item: ()
    """Tells which numbers and names of an item's sentence stand nowhere in what was read."""
    failures: list[Failure] = field(default_factory=list)
    misquotes: list[tuple[Item, VerdictReason, str, bool]] = field(default_factory=list)
    """Words given as a source's that are not: of which item, why, in words, and whether they were sent back."""

    @property
    def mind(self) -> TaskModel:
        """Who judges."""
        return self.services.judge

    def with_evidence(self, evidence: Mapping[str, Evidence]) -> "Bench":
        """Return the same check by other evidence; what goes wrong is told to both."""
        return replace(self, evidence=evidence)


async def judge_claims(bench: Bench, items: Sequence[Item]) -> dict[str, Ruling]:
    """Ask about these items in one question, and about some of them once more; return rulings by id.

    Args:
        bench: The check.
        items: At most AT_ONCE fit well; where the question does not fit the model's window each half is
            asked by itself. Without an answer they have no ruling, and `bench.failures` tells why.
    """
    if not items:
        return {}
    task = replace(TASK, max_output_tokens=_TOKENS_BESIDE + _TOKENS_EACH * len(items))
    inputs = _shown(bench, items)
    if len(items) > 1 and bench.mind.spare(task, **inputs) < 0:
        parts = items[: len(items) // 2], items[len(items) // 2 :]
        return {
            id_: one for part in parts for id_, one in (await judge_claims(bench, part)).items()
        }
    by_id = {item.id: item for item in items}

    def faults(answer: JudgedItems) -> list[str]:
        given = {one.id for one in answer.findings}
        told = [
            f"{one.id}: {detail}"
            for one in answer.findings
            if one.id in by_id
            for _, detail in _false_quotes(bench, by_id[one.id], one)
        ]
        told += [
            f"{one.id}: quote the words of `input` that say it of the authors' own work"
            for one in answer.findings
            if one.id in by_id and _unshown(bench, by_id[one.id], one)
        ]
        return told + [f"{id_}: missing from the answer" for id_ in by_id if id_ not in given]

    asked = await ask_with_check(bench.mind, task, inputs, faults)
    found: dict[str, JudgedItem] = {}
    for place, (answer, _) in enumerate(asked.tried):
        for one in (one for one in answer.findings if one.id in by_id):
            false = _false_quotes(bench, by_id[one.id], one)
            bench.misquotes += [(by_id[one.id], *fault, not place) for fault in false]
            if one.id not in found or not false:
                found[one.id] = one
    if not asked.tried:
        numbers = sorted({item.sentence for item in items})
        subject = (
            f"sentences {numbers[0]} to {numbers[-1]}"
            if len(numbers) > 1
            else f"sentence {numbers[0]}"
        )
        bench.failures += asked.failures(
            bench.stage, subject, "CiteLoom did not check what they say"
        )
    rulings = {id_: _ruling(bench, by_id[id_], one) for id_, one in found.items()}
    return rulings | await _ask_again(bench, by_id, rulings)


def _shown(bench: Bench, items: Sequence[Item]) -> dict[str, Any]:
    keys = dict.fromkeys(key for item in items for key in item.sources if key != INPUT)
    wanted = sorted({item.sentence for item in items})
    near = {
        number for one in wanted for number in (one - 1, one, one + 1) if number in bench.sentences
    }
    own = bench.evidence.get(INPUT)
    return {
        **({"question": bench.about} if bench.about else {}),
        "input": own.words[0].text if own and own.words else "",
        "sources": [bench.evidence[key].shown(key) for key in keys],
        "sentences": [
            JudgedSentence(number=number, text=bench.sentences[number]) for number in sorted(near)
        ],
        "asked": [
            Asked(id=item.id, sentence=item.sentence, sources=list(item.sources)) for item in items
        ],
    }


def _sources(bench: Bench, item: Item) -> list[Evidence]:
    """Return what an item may quote: its sources and, where the sentence speaks of it, the researcher's own text."""
    keys = dict.fromkeys((*item.sources, INPUT))
    return [bench.evidence[key] for key in keys if key in bench.evidence]


def _quotes(bench: Bench, item: Item, words: Iterable[str]) -> tuple[Quote, ...]:
    sources = _sources(bench, item)
    found = (
        next(filter(None, (one.quote(text) for one in sources)), None)
        for text in words
        if text.strip()
    )
    return tuple(dict.fromkeys(filter(None, found)))


def _false_quotes(bench: Bench, item: Item, finding: JudgedItem) -> list[tuple[VerdictReason, str]]:
    """Return what is wrong with words given as the sources' own, or as the input's."""
    texts = [
        text
        for one in _sources(bench, item)
        for text in (*(words.text for words in one.words), one.title)
    ]
    told = (quote_fault(words, texts) for words in finding.quotes if words.strip())
    return [fault for fault in told if fault]


def _unshown(bench: Bench, item: Item, finding: JudgedItem) -> bool:
    """Whether a sentence in the first person is called borne out by the input, of which no words are quoted."""
    if INPUT not in item.sources or finding.verdict not in {"supported", "partly"}:
        return False
    own = any(quote.paper == INPUT for quote in _quotes(bench, item, finding.quotes))
    return not own and bool(FIRST_PERSON & set(tokens(bench.sentences[item.sentence])))


def _ruling(bench: Bench, item: Item, finding: JudgedItem) -> Ruling:
    """Return what a finding comes to: a verdict counts with words that were found."""
    quotes = _quotes(bench, item, finding.quotes)
    given = any(map(str.strip, finding.quotes))
    # That several sources do not say a thing has no words.
    silent = not given and len(item.sources) > 1
    shown = (quotes or silent) and not _unshown(bench, item, finding)
    verdict: SupportVerdict = finding.verdict if shown else "not_in_source"
    return Ruling(
        verdict,
        quotes,
        finding.claim.strip(),
        finding.reasoning.strip(),
        finding.purpose,
        misquoted=not shown and finding.verdict != "not_in_source",
    )


async def _ask_again(
    bench: Bench, items: Mapping[str, Item], rulings: Mapping[str, Ruling]
) -> dict[str, Ruling]:
    """Ask once more about sentences that nearly copy the words shown for them, and differ; that answer stands."""
    compared: dict[str, Compared] = {}
    for id_, ruling in rulings.items():
        if ruling.verdict == "supported" and (
            one := await asyncio.to_thread(_compared, bench, items[id_], ruling)
        ):
            compared[id_] = one
    if not compared:
        return {}
    task = replace(TASK_AGAIN, max_output_tokens=_TOKENS_BESIDE + 150 * len(compared))
    asked = await ask_with_check(bench.mind, task, {"asked": list(compared.values())})
    second = {one.id: one for one in asked.answer.findings} if asked.answer else {}
    bench.failures += asked.failures(bench.stage, "near copies", "CiteLoom keeps the first verdict")
    return {
        id_: replace(
            rulings[id_],
            differs=tuple(one.differs),
            first=rulings[id_].verdict,
            verdict=second[id_].verdict,
            reason=second[id_].reasoning.strip() or rulings[id_].reason,
        )
        for id_, one in compared.items()
        if id_ in second
    }


def _compared(bench: Bench, item: Item, ruling: Ruling) -> Compared | None:
    """Return a sentence beside the words that it nearly copies, where it differs from them.

    So is a sentence shown with a number or a name from nowhere that the judge leaves out of what is claimed.
    """
    sentence = bench.sentences[item.sentence]
    by_paper = {one.paper: one for one in _sources(bench, item)}
    around: dict[str, dict[str, None]] = {}
    for quote in ruling.quotes:
        around.setdefault(quote.paper, {})[by_paper[quote.paper].around(quote)] = None
    left_out = [
        f"{one}, which stands nowhere in what was read"
        for one in (bench.strange(item) if ruling.states_claim else ())
        if one.split(" ", 2)[2] not in ruling.claim
    ]
    if len(item.sources) > 1 and around:
        # What several say together may be of one in this clause and of another in the next.
        around = {next(iter(around)): {text: None for texts in around.values() for text in texts}}
    for paper, shown in around.items():
        # All that it rests on at once: one clause of it may be of one sentence, the next of another.
        if differs := [*differences(without_markers(sentence), " ".join(shown)), *left_out]:
            source = by_paper[paper]
            return Compared(
                id=item.id,
                before=bench.sentences.get(item.sentence - 1),
                sentence=sentence,
                words=" … ".join(shown),
                title="" if len(item.sources) > 1 else without_injections(source.title)[0],
                authors="" if len(item.sources) > 1 else without_injections(source.authors)[0],
                differs=differs,
            )
    return None
