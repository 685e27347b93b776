"""What writing produces: key elements, a plan, drafts with votes, verdicts on citations.

In the text of a draft a citation is a marker `{P3}`: P3 is the paper's key in this run, so that
numbers are given once, at the end, and can only be given to papers that are there.
"""

import re
from typing import Literal

from pydantic import Field

from state.quote import Quote
from state.value import FrozenModel, Place

INPUT = "input"
"""The key of the researcher's own text, where it is a source."""
MARKER = re.compile(r"\{(P\d+)\}")
MARKERS = re.compile(rf"{MARKER.pattern}(?:[\s,;]*{MARKER.pattern})*")
"""Markers that stand together, such as '{P1}, {P2}'."""


class Element(FrozenModel):
    """The answer to one guiding question, and the words it rests on."""

    text: str
    quote: Quote | None = None


class KeyElements(FrozenModel):
    """The seven guiding questions of ChatCite (section 3.1), answered for one paper."""

    paper: str
    background: Element | None = None
    problem: Element | None = None
    method: Element | None = None
    data: Element | None = Field(default=None, description="Data and experiments.")
    findings: Element | None = None
    contribution: Element | None = None
    limitations: Element | None = None
    by: str = ""

    def filled(self) -> dict[str, Element]:
        """The elements that are there, by name, in the order of the questions."""
        values = {name: getattr(self, name) for name in ELEMENTS}
        return {name: value for name, value in values.items() if value is not None}


ELEMENTS = ("background", "problem", "method", "data", "findings", "contribution", "limitations")

LineRole = Literal[
    "open", "develop", "agree", "extend", "contrast", "topic", "synthesis", "gap", "close"
]
"""What a line does: `topic`, `synthesis` and `gap` speak of a theme's papers together, `close` of the
researcher's own work; the others of the papers they name."""
WriterName = Literal[
    "whole",
    "plan",
    "beam",
    "per_cite",
    "sentence_by_sentence",
    "lexrank",
    "one_line",
]
Schedule = Literal["themed", "incremental", "at_once"]


class PlanLine(FrozenModel):
    """One sentence to be written."""

    number: int = Field(ge=1, description="Its place in the plan, from 1 without a gap.")
    keys: tuple[str, ...] = Field(default=(), description="Keys of the papers it cites.")
    covers: tuple[str, ...] = Field(
        default=(),
        description="Keys of the papers that it counts without citing them: code writes such a line.",
    )
    theme: str = ""
    role: LineRole = "develop"
    note: str = Field(default="", description="The author's own instruction for this line.")
    paragraph: int = Field(default=1, ge=1, description="The paragraph it stands in, from 1.")
    words: int | None = Field(default=None, ge=1, description="Words asked for in this line.")


class Theme(FrozenModel):
    """What a paragraph is to argue."""

    label: str = Field(description="As it stands in the lines.")
    claim: str = Field(default="", description="What its papers show when they are read together.")
    axis: str = Field(default="", description="In what respect they are compared.")
    gap: str = Field(default="", description="What they leave open that matters to the input.")


class Plan(FrozenModel):
    """The sentences of the section, in order."""

    lines: tuple[PlanLine, ...]
    themes: tuple[Theme, ...] = Field(
        default=(), description="What the themes of the lines are to argue, where an LLM planned."
    )
    words: int | None = Field(default=None, ge=10, description="Words asked for in all.")
    origin: Literal["user", "made"] = "made"
    reasoning: str = ""


class Adherence(FrozenModel):
    """How closely a text follows its plan (LitLLM, appendix, table 8, and citation places)."""

    lines_asked: int
    lines_written: int
    lines_right: int = Field(
        description="Lines of the plan that have one sentence which cites the papers asked for and no other."
    )
    mean_difference: float = Field(
        description="Sentences written less sentences asked for, a paragraph on average."
    )
    largest_difference: int = Field(description="The largest such difference, without its sign.")
    citations_asked: int = Field(description="Papers asked for, counted line by line.")
    citations_in_place: int = Field(description="Those of them that are cited on their line.")
    words_asked: int | None = None
    words_written: int = 0


class Citation(FrozenModel):
    """A paper cited in a sentence, and the verified quote of that paper which supports it."""

    key: str = Field(pattern=r"^P\d+$")
    quote: Quote | None = None
    further: tuple[Quote, ...] = Field(
        default=(), description="More of its verified words, where one stretch is not enough."
    )


class Sentence(FrozenModel):
    """One sentence of a draft, with markers."""

    text: str
    citations: tuple[Citation, ...] = ()
    line: int = Field(
        ge=1, description="The plan's line it was written for; without a plan, its paragraph."
    )
    basis: Quote | None = Field(
        default=None, description="For a sentence on the researcher's own work: its words."
    )
    rests_on: tuple[str, ...] = Field(
        default=(),
        description="For a sentence that cites nobody and speaks of several papers cited around it, "
        "such as 'None of them reports ...': their keys; 'input' where it may speak of the researcher's own work.",
    )

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys marked in the text, each once, in order."""
        return tuple(dict.fromkeys(MARKER.findall(self.text)))


class Vote(FrozenModel):
    """One vote: which of the drafts, shown in which order, and why."""

    chosen: str = Field(description="Id of the draft.")
    order: tuple[str, ...] = Field(description="The order in which the drafts were shown.")
    reason: str = ""


class Draft(FrozenModel):
    """One version of the section, and where it came from."""

    id: str
    parent: str | None = None
    sentences: tuple[Sentence, ...] = ()
    votes: int = Field(default=0, ge=0, description="Votes won in its round.")
    round: int = Field(default=0, ge=0)
    repairs: tuple[str, ...] = Field(
        default=(), description="What the checks took out of the mind's answer, in words."
    )

    whole: bool = Field(
        default=False, description="Whether it was drafted in one go, and is revised as a whole."
    )

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys cited in it, each once, in order."""
        return tuple(dict.fromkeys(key for sentence in self.sentences for key in sentence.keys))


class DraftRound(FrozenModel):
    """One round of the beam, kept for the record: its drafts, votes and survivors."""

    round: int
    line: int
    drafts: tuple[Draft, ...]
    votes: tuple[Vote, ...]
    survivors: tuple[str, ...]


SupportVerdict = Literal[
    "supported", "partly", "contradicted", "not_in_source", "not_in_abstract", "not_checked"
]
"""`not_in_source`: its full text was read and does not say it. `not_in_abstract`: the abstract, which is all
that was read, does not; that is neither a failure nor a pass."""
Scope = Literal["none", "abstract", "full_text"]
"""What was read of a paper to judge what is said of it."""
Purpose = Literal["", "evidence", "method", "background", "contrast", "tool"]
"""What a paper is cited for: as proof of a statement, for how it proceeds, for context, to be set apart from, or as
something that is used."""
VerdictReason = Literal[
    "",
    "fabricated",
    "not_found",
    "unresolved",
    "fabricated_quote",
    "mis_cited",
    "metadata_error",
    "retracted",
    "concern",
    "corrected",
    "superseded",
    "no_abstract",
    "not_verbatim",
    "no_verdict",
    "no_verified_quote",
    "uncited_claim",
    "repeated",
    "off_plan",
]
"""Why a citation or a sentence does not stand as it was written.

`fabricated`: it points to no paper there is, and is most likely invented. `not_found`: a source that would hold
such a work was asked and has none, which is not enough to call it invented. `unresolved`: the list of
references does not have it, or there is no record of it at hand. `fabricated_quote`: the words given as its support are
not in the paper. `mis_cited`: the paper is real and does not say it. `not_verbatim`: it is not the paper's
own sentence, and no LLM was there to judge it. `no_verdict`: the judge gave no usable answer.
`concern`: an expression of concern stands against the paper, or a part of it was retracted. `corrected`: a
correction of it was published.
`uncited_claim`: a claim about the work of others that cites nobody. `off_plan`: a paper of the line is not cited.
"""


class CitationVerdict(FrozenModel):
    """Whether one cited paper supports the sentence that cites it.

    What a sentence says without a citation has one without a key: whether the papers that it rests on, or the
    researcher's own text, support it.
    """

    sentence: int = Field(ge=1, description="Position in the text, first = 1.")
    key: str
    paper: str
    verdict: SupportVerdict
    cause: VerdictReason = ""
    claim: str = Field(default="", description="What the sentence says of this paper.")
    quote: Quote | None = Field(default=None, description="The words that decide it.")
    further: tuple[Quote, ...] = Field(
        default=(),
        description="More verified words, where the sentence draws on several of the paper's.",
    )
    reason: str = Field(
        default="", description="Why: in the words of an LLM that judged, or why nobody could."
    )
    better: str | None = Field(
        default=None, description="Id of another paper at hand that does say it, if one does."
    )
    action: Literal["kept", "rewritten", "removed"] = "kept"
    alarms: tuple[str, ...] = Field(
        default=(), description="What in the words speaks against the claim; no alarm is a proof."
    )
    evidence_scope: Scope = Field(
        default="abstract", description="What was read of the paper to judge it."
    )
    unread: str = Field(
        default="",
        description="Why its full text was not read: that it could not be, or that nobody tried.",
    )
    nearest: tuple[Quote, ...] = Field(
        default=(),
        description="Where nothing was decided: the words of the paper nearest to what is said of it.",
    )
    purpose: Purpose = Field(
        default="", description="What the paper is cited for, as an LLM tells."
    )
    first: SupportVerdict | None = Field(
        default=None,
        description="What the judge said before it was asked once more, with `alarms` before it.",
    )
    by: str = Field(
        default="",
        description="Who judged: an LLM's name, 'code' where the verdict is a matter of fact (the "
        "sentence is the paper's own, or no such paper is there), empty where nobody did.",
    )
    place: Place | None = Field(
        default=None, description="Where it stands in a text that was sent to be checked."
    )


class Rejection(FrozenModel):
    """Something that a check kept out of the text, and what became of it."""

    stage: str = Field(description="The node whose check it was.")
    line: int | None = Field(default=None, description="The plan's line.")
    sentence: str = Field(description="The sentence as the mind wrote it.")
    key: str = Field(default="", description="The marker or citation concerned, as it was written.")
    paper: str = Field(default="", description="The paper's id, where the key leads to one.")
    cause: VerdictReason
    detail: str = Field(description="What is wrong, in words.")
    action: Literal["asked_again", "replaced", "rewritten", "removed"]
    by: str = Field(default="", description="Who wrote it: a model's name or 'extractive'.")


FAILING_VERDICTS: frozenset[SupportVerdict] = frozenset({"contradicted", "not_in_source"})
"""Verdicts with which a citation or a sentence may not stay."""
UNBORNE = FAILING_VERDICTS | {"not_in_abstract"}
"""Those with which a sentence that was written from what was read may not stay: it says more than that."""
ORDER: tuple[SupportVerdict, ...] = (
    "supported",
    "not_checked",
    "partly",
    "not_in_abstract",
    "not_in_source",
    "contradicted",
)
"""From the best verdict to the worst."""
