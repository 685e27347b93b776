"""Keywords of passages as a mind names them, in place of those that are computed.

Keyword Augmented Retrieval (Purwar and Sundar, 2023) lets a small model name the keywords of each
piece of text once. That is one question for a few passages of the whole library, and so it is done
only where it is asked for.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field

from nodes.ask_in_groups import ask_in_groups, failures_of
from state.passage import Passage
from state.run import Failure
from tools.embed.embedder import Embedder
from tools.errors import BudgetError
from tools.evidence.prompt_injection import without_injections
from tools.ingest.target import IngestTarget
from tools.llm.task import Task
from tools.retrieve.keywords import put, unnamed
from tools.services import Services
from tools.text.keyphrases import keyphrases

STAGE = "name_keywords"

PROMPT = """\
You index passages of scholarly papers, so that a question finds the passages that answer it. Of each passage
you see its id, the title of its paper, the section that it stands in, and its text.

For every passage name, under its id, 5 to 12 keywords under which a reader would look for it: the
objects, methods, data sets, measures and findings that it is about, one to four words each, in the passage's
own words where it has them, and an abbreviation beside its long form. No sentence, nothing that fits every
paper, and nothing that the passage does not speak of.

Example: "We weighed 60 hives on roofs with load cells each night; in winter they lost 12 % of their
mass." has the keywords "hive weight", "roof hives", "load cells", "nightly weighing", "winter mass loss"."""

_TOGETHER = 6
"""Passages in one question."""
_REMEDY = "their keywords were computed instead"
_MOST, _LONGEST = 12, 80
"""Keywords of a passage, and characters of one."""


class Shown(BaseModel):
    """A passage as the mind sees it."""

    id: str
    title: str
    section: str
    text: str


class Named(BaseModel):
    """The keywords of one passage."""

    id: str = Field(description="The passage's id.")
    keywords: list[str] = Field(description="5 to 12 keywords of one to four words.")


class KeywordNames(BaseModel):
    """The keywords of the passages."""

    passages: list[Named] = Field(description="One for each passage, in their order.")


def _extract(embedder: Embedder, *, passages: Sequence[Shown]) -> KeywordNames:
    """Find them as is done for passages that no mind named any for."""
    named = [
        Named(id=shown.id, keywords=[p.text for p in keyphrases(shown.text, limit=_MOST)])
        for shown in passages
    ]
    return KeywordNames(passages=named)


NAME_KEYWORDS = Task(
    name="name_keywords", prompt=PROMPT, answer=KeywordNames, tier="fast", extract=_extract
)


async def name_keywords(services: Services, opened: IngestTarget) -> list[Failure]:
    """Ask the mind for the keywords of passages that have none of a mind yet, and keep them.

    What cannot be had is a failure, and is left to be computed. The embedded engine is not asked:
    it would say what is computed anyway.
    """
    if services.mind.name == "extractive":
        return []
    library = opened.library
    waiting = await asyncio.to_thread(
        lambda: {item.id: item for page in unnamed(library, 500, mind=True) for item in page}
    )

    def inputs(group: Sequence[str]) -> dict[str, Any]:
        shown = [_shown(f"T{n}", waiting[key]) for n, key in enumerate(group, start=1)]
        return {"passages": shown}

    async def take(group: Sequence[str], answer: KeywordNames) -> None:
        ids = {f"T{n}": key for n, key in enumerate(group, start=1)}
        kept: dict[str, list[str]] = {}
        for item in answer.passages:
            words = [" ".join(word.split()) for word in item.keywords]
            if item.id in ids and (good := [word for word in words if 0 < len(word) <= _LONGEST]):
                kept[ids[item.id]] = good[:_MOST]
        await asyncio.to_thread(put, library, kept, services.mind_name)
        services.tick(STAGE, len(group), len(waiting))

    try:
        causes = await ask_in_groups(
            services, NAME_KEYWORDS, [list(waiting)], _TOGETHER, inputs, take
        )
    except BudgetError as error:
        return [Failure(stage=STAGE, subject="budget", cause=str(error), remedy=_REMEDY)]
    return failures_of(STAGE, causes, "passage", _REMEDY)


def _shown(name: str, passage: Passage) -> Shown:
    told = (passage.title, " > ".join(passage.section), passage.text)
    title, section, text = (without_injections(part)[0] for part in told)
    return Shown(id=name, title=title, section=section, text=text)
