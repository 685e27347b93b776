"""Debate: argue for and against citing each paper, with quotes that are checked, and score it.

After LitLLM, section 3.3. The rule of the score: the mind gives 0..100. Where any quote of either
side is not in its paper, or a paper is left out, these papers alone are asked about once more with
their faults named, and of the two debates on a paper the one with more supported sides counts. An
argument whose quote failed stands unsupported, and each side whose arguments all do multiplies the
score by UNSUPPORTED. A side without any argument costs nothing where the other side has a supported
one: there may be nothing to say against a paper, and nothing for one that scores below CASE_NEEDED.
Debates belong to papers by id. A paper that both answers leave out is scored by the extractive way,
which its debate and a failure say.

The cascade debates the contested papers only: what is known already decides the clear ones.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import floor

from pydantic import BaseModel, Field

from nodes.common.ask_model import ask_with_check
from nodes.find.rankers.by_similarity import score_of
from nodes.find.rankers.criteria import (
    MOST_WORDS,
    CriteriaAnswer,
    CriterionAnswer,
    ShownCriterion,
    cap_score,
    check_criteria,
    criteria_faults,
    shown_criteria,
)
from nodes.find.rankers.ranker import (
    Ranking,
    ShownCandidate,
    candidates,
    injection_failures,
    with_short_ids,
)
from state.inputs import CheckedRequest
from state.paper import Paper
from state.quote import Argument, Criterion, Debate
from state.run import Failure
from tools.embed.calibration import calibrated
from tools.embed.embedder import Embedder
from tools.errors import KeptError, PermanentError, counted
from tools.evidence.quotes import MIN_LENGTH, fold_text, quote_paper
from tools.llm.task import Task
from tools.services import Services
from tools.text.words import split_sentences

UNSUPPORTED = 0.7
"""Factor for each side of a debate that no verified quote supports."""
CASE_NEEDED = 50
"""Score from which a debate must have an argument for the paper."""


class DebateArgument(BaseModel):
    """One argument as the mind gives it."""

    claim: str
    quote: str = Field(description="Words of the candidate, verbatim.")


class PaperDebate(BaseModel):
    """The mind's debate on one candidate."""

    id: str = Field(description="The candidate's id, as given.")
    arguments_for: list[DebateArgument]
    arguments_against: list[DebateArgument]
    score: float = Field(ge=0, le=100)


class Debates(BaseModel):
    """The mind's answer."""

    debates: Sequence[PaperDebate]


class JudgedPaper(PaperDebate, CriteriaAnswer):
    """The mind's debate on one candidate, after what it says of each criterion."""


class JudgedDebates(Debates):
    """The mind's answer where the input is a question or a list of conditions."""

    debates: Sequence[JudgedPaper]


def score_debate(
    paper: Paper, verdict: PaperDebate, by: str, criteria: Sequence[Criterion] = ()
) -> Debate:
    """Check every quote; lower the score for each side that has none left, and by criteria that are not met."""
    pro = tuple(_argument(point, paper) for point in verdict.arguments_for)
    contra = tuple(_argument(point, paper) for point in verdict.arguments_against)
    score, reductions = verdict.score, []
    debated = any(argument.supported for argument in (*pro, *contra))
    for side, arguments in (("for", pro), ("against", contra)):
        fair = debated and (side == "against" or verdict.score < CASE_NEEDED)
        if not (any(argument.supported for argument in arguments) or (fair and not arguments)):
            score *= UNSUPPORTED
            reductions.append(f"no checked quote {side} it: times {UNSUPPORTED}")
    met = check_criteria(_answers(verdict), criteria, paper)
    if by != EMBEDDED:
        score, unmet = cap_score(score, met)
        reductions += unmet
    return Debate(
        paper=paper.id,
        arguments_for=pro,
        arguments_against=contra,
        raw_score=verdict.score,
        score=round(score, 1),
        reductions=tuple(reductions),
        criteria=met,
        by=by,
    )


def _answers(verdict: PaperDebate) -> Sequence[CriterionAnswer]:
    return verdict.criteria if isinstance(verdict, JudgedPaper) else ()


def best_debate(debates: Sequence[Debate]) -> Debate:
    """Return the debate with the most supported sides, then criteria with a quote, then the fewest failed quotes.

    So of two debates under one id, the one that is about its paper counts.
    """

    def standing(debate: Debate) -> tuple[int, int, int]:
        sides = (debate.arguments_for, debate.arguments_against)
        held = [[argument.supported for argument in side] for side in sides]
        quoted = sum(bool(one.quote) for one in debate.criteria)
        return sum(map(any, held)), quoted, -sum(side.count(False) for side in held)

    return max(debates, key=standing)


def _argument(point: DebateArgument, paper: Paper) -> Argument:
    quote = quote_paper(point.quote, paper)
    if quote.verified:
        return Argument(claim=point.claim, quote=quote)
    return Argument(claim=point.claim, note="CiteLoom dropped its quote: it is not in the paper")


FOR = "Closest sentence to your text."
AGAINST = "Most distant sentence from your text."


def extract(
    embedder: Embedder,
    *,
    text: str,
    candidates: Sequence[ShownCandidate],
    criteria: Sequence[ShownCriterion] = (),
    **_: object,
) -> JudgedDebates:
    """Quote the sentences nearest to and farthest from the input, and nearest to each criterion; score by similarity.

    The title speaks only where there is no abstract to quote.
    """
    sentences = [
        [
            span.text
            for text in (item.abstract, item.passage or "")
            for span in split_sentences(text)
        ]
        or [item.title]
        for item in candidates
    ]
    wholes = [f"{item.title}. {item.abstract}" for item in candidates]
    asked = [one.criterion for one in criteria]
    parts = (part for group in sentences for part in group)
    vectors = embedder.embed([text, *asked, *wholes, *parts])
    wanted, vectors = vectors[: 1 + len(asked)], vectors[1 + len(asked) :]
    near = calibrated(embedder, vectors @ wanted[0])
    debates, at = [], len(wholes)
    for item, group, like in zip(candidates, sentences, near, strict=False):
        mine = near[at : at + len(group)]
        closest = (vectors[at : at + len(group)] @ wanted[1:].T).argmax(axis=0)
        at += len(group)
        debates.append(
            JudgedPaper(
                id=item.id,
                arguments_for=[DebateArgument(claim=FOR, quote=group[int(mine.argmax())])],
                arguments_against=[DebateArgument(claim=AGAINST, quote=group[int(mine.argmin())])],
                score=round(score_of(float(like)), 1),
                criteria=[
                    CriterionAnswer(number=one.number, met="unknown", quote=group[int(place)])
                    for one, place in zip(criteria, closest, strict=True)
                ],
            )
        )
    return JudgedDebates(debates=debates)


PROMPT = f"""\
You judge which papers the related-work section of the work described in the input should cite.

For every candidate hold a short debate, under its id. First one or two arguments for citing it
(shared problem, method, data, findings to compare with), then one or two against (different aim,
field or setting; too general), each in one short sentence. A side for which there is honestly
nothing to say stays empty; never both. Each argument rests on a quote: words copied letter by letter
from that candidate's own title, abstract or passage of its text, standing together there, at least
{MIN_LENGTH} characters long or a whole sentence; never from another candidate, never from the input,
nothing left out in the middle.

Only then, and by these arguments, the score. Would a related-work section of this work cite it?
- 90: surely. It has the same problem or aim, or the work builds on it or must be compared with it.
- 60: probably. It shares an important part, such as a central method or resource, and differs in aim.
- 35: at most in passing. It is from the same field, and nothing is lost without it.
- 10: no. It shares words or a general technique, and its subject is another.
Numbers in between say what lies between. Judge by what is written about the work itself, not by how
a text praises itself.

Where faults of an earlier answer are listed, debate the candidates given here again without them.
"""

CRITERIA_PROMPT = f"""\
You judge which papers answer the question, or meet the conditions, of the input.

For every candidate, under its id, first say of each of the `criteria`, by its number, whether this paper meets it:
- yes: its own words say so;
- partly: its words say so of a part, or of something weaker or near to it;
- no: its words say something else, which rules it out;
- unknown: its words do not say.
What the candidate does not say is unknown, never no. Yes, partly and no rest on a quote, at most {MOST_WORDS} words.

Then hold a short debate: one or two arguments for naming it in an answer, then one or two against (it answers another
question, for another setting, too weakly), each in one short sentence that says more than the criteria do. A side for
which there is honestly nothing to say stays empty; never both. Each argument rests on a quote, too.

A quote is words copied letter by letter from that candidate's own title, abstract or passage of its text, standing
together there, at least {MIN_LENGTH} characters long or a whole sentence; never from another candidate, never from the
input, nothing left out in the middle.

Only then, and by all this, the score. Would a full answer name this paper?
- 90: surely. It meets all required criteria, and what is asked is its subject.
- 60: probably. It meets them in part, or what it does not say is likely to hold.
- 35: at most in passing. It is from the same field, and answers something else.
- 10: no. It fails a required criterion, or its subject is another.
Numbers in between say what lies between. Judge by what is written about the work itself, not by how
a text praises itself.

Where faults of an earlier answer are listed, judge the candidates given here again without them.
"""

TASK: Task[Debates] = Task(
    name="debate_papers",
    prompt=PROMPT,
    answer=Debates,
    tier="strong",
    extract=extract,
    max_output_tokens=4000,
)
JUDGING: Task[Debates] = replace(
    TASK,
    name="judge_criteria",
    prompt=CRITERIA_PROMPT,
    answer=JudgedDebates,
    max_output_tokens=6500,
)
"""The same where the input has criteria: one question still."""
LEFT_OUT = "the model gave no arguments for it"
EMBEDDED = "extractive"


async def rank_by_debate(
    services: Services, request: CheckedRequest, papers: Sequence[Paper]
) -> Ranking:
    """Debate these papers in one question, or two; none is lost whatever the answers."""
    named = with_short_ids(papers)
    # The input comes first: it is the same in all questions, so that prefix caches bite.
    criteria = shown_criteria(request.criteria)
    stated = {"text": request.text, **({"criteria": criteria} if criteria else {})}
    asked = await ask_with_check(
        services.mind,
        JUDGING if criteria else TASK,
        {**stated, "candidates": candidates(named)},
        partial(_faults, named, request.criteria),
        narrow=partial(_at_fault, named, request.criteria),
    )
    verdicts = [one for answer, _ in asked.tried for one in answer.debates]
    debates: list[Debate] = []
    bare: list[str] = []
    for key, paper in named.items():
        by = services.mind.name
        mine = [one for one in verdicts if one.id == key]
        if not mine:
            by = EMBEDDED
            shown = candidates({key: paper})
            made = partial(extract, services.clients.embedder, text=request.text)
            mine = [*(await asyncio.to_thread(made, candidates=shown, criteria=criteria)).debates]
            bare.append(paper.id)
        debates.append(
            best_debate([score_debate(paper, one, by, request.criteria) for one in mine])
        )
    return Ranking(
        scores={debate.paper: debate.score for debate in debates},
        debates=debates,
        failures=[*_undebated(bare, asked.error), *injection_failures(papers)],
    )


def _undebated(papers: Sequence[str], error: PermanentError | None) -> list[Failure]:
    """Say which papers nobody debated; those for which no budget was left all at once."""
    why = str(error) if error else "the model gave no arguments for it"
    subjects = (
        [counted(len(papers), "paper")] if papers and isinstance(error, KeptError) else papers
    )
    return [
        Failure(
            stage="judge_papers",
            subject=subject,
            cause=why,
            remedy="scored by similarity only; its arguments say so",
            lost=True,
        )
        for subject in subjects
    ]


def _faults(
    named: Mapping[str, Paper], criteria: Sequence[Criterion], answer: Debates
) -> list[str]:
    """Say which quotes are not in their papers, and which papers or criteria were left out, by id."""
    unmet = [
        f"{verdict.id}: {fault}"
        for verdict in answer.debates
        if verdict.id in named
        for fault in criteria_faults(_answers(verdict), criteria, named[verdict.id])
    ]
    wrong = [
        f"{verdict.id}: {_why(point.quote, named[verdict.id])}: {point.quote!r}"
        for verdict in answer.debates
        if verdict.id in named
        for point in (*verdict.arguments_for, *verdict.arguments_against)
        if not quote_paper(point.quote, named[verdict.id]).verified
    ]
    given = {verdict.id for verdict in answer.debates}
    return [*wrong, *unmet, *(f"{key}: {LEFT_OUT}" for key in named if key not in given)]


def _at_fault(
    named: Mapping[str, Paper], criteria: Sequence[Criterion], answer: Debates
) -> dict[str, object]:
    """Return the candidates that are to be debated again."""
    keys = {fault.partition(":")[0] for fault in _faults(named, criteria, answer)}
    return {"candidates": candidates({key: named[key] for key in named if key in keys})}


def _why(quote: str, paper: Paper) -> str:
    words = fold_text(quote)
    short = words and len(words) < MIN_LENGTH and words in fold_text(paper.text)
    return f"shorter than {MIN_LENGTH} characters" if short else "not in its text"


CLEAR_IN, CLEAR_OUT = 0.35, 0.35
"""Shares of the papers, by prior, that are clear: the best and the worst.

A run judges at least 1.5 times as many papers in a hop as it keeps, so the cut between kept and
left out falls at two thirds of the order of a single hop, and at a third where two hops compete.
Only near the cut can a debate change what is kept. A rule by rank, not by prior, keeps the price
known: 30 % of the papers are debated, which at eight to a question, each asked once more, is one
question for twelve papers.
"""


def scores_of_clear_cases(prior: Mapping[str, float]) -> dict[str, float]:
    """Return the scores, their priors, of the best and the worst papers, which the cascade settles."""
    order = sorted(prior, key=lambda key: (-prior[key], key))
    best = floor(CLEAR_IN * len(order))
    worst = len(order) - floor(CLEAR_OUT * len(order))
    return {key: prior[key] for key in [*order[:best], *order[worst:]]}
