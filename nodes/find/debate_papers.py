"""Debate: argue for and against citing each paper, with quotes that are checked, and score it.

Reads `run`, `request` and, per branch, the ids of a few papers. Writes `scores`; the debates go to
the shelf (LitLLM, section 3.3).

The rule of the score: the mind gives 0..100. A quote that is not in the paper is asked for once
more; if it fails again the argument stands unsupported, and each side without any supported
argument multiplies the score by UNSUPPORTED. A paper that a malformed answer leaves out is asked
about again on its own terms, and then scored by similarity alone, which the record says.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from state.paper import Paper
from state.quote import Argument, Debate
from state.request import Request
from state.run import Failure
from tools.context import RunContext
from tools.desk import Desk, open_desk
from tools.embed.port import Embedder, Vectors
from tools.errors import AnswerError, RefusedError
from tools.llm.task import Task
from tools.text.phrases import keyphrases, phrase_stems
from tools.text.quotes import quote_paper
from tools.text.sentences import split_sentences
from tools.text.words import topic_stems

STAGE = "debate_papers"
UNSUPPORTED = 0.7
"""Factor for each side of a debate that no verified quote supports."""
_LOW, _HIGH = 0.1, 0.8
"""Similarities that the embedded engine maps to scores 0 and 100."""

PROMPT = """\
You judge which papers a researcher should discuss in the related-work section of the work described
in the input.

For every candidate hold a short debate: one or two arguments for citing it (shared problem, method,
data, findings to compare with) and one or two against (different aim, field, setting; too general).
Each argument rests on words copied letter by letter from that candidate's own title or abstract: at
least four consecutive words, never from another candidate and never from the input. Then give a
score from 0 (unrelated) to 100 (must be cited). Judge only by what is written. Answer for every
candidate, under its id.
"""


class Candidate(BaseModel):
    """A paper as the mind sees it."""

    id: str
    title: str
    abstract: str


class Point(BaseModel):
    """One argument as the mind gives it."""

    claim: str
    quote: str = Field(description="Words of the candidate, verbatim.")


class Verdict(BaseModel):
    """The mind's debate on one candidate."""

    id: str = Field(description="The candidate's id, as given.")
    arguments_for: list[Point]
    arguments_against: list[Point]
    score: float = Field(ge=0, le=100)


class Debates(BaseModel):
    """The mind's answer."""

    debates: list[Verdict]


def extract(
    embedder: Embedder, *, text: str, candidates: Sequence[Candidate], **_: object
) -> Debates:
    """Quote the sentences nearest to and farthest from the input; score by similarity."""
    sentences = [
        [item.title, *(span.text for span in split_sentences(item.abstract))] for item in candidates
    ]
    vectors = embedder.embed([text, *(sentence for group in sentences for sentence in group)])
    query, rows = vectors[0], vectors[1:]
    wanted = set(topic_stems(text))
    debates, at = [], 0
    for item, group in zip(candidates, sentences, strict=True):
        mine = rows[at : at + len(group)]
        at += len(group)
        near = mine @ query
        # The title speaks only where there is no abstract to quote.
        body = near[1:] if len(group) > 1 else near
        offset = len(near) - len(body)
        best, worst = offset + int(body.argmax()), offset + int(body.argmin())
        shared = [item for item in _phrases(group[best]) if set(phrase_stems(item)) & wanted]
        other = [item for item in _phrases(group[worst]) if not set(phrase_stems(item)) & wanted]
        debates.append(
            Verdict(
                id=item.id,
                arguments_for=[Point(claim=_claim(_FOR, shared), quote=group[best])],
                arguments_against=[Point(claim=_claim(_AGAINST, other), quote=group[worst])],
                score=_score(mine, query, set(topic_stems(" ".join(group))), wanted),
            )
        )
    return Debates(debates=debates)


def _score(sentences: Vectors, query: Vectors, mine: set[str], wanted: set[str]) -> float:
    """Map closeness of meaning, with a share of common words, to 0..100."""
    centre = sentences.mean(axis=0)
    meaning = float(centre @ query) / (float(centre @ centre) ** 0.5 or 1.0)
    words = len(mine & wanted) / max(min(len(mine), len(wanted)), 1)
    similarity = 0.85 * meaning + 0.15 * words
    return round(100 * min(max((similarity - _LOW) / (_HIGH - _LOW), 0.0), 1.0), 1)


_FOR = ("It shares the input's concern with {}.", "Its wording is close to the input's in meaning.")
_AGAINST = (
    "It also turns to {}, which the input does not mention.",
    "It is the least related part.",
)


def _phrases(sentence: str) -> list[str]:
    return [phrase.text for phrase in keyphrases(sentence, limit=8)]


def _claim(forms: tuple[str, str], phrases: list[str]) -> str:
    named = phrases[:2]
    return forms[0].format(" and ".join(named)) if named else forms[1]


TASK = Task(
    name="debate_papers", prompt=PROMPT, answer=Debates, tier="strong", extract=extract,
    max_output_tokens=4000,
)  # fmt: skip


class Branch(TypedDict):
    """What one branch of this node reads."""

    run: str
    request: Request
    papers: list[str]
    of: int
    """How many papers are debated in this round."""


class Update(TypedDict):
    """What this node writes."""

    scores: dict[str, float]
    failures: list[Failure]


async def debate_papers(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Debate the branch's papers; none is lost whatever the answer."""
    desk = open_desk(runtime, state["run"])
    papers = await desk.shelf.papers(state["papers"])
    keyed = {f"C{number}": paper for number, paper in enumerate(papers.values(), start=1)}
    text = state["request"].text
    failures: list[Failure] = []
    try:
        verdicts, why = await _ask(desk, text, keyed)
    except (AnswerError, RefusedError) as error:
        verdicts, why = {}, str(error)
    fallback = {key: paper for key, paper in keyed.items() if key not in verdicts}
    debates = [
        _judge(paper, verdicts[key], desk.mind.name)
        for key, paper in keyed.items()
        if key in verdicts
    ]
    if fallback:
        debates += await asyncio.to_thread(_by_similarity, desk, text, fallback)
        failures = [
            Failure(
                stage=STAGE, subject=paper.id, cause=why or "the mind gave no debate for it",
                remedy="scored by similarity alone, which its debate says",
            )
            for paper in fallback.values()
        ]  # fmt: skip
    await desk.shelf.put_debates(debates)
    desk.tick(STAGE, len(debates), state["of"])
    return {"scores": {debate.paper: debate.score for debate in debates}, "failures": failures}


async def _ask(desk: Desk, text: str, keyed: dict[str, Paper]) -> tuple[dict[str, Verdict], str]:
    """Ask once for all, and once more for what was missing or misquoted."""
    first = await _debate(desk, text, keyed, note="")
    faulty = {
        key: _faults(keyed[key], first[key])
        for key in keyed
        if key in first and _faults(keyed[key], first[key])
    }
    again = {key: paper for key, paper in keyed.items() if key not in first or key in faulty}
    if not again:
        return first, ""
    note = "\n".join(
        f"{key}: not in its text: {quote!r}" for key, quotes in faulty.items() for quote in quotes
    )
    try:
        second = await _debate(desk, text, again, note=note or "Some candidates were left out.")
    except (AnswerError, RefusedError) as error:
        return first, str(error)
    better = {
        key: verdict
        for key, verdict in second.items()
        if key not in first or len(_faults(keyed[key], verdict)) < len(faulty.get(key, []))
    }
    return {**first, **better}, ""


async def _debate(
    desk: Desk, text: str, keyed: dict[str, Paper], *, note: str
) -> dict[str, Verdict]:
    candidates = [
        Candidate(id=key, title=paper.title, abstract=paper.abstract or "")
        for key, paper in keyed.items()
    ]
    inputs: dict[str, Any] = {"text": text, "candidates": candidates}
    if note:
        inputs["quotes_that_failed"] = note
    answer = await desk.mind.do(TASK, **inputs)
    # An id that was not given, or a second debate under one id, does not count.
    verdicts: dict[str, Verdict] = {}
    for verdict in answer.debates:
        if verdict.id in keyed:
            verdicts.setdefault(verdict.id, verdict)
    return verdicts


def _faults(paper: Paper, verdict: Verdict) -> list[str]:
    points = [*verdict.arguments_for, *verdict.arguments_against]
    return [point.quote for point in points if not quote_paper(point.quote, paper).verified]


def _judge(paper: Paper, verdict: Verdict, by: str) -> Debate:
    """Check both sides' quotes and lower the score for each side that has none."""
    pro = tuple(_argument(point, paper) for point in verdict.arguments_for)
    contra = tuple(_argument(point, paper) for point in verdict.arguments_against)
    score, reductions = verdict.score, []
    for side, arguments in (("for", pro), ("against", contra)):
        if not any(argument.supported for argument in arguments):
            score *= UNSUPPORTED
            reductions.append(f"no verified quote {side} it: times {UNSUPPORTED}")
    return Debate(
        paper=paper.id, arguments_for=pro, arguments_against=contra, raw_score=verdict.score,
        score=round(score, 1), reductions=tuple(reductions), by=by,
    )  # fmt: skip


def _argument(point: Point, paper: Paper) -> Argument:
    quote = quote_paper(point.quote, paper)
    if quote.verified:
        return Argument(claim=point.claim, quote=quote)
    return Argument(claim=point.claim, note="its quote is not in the paper and was dropped")


def _by_similarity(desk: Desk, text: str, keyed: dict[str, Paper]) -> list[Debate]:
    candidates = [
        Candidate(id=key, title=paper.title, abstract=paper.abstract or "")
        for key, paper in keyed.items()
    ]
    answer = extract(desk.clients.embedder, text=text, candidates=candidates)
    return [_judge(keyed[verdict.id], verdict, "extractive") for verdict in answer.debates]
