"""The base of every domain value."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen value: a node cannot edit in place what a checkpoint already holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")
