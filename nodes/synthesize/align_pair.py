"""Ask of one pair of lines whether the first comes from the second: LLM-Ref's own way.

Section 3.4.2 and appendix A.3.2: p lines of the answer and q lines of the contexts cost p x q
questions. It is kept to be compared with the one question for each paragraph (align_lines).
"""

from collections.abc import Sequence
from functools import partial

from pydantic import BaseModel, Field

from nodes.synthesize.batches import in_waves
from state.run import Failure
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.llm.task import Task
from tools.services import Services
from tools.text.synthesis.origins import Named, Sources
from tools.text.words import coverage

_ENOUGH = 0.6
"""Share of a line's content words that a source line must have, for words alone to relate them."""

PROMPT = """\
You are given one line of a text that was put together from research papers, and one line of such a
paper. Say whether the first line takes what it says, or a part of it, from the second. Other words for
the same statement count; the same topic alone does not, nor does what you know from elsewhere.
"""


class Related(BaseModel):
    """The mind's answer."""

    related: bool = Field(description="Whether the line takes something from the source line.")


def extract(embedder: Embedder, *, line: str, source: str) -> Related:
    """Relate lines by how many of the line's content words the source line has."""
    return Related(related=coverage(line, source) >= _ENOUGH)


TASK = Task(
    name="align_pair", prompt=PROMPT, answer=Related, tier="fast", extract=extract,
    max_output_tokens=60,
)  # fmt: skip


async def align_pairs(
    services: Services, sources: Sources, texts: Sequence[str], stage: str
) -> tuple[list[list[Named]], list[Failure]]:
    """Return the source lines of each line, asked pair by pair, and what could not be asked."""
    named: list[list[Named]] = []
    failures: list[Failure] = []
    alone = [[item.text] for item in sources.lines]
    for text in texts:
        answers = [answer for _, answer in await in_waves(alone, partial(_related, services, text))]
        named.append([Named(place) for place, answer in enumerate(answers) if answer is True])
        causes = [answer for answer in answers if isinstance(answer, str)]
        if causes:
            failures.append(
                Failure(
                    stage=stage, subject=text[:80], cause=causes[0],
                    remedy=f"{len(causes)} of {len(answers)} source lines were not held against it",
                )
            )  # fmt: skip
        services.tick(stage, 1, len(texts))
    return named, failures


async def _related(services: Services, line: str, alone: list[str]) -> bool | str:
    """Return the answer for a line and one source line, or why there is none."""
    (source,) = alone
    try:
        return (await services.mind.do(TASK, line=line, source=source)).related
    except (AnswerError, RefusedError) as error:
        return str(error)
