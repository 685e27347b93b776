"""One sentence of a section: how a mind is asked for it, and what the embedded engine prints instead.

ChatCite, section 3.2.1: a sentence is written in view of the target work and of what is already
there; earlier sentences stay as they are, so that nothing said of an earlier paper can be lost.
"""

from collections.abc import Sequence

from pydantic import BaseModel

from nodes.write.lines import LinePaper
from nodes.write.writers.answers import NextSentence
from nodes.write.writers.telling import tell, tell_own
from state.writing import PlanLine
from tools.embed.port import Embedder
from tools.llm.task import Task

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
    line: PlanLine,
    papers: Sequence[LinePaper],
    so_far: Sequence[str],
    **_: object,
) -> NextSentence:
    """Show the papers' own sentences; on a line that names no paper, one of the researcher's."""
    return tell(embedder, text, papers, so_far) if papers else tell_own(embedder, text, so_far)


TASK = Task(
    name="extend_draft", prompt=PROMPT, answer=NextSentence, tier="strong", extract=extract,
    max_output_tokens=700,
)  # fmt: skip
