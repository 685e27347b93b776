"""Paragraphs on pears and sails, and a bench at which one node of `synthesize` works."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore
from pydantic import SecretStr

from state.inputs import CheckedRequest
from state.passage import passage_id
from state.synthesis import Context, Paragraph
from tests.fakes.openai_server import OpenAIServer, Reply, Script, inputs_of, task_of
from tests.fakes.summarizer import ANSWERS
from tests.graphs.conftest import context_for
from tools.services import Services, open_services
from tools.settings import Settings

Answer = dict[str, Any]
Spoil = Callable[[Answer, dict[str, Any]], Reply]
QUESTION = "How does drought change the roots of pears?"
PEARS, SAILS = "doi:10.1/pears", "doi:10.1/sails"
_FILL = (
    "The plots were watered by hand twice a week and weighed by two people who did not know which "
    "plot was which, so that neither hope nor habit could move the scales in this long summer"
    f"{' –' * 20}."  # long, and no nearer to anything
)


def paragraph(number: int, text: str, paper: str = PEARS, *section: str) -> Paragraph:
    """A paragraph as it lies in the run store."""
    return Paragraph(
        id=passage_id(paper, text),
        paper=paper,
        number=number,
        section=section or ("1 Trees",),
        page=1 + number // 4,
        text=text,
    )


def long(first: str) -> str:
    """A text of more than sixty words that begins with this sentence."""
    return f"{first} {_FILL}"


ROOTS = paragraph(1, long("Drought made the roots of pears grow deeper by 12 cm."))
LEAVES = paragraph(2, long("Leaves of the quince wilted at noon and stood up again at night."))
HEMP = paragraph(1, long("The sail was woven of hemp and held the wind for eleven years."), SAILS)
SHORT = paragraph(3, "Pears need water.")
STACK = [ROOTS, LEAVES, SHORT, HEMP]


def many(count: int, about: str = "Leaves") -> list[Paragraph]:
    """Long paragraphs of one paper, all different."""
    return [
        paragraph(number, long(f"{about} of tree number {number} wilted after {number} days."))
        for number in range(1, count + 1)
    ]


def script(spoil: Spoil | None = None, task: str = "") -> Script:
    """A mind that answers well, but for one task whose answers are spoilt."""

    def answer(request: dict[str, Any]) -> Reply:
        inputs, asked = inputs_of(request), task_of(request)
        good = ANSWERS[asked](inputs)
        return spoil(good, inputs) if spoil and asked == task else good

    return answer


class Bench:
    """Services with paragraphs in their run store, and the server behind its mind."""

    def __init__(self, server: OpenAIServer, runtime: Runtime[Any]) -> None:
        self.server = server
        self.runtime = runtime
        self.services: Services = open_services(runtime, "run")

    async def stack(self, paragraphs: Sequence[Paragraph], **request: Any) -> Any:
        """Put paragraphs in the run store; return the state that a node reads."""
        await self.services.run_store.paragraphs.put(paragraphs)
        asked = CheckedRequest(**{"text": QUESTION, "kind": "question"} | request)
        return {"run": "run", "request": asked, "paragraphs": [item.id for item in paragraphs]}

    def asked(self, task: str) -> list[dict[str, Any]]:
        """The inputs of each question of a task, in order."""
        return [inputs_of(one) for one in self.server.requests if task_of(one) == task]


@contextmanager
def bench(home: Path, replies: Script | None = None, **options: Any) -> Iterator[Bench]:
    """A place for one node; options are those of the run, `window` the model's."""
    window = options.pop("window", 32_000)
    with OpenAIServer(replies or script()) as server:
        settings = Settings(
            home=home,
            llm_base_url=server.url,
            llm_api_key=SecretStr("sk-test"),
            strong_model="scripted",
            llm_timeout=30.0,
            llm_context_tokens=window,
            _env_file=None,
        )  # type: ignore[call-arg]
        yield Bench(
            server, Runtime(context=context_for(settings, **options), store=InMemoryStore())
        )


def papers_of(contexts: Sequence[Context]) -> list[str]:
    """The paragraphs of contexts, in order."""
    return [context.paragraph for context in contexts]
