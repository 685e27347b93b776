"""Choose: let the mind pick the passages to read among those retrieved.

Reads `run`, `standalone`, `aspects`, `hop`, `hops`. Writes `hops`, `arrived` (arXivBot, section 4, step 3: the three
best; how many is a setting). None is chosen where none has to do with the question.
"""

from collections.abc import Sequence
from functools import partial

from langgraph.runtime import Runtime
from pydantic import BaseModel
from typing_extensions import TypedDict

from nodes.ask.hold_claims import reading
from nodes.ask.search_passages import RECORD, sought
from nodes.ask.shown import ShownPassage, as_shown, papers_of, show_passages
from state.asking import Hop
from state.paper import Paper
from state.passage import Passage
from state.request import Request
from state.run import Failure
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.llm.task import Task
from tools.services import Services, open_services
from tools.text.asking.choose import choose
from tools.text.words import coverage

STAGE = "choose_passages"
_ROOM = 200
"""Tokens kept free beside the passages."""
_NAMED = 0.7
"""Share of a title's content words from which a question names it."""

PROMPT = """\
You pick passages of research papers for someone who will answer the question from them alone. Name
the ids of the passages that help most, best first, at most as many as `most`. Together they should
cover all that must be covered (`aspects`), so do not take two that say the same. A passage that only
shares words with the question does not help. If none helps, name none. Use only ids that are given.
"""


class Choice(BaseModel):
    """The mind's answer."""

    ids: list[str]


def extract(
    embedder: Embedder, *, question: str, aspects: Sequence[str], most: int,
    passages: Sequence[ShownPassage],
) -> Choice:  # fmt: skip
    """Take the passages nearest in meaning and words, of different papers where sides are compared.

    A record is taken where the question names its title, or with a passage of the same paper.
    """
    records = [item for item in passages if item.section == RECORD[0]]
    others = [as_shown(item) for item in passages if item.section != RECORD[0]]
    chosen = choose(embedder, question, aspects, others, most)
    named = [item.id for item in records if coverage(item.paper, question) >= _NAMED]
    if not named:
        read = {item.paper for item in others if item.id in chosen}
        named = [item.id for item in records if item.key in read]
    return Choice(ids=[*named, *chosen][:most])


TASK = Task(
    name="choose_passages", prompt=PROMPT, answer=Choice, tier="strong", extract=extract,
    max_output_tokens=300,
)  # fmt: skip


class Branch(TypedDict):
    """What this node reads."""

    run: str
    request: Request
    standalone: str
    aspects: list[str]
    hop: int
    hops: list[Hop]


class Update(TypedDict):
    """What this node writes."""

    hops: list[Hop]
    arrived: list[str]
    failures: list[Failure]


async def choose_passages(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Pick passages; where the mind cannot, the retriever's best are taken."""
    services = open_services(runtime, state["run"])
    *earlier, hop = state["hops"]
    failures: list[Failure] = []
    ids = [hit.passage for hit in hop.retrieved]
    found = await services.run_store.passages(ids)
    papers = await papers_of(services, state["request"], found.values())
    aspects = sought(state["aspects"], state["hops"], hop.query)
    try:
        chosen = await pick(
            services, state["standalone"], aspects, [found[key] for key in ids], papers
        )
    except (AnswerError, RefusedError) as error:
        chosen = ids[: services.context.passages]
        failures = [
            Failure(
                stage=STAGE, subject=f"hop {hop.number}", cause=str(error),
                remedy="the passages that the search put first were read",
            )
        ]  # fmt: skip
    services.progress(STAGE, 1, 1, f"{len(chosen)} of {len(ids)} passages")
    return {
        "hops": [*earlier, hop.model_copy(update={"chosen": tuple(chosen)})],
        "arrived": [reading(hop.number)],
        "failures": failures,
    }


async def pick(
    services: Services, question: str, aspects: Sequence[str], passages: Sequence[Passage],
    papers: dict[str, Paper],
) -> list[str]:  # fmt: skip
    """Return the ids of the passages that the mind picks.

    Raises:
        AnswerError: It gives no usable answer.
        RefusedError: It refuses.
    """
    keyed = show_passages(passages, papers)
    shown = [item for _, item in keyed]
    most = services.context.passages
    ask = partial(services.mind.do, TASK, question=question, aspects=list(aspects), most=most)
    spare = partial(services.mind.spare, TASK, question=question, aspects=list(aspects), most=most)
    while len(shown) > 1 and spare(passages=shown) < _ROOM:
        shown.pop()  # the retriever's last: a small window sees the best only
    if not shown:
        return []
    answer = await ask(passages=shown)
    ids = {item.id: passage.id for passage, item in keyed[: len(shown)]}
    picked = [ids[key] for key in answer.ids if key in ids]
    return list(dict.fromkeys(picked))[:most]
