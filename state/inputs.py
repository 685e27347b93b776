"""What a caller asks for, as sent and as checked."""

from typing import Annotated, Any, Literal, TypeVar

from langgraph.channels import EphemeralValue
from pydantic import BaseModel, Field

from state.paper import Paper, known_since, published_before
from state.quote import Criterion
from state.value import Day, FrozenModel, Moment

SentT = TypeVar("SentT")
InputChannel = Annotated[SentT, EphemeralValue]
"""What a caller sends, as a channel that is empty after one step.

The first node reads it and keeps it, checked, in `request` and `choices`. So what the next caller of
a thread leaves out is the default, not the last one's.
"""

IDEA = "We study how well language models recommend citations for a sentence of a paper."

# The ranges stand in the descriptions and are checked by the first node, not by pydantic: an
# error raised here would reach a caller of the LangGraph server as "internal error".


class FindInput(BaseModel):
    """What to find prior work for, and where."""

    text: InputChannel[str] = Field(
        default="",
        description="The abstract of your paper, a research idea, or a question, in plain text or "
        "Markdown: at least 3 words, at most 20,000 characters. Or a paper's id (DOI, arXiv, PubMed, "
        "OpenAlex) or the address of its page, to use its abstract.",
        examples=[IDEA, "arXiv:2312.10997"],
        json_schema_extra={"maxLength": 20000},
    )
    library: InputChannel[str] = Field(
        default="starter",
        description="The library to search; 'starter' comes with CiteLoom.",
        examples=["starter", "my-papers"],
        json_schema_extra={"maxLength": 64},
    )
    sources: InputChannel[list[str]] = Field(
        default=["library"],
        description="Where to search, most preferred first: 'library', 'openalex', "
        "'semantic_scholar', 'arxiv', 'crossref', 'google' (needs SERPAPI_API_KEY).",
        examples=[["library"], ["openalex", "arxiv"]],
    )
    before: InputChannel[Day | str | None] = Field(
        default=None,
        description="Only papers published before this day (YYYY-MM-DD).",
        examples=["2025-01-01"],
    )
    after: InputChannel[Day | str | None] = Field(
        default=None,
        description="Only papers published on this day or later (YYYY-MM-DD).",
        examples=["2026-01-01"],
    )
    added_after: InputChannel[Moment | None] = Field(
        default=None,
        description="Only papers that came into the library after this moment (ISO 8601).",
        examples=["2026-01-01T12:00:00Z"],
    )
    keep: InputChannel[int] = Field(
        default=40, ge=1, le=500, description="How many papers to keep, 1 to 500.", examples=[40]
    )
    must_include: InputChannel[list[str]] = Field(
        default=[],
        description="Ids (DOI, arXiv id, library id) of papers to keep in any case.",
        examples=[["10.18653/v1/2020.acl-main.447"]],
    )
    exclude: InputChannel[list[str]] = Field(
        default=[],
        description="Ids of papers to leave out.",
        examples=[["arXiv:2312.10997"]],
    )
    include_retracted: InputChannel[bool] = Field(
        default=False, description="Whether to keep and cite retracted papers."
    )


class WriteOptions(BaseModel):
    """How the section is to be written."""

    cite: InputChannel[int | None] = Field(
        default=None,
        ge=1,
        le=200,
        description="Maximum number of papers to cite, 1 to 200. By default as many as fit a section "
        "on this text, at most 30; 10 without a model.",
        examples=[10],
    )
    plan: InputChannel[str] = Field(
        default="",
        description="Optional plan: one line per sentence naming its papers as [1], [2] or by id, "
        "or '5 sentences in 120 words. Cite [1] on lines 1 and 3, [2] on line 2'. "
        "[1] is the first paper of the list, or the best ranked.",
        examples=["Define the task with [1]. Then contrast [2] and [3]."],
    )
    style: InputChannel[str] = Field(
        default="ieee",
        description="Citation style: 'ieee', 'apa', 'acl', or the path of a CSL file (command line "
        "only).",
        examples=["ieee", "apa"],
    )


class ReviewInput(FindInput, WriteOptions):
    """What to review and how: papers are found first, then a related-work section is written."""


class WriteInput(WriteOptions):
    """What to write about: your own text and the papers to relate it to."""

    cite: InputChannel[int | None] = Field(
        default=60,
        ge=1,
        le=200,
        description="Maximum number of papers to cite, 1 to 200.",
        examples=[10],
    )
    text: InputChannel[str] = Field(
        default="",
        description="The abstract of your paper or your idea, as for `find`.",
        examples=[IDEA],
        json_schema_extra={"maxLength": 20000},
    )
    library: InputChannel[str] = Field(
        default="starter",
        description="The library with the papers you name by id.",
        examples=["starter", "my-papers"],
        json_schema_extra={"maxLength": 64},
    )
    sources: InputChannel[list[str]] = Field(
        default=["library"],
        description="Where to look up papers you name by id, in this order, as for `find`.",
        examples=[["library"], ["openalex", "arxiv"]],
    )
    papers: InputChannel[list[str | dict[str, Any]]] = Field(
        default=[],
        description="The papers to relate it to: ids (DOI, arXiv id, library id), or records with "
        "id, title, abstract, year, authors, venue, and perhaps the theme that they had on a map.",
        examples=[["10.18653/v1/2020.acl-main.447", "arXiv:2312.10997"]],
    )


class ReviseInput(BaseModel):
    """Which section to revise, and how; nothing is searched for again."""

    section: InputChannel[str] = Field(
        default="",
        description="The `run` of a result of `write` or `review` on the same server.",
        examples=["20261123-084500-1a2b3c"],
    )
    instruction: InputChannel[str] = Field(
        default="",
        description="What to change, in your words. Without a model: 'without [3]' or 'shorter'.",
        examples=["without [3]", "shorter"],
    )
    plan: InputChannel[str] = Field(
        default="",
        description="A new plan, as for `write`; `[n]` as in the current text.",
        examples=["Define the task with [1]. Then contrast [2] and [3]."],
    )
    text: InputChannel[str] = Field(
        default="",
        description="Your edited section: one sentence per line, an empty line between paragraphs, "
        "`[n]` for the n-th cited paper. CiteLoom checks what you changed.",
        examples=["Moths steer by the moon [1].\n\nBats do not [2]."],
        json_schema_extra={"maxLength": 100000},
    )


class VerifyInput(BaseModel):
    """A text with citations, and the papers that it cites."""

    text: InputChannel[str] = Field(
        default="",
        description="The text in Markdown, LaTeX or plain, at most 100,000 characters. It may cite as "
        "[1], [2-4], ¹, (1), [@key], \\cite{key}, [LWM20], (Lee et al., 2020) or by footnotes, and may hold its "
        "reference list.",
        examples=["Moths steer by the moon [1].\n\n[1] D. Moth. Moths steer by the moon. 2019."],
        json_schema_extra={"maxLength": 100000},
    )
    papers: InputChannel[list[str | dict[str, Any]]] = Field(
        default=[],
        description="The papers it cites: ids (DOI, arXiv id, library id) or records with id, title, "
        "abstract, year, authors; [1] is the first one where the text has no list.",
        examples=[["10.18653/v1/2020.acl-main.447", "arXiv:2312.10997"]],
    )
    library: InputChannel[str] = Field(
        default="starter",
        description="The library to look up references in.",
        examples=["starter", "my-papers"],
        json_schema_extra={"maxLength": 64},
    )
    sources: InputChannel[list[str]] = Field(
        default=["library"],
        description="Where to look up references, in this order, as for `find`. Only online sources "
        "can tell whether a reference exists.",
        examples=[["library"], ["openalex", "arxiv"]],
    )
    strict: InputChannel[bool] = Field(
        default=False,
        description="Whether a reference with wrong details (authors, year, venue, DOI) fails the text.",
    )
    file: InputChannel[str] = Field(
        default="",
        description="The file that the text stands in; the places of findings name it.",
        examples=["draft.tex"],
        json_schema_extra={"maxLength": 1000},
    )
    paragraphs: InputChannel[list[str]] = Field(
        default=[],
        description="The paragraphs of a Word file whose text is sent; the places of findings then number them.",
        examples=[["Related work", "Moths steer by the moon (Moth, 2019)."]],
    )


class ScreenInput(BaseModel):
    """Papers to screen by a protocol."""

    question: InputChannel[str] = Field(
        default="",
        description="The question of the review.",
        examples=["Do bees find home after a displacement?"],
        json_schema_extra={"maxLength": 2000},
    )
    include: InputChannel[list[str]] = Field(
        default=[],
        description="Inclusion criteria: a paper must meet all.",
        examples=[["Studies bees", "Reports an experiment"]],
    )
    exclude: InputChannel[list[str]] = Field(
        default=[],
        description="Exclusion criteria: one that a paper meets excludes it.",
        examples=[["Simulations only"]],
    )
    papers: InputChannel[list[str | dict[str, Any]]] = Field(
        default=[],
        description="The papers to screen, at most 500: ids (DOI, arXiv id, library id), or records with id, title, "
        "abstract, year, authors.",
        examples=[["10.18653/v1/2020.acl-main.447", "arXiv:2312.10997"]],
    )
    stage: InputChannel[str] = Field(
        default="title_abstract",
        description="'title_abstract', or 'full_text' to also read the texts that the library, this machine or an open "
        "copy has.",
        examples=["title_abstract"],
    )
    twice: InputChannel[bool] = Field(
        default=False,
        description="Screen each paper twice, the second time with criteria and papers in reverse order.",
    )
    library: InputChannel[str] = Field(
        default="starter",
        description="The library with the papers you name by id.",
        examples=["starter", "my-papers"],
        json_schema_extra={"maxLength": 64},
    )
    sources: InputChannel[list[str]] = Field(
        default=["library"],
        description="Where to look up papers you name by id, as for `find`.",
        examples=[["library"], ["openalex", "arxiv"]],
    )


class LibraryPapers(BaseModel):
    """Which papers of a library are asked."""

    library: InputChannel[str] = Field(
        default="starter",
        description="The library to ask; 'starter' comes with CiteLoom.",
        examples=["starter", "my-papers"],
        json_schema_extra={"maxLength": 64},
    )
    papers: InputChannel[list[str]] = Field(
        default=[],
        description="Ids of the papers to ask; the whole library by default.",
        examples=[["10.18653/v1/2020.acl-main.447", "arXiv:2312.10997"]],
    )
    first_year: InputChannel[int | None] = Field(
        default=None, description="Only papers from this year or later.", examples=[2018]
    )
    last_year: InputChannel[int | None] = Field(
        default=None, description="Only papers from this year or earlier.", examples=[2024]
    )
    before: InputChannel[Day | str | None] = Field(
        default=None,
        description="Only papers published before this day (YYYY-MM-DD).",
        examples=["2025-01-01"],
    )
    tags: InputChannel[list[str]] = Field(
        default=[],
        description="Only papers with one of these tags.",
        examples=[["thesis"]],
    )


class AskInput(LibraryPapers):
    """A question about the papers of a library, alone or as the last message of a conversation."""

    question: InputChannel[str] = Field(
        default="",
        description="A question in plain words, 2,000 characters at most. If empty, the last message "
        "by a person.",
        examples=["How are citations in generated text verified?"],
        json_schema_extra={"maxLength": 2000},
    )
    messages: list[Any] = Field(
        default=[],
        description="A conversation, oldest first: messages with role 'user' or 'assistant' and "
        "content. Earlier messages explain a follow-up question; a thread on the server "
        "remembers them.",
        examples=[[{"role": "user", "content": "How is ROUGE computed?"}]],
    )


class WriteChoices(FrozenModel):
    """The options of writing, checked."""

    cite: int | None = Field(
        default=None, description="How many papers to cite at most; None until papers are chosen."
    )
    freely: bool = Field(
        default=False,
        description="Whether the program set `cite`: then a text may do without papers that it could cite.",
    )
    plan: str = ""
    style: str = "ieee"

    @property
    def most(self) -> int:
        """How many papers to cite at most."""
        return self.cite or FEW_CITED


FEW_CITED = 10
"""Papers cited where nobody says how many, by writers that give each paper a sentence of its own."""
Kind = Literal["abstract", "idea", "question"]


class CheckedRequest(FrozenModel):
    """The request as understood: checked, with ids in canonical form."""

    text: str
    kind: Kind = "abstract"
    title: str | None = Field(default=None, description="The heading of the text, if it had one.")
    language: str = "en"
    library: str = "starter"
    sources: tuple[str, ...] = ("library",)
    before: Day | None = None
    after: Day | None = None
    added_after: float = Field(
        default=0.0, description="The moment after which its library's papers came; 0 for all."
    )
    keep: int = 40
    must_include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    include_retracted: bool = False
    picked: bool = Field(
        default=False, description="Whether a person chose and ordered the papers that were found."
    )
    own: str | None = Field(
        default=None,
        description="Id of the paper that the text is the abstract of, if it is known.",
    )
    notes: tuple[str, ...] = Field(default=(), description="What the caller should know.")
    criteria: tuple[Criterion, ...] = Field(
        default=(),
        description="What papers must meet, where the text is a question or a list of conditions; at most five.",
    )

    @property
    def headed(self) -> str:
        """The text below its title, if it had one."""
        return f"{self.title}\n\n{self.text}" if self.title else self.text

    def admits(self, paper: Paper) -> bool:
        """Whether a paper appeared within the days asked for, as far as its record tells."""
        since = known_since(paper.published, paper.year, paper.arxiv)
        late_enough = self.after is None or (since is not None and since >= self.after)
        return late_enough and published_before(paper, self.before)
