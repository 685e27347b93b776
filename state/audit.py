"""The audit of a text: what stands behind each citation, what was kept out, what is left out."""

from typing import Literal

from pydantic import Field

from state.value import FrozenModel, Place
from state.writing import Adherence, CitationVerdict, Rejection, VerdictReason


class UncitedClaim(FrozenModel):
    """A sentence that seems to claim something about the work of others and cites nobody."""

    sentence: int = Field(ge=1, description="Position in the text, first = 1.")
    text: str
    why: str = Field(description="What gives it away, in words.")
    place: Place | None = Field(default=None, description="Where the sentence stands.")


class ReferenceFinding(FrozenModel):
    """What is known against one entry of a reference list."""

    key: str = Field(description="Its number or key, as the text has it.")
    paper: str = Field(default="", description="Id of the paper it leads to; empty if to none.")
    cause: VerdictReason
    detail: str = Field(description="What is wrong, in words.")
    remedy: str = ""
    place: Place | None = Field(default=None, description="Where its entry or citation stands.")


CheckedField = Literal["title", "authors", "year", "venue", "doi", "arxiv"]
ReferenceOutcome = Literal[
    "confirmed", "wrong", "not_found", "likely_invented", "incomplete", "not_asked"
]
"""What looking a reference up came to.

`confirmed`: a record of it agrees in all that both say. `wrong`: there is such a work, and fields differ.
`not_found`: no source that answered has it. `likely_invented`: nor would it be missing in two of them if it
existed. `incomplete`: not found, and a source could not be asked. `not_asked`: none that could know was named.
"""


class WrongField(FrozenModel):
    """One field in which a reference differs from the record of its work."""

    field: CheckedField
    stated: str = Field(description="What the reference has.")
    right: str = Field(
        description="What the record has; what is known of the id, where it leads nowhere."
    )
    place: Place | None = Field(
        default=None, description="Where the field stands, of an entry of BibTeX."
    )


class ReferenceCheck(FrozenModel):
    """What looking up one entry of a reference list came to."""

    key: str = Field(description="Its number or key, as the text has it.")
    title: str = ""
    outcome: ReferenceOutcome
    wrong: tuple[WrongField, ...] = ()
    found_in: tuple[str, ...] = Field(default=(), description="Sources that have it.")
    year: int | None = Field(default=None, description="As the sources that have it say.")
    venue: str | None = Field(default=None, description="As they say.")
    cited_by: int | None = Field(default=None, description="Citations, as they say.")
    missing_in: tuple[str, ...] = Field(default=(), description="Sources that answered without it.")
    failed_in: tuple[str, ...] = Field(default=(), description="Sources that could not be asked.")
    p_valid: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="How likely it is of a real work and right as printed; none where nobody was asked.",
    )


class Omission(FrozenModel):
    """A paper that was selected and is not cited."""

    paper: str
    title: str
    reason: Literal[
        "beyond_number", "not_in_plan", "no_abstract", "nothing_to_say", "removed", "stopped"
    ]
    detail: str = Field(description="The reason in words.")


class Audit(FrozenModel):
    """Everything that the checks of one text found; callers can gate on `passed`."""

    passed: bool = Field(
        description="Whether each citation resolves, none is contradicted, unsupported, fabricated, "
        "mis-cited or retracted, no claim about others lacks a citation, and everything cited was "
        "checked, but for papers without an abstract, which `notes` tell of."
    )
    reasons: tuple[str, ...] = Field(default=(), description="Why it did not pass, in words.")
    notes: tuple[str, ...] = Field(
        default=(),
        description="How many citations were checked by whom, and how many not, and why.",
    )
    sentences: int = 0
    sentences_citing: int = 0
    citations: int = 0
    supported: int = 0
    partly: int = 0
    contradicted: int = 0
    not_in_source: int = 0
    not_in_abstract: int = 0
    not_checked: int = 0
    verdicts: tuple[CitationVerdict, ...] = ()
    references: tuple[ReferenceFinding, ...] = ()
    checked_references: tuple[ReferenceCheck, ...] = Field(
        default=(), description="What looking up each entry of the list of references came to."
    )
    uncited_claims: tuple[UncitedClaim, ...] = ()
    omissions: tuple[Omission, ...] = ()
    rejections: tuple[Rejection, ...] = Field(
        default=(), description="What the checks kept out of the text while it was written."
    )
    adherence: Adherence | None = Field(
        default=None, description="To the plan, where there is one."
    )
