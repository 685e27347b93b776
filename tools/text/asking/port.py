"""What the extractive ways of `ask` take and give."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage as it is shown to whoever chooses among passages or reads one."""

    id: str
    title: str
    """The paper's title."""
    section: tuple[str, ...]
    """Headings from the top down, as printed; ('Abstract',) or ('Annotation',) for a record's."""
    text: str
    paper: str = ""
    """Canonical id of the paper; without one the title tells papers apart."""
    citation: str = ""
    """How a sentence names the paper's authors, as Paper.citation does: 'Lewis et al.'"""
    year: int | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """A claim that was drawn from a passage."""

    number: int
    text: str
    title: str
    """The title of the paper it is from."""
    paper: str
    """Canonical id of that paper."""
    citation: str = ""
    """How a sentence names the paper's authors, as Paper.citation does: 'Lewis et al.'"""
    year: int | None = None
    quote: str = ""
    """The passage's words that it rests on."""


@dataclass(frozen=True, slots=True)
class QueryDraft:
    """A query and what a whole answer must cover."""

    query: str
    aspects: tuple[str, ...]
    """Short phrases, in the order of the question; never empty."""


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """One thing that a passage says."""

    text: str
    quote: str
    """Words of the passage, letter by letter: tools.evidence.quotes.find_quote finds them in it."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether claims suffice for a whole answer, and what to ask if they do not."""

    sufficient: bool
    reasoning: str
    """Step by step, in plain words."""
    missing: tuple[str, ...] = ()
    """The aspects that no claim covers."""
    bias: str = ""
    """How the claims are one-sided, if they are."""
    query: str = ""
    """The next query; empty when they suffice, or when no query is left that was not asked."""


@dataclass(frozen=True, slots=True)
class DraftSentence:
    """A sentence of an answer, without brackets, and the numbers of the claims it rests on."""

    text: str
    claims: tuple[int, ...]
    """Never empty."""
