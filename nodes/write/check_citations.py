"""Check: hold every citation of the draft against the paper it cites.

Reads `run`, `keys`, `final`, `checks`, `verdicts`. Writes `verdicts`, `checks`, `rejections`. A sentence
that is the paper's own is supported (tools.evidence.verbatim). Of any other an LLM judges, and its
verdict counts only with words that code found in the paper (nodes.write.judge_citation); a quote that
is not there is sent back once. Without an LLM it is not checked, and neither is a citation of a paper
without an abstract.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from langgraph.runtime import Runtime
from pydantic import BaseModel

from nodes.ask_checked import ask_checked
from nodes.write.judge_citation import (
    Finding,
    Hand,
    judge_citation,
    known_for_certain,
    notices_on,
    verdict_of,
)
from state.channels import CheckState
from state.run import Failure
from state.writing import CitationVerdict, Rejection, Sentence
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.evidence.alignment import Evidence
from tools.evidence.claims import claims_of
from tools.evidence.prompt_injection import without_injections
from tools.evidence.quotes import quote_paper
from tools.llm.task import Task
from tools.services import Services, open_services

STAGE = "check_citations"

PROMPT = """\
You check citations. For one sentence of a related-work section and each paper that it cites, decide
whether the paper's title and abstract support what the sentence says of that paper:
- supported: they say it;
- partly: they say some of it, or something weaker;
- contradicted: they say the opposite;
- not_in_source: they do not say it.

Copy, letter by letter, the words of that paper on which the verdict rests. What the sentence says
of other papers is not this paper's to support. Judge by the words only, not by what you know.
"""


class Source(BaseModel):
    """A cited paper as the mind sees it, with the part of the sentence that speaks of it."""

    key: str
    claim: str
    title: str
    abstract: str


class Findings(BaseModel):
    """The mind's answer."""

    findings: list[Finding]


def extract(embedder: Embedder, **_: object) -> Findings:
    """Judge nothing: what is not the paper's own sentence is not checked without an LLM."""
    return Findings(findings=[])


TASK = Task(
    name="check_citations", prompt=PROMPT, answer=Findings, tier="strong", extract=extract,
    max_output_tokens=1200,
)  # fmt: skip


@dataclass
class Check:
    """One check of a text: by whom, of what, and what it gave beside verdicts."""

    services: Services
    hand: Hand
    rejections: list[Rejection] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)


async def check_citations(state: CheckState, runtime: Runtime[RunContext]) -> CheckState:
    """Check all sentences at once; later rounds check only what was rewritten."""
    services = open_services(runtime, state["run"])
    sentences = state["final"].sentences
    papers = await services.run_store.papers.get(list(state["keys"].values()))
    by_key = {key: papers[paper] for key, paper in state["keys"].items() if paper in papers}
    evidence = await asyncio.to_thread(Evidence, by_key, services.clients.embedder)
    llm = "" if services.mind.name == "extractive" else services.mind.name
    run = Check(services, Hand(by_key, evidence, notices_on(by_key.values()), llm))
    known = state["verdicts"] if state["checks"] else []
    done = 0

    async def check(number: int, sentence: Sentence) -> list[CitationVerdict]:
        nonlocal done
        kept = [item for item in known if item.sentence == number and item.key in sentence.keys]
        verdicts = kept if len(kept) == len(sentence.keys) else await _check(run, number, sentence)
        done += 1
        services.progress("check", done, len(sentences))
        return verdicts

    results = await asyncio.gather(
        *(check(number, sentence) for number, sentence in enumerate(sentences, start=1))
    )
    return {
        "verdicts": [item for result in results for item in result],
        "checks": state["checks"] + 1,
        "rejections": run.rejections,
        "failures": run.failures,
    }


async def _check(run: Check, number: int, sentence: Sentence) -> list[CitationVerdict]:
    hand, text = run.hand, sentence.text
    claims = claims_of(text, hand.papers)
    found: dict[str, Finding] = {}
    if hand.llm:
        unsure = await asyncio.to_thread(_unsure, hand, text, claims)
        found = await _ask(run, number, sentence, unsure)
    verdicts: list[CitationVerdict] = []
    for key in sentence.keys:
        judged = await asyncio.to_thread(judge_citation, hand, text, key, claims, found.get(key))
        verdicts.append(verdict_of(judged, hand, number, key, claims))
    return verdicts


def _unsure(hand: Hand, sentence: str, claims: Mapping[str, str]) -> dict[str, str]:
    """Return the claims that somebody has to judge."""
    return {
        key: claim
        for key, claim in claims.items()
        if known_for_certain(hand, sentence, key) is None
    }


async def _ask(
    run: Check, number: int, sentence: Sentence, claims: Mapping[str, str]
) -> dict[str, Finding]:
    """Return the mind's findings by key; quotes that are not in the paper are sent back once."""
    if not claims:
        return {}
    hand = run.hand

    def faults(answer: Findings) -> list[str]:
        return [words for item in answer.findings for words in _false_quotes(item, hand)]

    sources = [
        # Sentences that command whoever reads them are not shown.
        Source(
            key=key, claim=claim, title=hand.papers[key].title,
            abstract=without_injections(hand.papers[key].abstract or "")[0],
        )
        for key, claim in claims.items()
    ]  # fmt: skip
    asked = await ask_checked(
        run.services.mind, TASK, {"sentence": sentence.text, "sources": sources}, faults,
        again_as="quotes_that_failed",
    )  # fmt: skip
    found: dict[str, Finding] = {}
    for place, (answer, _) in enumerate(asked.tried):
        for item in answer.findings:
            false = _false_quotes(item, hand)
            run.rejections += [
                Rejection(
                    stage=STAGE, line=sentence.line, sentence=sentence.text, key=item.key,
                    paper=hand.papers[item.key].id, cause="fabricated_quote",
                    action="replaced" if place else "asked_again", by=hand.llm,
                    detail=f"the check quoted what is not in the paper: “{words[:200]}”",
                )
                for words in false
            ]  # fmt: skip
            if item.key in claims and (item.key not in found or not false):
                found[item.key] = item
    if not asked.tried:
        run.failures.append(
            Failure(
                stage=STAGE, subject=f"sentence {number}", cause=str(asked.error),
                remedy="its citations count as not supported",
            )
        )  # fmt: skip
    return found


def _false_quotes(finding: Finding, hand: Hand) -> list[str]:
    """Return the words given as a paper's own that do not stand in it."""
    paper = hand.papers.get(finding.key)
    return [
        words
        for words in (finding.quote, *finding.further)
        if paper and words.strip() and not quote_paper(words, paper).verified
    ]
