"""Ask of one pair of lines whether the first comes from the second: LLM-Ref's own way.

Section 3.4.2 and appendix A.3.2: p lines of the answer and q lines of the contexts cost p x q
questions. It is kept to be compared with the one question for each paragraph (align_lines).
"""

from collections.abc import Sequence
from functools import partial

from pydantic import BaseModel, Field

from nodes.synthesize.batches import in_waves
from nodes.synthesize.line_origins import LineOrigins, Named
from state.run import Failure
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.llm.task import Task
from tools.services import Services
from tools.text.words import coverage

PROMPT = """\
You are given one line of a text that was put together from research papers, and one line of such a
paper. Say whether the first line takes what it says, or a part of it, from the second. Other words for
the same statement count; the same topic alone does not, nor does what you know from elsewhere.
"""


class Related(BaseModel):
    """The mind's answer."""

    related: bool = Field(description="Whether the line takes something from the source line.")


def extract(embedder: Embedder, *, line: str, source: str) -> Related:
    """Relate nothing: only a source's own sentence is known to be one without a mind that reads."""
    return Related(related=False)


TASK = Task(
    name="align_pair", prompt=PROMPT, answer=Related, tier="fast", extract=extract,
    max_output_tokens=60,
)  # fmt: skip


async def align_pairs(
    services: Services, sources: LineOrigins, texts: Sequence[str], stage: str
) -> tuple[list[list[Named]], list[Failure]]:
    """Return the source lines of each line, asked pair by pair, and what could not be asked."""
    named: list[list[Named]] = []
    failures: list[Failure] = []
    alone = [[item.text] for item in sources.lines]
    for text in texts:
        answers = [answer for _, answer in await in_waves(alone, partial(_related, services, text))]
        places = [place for place, answer in enumerate(answers) if answer is True]
        places.sort(key=lambda place: -coverage(text, sources.lines[place].plain))
        named.append([Named(place) for place in places])
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
