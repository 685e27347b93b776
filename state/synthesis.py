"""What flows through `synthesize`: sources, paragraphs, the draft, and its lines with their origins.

LLM-Ref's terms: a context is a paragraph found relevant; a primary reference is a source document; a
secondary reference is a work that a context cites (sections 3.1 to 3.4).
"""

from operator import attrgetter
from typing import Annotated, Any, Literal

from langchain_core.messages import AnyMessage
from pydantic import BaseModel, Field

from state.ask import append_messages, sum_seconds
from state.channels import Result, Routed
from state.document import ReadReport
from state.ingest import Upload
from state.inputs import InputChannel
from state.paper import Paper
from state.passage import place_of
from state.quote import Quote
from state.reducers import KeptFromLastRun, StartsAs, keep_last, replace_by
from state.value import FrozenModel
from state.writing import SupportVerdict

Granularity = Literal["fine", "coarse"]
Role = Literal["primary", "secondary"]


class SynthesizeInput(BaseModel):
    """A question, and the papers to answer it from."""

    question: InputChannel[str] = Field(
        default="",
        description="What the synthesis is to tell, in plain words, 2,000 characters at most. If empty, "
        "the last message by a person.",
        examples=["How are citations in generated text verified?"],
        json_schema_extra={"maxLength": 2000},
    )
    messages: list[Any] = Field(
        default=[],
        description="A conversation, of which the last message is the question.",
        examples=[[{"role": "user", "content": "How is ROUGE computed?"}]],
    )
    uploads: InputChannel[list[Upload]] = Field(
        default=[],
        description="The papers: PDF, HTML, JATS, TEI, DOCX, Markdown or text.",
        examples=[
            [{"name": "owls.md", "content": "# Owls\n\nOwls hear voles.", "encoding": "text"}]
        ],
    )
    paths: InputChannel[list[str]] = Field(
        default=[],
        description="Papers as files of this machine; refused unless the process was given leave.",
        examples=[["papers/owls.pdf"]],
    )
    library: InputChannel[str] = Field(
        default="starter",
        description="The library that has the papers named by id.",
        examples=["starter", "my-papers"],
        json_schema_extra={"maxLength": 64},
    )
    papers: InputChannel[list[str]] = Field(
        default=[],
        description="Ids of papers of the library.",
        examples=[["10.18653/v1/2020.acl-main.447", "arXiv:2312.10997"]],
    )
    sources: InputChannel[list[str]] = Field(
        default=[],
        description="Where references are looked up for their DOI, in turn: 'openalex', "
        "'semantic_scholar', 'arxiv', 'crossref'. None: as printed.",
        examples=[["openalex", "arxiv"]],
    )
    granularity: InputChannel[Granularity] = Field(
        default="fine",
        description="'fine': each line with the papers and works of the lines it comes from. 'coarse': "
        "all sources, and every work cited in the paragraphs used.",
    )


class PaperToRead(FrozenModel):
    """One paper to be read."""

    name: str = Field(
        description="The file's name or the paper's id; no two of a run are the same."
    )
    kind: Literal["file", "upload", "paper"]
    path: str = Field(default="", description="Of a file: where it stands.")
    sha256: str = Field(default="", description="Of an upload: its contents in the spool.")


class SourcePaper(ReadReport):
    """What was read of one item of the stack; see the run store for its paragraphs and entries."""

    place: int = Field(ge=0, description="Its place in the stack, from 0.")
    name: str
    paper: str = Field(default="", description="Canonical id; empty where unreadable.")
    sha256: str = Field(default="", description="Of its bytes; empty for a record's abstract.")
    paragraphs: tuple[str, ...] = Field(default=(), description="Ids, in reading order.")
    entries: int = Field(default=0, description="Entries of its list of references.")
    citations: int = Field(default=0, description="Works cited in its text, each mention counted.")
    linked: int = Field(default=0, description="How many of `citations` have an entry.")

    @property
    def key(self) -> str:
        """An item is read once."""
        return f"{self.place:06d}"


class ParagraphCitation(FrozenModel):
    """A citation in a paragraph."""

    start: int = Field(ge=0, description="Offset in the paragraph's text.")
    end: int = Field(ge=0)
    entries: tuple[int, ...] = Field(default=(), description="Places in the paper's references.")


class PlacedText(FrozenModel):
    """A paragraph's place in its paper."""

    paper: str = Field(description="Canonical id of its paper.")
    number: int = Field(ge=1, description="Its number among the paper's paragraphs.")
    section: tuple[str, ...] = ()
    page: int | None = Field(default=None, ge=1)

    @property
    def place(self) -> str:
        """Where it stands, for people, such as '3.2 Training, p. 7, paragraph 31'."""
        return place_of(self.section, self.page, f"paragraph {self.number}")


class Paragraph(PlacedText):
    """One whole paragraph of one source; kept in the run store."""

    id: str = Field(description="Made of paper and text: state.passage.passage_id.")
    text: str = Field(min_length=1)
    part: str = Field(default="passage", description="What a quote of it is a quote of.")
    citations: tuple[ParagraphCitation, ...] = ()


class EntryWorks(FrozenModel):
    """Which work each entry of each source is, merged over all sources; kept in the run store."""

    works: dict[str, tuple[str, ...]] = Field(
        default_factory=dict,
        description="By the source's canonical id: for each entry, by place, the id of its work.",
    )
    printed: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="By the source's id: the entries as printed."
    )


class Context(FrozenModel):
    """One paragraph (or, for baselines, one chunk) to answer from."""

    paragraph: str = Field(description="Id of the paragraph, in the run store.")
    score: float = Field(description="How well it fits the question, 0..1.")
    by: Literal["embedding", "mind", "retriever"] = Field(description="Who decided it.")
    spans: tuple[tuple[int, int], ...] = Field(
        default=(), description="Where a baseline's chunk is part of it: offsets; else the whole."
    )


class Origin(PlacedText):
    """Words of a source that a line of the synthesis comes from."""

    paragraph: str = Field(description="Id of the paragraph.")
    quote: Quote = Field(description="Verified; the offsets are those in the paragraph's text.")
    works: tuple[str, ...] = Field(
        default=(), description="Ids of the works that these words cite."
    )


class Line(FrozenModel):
    """One line (sentence) of the synthesis."""

    number: int = Field(ge=1)
    paragraph: int = Field(ge=1, description="The paragraph of the synthesis it stands in.")
    text: str = Field(description="Without numbers.")
    origins: tuple[Origin, ...] = ()
    verdict: SupportVerdict = "not_checked"
    primary: tuple[int, ...] = Field(default=(), description="Numbers of its sources.")
    secondary: tuple[int, ...] = Field(default=(), description="Numbers of the works they cite.")


class DroppedLine(FrozenModel):
    """A line that no source bears out, and why it was left out."""

    text: str
    cause: str


class CitedIn(FrozenModel):
    """Where a secondary reference is cited."""

    paper: str = Field(description="Id of the source that cites it.")
    label: str = Field(default="", description="Its label in that source, such as 12.")
    entry: str = Field(description="Its entry there, as printed.")


class NumberedReference(FrozenModel):
    """One entry of the list of references of a synthesis."""

    number: int = Field(ge=1)
    role: Role
    key: str = Field(default="", description="The key used in BibTeX.")
    entry: str = Field(default="", description="The entry as shown, plain text.")
    paper: Paper
    cited_in: tuple[CitedIn, ...] = ()
    resolved: str = Field(default="", description="The source that knows it; empty: as printed.")


class SynthesizeState(Routed, total=False):
    """What the nodes of `synthesize` share. `request.text` is the question."""

    messages: Annotated[list[AnyMessage], KeptFromLastRun(), append_messages]
    references_as: Annotated[Granularity, StartsAs(lambda: "fine")]
    stack: Annotated[list[PaperToRead], keep_last(list[PaperToRead])]
    stacked: Annotated[list[SourcePaper], replace_by(SourcePaper, attrgetter("key"), in_order=True)]
    """What was read, in the order of the stack."""
    paragraphs: list[str]
    """Ids of all paragraphs, in the order of the stack and of reading; each text once."""
    works: list[str]
    """Ids of the works that the sources cite, each once; their records are in the run store."""
    contexts: Annotated[list[Context], keep_last(list[Context])]
    """What the answer is made from: in the order of `paragraphs`, or as a retriever ranked them."""
    draft: str
    """The answer so far; an empty line between two paragraphs."""
    folded: int
    """How many of `contexts` the draft has taken in."""
    lines: Annotated[list[Line], keep_last(list[Line])]
    """The draft's lines with their origins; numbers of references come last."""
    lost: Annotated[list[DroppedLine], keep_last(list[DroppedLine])]
    resolved: dict[str, str]
    """By work: the source on the network that knows it."""
    times: Annotated[dict[str, float], sum_seconds]


class SynthesizeOutput(Result):
    """What `synthesize` gives."""

    answer: str
    """The text, its lines ending in the numbers of their references where these are fine."""
    lines: list[Line]
    references: list[NumberedReference]
    """Primary ones first; each in the order of first mention."""
    lost: list[DroppedLine]
    contexts: list[Context]
    used: list[Origin]
    """The paragraphs of `contexts`: where each stands, its text whole, and the works it cites."""
    stacked: list[SourcePaper]
    granularity: Granularity
    bibtex: str
    messages: Annotated[list[AnyMessage], KeptFromLastRun(), append_messages]
    seconds: dict[str, float]
