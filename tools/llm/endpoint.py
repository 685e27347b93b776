"""One model at one endpoint: calls with a budget, a common gate, retries and the ladder."""

import asyncio
import logging
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from citeloom.settings import Settings
from tools.errors import TransientError
from tools.gate import gate_of
from tools.ledger.ledger import RunLedger
from tools.ledger.spending import Price
from tools.llm.connection import connect
from tools.llm.faults import Fault, Place, fault_of, foreign_errors
from tools.llm.ladder import Rung, dialect_of, url_of
from tools.llm.prompt import count_tokens
from tools.llm.task import Tier

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

logger = logging.getLogger(f"citeloom.{__name__}")

TRIES = 4
LONGEST_PAUSE = 60.0
"""Seconds; an endpoint that asks for more gets no further try from this call."""

_TELLING_TOKENS = 200
"""A shorter question tells nothing of how well tokens are estimated: templates outweigh it."""
_MOST_RATIO = 3.0


@dataclass(frozen=True)
class Request:
    """One request as it is sent."""

    task: str
    rung: Rung
    messages: list[dict[str, str]]
    body: dict[str, Any]
    input_tokens: int
    """An estimate."""
    limit: int
    """Most output tokens."""


@dataclass(frozen=True)
class Reply:
    """What came back."""

    text: str
    refusal: str
    cut: bool
    """The output limit was reached."""
    called: bool
    """The forced tool was called."""


class Endpoint:
    """One of the two models, as the settings name them."""

    def __init__(self, settings: Settings, tier: Tier, *, backoff: float = 0.5) -> None:
        self.settings = settings
        self.url = url_of(settings)
        self.model = (settings.fast_model if tier == "fast" else settings.strong_model) or ""
        self.price = price_of(settings, tier)
        self.dialect = dialect_of(self.url, self.model)
        self._backoff = backoff
        self._gate = gate_of(self.url, settings.llm_concurrency)
        self._place = Place(
            url=re.sub(r"//[^/@]*@", "//", self.url),  # a password may stand in it
            model=self.model,
            setting=f"CITELOOM_{tier.upper()}_MODEL",
            seconds=settings.llm_timeout,
            secret=settings.llm_api_key.get_secret_value() if settings.llm_api_key else "",
        )

    async def ask(
        self, compose: Callable[[], Request], ledger: RunLedger, *, tries: int = TRIES
    ) -> tuple[Request, Reply]:
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
            if isinstance(fault, Reply):
                return request, fault
            if fault.fitting and self.dialect.adapt(
                fault.status, fault.text, request.rung, request.task, request.body
            ):
                logger.info("%s takes no such %s request", self._place.url, request.rung.name)
                continue
            tried += 1
            pause = self._pause(fault, tried) if tried < tries else None
            if pause is None:
                # The SDK's exception quotes what the endpoint says of a bad key.
                raise fault.error from None
            logger.info("try %d at %s: %s", tried, self._place.url, fault.error)
            await asyncio.sleep(pause)

    async def _send(self, request: Request, ledger: RunLedger) -> Reply | Fault:
        try:
            llm = await connect(self.settings, self.model)
        except foreign_errors() as error:
            return fault_of(error, self._place)
        reserved = round(request.input_tokens * self.dialect.ratio)
        async with (
            ledger.spend(
                request.task, self.model, input_tokens=reserved, output_tokens=request.limit,
                price=self.price,
            ) as spending,
            self._gate,
        ):  # fmt: skip
            spending.begin()
            try:
                async with asyncio.timeout(self.settings.llm_timeout):
                    message = await llm.ainvoke(request.messages, extra_body=request.body)
            except foreign_errors() as error:
                fault = fault_of(error, self._place)
                if not fault.billed:
                    spending.free()
                return fault
            reply = reply_of(message, request.limit)
            # Settled with what the endpoint reports, or with an estimate of what it does not.
            usage = message.usage_metadata
            given, written = (usage["input_tokens"], usage["output_tokens"]) if usage else (0, 0)
            spending.used(given or request.input_tokens, written or count_tokens(reply.text))
            if request.input_tokens >= _TELLING_TOKENS:
                ratio = min(given / request.input_tokens, _MOST_RATIO)
                self.dialect.ratio = max(self.dialect.ratio, ratio)
        return reply

    def _pause(self, fault: Fault, tried: int) -> float | None:
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


def price_of(settings: Settings, tier: Tier) -> Price | None:
    """Return the price of a tier; one model for both needs its price only once."""
    mine, other = settings.fast_price, settings.strong_price
    if tier == "strong":
        mine, other = other, mine
    return mine or (other if settings.fast_model == settings.strong_model else None)


def reply_of(message: "AIMessage", limit: int) -> Reply:
    """Read a model's message; what a forced tool was called with counts as its text.

    An answer as long as `limit` was cut, whatever is said: llama.cpp's server reports of a forced
    tool that it was called, also where the call breaks off.
    """
    import json

    finish = str(message.response_metadata.get("finish_reason") or "")
    refusal = str(message.additional_kwargs.get("refusal") or "")
    if finish == "content_filter":
        refusal = refusal or "a content filter stopped the answer"
    text = str(message.text)
    called = bool(message.tool_calls or message.invalid_tool_calls)
    if message.tool_calls:
        text = json.dumps(message.tool_calls[0]["args"], ensure_ascii=False)
    elif message.invalid_tool_calls:
        text = message.invalid_tool_calls[0]["args"] or ""
    written = message.usage_metadata["output_tokens"] if message.usage_metadata else 0
    cut = finish == "length" or written >= limit
    return Reply(text=text, refusal=refusal, cut=cut, called=called)
