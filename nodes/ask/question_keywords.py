"""Keywords of a question, for plan_search by the method 'kar'.

Keyword Augmented Retrieval (Purwar and Sundar, 2023, section 1.1): the small model that names the keywords of
passages (nodes.ingest.name_keywords) names those of the question, and these are compared.
"""

from collections.abc import Mapping

from pydantic import BaseModel, Field

from tools.embed.port import Embedder
from tools.llm.task import Task
from tools.text.phrases import salient_phrases
from tools.text.questions import keywords

PROMPT = """\
Passages of research papers are filed under keywords: the objects, methods, data sets, measures and findings
that they are about. Name the keywords under which the passages that answer `question` are filed, in
English, the most telling first: the names and terms of the question, spelt right (`spellings` gives
words that the library has), an abbreviation beside its long form; then the terms that an answer has and
the question has not: for 'how' those of the method, for 'how well' the measures. Nothing that fits every
paper.

Example: "how good is Graphcap at describing charts" -> ["Graphcap", "chart captioning", "chart description", "caption
quality", "human ratings"]
"""


class Keywords(BaseModel):
    """The mind's answer."""

    keywords: list[str] = Field(description="3 to 12 keywords of one to four words.")


def extract(embedder: Embedder, *, question: str, spellings: Mapping[str, str]) -> Keywords:
    """Take the question's phrases, those closest to it in meaning first, as KeyBERT does."""
    (phrases,) = salient_phrases(embedder, keywords(question, spellings), [question])
    return Keywords(keywords=[item.text for item in phrases])


TASK = Task(
    name="question_keywords", prompt=PROMPT, answer=Keywords, tier="fast",
    extract=extract, max_output_tokens=300,
)  # fmt: skip
