"""The channels of the `revise` graph."""

from typing import Annotated

from langgraph.channels import EphemeralValue
from typing_extensions import TypedDict

from state.channels import WriteState


class ReviseInputs(TypedDict):
    """What a caller of `revise` sends, not yet checked."""

    section: object
    instruction: object
    plan: object


class ReviseState(WriteState, total=False):
    """What the nodes of `revise` share."""

    section: Annotated[str, EphemeralValue]
    instruction: Annotated[str, EphemeralValue]
    told: str
    """The instruction, checked; empty where there is a new plan instead."""
