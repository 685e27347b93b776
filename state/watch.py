"""A watch: a search that is repeated, what each check of it found, and what its digests tell."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from state.paper import Paper
from state.quote import Quote
from state.value import FrozenModel

Change = Literal["contradicts", "extends", "same", "none", "nearest"]
"""What a paper does to a sentence of a section; 'nearest' where no model said so."""
ItemKind = Literal["new", "published", "retracted", "notice"]


class Placed(FrozenModel):
    """A paper beside the sentence of the section that it concerns."""

    change: Change = "nearest"
    sentence: int = Field(default=0, description="Its number in the section, from 1; 0 for none.")
    sentence_text: str = ""
    says: str = Field(default="", description="What the paper says on it, in a model's words.")
    words: Quote | None = Field(default=None, description="Words of the paper, found by code.")


class WatchItem(FrozenModel):
    """One thing that a digest tells."""

    kind: ItemKind
    paper: Paper
    detail: str = Field(default="", description="What was said of it, such as the notice's DOI.")
    score: float = Field(default=0.0, description="Of a new paper, 0 to 100.")
    judged: bool = Field(default=False, description="Whether a model gave the score.")
    placed: Placed | None = None

    @property
    def key(self) -> str:
        """Names it in all digests of a watch: nothing is told twice."""
        more = f" {self.detail}" if self.kind == "notice" else ""
        return f"{self.kind} {self.paper.id}{more}"


class WatchCheck(FrozenModel):
    """What one check of a watch found."""

    at: datetime
    run: str = Field(description="The run of `find` that searched.")
    number: int = Field(default=0, description="Of its digest; 0 where there was nothing to tell.")
    items: tuple[WatchItem, ...] = ()
    after: str = Field(default="", description="The first day of the papers it searched for.")
    searched: dict[str, str] = Field(
        default_factory=dict, description="The day of this check, by each source that answered it."
    )
    failed: dict[str, str] = Field(default_factory=dict, description="Why, by source.")
    unasked: tuple[str, ...] = Field(default=(), description="What else was left undone, in words.")
    untold: int = Field(
        default=0, description="Papers that reached the bar beyond the number that a check tells."
    )
    seen: tuple[Paper, ...] = Field(default=(), description="What was judged, without its texts.")
    mind: str = ""
    bar: float = 0.0


class Watch(FrozenModel):
    """A search to repeat, with what was known when it began."""

    name: str
    subject: str
    every: int = Field(ge=1, description="Days from one check to the next.")
    added: datetime
    since: str = Field(description="The day up to which everything is known, YYYY-MM-DD.")
    run: str = Field(default="", description="The run that it repeats, if any.")
    inputs: dict[str, Any]
    settings: dict[str, Any]
    known: tuple[Paper, ...] = Field(
        default=(), description="What the run has seen, without texts."
    )
    cited: tuple[Paper, ...] = Field(
        default=(), description="What its section cites, or what it kept."
    )
    sentences: tuple[str, ...] = Field(default=(), description="Those of its section.")

    @property
    def sources(self) -> tuple[str, ...]:
        """Where it searches."""
        return tuple(self.inputs.get("sources") or ("library",))


def without_texts(paper: Paper) -> Paper:
    """Return what tells a paper from others: its record without abstract, snippets and references."""
    bare = {"abstract": None, "snippets": (), "references": (), "record": None}
    return paper.model_copy(update=bare)
