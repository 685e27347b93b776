"""Name keywords: of passages when they are indexed, and of a question that is to find them."""

from collections.abc import Iterable, Sequence

from pydantic import BaseModel, Field

from tools.embed.embedder import Embedder
from tools.llm.task import Task
from tools.retrieve.keywords import computed_keywords

PROMPT = """\
You index passages of scholarly papers, so that a question finds the passages that answer it. Of each passage
you see its id, the title of its paper, the section that it stands in, and its text.

For every passage name, under its id, 5 to 12 keywords under which a reader would look for it: the
objects, methods, data sets, measures and findings that it is about, one to four words each, in the passage's
own words where it has them, and an abbreviation beside its long form. No sentence, nothing that fits every
paper, and nothing that the passage does not speak of.

Example: "We weighed 60 hives on roofs with load cells each night; in winter they lost 12 % of their
mass." has the keywords "hive weight", "roof hives", "load cells", "nightly weighing", "winter mass loss".
A text in the section "question" is a question: name, in English, the
keywords under which the passages that answer it are filed."""
_MOST, _LONGEST = 12, 80
"""Keywords of a passage, and characters of one."""
QUESTION = "question"
"""The section of a text that is a question."""


class ShownText(BaseModel):
    """A passage, or a question, as the mind sees it."""

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


def _extract(embedder: Embedder, *, passages: Sequence[ShownText]) -> KeywordNames:
    """Find them as is done for passages that no mind named any for."""
    named = [Named(id=shown.id, keywords=computed_keywords(shown.text)) for shown in passages]
    return KeywordNames(passages=named)


NAME_KEYWORDS = Task(
    name="name_keywords", prompt=PROMPT, answer=KeywordNames, tier="fast", extract=_extract
)


def shortened(keywords: Iterable[str]) -> list[str]:
    """Return the first keywords of an answer, without empty and endless ones."""
    words = (" ".join(word.split()) for word in keywords)
    return [word for word in words if 0 < len(word) <= _LONGEST][:_MOST]
