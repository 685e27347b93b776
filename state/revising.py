"""The channels of the `revise` graph."""

from state.channels import WriteState


class ReviseState(WriteState, total=False):
    """What the nodes of `revise` share."""

    told: str
    """The instruction, checked; empty where there is a new plan instead."""
