"""One sentence of a section: how a mind is asked for it, and how the embedded engine composes it.

ChatCite, section 3.2.1: a sentence is written in view of the target work and of what is already
there; earlier sentences stay as they are, so that nothing said of an earlier paper can be lost.
"""

from collections.abc import Sequence

from pydantic import BaseModel

from nodes.write.lines import LinePaper, as_cited
from nodes.write.writers.answers import NextSentence, Support
from state.writing import PlanLine
from tools.embed.port import Embedder
from tools.llm.task import Task
from tools.text.compose import Composed, Composer, resemblance
from tools.text.sentences import split_sentences

_NEAR = 0.22
"""Dice resemblance from which two papers' contributions count as similar."""

PROMPT = """\
You write a related-work section sentence by sentence, for the authors of the work described in the
input. Write exactly one sentence: the next line of the plan.

- Cite every paper of the line by its marker, such as {P3}, directly after its authors' names or the
  claim it supports, and no other paper unless it was cited before.
- Compare: say how the line's papers relate to the work of the authors and to the papers already
  discussed (shares, extends, differs, contradicts), with a fitting connective. Do not repeat what
  has been said, and do not list.
- Role of the line: "open" starts a theme and names it; "develop" goes on; "contrast" sets two papers
  against each other in one sentence; "close" says how the present work differs and cites nothing.
- Follow the line's note where there is one: it is the authors' own instruction. Keep to its number
  of words where it has one.
- Claim only what the papers' words say. For each cited paper copy, letter by letter, the words of
  its title or abstract that support the sentence. For a line that cites nothing copy the words of
  the input.
"""


class Discussed(BaseModel):
    """A paper that the text speaks of already."""

    key: str
    name: str
    title: str


def extract(
    embedder: Embedder,
    *,
    text: str,
    own: dict[str, str],
    line: PlanLine,
    papers: Sequence[LinePaper],
    before: LinePaper | None,
    so_far: Sequence[str],
    themes_before: int,
    variant: int,
    **_: object,
) -> NextSentence:
    """Compose the sentence of clauses that are the papers' own statements."""
    if line.role == "close" or not papers:
        return _own_sentence(text, own, line, so_far, variant)
    cited = [as_cited(paper) for paper in papers]
    last = as_cited(before) if before else None
    composer = Composer([*cited, *([last] if last else [])], so_far, themes_before)
    made: Composed | None = None
    if len(cited) > 2:
        made = composer.listing(cited, variant)
    elif len(cited) == 2:
        made = composer.contrasting(cited[0], cited[1], _near(papers[0], papers[1]), variant)
    elif line.role == "open" and line.theme:
        made = composer.opening(cited[0], line.theme, not so_far and not themes_before, variant)
    else:
        near = before is not None and _near(before, papers[0])
        made = composer.developing(cited[0], last, near, variant)
    parts = [made] if made else [part for paper in cited if (part := composer.anything(paper))]
    sentence = "; ".join(part.text.rstrip(".") for part in parts)
    quotes = {key: words for part in parts for key, words in part.quotes.items()}
    return NextSentence(
        sentence=f"{sentence}." if sentence else "",
        support=[Support(key=key, quote=words) for key, words in quotes.items()],
    )


def _own_sentence(
    text: str, own: dict[str, str], line: PlanLine, so_far: Sequence[str], variant: int
) -> NextSentence:
    """Say something of the researcher's own text, each sentence of it once."""
    composer = Composer([], so_far)
    spans = [span.text for span in split_sentences(text)]
    facts = [own[name] for name in ("background", "problem") if name in own] + spans
    claims = [own[name] for name in ("contribution", "method", "findings") if name in own] + spans
    spoken = composer.stating(facts) if line.role != "close" else None
    spoken = spoken or composer.closing(claims, variant)
    return (
        NextSentence(sentence=spoken[0], basis=spoken[1]) if spoken else NextSentence(sentence="")
    )


def _near(first: LinePaper, second: LinePaper) -> bool:
    return (
        resemblance(f"{first.title} {first.abstract}", f"{second.title} {second.abstract}") >= _NEAR
    )


TASK = Task(
    name="extend_draft", prompt=PROMPT, answer=NextSentence, tier="strong", extract=extract,
    max_output_tokens=700,
)  # fmt: skip
