"""A mind's debate on one paper: its schema, the check of its quotes, and the score that is left."""

from collections.abc import Callable, Sequence

from pydantic import BaseModel, Field

from state.paper import Paper
from state.quote import Argument, Debate, Quote

UNSUPPORTED = 0.7
"""Factor for each side of a debate that no verified quote supports."""
Check = Callable[[str, Paper], Quote]
"""Checks words against a paper; `verified` of the answer says how it went."""


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


def judge(paper: Paper, verdict: Verdict, by: str, check: Check) -> Debate:
    """Check every quote of both sides and lower the score for each side that has none left."""
    pro = tuple(_argument(point, paper, check) for point in verdict.arguments_for)
    contra = tuple(_argument(point, paper, check) for point in verdict.arguments_against)
    score, reductions = verdict.score, []
    for side, arguments in (("for", pro), ("against", contra)):
        if not any(argument.supported for argument in arguments):
            score *= UNSUPPORTED
            reductions.append(f"no verified quote {side} it: times {UNSUPPORTED}")
    return Debate(
        paper=paper.id, arguments_for=pro, arguments_against=contra, raw_score=verdict.score,
        score=round(score, 1), reductions=tuple(reductions), by=by,
    )  # fmt: skip


def failed_quotes(paper: Paper, verdict: Verdict, check: Check) -> list[str]:
    """Return the quotes of either side that are not in the paper, in order."""
    points = [*verdict.arguments_for, *verdict.arguments_against]
    return [point.quote for point in points if not check(point.quote, paper).verified]


def best_supported(paper: Paper, verdicts: Sequence[Verdict], check: Check) -> Verdict:
    """Return the verdict with the most supported sides, then the fewest failed quotes, then first.

    So of two debates under one id, the one that is about its paper counts.
    """

    def standing(verdict: Verdict) -> tuple[int, int]:
        sides = (verdict.arguments_for, verdict.arguments_against)
        held = sum(any(check(point.quote, paper).verified for point in side) for side in sides)
        return held, -len(failed_quotes(paper, verdict, check))

    return max(verdicts, key=standing)


def _argument(point: Point, paper: Paper, check: Check) -> Argument:
    quote = check(point.quote, paper)
    if quote.verified:
        return Argument(claim=point.claim, quote=quote)
    return Argument(claim=point.claim, note="its quote is not in the paper and was dropped")
