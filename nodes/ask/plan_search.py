"""Plan the search: turn the question into a query, and say what a whole answer must cover.

Reads `run`, `request`, `standalone`. Writes `query`, `why`, `aspects` (arXivBot, section 6:
a few examples show that a question for 'how' asks for the method; misspelt words become the
library's own). By the method 'kar' whoever named the keywords of the library's passages, a model or counts, names
those of the question, and these are the query.
"""

import asyncio
from collections.abc import Mapping

from pydantic import BaseModel, Field

from nodes.ask.answer_sources import ASPECTS
from nodes.common.ask_model import ask_with_check
from nodes.common.keyword_task import NAME_KEYWORDS, QUESTION, ShownText, shortened
from state.ask import AskState, AskUpdate
from state.run import Failure
from tools.embed.embedder import Embedder
from tools.library.library import Library
from tools.llm.task import Task
from tools.retrieve.keywords import COMPUTED, computed_keywords, keyword_maker
from tools.retrieve.keywords import correct_spelling as find_spellings
from tools.services import NodeRuntime, Services, open_services
from tools.text.questions import keywords, question_parts

STAGE = "plan_search"
_REMEDY = "CiteLoom searched for the question itself"
LONGEST = 300
"""Characters of a query."""

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


async def plan_search(state: AskState, runtime: NodeRuntime) -> AskUpdate:
    """Make the first query; a mind that cannot is replaced by the question itself."""
    services = open_services(runtime, state["run"])
    services.progress(STAGE, 0, 1)
    question = state["standalone"]
    library = await services.library(state["request"].library)
    spellings = await asyncio.to_thread(find_spellings, library, question)
    failures: list[Failure] = []
    if services.context.method == "kar":
        words = question
        for wrong, right in spellings.items():
            words = words.replace(wrong, right)
        found, failures = await _keywords(services, library, state["request"].language, words)
        answer = Search(query=", ".join(found) or words)
    else:
        asked = await ask_with_check(
            services.mind, TASK, {"question": question, "spellings": spellings}
        )
        answer = asked.answer or Search(query=question)
        failures = asked.failures(STAGE, question[:80], _REMEDY)
    query = " ".join(answer.query.split())[:LONGEST] or question
    aspects = [" ".join(item.split()) for item in answer.aspects if item.strip()][:ASPECTS]
    services.progress(STAGE, 1, 1, query)
    return {
        "query": query,
        "why": "the question",
        "aspects": aspects or [question],
        "failures": failures,
    }


async def _keywords(
    services: Services, library: Library, language: str, question: str
) -> tuple[list[str], list[Failure]]:
    """Return the keywords of a question by who named those of the passages; by the mind in other languages."""
    by = await asyncio.to_thread(keyword_maker, library)
    if not services.mind.composes or (by == COMPUTED and language == "en"):
        return computed_keywords(question), []
    shown = ShownText(id="T1", title="", section=QUESTION, text=question)
    asked = await ask_with_check(services.mind, NAME_KEYWORDS, {"passages": [shown]})
    named = [
        word for one in (asked.answer.passages if asked.answer else []) for word in one.keywords
    ]
    return shortened(named), asked.failures(STAGE, question[:80], _REMEDY)
