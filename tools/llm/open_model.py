"""Opening the mind of a run: a language model, or the one that needs none; and trying whether the models answer."""

import asyncio
import time
from functools import partial
from typing import Literal, get_args

from tools.cache import open_cache
from tools.embed.embedder import Embedder
from tools.errors import InputError, PermanentError
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import RunLedger, ledger_of_run
from tools.llm.endpoint import Endpoint, ModelRequest, model_price
from tools.llm.entailment import Entailment, open_entailment
from tools.llm.language_model import LanguageModel
from tools.llm.structured_output import OutputMode
from tools.llm.task import AnswerT, Exchange, Task, TaskModel, Tier
from tools.settings import Settings


class LocalModel:
    """Answers tasks on this machine, free and the same each time: by quoting, or with a model of inference."""

    composes = varies = False

    def __init__(self, name: str, tool: Embedder | Entailment, ledger: RunLedger) -> None:
        """Name who answers; `tool` is what tasks are answered with, one of inference those it can answer alone."""
        self.name = name
        self.judges = isinstance(tool, Entailment)
        self._tool = tool
        self._ledger = ledger

    def spare(
        self, task: Task[AnswerT], *, after: Exchange | None = None, **inputs: object
    ) -> float:
        """Return infinity: there is no window."""
        return float("inf")

    async def do(
        self,
        task: Task[AnswerT],
        *,
        after: Exchange | None = None,
        sample: int = 0,
        temperature: float = 0.0,
        **inputs: object,
    ) -> AnswerT:
        """Answer `task` in a worker thread; see TaskModel.do. Samples do not differ.

        Raises:
            BudgetError: The run's calls or minutes are spent.
            PermanentError: The task is none that a model of inference can answer, or that is not there.
        """
        answer = task.entail if self.judges else task.extract
        if answer is None:
            raise PermanentError(f"{self.name} cannot answer {task.name}")
        async with self._ledger.spend(task.name, self.name) as spending:
            spending.begin()
            shown = {**(after.shown if after else {}), **inputs}
            return await asyncio.to_thread(answer, self._tool, **shown)


Kind = Literal["auto", "llm", "extractive"]
_TIERS: tuple[Tier, ...] = ("strong", "fast")


def open_model(
    run: str, limits: BudgetLimits, kind: Kind | str, settings: Settings, embedder: Embedder
) -> TaskModel:
    """Open the mind of `run`: with 'auto' the LLM where a model is named, else the extractive one.

    Raises:
        PermanentError: 'llm' is asked for and none is configured, a model is named to which nothing
            leads, or there is a limit in USD and no price; the message names the settings.
        InputError: `kind` is none of the three, which a caller of the server may send.
    """
    if kind not in get_args(Kind):
        raise InputError(f"there is no mind '{kind}'; there are: {', '.join(get_args(Kind))}")
    ledger = ledger_of_run(run, limits, settings.home)
    if is_embedded(kind, settings):
        return LocalModel("extractive", embedder, ledger)
    _check_configured(settings)
    limited = limits.usd is not None or "usd" in limits.per_day
    if limited and any(model_price(settings, tier) is None for tier in _TIERS):
        raise PermanentError(
            "a limit in USD needs the models' prices: set CITELOOM_STRONG_PRICE and "
            "CITELOOM_FAST_PRICE, as [USD for a million input tokens, for output tokens]"
        )
    answers = open_cache(settings.home / "answers.sqlite", settings.cache_mb)
    return LanguageModel(settings, ledger, answers)


def is_embedded(kind: Kind | str, settings: Settings) -> bool:
    """Whether a run of this kind of mind is done by the embedded engine."""
    return kind == "extractive" or (kind == "auto" and not settings.strong_model)


def open_judge_model(
    run: str, limits: BudgetLimits, mind: TaskModel, settings: Settings
) -> TaskModel:
    """Return who judges citations: this mind, or the model of inference that is set where it is no LLM."""
    if mind.judges or not settings.judge_model:
        return mind
    model = settings.judge_model
    return LocalModel(model, open_entailment(model), ledger_of_run(run, limits, settings.home))


async def ping_models(settings: Settings) -> str:
    """Put one tiny, real and uncached question to each model; return their names and latencies.

    Raises:
        PermanentError: No LLM is configured, or it rejects the key, the model or the request.
        TransientError: The endpoint is unreachable or busy.
    """
    _check_configured(settings)
    tiers = _TIERS[:1] if settings.fast_model == settings.strong_model else _TIERS
    told = []
    for tier in tiers:
        endpoint = Endpoint(settings, tier)
        began = time.monotonic()
        _, reply = await endpoint.ask(
            partial(_hello, endpoint), RunLedger("ping", BudgetLimits()), tries=1
        )
        seconds = time.monotonic() - began
        thought = f", thinking for {reply.thought} tokens" if reply.thought else ""
        if endpoint.effort and "reasoning_effort" in endpoint.dialect.refused:
            thought += f", and takes no {tier.upper()}_REASONING_EFFORT"
        told.append(f"{endpoint.model} answered in {seconds:.1f} s{thought}")
    return "; ".join(told)


def _check_configured(settings: Settings) -> None:
    if settings.strong_model and not settings.llm_configured:
        raise PermanentError(
            f"the model {settings.strong_model} is set without a key or endpoint: set "
            "CITELOOM_LLM_API_KEY (or OPENAI_API_KEY) for OpenAI or CITELOOM_LLM_BASE_URL "
            "for any other OpenAI-compatible endpoint; to work without an LLM, choose "
            "embedded mode ('extractive')"
        )
    if not settings.llm_configured:
        raise PermanentError(
            "no LLM is configured: set CITELOOM_STRONG_MODEL (and CITELOOM_FAST_MODEL for the small "
            "tasks), with CITELOOM_LLM_API_KEY for OpenAI or CITELOOM_LLM_BASE_URL for any other "
            "OpenAI-compatible endpoint"
        )


def _hello(endpoint: Endpoint) -> ModelRequest:
    limit = endpoint.room_for(0)
    return ModelRequest(
        task="ping",
        rung=OutputMode.TEXT,
        messages=[{"role": "user", "content": "Answer with the word: ready"}],
        body=endpoint.dialect.basics(limit, 0.0, endpoint.effort),
        input_tokens=20,
        limit=limit,
    )
