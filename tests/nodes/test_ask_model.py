"""nodes/common/ask_model.py: faults are sent back once, and everything that was tried is told."""

from collections.abc import Sequence

from pydantic import BaseModel

from nodes.common.ask_model import ask_with_check
from tools.errors import AnswerError
from tools.llm.task import AnswerT, Exchange, Task


class Word(BaseModel):
    """An answer."""

    word: str


TASK = Task(
    name="word", prompt="Say owl.", answer=Word, tier="fast", extract=lambda *_: Word(word="")
)


class Scripted:
    """A mind that gives these answers in turn, an error where one stands in their place."""

    name = "scripted"
    composes = judges = True

    def __init__(self, *answers: str | AnswerError, varies: bool = True) -> None:
        self.varies = varies
        self.asked: list[dict[str, object]] = []
        self.shown: list[object] = []
        """The answer that stands before each question, if one does."""
        self._answers = list(answers)

    def spare(
        self, task: Task[AnswerT], *, after: Exchange | None = None, **inputs: object
    ) -> float:
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
        self.asked.append({**(after.shown if after else {}), **inputs})
        self.shown.append(after.answer if after else None)
        answer = self._answers.pop(0)
        if isinstance(answer, AnswerError):
            raise answer
        return task.answer(word=answer)


def not_an_owl(answer: Word) -> Sequence[str]:
    return [] if answer.word == "owl" else [f"{answer.word} is no owl"]


async def test_faults_are_sent_back_once_under_their_name() -> None:
    mind = Scripted("bee", "owl")
    asked = await ask_with_check(mind, TASK, {"text": "x"}, not_an_owl, again_as="wrong")
    assert asked.stands
    assert mind.asked[1] == {"text": "x", "wrong": ["bee is no owl"]}
    assert mind.shown == [None, Word(word="bee")], "it sees what it answered"
    assert asked.tried[0] == (Word(word="bee"), ("bee is no owl",))


async def test_error_of_the_second_asking_keeps_the_first_answer() -> None:
    asked = await ask_with_check(Scripted("bee", AnswerError("cut")), TASK, {}, not_an_owl)
    assert (asked.answer, asked.faults) == (Word(word="bee"), ("bee is no owl",))
    assert str(asked.error) == "cut"


async def test_mind_that_answers_alike_each_time_is_asked_once() -> None:
    mind = Scripted("bee", varies=False)

    async def faults(answer: Word) -> Sequence[str]:
        return not_an_owl(answer)

    asked = await ask_with_check(mind, TASK, {}, faults)
    assert (len(mind.asked), asked.faults) == (1, ("bee is no owl",))
