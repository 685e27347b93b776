"""The numbers of the PRISMA 2020 flow diagram (Page et al., BMJ 372:n71, 2021), counted from a screening's log."""

from collections import Counter

from pydantic import Field

from state.value import FrozenModel
from tools.screening.screening import Outcome, Screening


class Flow(FrozenModel):
    """What became of all records; a review of abstracts alone has no full texts, and includes what it passed."""

    identified: dict[str, int] = Field(description="Records by source.")
    duplicates: int = Field(description="Records of papers that another record had brought.")
    screened: int = Field(description="Papers settled by title and abstract.")
    not_screened: int = Field(
        description="Papers not settled by title and abstract: not decided on by enough screeners, or in conflict."
    )
    excluded: int = Field(description="Papers excluded by title and abstract.")
    sought: int = Field(description="Papers whose full text was sought.")
    not_retrieved: int = Field(description="Papers whose full text nobody could get.")
    assessed: int = Field(description="Papers settled by full text.")
    not_assessed: int = Field(description="Papers not yet settled by full text.")
    excluded_by_reason: dict[str, int] = Field(
        description="Papers excluded at the last stage, by the number of the criterion; 'other' without one.",
    )
    included: int = Field(description="Papers in the review.")


def flow_of(screening: Screening) -> Flow:
    """Count what became of all records."""
    outcomes = [screening.outcomes(stage) for stage in screening.protocol.stages]
    counts = [Counter(outcome for outcome, _ in one.values()) for one in outcomes]
    first, last = counts[0], counts[-1]
    texts: Counter[Outcome] = last if len(counts) > 1 else Counter()
    reasons = Counter(
        reason or "other" for outcome, reason in outcomes[-1].values() if outcome == "exclude"
    )
    return Flow(
        identified=dict(screening.sources),
        duplicates=screening.duplicates,
        screened=first["include"] + first["exclude"],
        not_screened=first["waiting"] + first["conflict"],
        excluded=first["exclude"],
        sought=first["include"] if len(counts) > 1 else 0,
        not_retrieved=texts["not_retrieved"],
        assessed=texts["include"] + texts["exclude"],
        not_assessed=texts["waiting"] + texts["conflict"],
        excluded_by_reason=dict(sorted(reasons.items())),
        included=last["include"],
    )
