"""`citeloom eval ragas`: what an LLM makes of answers and their contexts (LLM-Ref, appendix A.6). All are 0 to 1.

faithfulness         Statements of the answer that the contexts bear out, of all of them (formula 2).
answer_relevancy     Mean cosine of the question and questions that a judge makes of the answer (3); 0
                     where the answer evades the question.
context_precision    Average precision of the contexts: precision at each relevant one, in the mean (4).
context_recall       Sentences of the truth that can be inferred from the contexts, of all of them (5).
context_relevancy    Sentences of the contexts that are needed to answer the question, of all of them.
answer_correctness   Three parts F1 of the statements of answer and truth, one part answer_similarity.
answer_similarity    Cosine of answer and truth.
ragas_score          Harmonic mean of faithfulness, answer relevancy, context relevancy and context recall, as Table 1
                     has it; `ragas_with_precision` has context precision for the third, as in formula 1.

These are the formulas of the package ragas, which asks for other versions of openai and rich than the product.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel, Field

from evals.figures import RESAMPLES, means, minus
from evals.runner import JudgedSuite, JudgeOptions, asked, check_each_once, judge_task, read_judged
from evals.synthesis.command import COMPOSITES, average_precision, harmonic
from evals.trials import Row
from tools.clients import open_clients
from tools.embed.embedder import Embedder
from tools.errors import InputError
from tools.llm.task import Task, TaskModel
from tools.settings import settings
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
    `contexts` (texts, the best first), `truth` and perhaps `model`. InputError says what it lacks.
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
    "Say which of the numbered sentences can be inferred from the contexts alone; what you know yourself "
    "does not count.",
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


SCORES = {"ragas_score": "composite", "ragas_with_precision": "with_precision"}
"""By name: what they are in evals.synthesis.command."""
_STATEMENTS = 0.75  # weight of statements in answer_correctness, as the package has it


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a judge said of one answer; None where its answer could not be used."""

    borne: Sequence[bool] | None = None
    """For each statement of the answer, whether the contexts bear it out."""
    cosines: Sequence[float] | None = None
    """Of the question and each question made of the answer."""
    evasive: bool = False
    relevant: Sequence[bool] | None = None
    """For each context, whether it is relevant."""
    needed: tuple[int, int] | None = None
    """Sentences of the contexts that are needed, and how many there are."""
    inferred: Sequence[bool] | None = None
    """For each sentence of the truth, whether it can be inferred from the contexts."""
    both: tuple[int, int, int] | None = None
    """Statements that answer and truth share, of the answer alone, of the truth alone."""
    similarity: float = 0.0


def measures(said: Said) -> dict[str, float]:
    """Return the measures of one answer; what the judge did not say is left out."""
    found = {"answer_similarity": max(said.similarity, 0.0)}
    if said.borne:
        found["faithfulness"] = sum(said.borne) / len(said.borne)
    if said.cosines:
        found["answer_relevancy"] = (
            0.0
            if said.evasive
            else (sum(max(cosine, 0.0) for cosine in said.cosines) / len(said.cosines))
        )
    if said.relevant is not None:
        found["context_precision"] = average_precision(said.relevant)
    if said.inferred:
        found["context_recall"] = sum(said.inferred) / len(said.inferred)
    if said.needed:
        needed, every = said.needed
        found["context_relevancy"] = needed / every if every else 0.0
    if said.both:
        found["answer_correctness"] = (
            _STATEMENTS * f1_of(*said.both) + (1 - _STATEMENTS) * found["answer_similarity"]
        )
    for name, parts in SCORES.items():
        if all(part in found for part in COMPOSITES[parts]):
            found[name] = harmonic([found[part] for part in COMPOSITES[parts]])
    return found


def f1_of(shared: int, added: int, missed: int) -> float:
    """Return F1 of statements: shared by both, only in the answer, only in the truth."""
    whole = shared + 0.5 * (added + missed)
    return shared / whole if whole else 0.0


_EACH = 250  # tokens of an answer of the judge, about


@dataclass(frozen=True, kw_only=True)
class RagasOptions(JudgeOptions):
    """The command as given."""

    answers: Annotated[
        list[Path],
        typer.Option(
            help="What `synthesis --json` wrote, or JSON lines with case, arm, question, answer, contexts, truth and "
            "perhaps model; may be repeated."
        ),
    ]


class Ragas(JudgedSuite[RagasOptions]):
    """Have answers judged: faithfulness, relevancy, precision, recall, correctness, similarity (LLM-Ref)."""

    def prepare(self) -> None:
        """Read the answers, tell what judging them costs, and ask whether it is worth that."""
        found = [item for path in self.options.answers for item in read_answers(path)]
        if len({item.model for item in found}) > 1:  # LLM-Ref's Table 4
            found = [replace(one, arm=f"{one.arm}, {one.model or 'no model'}") for one in found]
        check_each_once((item.case, item.arm) for item in found)
        cases = list(dict.fromkeys(item.case for item in found))[: self.options.n]
        self.items = [item for item in found if item.case in cases]
        self.arms = list(dict.fromkeys(item.arm for item in self.items))
        self.judge(
            self.items,
            ((*one, _EACH) for item in self.items for one in asked_of(item).values()),
        )
        self.embedder = open_clients(settings()).embedder

    def failed(self, row: Row) -> bool:
        """Whether the judge said nothing of it that can be used."""
        return set(row["figures"]) <= {"answer_similarity"}

    def found(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the figures of each arm, and what the judge said nothing usable of."""
        options = self.options
        cases: dict[str, dict[str, Any]] = {}
        for row in rows:
            one = cases.setdefault(row["case"], {"id": row["case"], "arms": {}, "errors": {}})
            one["arms"][row["arm"]] = row["figures"]
            if row["errors"]:
                one["errors"][row["arm"]] = row["errors"]
        told, base = list(cases.values()), self.arms[0]
        return {
            "settings": {
                "answers": [path.name for path in options.answers],
                "judge": settings().strong_model,
                "models": list(dict.fromkeys(item.model for item in self.items)),
                "embedder": settings().embedder,
                "seed": options.seed,
                "resamples": RESAMPLES,
            },
            "arms": means(told, self.arms, seed=options.seed),
            "minus": {"base": base, "arms": minus(told, self.arms, base, seed=options.seed)},
            "nonsense": sum(len(row["errors"]) for row in rows),
            "cases": told,
        }

    async def judged(self, mind: TaskModel, item: Any) -> Row:
        """Return the figures of an answer, and what the judge said that could not be used."""
        questions = asked_of(item)
        answers = await asyncio.gather(
            *(asked(mind, *question, partial(_faults, item)) for question in questions.values())
        )
        told = dict(zip(questions, answers, strict=True))
        given = {name: answer for name, (answer, _) in told.items() if answer is not None}
        errors = [f"{name}: {error}" for name, (answer, error) in told.items() if answer is None]
        return {
            "case": item.case,
            "arm": item.arm,
            "figures": measures(_said(item, given, self.embedder)),
            "errors": errors,
        }


def _faults(item: Answered, answer: object) -> list[str]:
    """Say what is wrong with what a judge said: numbers of what is not there."""
    known: set[str] = set()
    named: list[str] = []
    if isinstance(answer, Relevance):
        sentences = of_contexts(item)
        known = {*sentences, *(number for one in sentences.values() for number in one)}
        named = [*map(str, answer.relevant), *answer.needed]
    elif isinstance(answer, Inferred):
        known = set(map(str, range(1, len(sentences_of(item.truth)) + 1)))
        named = list(map(str, answer.inferred))
    return [
        f"there is no {number}" for number in dict.fromkeys(named) if number.strip() not in known
    ]


def _said(item: Answered, given: dict[str, Any], embedder: Embedder) -> Said:
    statements: Statements | None = given.get(STATEMENTS.name)
    questions: Questions | None = given.get(QUESTIONS.name)
    relevance: Relevance | None = given.get(RELEVANCE.name)
    inferred: Inferred | None = given.get(INFERRED.name)
    compared: Compared | None = given.get(COMPARED.name)
    made = questions.questions if questions else []
    question, answer, truth, *others = embedder.embed(
        [item.question, item.answer or " ", item.truth, *made]
    )
    every = [number for one in of_contexts(item).values() for number in one]
    return Said(
        borne=[one.borne_out for one in statements.statements] if statements else None,
        cosines=[float(question @ other) for other in others] if questions else None,
        evasive=bool(questions and questions.evasive),
        relevant=[at in relevance.relevant for at, _ in enumerate(item.contexts, 1)]
        if relevance
        else None,
        needed=(len({*relevance.needed} & {*every}), len(every)) if relevance else None,
        inferred=[at in inferred.inferred for at, _ in enumerate(sentences_of(item.truth), 1)]
        if inferred
        else None,
        both=(len(compared.shared), len(compared.only_answer), len(compared.only_truth))
        if compared
        else None,
        similarity=float(answer @ truth) if item.answer.strip() else 0.0,
    )
