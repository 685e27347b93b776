"""The channels of the graph that writes one part of a section."""

from typing import Annotated

from typing_extensions import TypedDict

from state.reducers import add_drafts, add_failures, add_parts, add_rejections
from state.request import Request
from state.run import Failure
from state.writing import Draft, Part, Plan, Rejection


class PartState(TypedDict, total=False):
    """What the nodes share that write one part of the section."""

    run: str
    request: Request
    keys: dict[str, str]
    outline: Plan
    part: Part
    position: int
    """How many lines of the part are written."""
    drafts: list[Draft]
    candidates: Annotated[list[Draft], add_drafts]
    parts: Annotated[list[Draft], add_parts]
    failures: Annotated[list[Failure], add_failures]
    rejections: Annotated[list[Rejection], add_rejections]


class PartOutput(TypedDict):
    """What a part gives to the section."""

    parts: list[Draft]
    failures: list[Failure]
    rejections: list[Rejection]
