"""One model at one endpoint: its connections, calls within a budget and a limit of concurrency, retries."""

import asyncio
import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from tools.concurrency import LoopLocal, semaphore_named
from tools.errors import TransientError, loggable_kind, logger_of
from tools.http.hosts import without_password
from tools.ledger.budget_limits import Price
from tools.ledger.run_ledger import RunLedger
from tools.llm.endpoint_errors import CallPlace, EndpointFault, endpoint_error, foreign_errors
from tools.llm.structured_output import (
    LIMIT_NAMES,
    OutputMode,
    endpoint_behaviour,
    url_of,
    without_thoughts,
)
from tools.llm.task import Tier, count_tokens
from tools.settings import Settings

if TYPE_CHECKING:
    import httpx2
    from langchain_core.messages import AIMessage
    from langchain_openai.chat_models.base import BaseChatOpenAI

_Place = tuple[str, str, str, float]
"""Base URL, model, API key, time-out in seconds."""


@dataclass
class _Clients:
    """What one event loop has open."""

    http: "httpx2.AsyncClient"
    models: dict[_Place, "asyncio.Task[BaseChatOpenAI]"] = field(default_factory=dict)


async def connect(settings: Settings, model: str) -> "BaseChatOpenAI":
    """Return this event loop's client of a model; it keeps its connections between calls.

    langchain_openai shares its own clients between event loops, which breaks the second
    `asyncio.run` of a process ("Event loop is closed").
    """
    clients = await _open.get()
    key = settings.llm_api_key.get_secret_value() if settings.llm_api_key else ""
    place = (url_of(settings), model, key, settings.llm_timeout)
    if place not in clients.models:
        made = asyncio.to_thread(partial(_make_model, place, clients.http))
        clients.models[place] = asyncio.get_running_loop().create_task(made)
    return await asyncio.shield(clients.models[place])


def _make_clients() -> _Clients:
    """Read certificates and make a client: a quarter of a second, so not on the event loop."""
    from openai import DefaultAsyncHttpxClient

    return _Clients(DefaultAsyncHttpxClient())


_open = LoopLocal(_make_clients, lambda clients: clients.http.aclose())


def _make_model(place: _Place, http: "httpx2.AsyncClient") -> "BaseChatOpenAI":
    from langchain_openai.chat_models.base import BaseChatOpenAI

    # The endpoint's rejection is handled by our ladder; langchain_openai also warns the user of it.
    warnings.filterwarnings("ignore", "This model does not support OpenAI's structured output")
    warnings.filterwarnings("ignore", "Invalid schema for OpenAI's structured output")
    url, model, key, seconds = place
    return BaseChatOpenAI(
        model=model,
        base_url=url,
        api_key=SecretStr(
            key or "none"
        ),  # the SDK would fall back to the environment's OPENAI_API_KEY
        timeout=seconds,
        max_retries=0,
        http_async_client=http,
        use_responses_api=False,
        disable_streaming=True,  # a stream cut midway looks like a whole answer
        cache=False,
    )


logger = logger_of(__name__)

TRIES = 4
LONGEST_PAUSE = 60.0
"""Seconds; an endpoint that asks for more gets no further try from this call."""

_TELLING_TOKENS = 200
"""A shorter question tells nothing of how well tokens are estimated: templates outweigh it."""
_MOST_RATIO = 3.0
FLOOR = 2_000
"""The least output limit: thoughts of 1,200 tokens fit beside a short answer before anything is learnt."""
HALVINGS = 3
"""How often an output limit is halved to fit into a small budget, before the question is refused."""
_UNSEEN = 100
"""Tokens beyond twice an answer's own (an estimate that leans high) that are taken for thoughts."""


@dataclass(frozen=True)
class ModelRequest:
    """One request as it is sent."""

    task: str
    rung: OutputMode
    messages: list[dict[str, str]]
    body: dict[str, Any]
    input_tokens: int
    """An estimate."""
    limit: int
    """Most output tokens."""
    thinking: int = 0
    """What of `limit` was meant for thoughts."""


@dataclass(frozen=True)
class ModelReply:
    """What came back."""

    text: str
    refusal: str
    cut: bool
    """The output limit was reached."""
    limit: int
    """The output limit that it had, which a small budget may have lowered."""
    written: int = 0
    """Output tokens, thoughts included."""
    thought: int = 0
    """Tokens of thoughts, reported or estimated."""


class Endpoint:
    """One of the two models, as the settings name them."""

    def __init__(self, settings: Settings, tier: Tier, *, backoff: float = 0.5) -> None:
        self.settings = settings
        self.url = url_of(settings)
        self.model = (settings.fast_model if tier == "fast" else settings.strong_model) or ""
        self.price = model_price(settings, tier)
        self.dialect = endpoint_behaviour(self.url, self.model)
        self.effort = (
            settings.fast_reasoning_effort if tier == "fast" else settings.strong_reasoning_effort
        )
        if self.effort not in {None, "none", "minimal"}:
            self.dialect.widen(0)
        self._backoff = backoff
        self._gate = semaphore_named(self.url, settings.llm_concurrency)
        self._place = CallPlace(
            url=without_password(self.url),
            model=self.model,
            setting=f"CITELOOM_{tier.upper()}_MODEL",
            seconds=settings.llm_timeout,
            secret=settings.llm_api_key.get_secret_value() if settings.llm_api_key else "",
        )

    @property
    def window(self) -> int:
        """The model's window in tokens: the setting, or what the endpoint says where that is less."""
        return min(self.settings.llm_context_tokens, self.dialect.window)

    def room_for(self, answer: int) -> int:
        """Return the output limit for an answer of at most `answer` tokens, thoughts aside."""
        return min(max(answer, min(FLOOR, self.window // 8)), self.dialect.most)

    async def ask(
        self, compose: Callable[[], ModelRequest], ledger: RunLedger, *, tries: int = TRIES
    ) -> tuple[ModelRequest, ModelReply]:
        """Send what `compose` gives, asking it again whenever the endpoint's manners were learnt.

        Raises:
            TransientError: It stayed unreachable or busy after `tries` tries.
            PermanentError: It rejects the key, the model or the request; or BudgetError.
            RefusedError: A content filter stopped the question.
        """
        tried = 0
        while True:
            request = compose()
            fault = await self._send(request, ledger)
            if isinstance(fault, ModelReply):
                return request, fault
            if fault.fitting and self.dialect.adapt(
                fault.status, fault.text, request.rung, request.task, request.body
            ):
                logger.info("%s takes no such %s request", self._place.url, request.rung.name)
                if request.body.keys() & self.dialect.refused == {"reasoning_effort"}:
                    logger.warning(
                        "%s takes no reasoning_effort for %s", self._place.url, self.model
                    )
                continue
            tried += 1
            pause = self._pause(fault, tried) if tried < tries else None
            if pause is None:
                # The SDK's exception quotes what the endpoint says of a bad key.
                raise fault.error from None
            logger.info("try %d at %s: %s", tried, self._place.url, loggable_kind(fault.error))
            await asyncio.sleep(pause)

    async def _send(self, request: ModelRequest, ledger: RunLedger) -> ModelReply | EndpointFault:
        try:
            llm = await connect(self.settings, self.model)
        except foreign_errors() as error:
            return endpoint_error(error, self._place)
        reserved = round(request.input_tokens * self.dialect.ratio)
        async with (
            ledger.spend(
                request.task,
                self.model,
                input_tokens=reserved,
                output_tokens=request.limit,
                halvings=HALVINGS,
                price=self.price,
                endpoint=f"{self.model} at {self._place.url}",
            ) as spending,
            self._gate,
        ):
            limit = spending.limit
            body = request.body | {name: limit for name in LIMIT_NAMES if name in request.body}
            spending.begin()
            try:
                async with asyncio.timeout(self.settings.llm_timeout):
                    message = await llm.ainvoke(request.messages, extra_body=body)
            except foreign_errors() as error:
                fault = endpoint_error(error, self._place)
                spending.missed(fault.error)
                if fault.cut:
                    return ModelReply("", "", cut=True, limit=limit, thought=limit)
                if not fault.billed:
                    spending.free()
                return fault
            reply = reply_of(message, limit)
            # Settled with what the endpoint reports, or with an estimate of what it does not.
            given = message.usage_metadata["input_tokens"] if message.usage_metadata else 0
            spending.used(given or request.input_tokens, reply.written, reply.thought)
            if request.input_tokens >= _TELLING_TOKENS:
                ratio = min(given / request.input_tokens, _MOST_RATIO)
                self.dialect.ratio = max(self.dialect.ratio, ratio)
        return reply

    def _pause(self, fault: EndpointFault, tried: int) -> float | None:
        """Return the seconds until the next try; None when there is none."""
        if not isinstance(fault.error, TransientError):
            return None
        asked = fault.error.retry_after
        if asked is not None:
            if asked > LONGEST_PAUSE:
                return None
            self._gate.pause(asked)
        jitter = random.uniform(0.5, 1.5)
        return max(asked or 0.0, self._backoff * jitter * float(2 ** (tried - 1)))


def model_price(settings: Settings, tier: Tier) -> Price | None:
    """Return the price of a tier; one model for both needs its price only once."""
    mine, other = settings.fast_price, settings.strong_price
    if tier == "strong":
        mine, other = other, mine
    return mine or (other if settings.fast_model == settings.strong_model else None)


def reply_of(message: "AIMessage", limit: int) -> ModelReply:
    """Read a model's message; what a forced tool was called with counts as its text.

    An answer as long as `limit` was cut, whatever is said: llama.cpp's server reports of a forced
    tool that it was called, also where the call breaks off.
    """
    import json

    finish = str(message.response_metadata.get("finish_reason") or "").lower()
    refusal = str(message.additional_kwargs.get("refusal") or "")
    if finish == "content_filter":
        refusal = refusal or "a content filter stopped the answer"
    text = str(message.text)
    if message.tool_calls:
        text = json.dumps(message.tool_calls[0]["args"], ensure_ascii=False)
    elif message.invalid_tool_calls:
        text = message.invalid_tool_calls[0]["args"] or ""
    written, thought = _counted(message, text)
    return ModelReply(
        text=text,
        refusal=refusal,
        cut=finish in {"length", "max_tokens"} or written >= limit,
        limit=limit,
        written=written,
        thought=thought,
    )


def _counted(message: "AIMessage", text: str) -> tuple[int, int]:
    """Return the output tokens of a message, and how many of them were thoughts."""
    usage = message.usage_metadata or {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
    answer = count_tokens(without_thoughts(text))
    # Some endpoints count thoughts in the sum only.
    told = max(usage["output_tokens"], usage["total_tokens"] - usage["input_tokens"])
    written = told or count_tokens(text)
    unseen = written - answer if written > 2 * answer + _UNSEEN else 0
    thought = usage.get("output_token_details", {}).get("reasoning", unseen)
    return written, min(thought, written)
