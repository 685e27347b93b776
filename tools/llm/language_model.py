"""The mind that asks a language model: each question is asked, sent back for repair where need be, or given up."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Generic

from pydantic import BaseModel

from tools.cache import AnswerCache, cache_key
from tools.errors import AnswerError, BudgetError, KeptError, PermanentError, RefusedError
from tools.ledger.budget_limits import BudgetKept
from tools.ledger.run_ledger import RunLedger
from tools.llm.endpoint import Endpoint, ModelReply, ModelRequest
from tools.llm.structured_output import (
    OutputMode,
    SchemaForms,
    UnusableAnswerError,
    form_of,
    parse_cached_answer,
    read_answer,
    repair_request,
    schema_forms,
    without_thoughts,
)
from tools.llm.task import AnswerT, Exchange, Task, Tier, count_tokens, render_inputs
from tools.settings import Settings

MOST_REPAIRS = 2
STRETCH = 4
"""How much more room an answer gets after it was cut off, once, thoughts aside."""

_SCHEMA_NOTE = (
    "\n\nAnswer with one JSON object and nothing else. It must match this JSON schema:\n{}"
)


@dataclass
class RepairDialogue(Generic[AnswerT]):
    """The state of one question; used once."""

    task: Task[AnswerT]
    shapes: SchemaForms
    inputs: str
    """Rendered."""
    temperature: float
    endpoint: Endpoint
    ledger: RunLedger
    after: Exchange | None = None
    turns: list[dict[str, str]] = field(default_factory=list)
    repairs: int = 0
    stretch: int = 1

    async def run(self) -> tuple[AnswerT, str]:
        """Return the answer and its JSON text.

        Raises:
            AnswerError: No usable answer after two repairs, or none within the most room there is.
            RefusedError: The model refused.
            PermanentError: The question does not fit the model's window.
        """
        while True:
            request, reply = await self.endpoint.ask(self.compose, self.ledger)
            if reply.refusal:
                words = " ".join(reply.refusal.split())[:300]
                raise RefusedError(f"{self.endpoint.model} refused '{self.task.name}': {words}")
            try:
                # What breaks off before any answer began may hold drafts of one.
                begun = not reply.cut or without_thoughts(reply.text).startswith(("{", "```"))
                answer, text = read_answer(self.task.answer, reply.text if begun else "")
            except UnusableAnswerError as error:
                await self._go_on(request, reply, error)
                continue
            return answer, text

    def compose(self) -> ModelRequest:
        """Return the request as things stand; what is constant comes first."""
        rung = self.endpoint.dialect.rung_for(self.task.name)
        # The schema is paid for once. Engines that constrain the output without showing the model
        # its schema force the fields' names, and the prompt says what they mean; no endpoint is
        # known that shows what stands in GRAMMAR's format.
        told = rung >= OutputMode.GRAMMAR
        note = _SCHEMA_NOTE.format(self.shapes.text) if told else ""
        messages = [*_opening(self.task, self.inputs, self.after, note), *self.turns]
        tokens = sum(count_tokens(message["content"]) + 8 for message in messages)
        tokens += 0 if told else count_tokens(self.shapes.text)
        self._check_window(tokens)
        dialect = self.endpoint.dialect
        limit = self._limit(tokens)
        basics = dialect.basics(limit, self.temperature, self.endpoint.effort)
        return ModelRequest(
            task=self.task.name,
            rung=rung,
            messages=messages,
            body=basics | form_of(rung, self.shapes),
            input_tokens=tokens,
            limit=limit,
            thinking=dialect.thinking,
        )

    def _limit(self, tokens: int) -> int:
        """Return the output limit beside an input of `tokens`."""
        endpoint = self.endpoint
        room = self.stretch * endpoint.room_for(self.task.max_output_tokens)
        most = min(endpoint.window - tokens, endpoint.dialect.most)
        return min(room + endpoint.dialect.thinking, most)

    async def _go_on(
        self, request: ModelRequest, reply: ModelReply, error: UnusableAnswerError
    ) -> None:
        """Prepare the next request after an unusable answer."""
        if reply.cut:
            self._make_room(request, reply)
        elif self.repairs == MOST_REPAIRS:
            raise AnswerError(
                f"{self.endpoint.model} gave no usable answer to '{self.task.name}' after "
                f"{MOST_REPAIRS} repairs: {error}"
            ) from error
        else:
            if request.rung is not OutputMode.TEXT and not error.shaped:
                # Accepted and not kept to: after a format the message must tell the schema. To
                # answer nothing is no proof of it for other tasks.
                kept = OutputMode.TOOL if request.rung is OutputMode.TOOL else OutputMode.GRAMMAR
                self.endpoint.dialect.lower(kept, self.task.name, only_task=not reply.text)
            await self._send_back(reply, error)

    async def _send_back(self, reply: ModelReply, error: UnusableAnswerError) -> None:
        # Only the latest answer goes back: an older one would be paid for again and mislead.
        # Some endpoints reject an assistant's message without content.
        self.repairs += 1
        self.turns = [
            {"role": "assistant", "content": without_thoughts(reply.text) or "(no answer)"},
            {"role": "user", "content": repair_request(error)},
        ]
        await self.ledger.note(self.task.name, self.endpoint.model, repairs=1)

    def _make_room(self, request: ModelRequest, reply: ModelReply) -> None:
        """Raise the output limit: of the model where thoughts took it, else of this answer, once."""
        name, model = self.task.name, self.endpoint.model
        if reply.limit < request.limit:
            refused = KeptError if self.ledger.limits.kept != BudgetKept() else BudgetError
            raise refused(
                f"'{name}' was cut off at {reply.limit} tokens, which the run's budget had left; to go "
                "on, raise max_tokens or max_usd"
            )
        if reply.thought or not without_thoughts(reply.text):
            self.endpoint.dialect.widen(request.thinking)
        else:
            self.stretch = STRETCH
        if self._limit(request.input_tokens) <= request.limit:
            raise AnswerError(
                f"{model} did not finish its answer to '{name}' within {request.limit} tokens; a model "
                "that thinks less (a lower CITELOOM_STRONG_REASONING_EFFORT), or a larger "
                "CITELOOM_LLM_CONTEXT_TOKENS if its window is larger, may"
            )

    def _check_window(self, tokens: int) -> None:
        window, room = self.endpoint.window, self.task.max_output_tokens
        if tokens + room <= window:
            return
        if self.turns:
            raise AnswerError(
                f"{self.endpoint.model} gave no usable answer to '{self.task.name}', and the "
                f"window of {window} tokens has no room for sending it back"
            )
        raise PermanentError(
            f"'{self.task.name}' needs about {tokens} tokens of input and {room} for the "
            f"answer, and the model's window is {window}: give a shorter input or, if the model "
            "takes more, set CITELOOM_LLM_CONTEXT_TOKENS"
        )


def _opening(
    task: Task[AnswerT], inputs: str, after: Exchange | None, note: str = ""
) -> list[dict[str, str]]:
    """Return the messages of a question: instructions, then inputs; behind those of the question before it.

    Args:
        task: What is asked.
        inputs: Rendered.
        after: The question before, whose messages stay as they were, so that an endpoint finds them in its cache.
        note: The schema, where the question has to say it.
    """
    if after is None:
        return [
            {"role": "system", "content": task.prompt + note},
            {"role": "user", "content": inputs},
        ]
    kind: type[BaseModel] = after.task.answer
    schema = schema_forms(kind, after.task.name).text if note else ""
    return [
        *_opening(
            after.task,
            render_inputs(after.inputs),
            after.after,
            _SCHEMA_NOTE.format(schema) if note else "",
        ),
        {"role": "assistant", "content": after.answer.model_dump_json(exclude_none=True)},
        {
            "role": "user",
            "content": inputs
            if task.prompt == after.task.prompt
            else f"{task.prompt}{note}\n\n{inputs}",
        },
    ]


_MARGIN = 120
"""Tokens that a question takes beside its texts: roles, fences and the note on the schema."""


class LanguageModel:
    """Answers tasks with the models of any OpenAI-compatible endpoint.

    Each answer is cached on disk before it is returned, so a run that crashed pays nothing twice.
    `backoff` is the first pause in seconds before a failed call is tried again; it doubles.
    """

    composes = judges = varies = True

    def __init__(
        self, settings: Settings, ledger: RunLedger, answers: AnswerCache, *, backoff: float = 0.5
    ) -> None:
        self._prompts = settings.prompts
        self._ledger = ledger
        self._answers = answers
        self._endpoints: dict[Tier, Endpoint] = {
            "fast": Endpoint(settings, "fast", backoff=backoff),
            "strong": Endpoint(settings, "strong", backoff=backoff),
        }

    @property
    def name(self) -> str:
        """The model's name; both where the tiers differ, the strong one first."""
        names = [self._endpoints[tier].model for tier in ("strong", "fast")]
        return " + ".join(dict.fromkeys(names))

    def spare(
        self, task: Task[AnswerT], *, after: Exchange | None = None, **inputs: object
    ) -> float:
        """Return the tokens left in the window; see TaskModel.spare."""
        task, after = self._worded(task), self._reworded(after)
        shapes = schema_forms(task.answer, task.name)
        messages = _opening(task, render_inputs(inputs), after)
        texts = [*(message["content"] for message in messages), shapes.text]
        needed = sum(map(count_tokens, texts))
        endpoint = self._endpoints[task.tier]
        thinking = min(endpoint.dialect.thinking, endpoint.window // 2)
        room = endpoint.room_for(task.max_output_tokens) + thinking
        return endpoint.window - needed - room - _MARGIN

    async def do(
        self,
        task: Task[AnswerT],
        *,
        after: Exchange | None = None,
        sample: int = 0,
        temperature: float = 0.0,
        **inputs: object,
    ) -> AnswerT:
        """Answer `task`; see TaskModel.do."""
        task, after = self._worded(task), self._reworded(after)
        endpoint = self._endpoints[task.tier]
        shapes = await asyncio.to_thread(schema_forms, task.answer, task.name)
        dialogue = RepairDialogue(
            task=task,
            shapes=shapes,
            inputs=render_inputs(inputs),
            temperature=temperature,
            endpoint=endpoint,
            ledger=self._ledger,
            after=after,
        )
        before = (
            [item["content"] for item in _opening(task, dialogue.inputs, after)] if after else []
        )
        key = cache_key(
            endpoint.url,
            endpoint.model,
            endpoint.effort,
            task.prompt,
            dialogue.inputs,
            shapes.text,
            temperature,
            sample,
            *before,
        )
        async with self._answers.alone(key):
            kept = await self._answers.get(key)
            if kept is not None and (known := parse_cached_answer(task.answer, kept)) is not None:
                await self._ledger.note(task.name, endpoint.model, cached=1)
                return known
            answer, text = await dialogue.run()
            await self._answers.put(key, text)
            return answer

    def _worded(self, task: Task[AnswerT]) -> Task[AnswerT]:
        """Return the task with the user's own prompt, where there is one."""
        path = self._prompts / f"{task.name}.txt" if self._prompts else None
        if path is None or not path.is_file():
            return task
        return replace(task, prompt=path.read_text(encoding="utf-8"))

    def _reworded(self, after: Exchange | None) -> Exchange | None:
        if after is None:
            return None
        return replace(after, task=self._worded(after.task), after=self._reworded(after.after))
