"""Criteria: whether a paper meets what a question or a list of conditions asks for, with a quote of each.

A model says it beside its debate, in the same question. Code looks for each quote in the paper: a verdict without one
counts as unknown. CAPS is the rule of the score: the most that a paper gets of which a required criterion is
not met, or is not shown to be. Without a model nothing is judged: the closest sentence is shown, and caps nothing.
"""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel, Field

from state.paper import Paper
from state.quote import Criterion, CriterionVerdict, Met
from tools.evidence.quotes import quote_paper

MOST_WORDS = 20
CAPS: Mapping[Met, float] = {"no": 15.0, "unknown": 60.0}
"""A "no" falls below the bar of a run with a model (20); what a text does not say may stand elsewhere in the paper."""


class ShownCriterion(Criterion):
    """A criterion as the mind sees it."""

    number: int


class CriterionAnswer(BaseModel):
    """What the mind says of one criterion."""

    number: int = Field(description="The criterion's number, as given.")
    met: Met
    quote: str = Field(
        default="", description="Words of the candidate, verbatim; empty where it does not say."
    )


class CriteriaAnswer(BaseModel):
    """What the mind says of one candidate; as the last base of an answer its fields come first."""

    id: str = Field(description="The candidate's id, as given.")
    criteria: list[CriterionAnswer] = Field(description="Each criterion once.")


def shown_criteria(criteria: Sequence[Criterion]) -> list[ShownCriterion]:
    """Return the criteria with their numbers, without those that a paper's year decides."""
    return [
        ShownCriterion(number=number, criterion=one.criterion, required=one.required)
        for number, one in enumerate(criteria, start=1)
        if not one.of_time
    ]


def _of_year(criterion: Criterion, year: int | None) -> CriterionVerdict:
    if year is None:
        return CriterionVerdict(**criterion.model_dump())
    first, last = criterion.from_year or year, criterion.to_year or year
    met: Met = "yes" if first <= year <= last else "no"
    return CriterionVerdict(**criterion.model_dump(), met=met, quote=str(year))


def check_criteria(
    answers: Sequence[CriterionAnswer], criteria: Sequence[Criterion], paper: Paper
) -> tuple[CriterionVerdict, ...]:
    """Return a verdict for each criterion: by the paper's year, or as answered, if its quote is in the paper."""
    given = {one.number: one for one in reversed(answers)}
    found: list[CriterionVerdict] = []
    for number, criterion in enumerate(criteria, start=1):
        if criterion.of_time:
            found.append(_of_year(criterion, paper.year))
            continue
        answer = given.get(number, CriterionAnswer(number=number, met="unknown"))
        quote = quote_paper(answer.quote, paper)
        words, met = first_words(quote.text) if quote.verified else "", answer.met
        found.append(
            CriterionVerdict(
                **criterion.model_dump(),
                met=met if words else "unknown",
                quote=words,
                part=quote.part if words else "",
            )
        )
    return tuple(found)


def first_words(text: str) -> str:
    """Return as many of the first words as a quote may have."""
    return " ".join(text.split(" ")[:MOST_WORDS])


def criteria_faults(
    answers: Sequence[CriterionAnswer], criteria: Sequence[Criterion], paper: Paper
) -> Iterator[str]:
    """Yield which criteria were left out, and which quotes are missing or not in the paper."""
    given = {one.number for one in answers}
    for one in shown_criteria(criteria):
        if one.number not in given:
            yield f"criterion {one.number} was left out"
    for said in answers:
        if said.quote.strip() and not quote_paper(said.quote, paper).verified:
            yield f"criterion {said.number}: not in its text: {said.quote!r}"
        elif said.met in {"yes", "partly"} and not said.quote.strip():
            yield f"criterion {said.number} has no quote"


def cap_score(score: float, verdicts: Sequence[CriterionVerdict]) -> tuple[float, tuple[str, ...]]:
    """Return the score and, where a required criterion lowers it, why."""
    unmet = [one for one in verdicts if one.required and CAPS.get(one.met, 100.0) < score]
    if not unmet:
        return score, ()
    worst = min(unmet, key=lambda one: CAPS[one.met])
    said = "not met" if worst.met == "no" else "not shown to be met"
    return CAPS[worst.met], (
        f"required, and {said}: “{worst.criterion}”: at most {CAPS[worst.met]:.0f}",
    )
