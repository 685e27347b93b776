"""`citeloom eval questions`: make questions on documents in the manner of LLM-Ref's figure 7.

What an LLM answers with stands only where code has found its passages word for word. A question that falls short is
sent back once, and then left out with its reason.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import uuid4

import typer

from evals.judge import MostUsd, Question, tell_cost, usd_of
from evals.questions.book import UNANSWERABLE, Book, Kind, Stack
from evals.questions.material import Material, fault_of, place_of, read_folder
from evals.questions.tasks import ANSWERED, LEAVE_OPEN, MAKE, Answering, Asked
from evals.runner import check_file, say
from nodes.common.ask_model import ask_with_check
from tools.clients import open_clients
from tools.errors import BudgetError, InputError
from tools.evidence.quotes import quote_fault
from tools.ledger.budget import BudgetLimits
from tools.llm.open_model import open_model
from tools.llm.task import Task, TaskModel
from tools.settings import settings
from tools.text.words import coverage

_EACH = 5
"""Questions that are asked for at once, at most, as in the document."""
_TOKENS = 350
"""Of one question with its passages and answer, about."""
_FITTING = 0.9
"""Of the window's room, how much is filled: texts may be counted too low."""
_BORNE = 0.6
"""Share of an answer's content words that its passages should have; below it, somebody should look."""

Wanted = tuple[Kind, Sequence[Stack], int]


def questions(
    folder: Annotated[
        Path, typer.Option(help="Documents: PDF, HTML, JATS, DOCX, Markdown or text.")
    ],
    out: Annotated[
        Path,
        typer.Option(
            help="JSON lines for `eval synthesis` and `asking`; what is there is added to."
        ),
    ],
    mind: Annotated[
        Literal["extractive", "llm"], typer.Option(help="An LLM makes them: give llm.")
    ] = "extractive",
    n: Annotated[int, typer.Option(help="Questions of stacks of this size.", min=0)] = 50,
    stack: Annotated[
        int,
        typer.Option(
            help="Documents asked together: one, or several of which each needs two.", min=1
        ),
    ] = 3,
    unanswerable: Annotated[
        int, typer.Option(help="Questions on single documents that these do not answer.", min=0)
    ] = 10,
    max_usd: MostUsd = None,
) -> None:
    """Make questions on documents, with the passages that bear their answers, as LLM-Ref's figure 7."""
    check_file(out)
    if mind != "llm":
        raise InputError("this asks an LLM: give --mind llm")
    at = settings()
    limits = BudgetLimits(usd=usd_of(max_usd))
    opened = open_model(f"questions-{uuid4().hex}", limits, mind, at, open_clients(at).embedder)
    materials = read_folder(folder, at)
    if len(materials) < stack:
        raise InputError(f"a stack of {stack} needs as many documents; there are {len(materials)}")
    maker = Maker(opened, {one.id: one for one in materials}, Book(out, materials))
    names = [one.id for one in materials]
    wanted: list[Wanted] = [
        ("answerable", stacks_of(names, stack), n),
        ("unanswerable", [[name] for name in names], unanswerable),
    ]
    tell_cost((one for want in wanted for one in maker.planned(*want)), mind, max_usd)
    raise typer.Exit(asyncio.run(maker.fill(wanted)))


def stacks_of(names: Sequence[str], size: int) -> list[Stack]:
    """Return stacks in which each document stands; the last begins again at the first ones."""
    around = [*names, *names]
    return [around[at : at + size] for at in range(0, len(names), size)]


@dataclass
class Maker:
    """Makes questions, and writes them down as they come."""

    mind: TaskModel
    materials: dict[str, Material]
    book: Book

    def planned(self, kind: Kind, stacks: Sequence[Stack], wanted: int) -> Iterator[Question]:
        """Yield about what will be asked: nothing sent back, nothing in vain."""
        left = self._left(kind, stacks, wanted)
        for at in range(max(ceil(left / _EACH), min(left, len(stacks)))):
            number = min(_EACH, ceil(left / len(stacks)))
            stack = stacks[at % len(stacks)]
            yield _TASKS[kind], self._inputs(kind, stack, number), number * _TOKENS
            if kind == "unanswerable":
                text = self.materials[stack[0]].text
                for _ in range(number):
                    yield ANSWERED, {"text": text}, _TOKENS

    async def fill(self, wanted: Sequence[Wanted]) -> int:
        """Ask stack by stack until there are as many as wanted, or none gives another."""
        try:
            for kind, stacks, number in wanted:
                await self._fill(kind, stacks, number)
        except BudgetError as error:
            say(f"citeloom: {error}")
            return 1
        finally:
            made, left = self.book.asked(), [one for one in self.book.left if one["question"]]
            unborne = sum(one.get("borne", 1.0) < _BORNE for one in made)
            why = Counter(one["why"].partition(":")[0] for one in left).most_common()
            say(
                f"{len(made)} questions; {unborne} answers have less than {_BORNE:.0%} of their words in their "
                f"passages; left out: {'; '.join(f'{count} {name}' for name, count in why) or 'none'}"
            )
        return 0 if made else 1

    async def _fill(self, kind: Kind, stacks: Sequence[Stack], wanted: int) -> None:
        while left := self._left(kind, stacks, wanted):
            going = [stack for stack in stacks if not self.book.exhausted(stack, kind)]
            if not going:
                return
            each = min(_EACH, ceil(left / len(going)))
            for stack in sorted(going, key=lambda one: len(self.book.asked(kind, of=one))):
                await self._ask(kind, stack, min(each, self._left(kind, stacks, wanted)))

    def _left(self, kind: Kind, stacks: Sequence[Stack], wanted: int) -> int:
        size = len(stacks[0]) if kind == "answerable" else None
        return max(wanted - len(self.book.asked(kind, size=size)), 0)

    def _inputs(self, kind: Kind, stack: Stack, number: int) -> dict[str, object]:
        fixed: dict[str, Any] = {"number": number, "earlier": self.book.about(stack)}
        if kind == "answerable":
            fixed["least_documents"] = min(len(stack), 2)
        room = _FITTING * self.mind.spare(_TASKS[kind], **fixed) / len(stack)
        texts: dict[str, object] = {}
        for name, key in _named(stack).items():
            parts = self.materials[key].parts(room)
            texts[name] = parts[len(self.book.asked(kind, of=stack)) % len(parts)]
        return texts | fixed

    async def _ask(self, kind: Kind, stack: Stack, number: int) -> None:
        if not number:
            return
        texts = {name: self.materials[key].text for name, key in _named(stack).items()}
        least = min(len(stack), 2)
        kept: list[Asked] = []
        left: dict[str, str] = {}

        def known() -> list[str]:
            return [*self.book.about(stack), *(one.question for one in kept)]

        def faults(answer: Any) -> list[str]:
            left.clear()
            for item in answer.questions:
                why = fault_of(item, getattr(item, "answer", UNANSWERABLE), texts, least, known())
                if why:
                    left[item.question] = why
                else:
                    kept.append(item)
            return [f"“{question}”: {why}" for question, why in left.items()]

        def narrow(_: object) -> dict[str, object]:
            return {"number": len(left), "earlier": known()}

        inputs = self._inputs(kind, stack, number)
        found = await ask_with_check(self.mind, _TASKS[kind], inputs, faults, narrow=narrow)
        for line in found.tried[0][1] if len(found.tried) > 1 else ():
            say(f"sent back: {line}")
        if kind == "unanswerable":
            material = self.materials[stack[0]]
            whys = await asyncio.gather(*(self._answered(one.question, material) for one in kept))
            left |= {one.question: why for one, why in zip(kept, whys, strict=True) if why}
            kept = [one for one, why in zip(kept, whys, strict=True) if not why]
        self.book.keep([self._item(one, stack) for one in kept[:number]])
        for question, why in left.items():
            self.book.leave(stack, kind, question, why)
        if not kept:
            self.book.leave(stack, kind, "", str(found.error or "no other question came of it"))
        say(f"{len(kept[:number])} more on {', '.join(stack)}; {len(left)} left out")

    async def _answered(self, question: str, material: Material) -> str:
        """Say why a question is not one that a document leaves open; asked blindly, part by part."""
        room = _FITTING * self.mind.spare(ANSWERED, question=question)
        for part in material.parts(room):
            inputs = {"text": part, "question": question}
            found = await ask_with_check(self.mind, ANSWERED, inputs, partial(_misquoted, part))
            if found.answer is None or found.faults:
                return f"nobody can say whether the text answers it: {found.error or found.faults}"
            if found.answer.quotes:
                return f"the text answers it: “{found.answer.quotes[0]}”"
        return ""

    def _item(self, made: Asked, stack: Stack) -> dict[str, Any]:
        texts = {key: self.materials[key].text for key in stack}
        places = [place_of(passage, texts) for passage in made.passages]
        answer = getattr(made, "answer", "")
        borne = coverage(answer, " ".join(text for _, text in places))
        return {
            "question": made.question,
            "answer": answer or UNANSWERABLE,
            "papers": stack,
            "contexts": [{"doc_id": key, "text": text} for key, text in places],
            **({"borne": round(borne, 2)} if answer else {}),
            "by": self.mind.name,
        }


def _misquoted(text: str, answer: Answering) -> list[str]:
    return [fault[1] for quote in answer.quotes if (fault := quote_fault(quote, [text]))]


_TASKS: dict[Kind, Task[Any]] = {"answerable": MAKE, "unanswerable": LEAVE_OPEN}


def _named(stack: Stack) -> dict[str, str]:
    """Return the documents of a stack by the names under which they are shown."""
    return {f"text_{at}": key for at, key in enumerate(stack, start=1)}
