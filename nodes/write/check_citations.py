"""Check: hold every citation of the draft against the paper it cites.

Reads `run`, `keys`, `final`, `checks`, `verdicts`. Writes `verdicts`, `checks`, `rejections`. A verdict
counts only with words that code found in the paper and that have to do with the claim
(nodes.write.judge_citation); a quote that is not there is sent back once. A paper without an abstract
is "not checked", which is shown and is not a pass.
"""

import asyncio
from collections.abc import Mapping, Sequence

from langgraph.runtime import Runtime
from pydantic import BaseModel
from typing_extensions import TypedDict

from nodes.write.judge_citation import (
    Finding,
    Hand,
    compare,
    judge,
    notices_on,
    verdict_of,
    verified,
)
from state.paper import Paper
from state.run import Failure
from state.writing import CitationVerdict, Draft, Rejection, Sentence
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.evidence.alignment import Evidence
from tools.evidence.claims import claims_of
from tools.evidence.prompt_injection import without_injections
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


def extract(
    embedder: Embedder, *, sentence: str, sources: Sequence[Source], **_: object
) -> Findings:
    """Compare the words of each claim with the paper's sentences, up to two of them."""
    return Findings(
        findings=[compare(item.key, item.claim, item.title, item.abstract) for item in sources]
    )


TASK = Task(
    name="check_citations", prompt=PROMPT, answer=Findings, tier="strong", extract=extract,
    max_output_tokens=1200,
)  # fmt: skip


class Branch(TypedDict):
    """What this node reads."""

    run: str
    keys: dict[str, str]
    final: Draft
    checks: int
    verdicts: list[CitationVerdict]


class Update(TypedDict):
    """What this node writes."""

    verdicts: list[CitationVerdict]
    checks: int
    rejections: list[Rejection]
    failures: list[Failure]


class Checked(BaseModel):
    """What the check of one sentence gave."""

    verdicts: list[CitationVerdict] = []
    rejections: list[Rejection] = []
    failures: list[Failure] = []


async def check_citations(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Check all sentences at once; later rounds check only what was rewritten."""
    services = open_services(runtime, state["run"])
    draft = state["final"]
    papers = await services.run_store.papers(list(state["keys"].values()))
    by_key = {key: papers[paper] for key, paper in state["keys"].items() if paper in papers}
    evidence = await asyncio.to_thread(Evidence, by_key, services.clients.embedder)
    hand = Hand(by_key, evidence, notices_on(by_key.values()))
    known = (
        {(item.sentence, item.key): item for item in state["verdicts"]} if state["checks"] else {}
    )
    done = 0

    async def check(number: int, sentence: Sentence) -> Checked:
        nonlocal done
        checked = await _check(services, hand, number, sentence, known)
        done += 1
        services.progress("check", done, len(draft.sentences))
        return checked

    results = await asyncio.gather(
        *(check(number, sentence) for number, sentence in enumerate(draft.sentences, start=1))
    )
    return {
        "verdicts": [item for result in results for item in result.verdicts],
        "checks": state["checks"] + 1,
        "rejections": [item for result in results for item in result.rejections],
        "failures": [item for result in results for item in result.failures],
    }


async def _check(
    services: Services,
    hand: Hand,
    number: int,
    sentence: Sentence,
    known: Mapping[tuple[int, str], CitationVerdict],
) -> Checked:
    kept = [known[number, key] for key in sentence.keys if (number, key) in known]
    if len(kept) == len(sentence.keys):
        return Checked(verdicts=kept)
    claims = claims_of(sentence.text, hand.papers)
    checked = Checked()
    found: dict[str, Finding] = {}
    sources = [
        _source(key, claim, hand.papers[key])
        for key, claim in claims.items()
        if hand.papers[key].abstract
    ]
    if sources:
        try:
            found = await _ask(services, hand, sentence, sources, checked)
        except (AnswerError, RefusedError) as error:
            checked.failures.append(
                Failure(
                    stage=STAGE, subject=f"sentence {number}", cause=str(error),
                    remedy="its citations count as not supported",
                )
            )  # fmt: skip
    for key in sentence.keys:
        judged = await asyncio.to_thread(judge, hand, sentence, key, claims, found.get(key))
        checked.verdicts.append(verdict_of(judged, hand, number, key, claims, services.mind.name))
    return checked


def _source(key: str, claim: str, paper: Paper) -> Source:
    """Show a paper without sentences that command whoever reads it."""
    return Source(
        key=key,
        claim=claim,
        title=paper.title,
        abstract=without_injections(paper.abstract or "")[0],
    )


async def _ask(
    services: Services, hand: Hand, sentence: Sentence, sources: Sequence[Source], checked: Checked
) -> dict[str, Finding]:
    """Return the mind's findings by key; quotes that are not in the paper are sent back once."""
    answer = await services.mind.do(TASK, sentence=sentence.text, sources=sources)
    found = {item.key: item for item in reversed(answer.findings)}
    false = _false_quotes(found, hand)
    if not false or services.mind.name == "extractive":
        return found
    checked.rejections += _rejected(services, hand, sentence, false, "asked_again")
    try:
        again = await services.mind.do(
            TASK, sentence=sentence.text, sources=[item for item in sources if item.key in false],
            quotes_that_failed=list(false.values()),
        )  # fmt: skip
    except (AnswerError, RefusedError):
        return found  # a quote that is not there counts for nothing; the others stand
    mended = {item.key: item for item in reversed(again.findings) if item.key in false}
    still = _false_quotes(mended, hand)
    checked.rejections += _rejected(services, hand, sentence, still, "replaced")
    return {**found, **mended}


def _false_quotes(found: Mapping[str, Finding], hand: Hand) -> dict[str, str]:
    """Return by key the words given as a paper's own that do not stand in it."""
    return {
        key: words
        for key, finding in found.items()
        if key in hand.papers
        for words in [finding.quote, *finding.further][::-1]
        if words.strip() and not verified([words], hand.papers[key])
    }


def _rejected(
    services: Services, hand: Hand, sentence: Sentence, false: Mapping[str, str], action: str
) -> list[Rejection]:
    return [
        Rejection(
            stage=STAGE, line=sentence.line, sentence=sentence.text, key=key,
            paper=hand.papers[key].id, cause="fabricated_quote",
            detail=f"the check quoted what is not in the paper: “{words[:200]}”",
            action="asked_again" if action == "asked_again" else "replaced", by=services.mind.name,
        )
        for key, words in false.items()
    ]  # fmt: skip
