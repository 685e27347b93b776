"""What a run reports of itself."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from state.base import Value


class Failure(Value):
    """Something that went wrong, written for a person."""

    stage: str = Field(description="The node in which it happened.")
    subject: str = Field(description="What it concerned: a paper's id, a query, a file.")
    cause: str
    remedy: str = Field(default="", description="What to do about it.")
    fatal: bool = Field(default=False, description="Whether the run could not go on after it.")


def halt(failures: Sequence[Failure]) -> Failure | None:
    """Return the failure after which the run could not go on, if there is one."""
    return next((failure for failure in failures if failure.fatal), None)


class Usage(Value):
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


class SourceUsage(Value):
    """What one source was asked in one run, and what that cost."""

    source: str
    calls: int = Field(default=0, description="HTTP requests sent, tries included.")
    cached: int = Field(default=0, description="Answers taken from the cache, unpaid.")
    failed: int = Field(default=0, description="Tries that brought no usable answer.")
    usd: float = 0.0
    seconds: float = Field(
        default=0.0, description="Summed over calls, so it can exceed the wall clock."
    )


Outcome = Literal["complete", "partial", "nothing"]
