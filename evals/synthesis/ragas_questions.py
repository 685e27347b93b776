"""The answers to be judged, of `eval synthesis` or of any other system as lines, and the five questions on each."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from evals.runner import judge_task, read_judged
from tools.errors import InputError
from tools.llm.task import Task
from tools.text.words import split_sentences


@dataclass(frozen=True, kw_only=True)
class Answered:
    """One answer of one system to one question."""

    case: str
    arm: str
    question: str
    answer: str
    contexts: tuple[str, ...]
    """The texts that it was made from, the best first."""
    truth: str
    """What people answered."""
    model: str = ""
    """What wrote the answer, where the file says it."""


def read_answers(path: Path) -> list[Answered]:
    """Return the answers of a file.

    The file is what `eval synthesis --json` wrote, or JSON lines with `case`, `arm`, `question`, `answer`,
    `contexts` (texts, the best first), `truth` and perhaps `model`.

    Raises:
        InputError: It cannot be read, or holds none.
    """
    texts = ("case", "arm", "question", "answer", "truth")
    found = [
        Answered(
            contexts=tuple(map(str, row["contexts"])),
            model=str(row.get("model") or ""),
            **{name: str(row[name]) for name in texts},
        )
        for row in read_judged(path, (*texts, "contexts"), "synthesis", _of_figures)
    ]
    for item in found:
        if not item.question.strip() or not item.truth.strip():
            raise InputError(
                f"'{path}' has a line without a question or what people answered: {item.case}"
            )
    return found


def _of_figures(figures: Any) -> list[Any]:
    return [
        {
            "case": row["case"],
            "arm": f"{row['arm']}, stack of {row['stack']}",
            "answer": row["answer"],
            "question": row["told"]["question"],
            "contexts": row["told"]["contexts"],
            "truth": " ".join(row["told"]["golds"][0]),
            "model": figures.get("settings", {}).get("model", ""),
        }
        for row in figures["arms"]["rows"]
    ]


class Statement(BaseModel):
    """One thing that an answer says."""

    statement: str
    borne_out: bool = Field(description="Whether the contexts, and nothing else, bear it out.")


class Statements(BaseModel):
    """All that an answer says."""

    statements: list[Statement]


class Questions(BaseModel):
    """Questions to which a text is the answer."""

    questions: list[str] = Field(min_length=1, max_length=5)
    evasive: bool = Field(description="Whether it evades, such as by saying that it is not known.")


class Relevance(BaseModel):
    """Which contexts, and which of their sentences, an answer needs."""

    relevant: list[int] = Field(description="Numbers of the contexts that help to answer.")
    needed: list[str] = Field(
        description="Numbers of the sentences that are needed, such as 2.3 for the third one of context 2."
    )


class Inferred(BaseModel):
    """Which sentences can be inferred."""

    inferred: list[int] = Field(description="Numbers of the sentences that can be inferred.")


class Compared(BaseModel):
    """The statements of an answer and of the truth."""

    shared: list[str] = Field(description="What both say.")
    only_answer: list[str] = Field(description="What the answer says and the truth does not.")
    only_truth: list[str] = Field(description="What the truth says and the answer does not.")


_ROOM = 3000

STATEMENTS = judge_task(
    "ragas_statements",
    "Take the answer apart into short statements, each of which can be understood alone (no pronouns), so that "
    "they say together all that the answer says and nothing else. Then say of each whether it follows from the "
    "contexts alone; what you know yourself does not count. An answer that says nothing has no statements.",
    Statements,
    _ROOM,
)
QUESTIONS = judge_task(
    "ragas_questions",
    "Write three different questions to which this text would be the whole answer: as somebody would ask who "
    "has not seen it. Say whether the text evades, that is, tells nothing but that it cannot be told.",
    Questions,
    _ROOM,
)
RELEVANCE = judge_task(
    "ragas_relevance",
    "Say which contexts help to arrive at the true answer to the question, and which of their numbered "
    "sentences are needed for it. Name none where none helps.",
    Relevance,
    _ROOM,
)
INFERRED = judge_task(
    "ragas_inferred",
    "Say which of the numbered sentences can be inferred from the contexts alone; what you know yourself does "
    "not count.",
    Inferred,
    _ROOM,
)
COMPARED = judge_task(
    "ragas_compared",
    "Compare what the answer says with the truth, statement by statement: what both say (in whatever words), "
    "what the answer says and the truth does not, and what the truth says and the answer does not. Each "
    "statement stands in one list only.",
    Compared,
    _ROOM,
)


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [span.text for span in split_sentences(text)]


def numbered(texts: Sequence[str]) -> dict[str, str]:
    """Return texts by number, from 1."""
    return {str(number): text for number, text in enumerate(texts, start=1)}


def of_contexts(item: Answered) -> dict[str, dict[str, str]]:
    """Return the sentences of each context by number: '2.3' is the third one of the second."""
    return {
        str(at): {
            f"{at}.{number}": text for number, text in enumerate(sentences_of(context), start=1)
        }
        for at, context in enumerate(item.contexts, start=1)
    }


def asked_of(item: Answered) -> dict[str, tuple[Task[Any], dict[str, object]]]:
    """Return what is asked of an answer, by the task's name; nothing that has nothing to be asked of."""
    plain = {"question": item.question, "contexts": numbered(item.contexts)}
    asked: dict[str, tuple[Task[Any], dict[str, object]]] = {
        RELEVANCE.name: (
            RELEVANCE,
            {"question": item.question, "truth": item.truth, "contexts": of_contexts(item)},
        ),
        INFERRED.name: (INFERRED, {**plain, "sentences": numbered(sentences_of(item.truth))}),
    }
    if item.answer.strip():
        asked[STATEMENTS.name] = (STATEMENTS, {**plain, "answer": item.answer})
        asked[QUESTIONS.name] = (QUESTIONS, {"text": item.answer})
        asked[COMPARED.name] = (
            COMPARED,
            {"question": item.question, "answer": item.answer, "truth": item.truth},
        )
    return asked
