"""Plan the search: turn the question into a query, and say what a whole answer must cover.

Reads `run`, `request`, `standalone`. Writes `query`, `why`, `aspects` (arXivBot, section 6:
a few examples show that a question for 'how' asks for the method; misspelt words become the
library's own). By the method 'kar' the small model that names the keywords of passages
(nodes.ingest.index_passages) names those of the question, and these are the query.
"""

import asyncio
from collections.abc import Mapping

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from nodes.common.ask_model import CheckedAnswer, ask_with_check
from state.ask import AskState, AskUpdate
from tools.embed.embedder import Embedder
from tools.llm.task import Task
from tools.retrieve.keywords import correct_spelling as find_spellings
from tools.run_settings import RunSettings
from tools.services import open_services
from tools.text.keyphrases import salient_phrases
from tools.text.questions import keywords, question_parts

STAGE = "plan_search"
LONGEST = 300
"""Characters of a query."""
ASPECTS = 5
"""Most things that an answer is asked to cover."""

PROMPT = """\
You turn a question into a query for a search engine over passages of research papers, which ranks by
meaning and by words. Write the query in English, in at most twelve words: the names and terms of the
question, spelt right (`spellings` gives words that the library has), and the word for what is sought:
a question for 'how' seeks the method, 'why' the reason, 'how well' the results, 'what on' the data.
Leave politeness and question words out.

Say also what a whole answer must cover, as one to five short phrases: each side of a comparison, each
thing asked for. A plain question has one.

Examples:
- "How does ToolBench measure honesty?" -> query "ToolBench honesty measurement method", aspects
  ["how ToolBench measures honesty"]
- "Is Graphcap better than Linknet on small corpora?" -> query "Graphcap Linknet comparison results small
  corpora", aspects ["Graphcap on small corpora", "Linknet on small corpora"]
- "could you tell me what data sumarizer-X was trained on and who can use it" -> query "Summarizer-X
  training data licence", aspects ["training data of Summarizer-X", "who may use Summarizer-X"]
"""


class Search(BaseModel):
    """The mind's answer."""

    query: str = Field(min_length=1)
    aspects: list[str] = Field(default=[])


def extract(embedder: Embedder, *, question: str, spellings: Mapping[str, str]) -> Search:
    """Keep the words that carry the question, spelt as the library spells them; each question put is an aspect."""
    return Search(query=keywords(question, spellings), aspects=question_parts(question))


TASK = Task(
    name="plan_search",
    prompt=PROMPT,
    answer=Search,
    tier="fast",
    extract=extract,
    max_output_tokens=400,
)


KEYWORDS_PROMPT = """\
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


def extract_keywords(
    embedder: Embedder, *, question: str, spellings: Mapping[str, str]
) -> Keywords:
    """Take the question's phrases, those closest to it in meaning first, as KeyBERT does."""
    (phrases,) = salient_phrases(embedder, keywords(question, spellings), [question])
    return Keywords(keywords=[item.text for item in phrases])


KEYWORDS = Task(
    name="question_keywords",
    prompt=KEYWORDS_PROMPT,
    answer=Keywords,
    tier="fast",
    extract=extract_keywords,
    max_output_tokens=300,
)


async def plan_search(state: AskState, runtime: Runtime[RunSettings]) -> AskUpdate:
    """Make the first query; a mind that cannot is replaced by the question itself."""
    services = open_services(runtime, state["run"])
    services.progress(STAGE, 0, 1)
    question = state["standalone"]
    library = await services.library(state["request"].library)
    spellings = await asyncio.to_thread(find_spellings, library, question)
    inputs = {"question": question, "spellings": spellings}
    asked: CheckedAnswer[Search] | CheckedAnswer[Keywords]
    if services.context.method == "kar":
        asked = named = await ask_with_check(services.mind, KEYWORDS, inputs)
        answer = Search(query=", ".join(named.answer.keywords if named.answer else []) or question)
    else:
        asked = planned = await ask_with_check(services.mind, TASK, inputs)
        answer = planned.answer or Search(query=question)
    query = " ".join(answer.query.split())[:LONGEST] or question
    aspects = [" ".join(item.split()) for item in answer.aspects if item.strip()][:ASPECTS]
    services.progress(STAGE, 1, 1, query)
    return {
        "query": query,
        "why": "the question",
        "aspects": aspects or [question],
        "failures": asked.failures(
            STAGE, question[:80], "CiteLoom searched for the question itself"
        ),
    }
