"""One question to a model: asked, sent back for repair where need be, answered or given up."""

from dataclasses import dataclass, field
from typing import Generic

from tools.errors import AnswerError, PermanentError, RefusedError
from tools.ledger.ledger import RunLedger
from tools.llm.answers import UnusableAnswerError, read_answer, repair_request, visible
from tools.llm.endpoint import Endpoint, Reply, Request
from tools.llm.ladder import OPENAI_URL, Rung
from tools.llm.prompt import count_tokens
from tools.llm.shapes import Shapes
from tools.llm.task import AnswerT, Task

MOST_REPAIRS = 2
STRETCH = 4
"""How much larger the output limit is after an answer was cut off."""

_SCHEMA_NOTE = (
    "\n\nAnswer with one JSON object and nothing else. It must match this JSON schema:\n{}"
)


@dataclass
class Dialogue(Generic[AnswerT]):
    """The state of one question; used once."""

    task: Task[AnswerT]
    shapes: Shapes
    inputs: str
    """Rendered."""
    temperature: float
    endpoint: Endpoint
    ledger: RunLedger
    turns: list[dict[str, str]] = field(default_factory=list)
    repairs: int = 0
    limit: int = 0
    unheeded: bool = False
    """The endpoint accepted a format and did not keep to it, so the message must tell it."""

    async def run(self) -> tuple[AnswerT, str]:
        """Return the answer and its JSON text.

        Raises:
            AnswerError: No usable answer after two repairs, or after one with more room.
            RefusedError: The model refused.
            PermanentError: The question does not fit the model's window.
        """
        self.limit = self.task.max_output_tokens
        while True:
            request, reply = await self.endpoint.ask(self.compose, self.ledger)
            if reply.refusal:
                words = " ".join(reply.refusal.split())[:300]
                raise RefusedError(f"{self.endpoint.model} refused '{self.task.name}': {words}")
            try:
                answer, text = read_answer(self.task.answer, reply.text)
            except UnusableAnswerError as error:
                await self._go_on(request, reply, error)
                continue
            if self.unheeded:
                self.endpoint.dialect.by_task[self.task.name] = Rung.TEXT
            return answer, text

    def compose(self) -> Request:
        """Return the request as things stand; what is constant comes first."""
        rung = Rung.TEXT if self.unheeded else self.endpoint.dialect.rung_for(self.task.name)
        system = self.task.prompt
        # OpenAI shows the model the schema itself, and so do chat templates with tools; engines
        # that only constrain the output do not, and the fields' descriptions would go unread.
        told = rung >= Rung.GRAMMAR or (rung is Rung.SCHEMA and self.endpoint.url != OPENAI_URL)
        if told:
            system += _SCHEMA_NOTE.format(self.shapes.text)
        messages = [
            {"role": "system", "content": system},
            {"role": "user", "content": self.inputs},
            *self.turns,
        ]
        tokens = sum(count_tokens(message["content"]) + 8 for message in messages)
        tokens += 0 if told else count_tokens(self.shapes.text)
        self._check_window(tokens)
        return Request(
            task=self.task.name,
            rung=rung,
            messages=messages,
            body=self.endpoint.dialect.body(rung, self.shapes, self.limit, self.temperature),
            input_tokens=tokens,
            limit=self.limit,
        )

    async def _go_on(self, request: Request, reply: Reply, error: UnusableAnswerError) -> None:
        """Prepare the next request after an unusable answer."""
        if reply.cut:
            self._make_room(request)
        elif request.rung is Rung.TOOL and not reply.called:
            self.endpoint.dialect.lower(Rung.TOOL, self.task.name)
        elif self.repairs == MOST_REPAIRS:
            raise AnswerError(
                f"{self.endpoint.model} gave no usable answer to '{self.task.name}' after "
                f"{MOST_REPAIRS} repairs: {error}"
            ) from error
        else:
            constrained = request.rung in {Rung.SCHEMA, Rung.GRAMMAR}
            self.unheeded = self.unheeded or (constrained and not error.has_json)
            await self._send_back(reply, error)

    async def _send_back(self, reply: Reply, error: UnusableAnswerError) -> None:
        # Only the latest answer goes back: an older one would be paid for again and mislead.
        # Some endpoints reject an assistant's message without content.
        self.repairs += 1
        self.turns = [
            {"role": "assistant", "content": visible(reply.text) or "(no answer)"},
            {"role": "user", "content": repair_request(error, self.shapes.text)},
        ]
        await self.ledger.note(self.task.name, self.endpoint.model, repairs=1)

    def _make_room(self, request: Request) -> None:
        """Raise the output limit, once."""
        window = self.endpoint.settings.llm_context_tokens
        wider = min(self.task.max_output_tokens * STRETCH, window - request.input_tokens)
        if self.limit > self.task.max_output_tokens or wider <= self.limit:
            raise AnswerError(
                f"{self.endpoint.model} did not finish its answer to '{self.task.name}' within "
                f"{self.limit} tokens; a model that thinks less, or a larger "
                "CITELOOM_LLM_CONTEXT_TOKENS if its window is larger, may"
            )
        self.limit = wider

    def _check_window(self, tokens: int) -> None:
        window = self.endpoint.settings.llm_context_tokens
        if tokens + self.limit <= window:
            return
        if self.turns:
            raise AnswerError(
                f"{self.endpoint.model} gave no usable answer to '{self.task.name}', and the "
                f"window of {window} tokens has no room for sending it back"
            )
        raise PermanentError(
            f"'{self.task.name}' needs about {tokens} tokens of input and {self.limit} for the "
            f"answer, and the model's window is {window}: give a shorter input or, if the model "
            "takes more, set CITELOOM_LLM_CONTEXT_TOKENS"
        )
