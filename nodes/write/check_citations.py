"""Check: hold every citation of the draft against the paper it cites, a paragraph at a time.

Reads `run`, `request`, `outline`, `keys`, `final`, `checks`, `verdicts`. Writes `verdicts`, `checks`,
`rejections`. A sentence that is the paper's own is supported (tools.evidence.verbatim). Of any other
an LLM judges, or a model of inference where one is set and no LLM, and its verdict counts only with
words that code found in the paper (nodes.write.judge_citation); a quote that is not there is sent back
once. So is a sentence judged that cites nobody and rests on papers cited around it, or on the
researcher's own text. Without either nothing of this is checked, and neither is a citation of a paper
without an abstract.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Literal

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from nodes.ask_checked import ask_checked
from nodes.write.entailed_findings import entailed_findings
from nodes.write.judge_citation import (
    Finding,
    Hand,
    judge_citation,
    known_for_certain,
    notices_on,
    verdict_of,
)
from nodes.write.judge_uncited import judge_uncited, rests_on
from nodes.write.lines import known_quotes
from nodes.write.number_references import paragraph_numbers
from state.channels import CheckState
from state.run import Failure
from state.writing import INPUT, Cause, CitationVerdict, Plan, Rejection, Sentence
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.evidence.alignment import Evidence
from tools.evidence.claims import claims_of
from tools.evidence.prompt_injection import without_injections
from tools.evidence.quotes import MIN_LENGTH, quotable, quote_fault
from tools.llm.entailment import Entailment
from tools.llm.task import Task
from tools.services import Services, open_services

STAGE = "check_citations"
AT_ONCE = 10
"""Sentences of one question."""
_TOKENS_EACH, _TOKENS_BESIDE = 300, 300

PROMPT = f"""\
You check whether the sources of a related-work section say what its sentences say of them.

`input` is what the section's authors write of their own work; it may be empty. `sources` are the papers,
each under its key, some with words of their `full_text` beside the abstract. `sentences` are consecutive
sentences of the section with their numbers; {{P3}} marks a citation of P3. `asked` lists what you judge:
a sentence, and the sources to judge it by. Answer each item of `asked` under its id, in this order:

1. claim: what the sentence says of these sources alone, as one clean statement in its own words. Tell
   who 'they' or 'it' is. Leave out what it says of other papers or of the authors' own work ('we',
   'our'), and nothing else: each number, name, negation and comparison about the source stays. Of a
   sentence on the authors' own work alone, give what it says.
2. quotes: of each source one to three stretches of its words that decide, copied letter by letter, each
   at least {MIN_LENGTH} characters long. Where the sentence sets a paper against the authors' own work,
   words of the input may stand beside them.
3. reasoning: one sentence on what the words show and what they do not.
4. verdict: supported (they say it), partly (they say some of it, or something weaker), contradicted
   (they say the opposite, or the input does not say what the sentence says of the authors' work),
   not_in_source (they do not say it).

Judge by the words alone, not by what you know. Another wording is no fault, nor is a reading by the
authors that the words allow (less plain, a step further); a wider claim, a result turned round, or a
reason that the source does not give is one. Where one statement cites several papers, each is judged for
its share of it: what is said of them all need not be in each. Of sources that are asked about together each
that the sentence speaks of must bear it out, and what it says of the authors' own work the input must
say: quote its words as well. If it says that none of them does something, read them all: quote what speaks against
it, or leave quotes empty if nothing does, and call it supported. Where `faults` of an earlier answer
are listed, give the whole answer again with these mended.

Example. Sentence 2: "Ode and Lim {{P1}} glaze at low heat, which, unlike our single firing, doubles the
time in the kiln." P1: "We glaze earthenware at 900 degrees. Firing takes twice as long." For 2-P1 the
claim is "Ode and Lim glaze at low heat, which doubles the time in the kiln", the quotes "We glaze
earthenware at 900 degrees" and "Firing takes twice as long", the reasoning "The time is doubled, but that
900 degrees is low heat is not told", the verdict partly.
"""


class Source(BaseModel):
    """A cited paper as the mind sees it."""

    key: str
    title: str
    abstract: str
    full_text: list[str] | None = None


class Numbered(BaseModel):
    """A sentence of the text."""

    number: int
    text: str


class Asked(BaseModel):
    """What is to be judged: a sentence by one source, or by several together."""

    id: str
    sentence: int
    sources: list[str] = Field(description="Keys of papers, or 'input'.")


class Findings(BaseModel):
    """The mind's answer."""

    findings: list[Finding]


def extract(embedder: Embedder, **_: object) -> Findings:
    """Judge nothing: what is not the paper's own sentence is not checked without an LLM."""
    return Findings(findings=[])


def entail(model: Entailment, **inputs: Any) -> Findings:
    """Judge by a model of inference."""
    return Findings(findings=entailed_findings(model, **inputs))


TASK = Task(
    name="check_citations", prompt=PROMPT, answer=Findings, tier="strong", extract=extract, entail=entail,
    max_output_tokens=1200,
)  # fmt: skip


@dataclass
class Check:
    """One check of a text: by whom, of what, and what it gave beside verdicts."""

    services: Services
    hand: Hand
    sentences: Mapping[int, Sentence]
    """By number."""
    done: int = 0
    rejections: list[Rejection] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)


async def check_citations(state: CheckState, runtime: Runtime[RunContext]) -> CheckState:
    """Check all paragraphs at once; later rounds check only what was rewritten."""
    services = open_services(runtime, state["run"])
    papers = await services.run_store.papers.get(list(state["keys"].values()))
    by_key = {key: papers[paper] for key, paper in state["keys"].items() if paper in papers}
    evidence = await asyncio.to_thread(Evidence, by_key, services.clients.embedder)
    llm = "" if services.judge.name == "extractive" else services.judge.name
    # Someone else's text has no plan, and is no work of whoever has it checked.
    own = state["request"].text if "outline" in state else ""
    known = await known_quotes(services, [paper.id for paper in by_key.values()])
    sentences = state["final"].sentences
    cited = frozenset(key for sentence in sentences for key in sentence.keys)
    hand = Hand(
        by_key, evidence, notices_on(by_key.values()), llm, own=own, cited=cited, known=known
    )
    run = Check(services, hand, dict(enumerate(sentences, start=1)))
    kept = _kept(run, state["verdicts"] if state["checks"] else [])
    blocks = _blocks(paragraph_numbers(sentences, state.get("outline", Plan(lines=()))))
    results = await asyncio.gather(
        *(_check(run, [number for number in block if number not in kept]) for block in blocks)
    )
    verdicts = [item for result in [*kept.values(), *results] for item in result]
    return {
        "verdicts": sorted(verdicts, key=lambda item: item.sentence),
        "checks": state["checks"] + 1,
        "rejections": run.rejections,
        "failures": run.failures,
    }


def _blocks(places: Sequence[int]) -> list[list[int]]:
    """Return the numbers of sentences to be asked about together: of whole paragraphs, where they fit."""
    blocks: list[list[int]] = [[]]
    for _, group in groupby(range(1, len(places) + 1), lambda number: places[number - 1]):
        part = list(group)
        if len(blocks[-1]) + len(part) > AT_ONCE:
            blocks += [part[at : at + AT_ONCE] for at in range(0, len(part), AT_ONCE)]
        else:
            blocks[-1] += part
    return blocks


def _kept(run: Check, known: Sequence[CitationVerdict]) -> dict[int, list[CitationVerdict]]:
    """Return the verdicts of the sentences that have all of theirs, and whose papers are still there."""
    found: dict[int, list[CitationVerdict]] = {}
    for number, sentence in run.sentences.items():
        keys = sentence.keys or ([""] if rests_on(sentence, run.hand) else [])
        mine = [item for item in known if item.sentence == number and item.key in keys]
        there = all(key in run.hand.papers for key in sentence.keys)
        if there and len(mine) == len(keys):
            found[number] = mine
    return found


async def _check(run: Check, numbers: Sequence[int]) -> list[CitationVerdict]:
    """Judge these sentences of one paragraph."""
    hand = run.hand
    asked = await asyncio.to_thread(_unsure, run, numbers) if hand.llm else []
    found = await _ask(run, numbers, asked)
    verdicts: list[CitationVerdict] = []
    for number in numbers:
        sentence = run.sentences[number]
        claims = claims_of(sentence.text, hand.papers)
        for key in sentence.keys:
            finding = found.get(_id(number, key))
            judged = await asyncio.to_thread(
                judge_citation, hand, sentence.text, key, claims, finding
            )
            verdicts.append(verdict_of(judged, hand, number, key, claims))
        if rests_on(sentence, hand):
            judged = judge_uncited(hand, sentence, found.get(_id(number, "")))
            verdicts.append(verdict_of(judged, hand, number, "", {"": sentence.text}))
    run.done += len(numbers)
    run.services.progress("check", run.done, len(run.sentences))
    return verdicts


def _id(number: int, key: str) -> str:
    return f"{number}-{key or 'all'}"


def _unsure(run: Check, numbers: Sequence[int]) -> list[Asked]:
    """Return what somebody has to judge."""
    items = [(number, run.sentences[number]) for number in numbers]
    asked = [
        Asked(id=_id(number, key), sentence=number, sources=[key])
        for number, sentence in items
        for key in sentence.keys
        if known_for_certain(run.hand, sentence.text, key) is None
    ]
    asked += [
        Asked(id=_id(number, ""), sentence=number, sources=list(sources))
        for number, sentence in items
        if (sources := rests_on(sentence, run.hand)) and not run.hand.is_own(sentence)
    ]
    return sorted(asked, key=lambda item: item.sentence)


async def _ask(run: Check, numbers: Sequence[int], asked: Sequence[Asked]) -> dict[str, Finding]:
    """Return the mind's findings by id; quotes that stand nowhere are sent back once.

    Where the question does not fit the model's window each half of it is asked by itself.
    """
    if not asked:
        return {}
    mind, by_id = run.services.judge, {item.id: item for item in asked}
    task = replace(TASK, max_output_tokens=_TOKENS_BESIDE + _TOKENS_EACH * len(asked))
    inputs = _shown(run, numbers, asked)
    if len(asked) > 1 and mind.spare(task, **inputs) < 0:
        parts = asked[: len(asked) // 2], asked[len(asked) // 2 :]
        halves = [await _ask(run, [item.sentence for item in part], part) for part in parts]
        return {**halves[0], **halves[1]}

    def faults(answer: Findings) -> list[str]:
        given = {item.id for item in answer.findings}
        told = [
            f"{item.id}: {detail}"
            for item in answer.findings
            for _, detail in _false_quotes(run.hand, item, by_id.get(item.id))
        ]
        return told + [f"{key}: nothing is said of it" for key in by_id if key not in given]

    answers = await ask_checked(mind, task, inputs, faults)
    found: dict[str, Finding] = {}
    for place, (answer, _) in enumerate(answers.tried):
        for item in (one for one in answer.findings if one.id in by_id):
            false = _false_quotes(run.hand, item, by_id[item.id])
            _reject(run, by_id[item.id], false, "replaced" if place else "asked_again")
            if item.id not in found or not false:
                found[item.id] = item
    if not answers.tried:
        subject = f"sentences {asked[0].sentence} to {asked[-1].sentence}"
        run.failures += answers.failures(STAGE, subject, "their citations count as not supported")
    return found


def _shown(run: Check, numbers: Sequence[int], asked: Sequence[Asked]) -> dict[str, Any]:
    hand = run.hand
    keys = dict.fromkeys(key for item in asked for key in item.sources if key != INPUT)
    before = [number for number in (min(numbers) - 1,) if number]
    return {
        "input": hand.own,
        # Sentences that command whoever reads them are not shown.
        "sources": [
            Source(
                key=key, title=hand.papers[key].title,
                abstract=without_injections(hand.papers[key].abstract or "")[0],
                full_text=quotable(hand.papers[key], hand.known)[2:] or None,
            )
            for key in keys
        ],
        "sentences": [
            Numbered(number=number, text=run.sentences[number].text)
            for number in (*before, *range(min(numbers), max(numbers) + 1))
        ],
        "asked": list(asked),
    }  # fmt: skip


def _false_quotes(hand: Hand, finding: Finding, asked: Asked | None) -> list[tuple[Cause, str]]:
    """Return what is wrong with words given as the sources' own, or as the input's."""
    papers = [hand.papers[key] for key in (asked.sources if asked else ()) if key != INPUT]
    texts = [hand.own, *(text for paper in papers for text in quotable(paper, hand.known))]
    told = (quote_fault(words, texts) for words in finding.quotes if asked and words.strip())
    return [fault for fault in told if fault]


def _reject(
    run: Check,
    asked: Asked,
    false: Sequence[tuple[Cause, str]],
    action: Literal["replaced", "asked_again"],
) -> None:
    sentence = run.sentences[asked.sentence]
    key = asked.sources[0] if sentence.keys else ""
    run.rejections += [
        Rejection(
            stage=STAGE, line=sentence.line, sentence=sentence.text, key=key,
            paper=run.hand.papers[key].id if key else "", cause=cause, action=action,
            detail=f"the check quoted: {detail}", by=run.hand.llm,
        )
        for cause, detail in false
    ]  # fmt: skip
