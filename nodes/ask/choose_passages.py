"""Choose: let the mind pick the passages to read among those retrieved.

Reads `run`, `standalone`, `aspects`, `hop`, `hops`. Writes `hops` (arXivBot, section 4, step 3: the three
best; how many is a setting). None is chosen where none has to do with the question.
"""

from collections.abc import Sequence
from itertools import zip_longest

from langgraph.runtime import Runtime
from pydantic import BaseModel

from nodes.ask.answer_sources import (
    PASSAGE_FIELDS,
    ShownPassage,
    fit_to_window,
    load_answer_sources,
)
from nodes.ask.search_passages import aspects_sought
from nodes.common.ask_model import ask_with_check
from state.ask import AskState, AskUpdate
from state.passage import OF_RECORD
from tools.counting import counted
from tools.embed.embedder import Embedder
from tools.llm.task import Task
from tools.run_settings import RunSettings
from tools.services import open_services
from tools.text.answer_sentences import Source, rate_sentences
from tools.text.questions import read_question
from tools.text.words import coverage, distinct_content_stems

STAGE = "choose_passages"
_NAMED = 0.7
"""Share of a title's content words from which a question names it."""
_BEHIND = 0.35
"""How much less than the best passage's sentence a further passage's may be worth."""

PROMPT = f"""\
You pick passages of research papers for someone who will answer the question from them alone. Name
the ids of the passages that help most, best first, at most as many as `most`. Together they should
cover all that must be covered (`aspects`), so do not take two that say the same. A passage that only
shares words with the question does not help. If none helps, name none. Use only ids that are given.

{PASSAGE_FIELDS}"""


class Choice(BaseModel):
    """The mind's answer."""

    ids: list[str]


def extract(
    embedder: Embedder,
    *,
    question: str,
    aspects: Sequence[str],
    most: int,
    passages: Sequence[ShownPassage],
) -> Choice:
    """Take the passages whose sentences answer best, of each aspect in turn, or none where no sentence does.

    A question for authors or a year is answered by the record of the paper that it names, or that
    has the sentence nearest to it.
    """
    if len(aspects) < 2:
        return Choice(ids=_answering(embedder, question, passages)[:most])
    found = [_answering(embedder, aspect, passages) for aspect in aspects]
    turns = (key for ids in zip_longest(*found) for key in ids if key)
    return Choice(ids=list(dict.fromkeys(turns))[:most])


def _answering(embedder: Embedder, question: str, passages: Sequence[ShownPassage]) -> list[str]:
    asks = read_question(question).kind == "record"
    records = [item for item in passages if asks and item.section == OF_RECORD[0]]
    others = [item for item in passages if item.section != OF_RECORD[0]]
    if named := [item for item in records if _names(question, item.title)]:
        return [item.id for item in named][:1]
    sources = [Source(item.text, item.title, tuple(item.section.split(" > "))) for item in others]
    rated = rate_sentences(embedder, question, sources)
    answering = [item for item in rated if item.answers and item.value >= rated[0].value - _BEHIND]
    ids = list(dict.fromkeys(others[item.source].id for item in answering))
    if records and answering:
        title = others[answering[0].source].title
        return [item.id for item in records if item.title == title] or ids
    return ids


def _names(question: str, title: str) -> bool:
    """Whether a question has a paper's title, or asks for nothing that the title has not."""
    terms = read_question(question).terms
    whole = bool(terms) and set(terms) <= distinct_content_stems(title)
    return whole or coverage(title, question) >= _NAMED


TASK = Task(
    name="choose_passages",
    prompt=PROMPT,
    answer=Choice,
    tier="strong",
    extract=extract,
    max_output_tokens=300,
)


async def choose_passages(state: AskState, runtime: Runtime[RunSettings]) -> AskUpdate:
    """Pick passages; where the mind cannot, the retriever's best are taken."""
    services = open_services(runtime, state["run"])
    *earlier, hop = state["hops"]
    ids = [hit.passage for hit in hop.retrieved]
    keyed = (await load_answer_sources(services, state["request"], ids)).shown(ids)
    inputs: dict[str, object] = {
        "question": state["standalone"],
        "aspects": aspects_sought(state["aspects"], state["hops"], hop.query),
        "most": services.context.passages,
    }
    shown = fit_to_window(services.mind, TASK, (item for _, item in keyed), **inputs)
    if not shown:
        return {}
    named = {item.id: passage.id for passage, item in keyed[: len(shown)]}
    asked = await ask_with_check(services.mind, TASK, {**inputs, "passages": shown})
    picked = asked.answer.ids if asked.answer else [*named]
    chosen = [named[key] for key in dict.fromkeys(picked) if key in named]
    chosen = chosen[: services.context.passages]
    services.progress(STAGE, 1, 1, f"{len(chosen)} of {counted(len(ids), 'passage')}")
    return {
        "hops": [*earlier, hop.model_copy(update={"chosen": tuple(chosen)})],
        "failures": asked.failures(
            STAGE, f"hop {hop.number}", "CiteLoom read the top passages of the search instead"
        ),
    }
