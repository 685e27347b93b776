"""What a run reports of itself."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from state.value import FrozenModel

GraphName = Literal[
    "find",
    "review",
    "write",
    "revise",
    "novelty",
    "screen",
    "verify",
    "references",
    "ask",
    "table",
    "synthesize",
    "ingest",
]


class Failure(FrozenModel):
    """Something that went wrong, written for a person."""

    stage: str = Field(description="The node in which it happened.")
    subject: str = Field(description="What it concerned: a paper's id, a query, a file.")
    cause: str
    remedy: str = Field(default="", description="What to do about it.")
    fatal: bool = Field(default=False, description="Whether the run could not go on after it.")
    lost: bool = Field(
        default=False,
        description="Whether a question to the model got no usable answer, so that something weaker stands in its "
        "place.",
    )


def as_sentences(cause: str, remedy: str) -> str:
    """Return what went wrong, then what to do about it."""
    return f"{cause.rstrip('.')}. {remedy[0].upper()}{remedy[1:].rstrip('.')}." if remedy else cause


def fatal_failure(failures: Sequence[Failure]) -> Failure | None:
    """Return the failure after which the run could not go on, if there is one."""
    return next((failure for failure in failures if failure.fatal), None)


class Usage(FrozenModel):
    """What one task cost in one run."""

    task: str
    mind: str = Field(description="A model's name, or 'extractive'.")
    calls: int = 0
    cached: int = Field(default=0, description="Answers taken from the cache, unpaid.")
    repairs: int = Field(default=0, description="Times an answer was sent back.")
    input_tokens: int = 0
    output_tokens: int = Field(default=0, description="Tokens out, those of thinking included.")
    thinking_tokens: int = Field(
        default=0, description="Those of thinking, as the endpoint reports or else estimated."
    )
    usd: float = 0.0
    seconds: float = Field(
        default=0.0, description="Summed over calls, so it can exceed the wall clock."
    )

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.input_tokens + self.output_tokens


class SourceUsage(FrozenModel):
    """What one source was asked in one run, and what that cost."""

    source: str
    calls: int = Field(default=0, description="HTTP requests sent, tries included.")
    cached: int = Field(default=0, description="Answers taken from the cache, unpaid.")
    failed: int = Field(default=0, description="Tries that brought no usable answer.")
    usd: float = 0.0
    seconds: float = Field(
        default=0.0, description="Summed over calls, so it can exceed the wall clock."
    )


RunOutcome = Literal["complete", "partial", "nothing"]


def outcome_of(result: object, failures: Sequence[Failure], *, whole: bool = True) -> RunOutcome:
    """Return how far a run came: complete only where it went on to its end and no answer was lost on the way.

    Args:
        result: Empty where there is nothing to show.
        failures: Of all of its steps.
        whole: Whether the result itself lacks nothing.
    """
    if not result:
        return "nothing"
    weakened = fatal_failure(failures) or any(failure.lost for failure in failures)
    return "complete" if whole and not weakened else "partial"
