"""The mind that asks a language model."""

import asyncio

from tools.cache import AnswerCache, key_of
from tools.ledger.ledger import RunLedger
from tools.llm.answers import reread
from tools.llm.dialogue import Dialogue
from tools.llm.endpoint import Endpoint
from tools.llm.prompt import count_tokens, render
from tools.llm.shapes import shapes_of
from tools.llm.task import AnswerT, Task, Tier
from tools.settings import Settings

_MARGIN = 120
"""Tokens that a question takes beside its texts: roles, fences and the note on the schema."""


class LlmMind:
    """Answers tasks with the models of any OpenAI-compatible endpoint.

    Each answer is cached on disk before it is returned, so a run that crashed pays nothing twice.
    `backoff` is the first pause in seconds before a failed call is tried again; it doubles.
    """

    def __init__(
        self, settings: Settings, ledger: RunLedger, answers: AnswerCache, *, backoff: float = 0.5
    ) -> None:
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

    def spare(self, task: Task[AnswerT], **inputs: object) -> float:
        """Return the tokens left in the window; see Mind.spare."""
        shapes = shapes_of(task.answer, task.name)
        needed = sum(count_tokens(text) for text in (task.prompt, render(inputs), shapes.text))
        endpoint = self._endpoints[task.tier]
        thinking = min(endpoint.dialect.thinking, endpoint.window // 2)
        room = endpoint.room_for(task.max_output_tokens) + thinking
        return endpoint.window - needed - room - _MARGIN

    async def do(
        self, task: Task[AnswerT], *, sample: int = 0, temperature: float = 0.0, **inputs: object
    ) -> AnswerT:
        """Answer `task`; see Mind.do."""
        endpoint = self._endpoints[task.tier]
        shapes = await asyncio.to_thread(shapes_of, task.answer, task.name)
        dialogue = Dialogue(
            task=task,
            shapes=shapes,
            inputs=render(inputs),
            temperature=temperature,
            endpoint=endpoint,
            ledger=self._ledger,
        )
        key = key_of(
            endpoint.url, endpoint.model, endpoint.effort, task.prompt, dialogue.inputs, shapes.text,
            temperature, sample,
        )  # fmt: skip
        async with self._answers.alone(key):
            kept = await self._answers.get(key)
            if kept is not None and (known := reread(task.answer, kept)) is not None:
                await self._ledger.note(task.name, endpoint.model, cached=1)
                return known
            answer, text = await dialogue.run()
            await self._answers.put(key, text)
            return answer
