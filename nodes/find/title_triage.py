"""Triage by title: which papers are worth a debate, in one question before the first of them."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from nodes.common.ask_model import ask_with_check
from nodes.find.rankers.ranker import candidates, with_short_ids
from state.paper import Paper
from state.run import Failure
from tools.embed.embedder import Embedder
from tools.llm.task import Task
from tools.services import Services

SHOWN = 120
"""Most titles in the question."""
_REMEDY = "CiteLoom chose what to judge without looking at titles"
PROMPT = """\
You choose which papers a judge will read for the related-work section of the work described in the input,
or, where the input asks for papers, for the answer. Of each paper you see an id and the title. Name the ids
of those that such a section could cite: on its problem, on a method or resource that it builds on, or on
what it is compared with; or that the answer could name. Leave out a paper whose
title shows that it is about something else. Where a title does not tell, name the paper. Where faults of an
earlier answer are listed, mend them.
"""


class WorthJudging(BaseModel):
    """The mind's answer."""

    papers: list[str] = Field(description="Ids of the papers to read.")


def extract(embedder: Embedder, *, text: str, titles: Sequence[str], **_: object) -> WorthJudging:
    """Name every paper: without a model nobody reads titles."""
    return WorthJudging(papers=[title.partition(" ")[0] for title in titles])


TASK = Task(
    name="triage_titles",
    prompt=PROMPT,
    answer=WorthJudging,
    tier="strong",
    extract=extract,
    max_output_tokens=900,
)


async def triage_titles(
    services: Services, text: str, papers: Sequence[Paper], stage: str
) -> tuple[list[str], list[Failure]]:
    """Return the ids of the papers that are worth judging, none where the mind gives no answer, and why it does not."""
    keyed = with_short_ids(papers)
    titles = [f"{one.id} {one.title}" for one in candidates(keyed)]
    asked = await ask_with_check(
        services.mind,
        TASK,
        {"text": text, "titles": titles},
        lambda answer: [
            f"no paper has the id {key!r}" for key in answer.papers if key not in keyed
        ],
    )
    named = asked.answer.papers if asked.answer else ()
    worth = [keyed[key].id for key in dict.fromkeys(named) if key in keyed]
    return worth, asked.failures(stage, "titles", _REMEDY)
