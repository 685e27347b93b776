"""What the tests of minds share: a task, settings that lead to a fake endpoint, a mind there."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field, SecretStr

from tests.fakes.openai_server import OpenAIServer, Reply, Script
from tools.cache import AnswerCache
from tools.embed.embedder import Embedder
from tools.errors import CiteLoomError
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import RunLedger
from tools.llm.language_model import LanguageModel
from tools.llm.task import Task
from tools.settings import Settings

KEY = "sk-test-4711-do-not-show"
GOOD: Reply = {"score": 7, "reason": "fits"}
BAD: Reply = {"score": 700}


class Rating(BaseModel):
    """The answer."""

    score: int = Field(ge=0, le=100, description="How well it fits.")
    reason: str = ""


def extract(embedder: Embedder, *, text: str) -> Rating:
    return Rating(score=len(text), reason="length")


RATE = Task(
    name="rate",
    prompt="Rate the text.",
    answer=Rating,
    tier="strong",
    extract=extract,
    max_output_tokens=200,
)


def settings_for(server: OpenAIServer | str, home: Path, **others: Any) -> Settings:
    url = server if isinstance(server, str) else server.url
    values: dict[str, Any] = {
        "home": home,
        "llm_base_url": url,
        "llm_api_key": SecretStr(KEY),
        "strong_model": "m",
        "fast_model": None,
        "llm_timeout": 5.0,
    }
    return Settings(**({"_env_file": None} | values | others))


def mind_at(
    server: OpenAIServer | str,
    home: Path,
    *,
    limits: BudgetLimits | None = None,
    ledger: RunLedger | None = None,
    **others: Any,
) -> LanguageModel:
    ledger = ledger or RunLedger("run", limits or BudgetLimits(), home)
    return LanguageModel(
        settings_for(server, home, **others),
        ledger,
        AnswerCache(home / "answers.sqlite"),
        backoff=0.01,
    )


@contextmanager
def minded(
    replies: Script | Sequence[Reply], home: Path, **others: Any
) -> Iterator[tuple[LanguageModel, OpenAIServer]]:
    """A mind that gets these replies, and the server that gives them."""
    with OpenAIServer(replies) as server:
        yield mind_at(server, home, **others), server


async def ask(
    replies: Script | Sequence[Reply], home: Path, **others: Any
) -> tuple[Rating, OpenAIServer]:
    with OpenAIServer(replies) as server:
        answer = await mind_at(server, home, **others).do(RATE, text="x")
    return answer, server


async def failing(
    replies: Sequence[Reply], home: Path, kind: type[CiteLoomError], **others: Any
) -> tuple[CiteLoomError, OpenAIServer]:
    with OpenAIServer(replies) as server, pytest.raises(kind) as caught:
        await mind_at(server, home, **others).do(RATE, text="x")
    assert type(caught.value) is kind
    return caught.value, server
