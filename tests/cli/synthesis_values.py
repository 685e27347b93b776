"""What a run of `synthesize` comes to, made by hand: two papers, one work that both cite."""

from typing import Any

from state.document import Unread
from state.inputs import CheckedRequest
from state.paper import Author, Paper
from state.quote import Quote
from state.run import Failure, Usage
from state.synthesis import (
    CitedIn,
    Context,
    DroppedLine,
    Line,
    NumberedReference,
    Origin,
    SourcePaper,
)

QUESTION = "How do honey bees find home?"
SUN = "Bees steer by the sun, as earlier flights showed [3]."
WORK = "doi:10.1/dance"


def paper(key: str, title: str, **more: Any) -> Paper:
    return Paper(id=key, title=title, year=2020, authors=(Author(name="Ada Lee"),), **more)


def origin(text: str = SUN, **more: Any) -> Origin:
    quote = Quote(
        text=text, paper="local:sun", part="passage", start=0, end=len(text), verified=True
    )
    shown = {
        "paper": "local:sun",
        "paragraph": "p1",
        "number": 4,
        "page": 2,
        "section": ("2 Flight",),
    }
    return Origin(**{**shown, "quote": quote, "works": (WORK,), **more})


def references() -> list[NumberedReference]:
    return [
        NumberedReference(
            number=1,
            role="primary",
            key="lee2020sun",
            entry="A. Lee, “Sun compasses,” 2020.",
            paper=paper("local:sun", "Sun compasses"),
        ),
        NumberedReference(
            number=2,
            role="primary",
            key="lee2020smell",
            entry="",
            paper=paper("doi:10.1/smell", "Smells of *home*", doi="10.1/smell"),
        ),
        NumberedReference(
            number=3,
            role="secondary",
            key="frisch2020dance",
            entry="K. Frisch, “Dances,” 2020.",
            paper=paper(WORK, "Dances", doi="10.1/dance", aliases=("doi:10.1/alias",)),
            cited_in=(
                CitedIn(paper="local:sun", label="3", entry="Frisch. Dances. 2020."),
                CitedIn(paper="doi:10.1/smell", label="", entry="Frisch, K. (2020). Dances."),
                CitedIn(paper="local:unused", label="9", entry="Frisch: Dances."),
            ),
        ),
    ]


def stacked() -> list[SourcePaper]:
    return [
        SourcePaper(
            place=0,
            name="sun.pdf",
            paper="local:sun",
            sha256="a" * 64,
            kind="pdf",
            title="Sun compasses",
            pages=9,
            paragraphs=("p1", "p2"),
            entries=12,
            citations=20,
            linked=19,
            confidence={"title": 1.0, "sections": 0.3},
            unread=(Unread(where="page 7", cause="a scan"),),
        ),
        SourcePaper(
            place=1,
            name="smell.md",
            paper="doi:10.1/smell",
            kind="markdown",
            title="Smells of *home*",
            paragraphs=("p3",),
            notes=("it names no year",),
        ),
        SourcePaper(place=2, name="unused.md", paper="local:unused", paragraphs=("p4",)),
        SourcePaper(place=3, name="bad.pdf", cause="it is damaged", remedy="give another copy"),
    ]


def complete(**more: Any) -> dict[str, Any]:
    """The channels of a run that came to its end."""
    lines = [
        Line(
            number=1,
            paragraph=1,
            text="Bees steer by the sun.",
            verdict="supported",
            primary=(1,),
            secondary=(3,),
            origins=(origin(),),
        ),
        Line(
            number=2,
            paragraph=1,
            text="Smells help.",
            verdict="partly",
            primary=(2,),
            origins=(
                origin(
                    "Smells help.",
                    paper="doi:10.1/smell",
                    paragraph="p3",
                    page=None,
                    section=(),
                    works=(),
                ),
            ),
        ),
    ]
    return {
        "run": "f" * 32,
        "request": CheckedRequest(text=QUESTION, kind="question", notes=("it is short",)),
        "references_as": "fine",
        "granularity": "fine",
        "answer": "Bees steer by the sun [1, 3]. Smells help [2].",
        "draft": "Bees steer by the sun.",
        "lines": lines,
        "references": references(),
        "paragraphs": ["p1", "p2", "p3", "p4"],
        "lost": [DroppedLine(text="Bees read maps.", cause="no source line says it")],
        "contexts": [
            Context(paragraph="p1", score=0.9, by="embedding"),
            Context(paragraph="p3", score=0.5, by="mind"),
        ],
        "folded": 2,
        "used": [origin()],
        "stacked": stacked(),
        "bibtex": "@article{lee2020sun}\n",
        "outcome": "complete",
        "stop": None,
        "seconds": {"read_stack_paper": 1.25},
        "source_usage": [],
        "usage": [Usage(task="judge_claims", mind="m", calls=1, input_tokens=9, output_tokens=2)],
        "mind": "m",
        "failures": [
            Failure(
                stage="read_stack_paper", subject="bad.pdf", cause="it is damaged", remedy="copy"
            ),
            Failure(
                stage="judge_claims", subject="paragraph 1", cause="no answer", remedy="by words"
            ),
        ],
        **more,
    }


def stopped(**more: Any) -> dict[str, Any]:
    """The channels of a run that was interrupted after its first paragraph."""
    kept = complete()
    last = (
        "answer",
        "granularity",
        "references",
        "used",
        "bibtex",
        "outcome",
        "stop",
        "seconds",
        "usage",
        "source_usage",
        "mind",
        "lines",
        "lost",
    )
    values = {name: value for name, value in kept.items() if name not in last}
    return {**values, "folded": 1, "draft": "Bees steer by the sun.", "stack": [0, 1, 2, 3], **more}
