"""What the tests of rankers share: papers on pears, and services with a scripted LLM."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore
from pydantic import SecretStr

from nodes.find.rankers.debate import rank_by_debate
from nodes.find.rankers.ranker import Ranking
from state.inputs import CheckedRequest
from state.paper import Paper
from state.quote import Debate
from tests.fakes.openai_server import OpenAIServer, Reply, Script, inputs_of
from tests.graphs.conftest import context_for
from tools.services import Services, open_services
from tools.settings import Settings

TEXT = (
    "Pear trees suffer under drought. We graft pears on rootstocks of quince and measure for three "
    "summers how leaves wilt, how roots grow and how fruit ripens in dry soil."
)
REQUEST = CheckedRequest(text=TEXT)
_TOPICS = {
    "quince": "Pears on quince rootstocks wilt later. In dry soil their roots grow deeper than before.",
    "wilting": "Leaves of pear trees wilt at noon. Drought closes their pores for several hours.",
    "ripening": "Fruit ripens early in dry summers. Its sugar rises while its weight falls by a fifth.",
    "plums": "Plums were pruned in late winter. Every pruned plum flowered a week after the others.",
    "bees": "Bees visit apple flowers in the morning. They avoid the orchard when strong wind blows.",
    "sails": "A sail was cut from woven hemp. It held the wind of the bay for eleven years.",
}
PAPERS = [
    Paper(id=f"doi:10.1/{name}", title=f"A study of {name} and its causes", abstract=text)
    for name, text in _TOPICS.items()
]
INVENTED = "These words were never written by anyone in this paper."


@contextmanager
def served(script: Script | Sequence[Reply], home: Path, **options: Any) -> Iterator["Served"]:
    """Services whose mind is the script."""
    with OpenAIServer(script) as server:
        settings = Settings(
            home=home,
            llm_base_url=server.url,
            llm_api_key=SecretStr("sk-test"),
            strong_model="scripted",
            llm_timeout=10.0,
            _env_file=None,
        )  # type: ignore[call-arg]
        runtime = Runtime(context=context_for(settings, **options), store=InMemoryStore())
        yield Served(server, open_services(runtime, "run"), runtime)


class Served:
    """Services and the server behind their mind."""

    def __init__(self, server: OpenAIServer, services: Services, runtime: Runtime[Any]) -> None:
        self.server = server
        self.services = services
        self.runtime = runtime

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The inputs of each request, in order."""
        return [inputs_of(request) for request in self.server.requests]


def sentences(paper: Paper) -> list[str]:
    """The two sentences of a paper's abstract."""
    return re.findall(r"[^.]+\.", paper.abstract or "")


def point(quote: str) -> dict[str, str]:
    """An argument."""
    return {"claim": "It says so.", "quote": quote.strip()}


def verdict(
    key: str, pro: Sequence[str], contra: Sequence[str], score: float = 80
) -> dict[str, Any]:
    """A debate as the mind gives it, with these quotes."""
    return {
        "id": key,
        "arguments_for": [point(quote) for quote in pro],
        "arguments_against": [point(quote) for quote in contra],
        "score": score,
    }


def honest(key: str, paper: Paper, score: float = 80) -> dict[str, Any]:
    """A debate whose quotes stand in the paper."""
    first, last = sentences(paper)
    return verdict(key, [first], [last], score)


def ids_of(papers: Sequence[Paper]) -> dict[str, Paper]:
    """The papers by the ids under which a question shows them."""
    return {f"C{number}": paper for number, paper in enumerate(papers, start=1)}


def by_paper(debates: Sequence[Debate]) -> Mapping[str, Debate]:
    """The debates by paper, of which none may have two."""
    found = {debate.paper: debate for debate in debates}
    assert len(found) == len(debates)
    return found


def quotes_of(debate: Debate) -> list[str]:
    """The words of every verified quote of a debate."""
    arguments = (*debate.arguments_for, *debate.arguments_against)
    return [argument.quote.text for argument in arguments if argument.quote is not None]


async def debated(
    script: Script | Sequence[Reply],
    home: Path,
    papers: Sequence[Paper],
    request: CheckedRequest = REQUEST,
) -> tuple[Ranking, list[dict[str, Any]]]:
    """Debate papers with the script; return the ranking and the inputs of each question."""
    with served(script, home) as bench:
        return await rank_by_debate(bench.services, request, papers), bench.asked
