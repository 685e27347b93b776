"""Judging one answer claim by claim: its claims against the papers, and the points of people's answers that it says.

answered                 1 where it says more than that it does not know.
claims                   How many it makes.
factual                  Claims that the papers support, of all: an answer without claims has none.
contradicted, not_there  Claims that they contradict, or do not have, of all.
coverage                 Points of people's answer that it says, of all; the best of several such answers.
"""

import asyncio
import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field

from evals.asking.cases import Case, Source, read_papers, read_questions
from evals.judge import Question, asked, judge_task, read_judged
from evals.trials import Row
from nodes.ask.search_passages import record_passage
from state.paper import Paper
from tools.bibliography.read_records import read_records
from tools.documents.cut_passages import cut_passages
from tools.embed.embedder import Embedder, Vectors
from tools.errors import InputError
from tools.library.starter_library import starter_papers
from tools.library.vector_index import ScoredPoint, bm25, fused
from tools.llm.task import Task, TaskModel
from tools.text.sentences import split_sentences

APART = "injection"
"""A group of questions that are neither to be answered nor to be refused."""


@dataclass(frozen=True, kw_only=True)
class Answered:
    """One answer of one system to one question."""

    case: Case
    arm: str
    answer: str
    """Without numbers in brackets; empty where it was refused."""
    error: str = ""
    """Why the run broke."""


def read_answers(path: Path, cases: Sequence[Case]) -> list[Answered]:
    """Return the answers of a file.

    The file is what `eval asking --json` wrote, or JSON lines with `case` (the question's id), `arm`, `answer`.

    Raises:
        InputError: It cannot be read, holds none, or answers a question that is not among the cases.
    """
    known = {case.id: case for case in cases}
    rows = read_judged(path, ("case", "arm", "answer"), "asking", _of_figures)
    if strange := next((row["case"] for row in rows if row["case"] not in known), None):
        raise InputError(
            f"'{path}' answers '{strange}', which is none of the questions: give the --data that was asked"
        )
    found = [
        Answered(
            case=known[row["case"]],
            arm=str(row["arm"]),
            answer=str(row["answer"]).strip(),
            error=row.get("error", ""),
        )
        for row in rows
    ]
    return [item for item in found if item.case.group != APART]


def _of_figures(figures: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [row for case in figures["cases"] for row in _rows(case)]


def _rows(case: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for arm in case["arms"]:
        told = case.get("sentences", {}).get(arm, [])
        yield {
            "case": case["id"],
            "arm": arm,
            "answer": " ".join(item["text"] for item in told),
            "error": case.get("error", {}).get(arm, ""),
        }


_WHOLE = 12
"""Passages of a paper that are shown whole; of a longer one those nearest to the claims."""
_NEAREST = 3
"""Passages shown for each claim."""


@dataclass(frozen=True, kw_only=True)
class Material:
    """Questions, and the papers that they need."""

    cases: Sequence[Case]
    records: Mapping[str, Paper]
    passages: Mapping[str, Sequence[str]]
    embedder: Embedder
    _vectors: dict[str, Vectors] = field(default_factory=dict)

    @property
    def years(self) -> dict[str, int]:
        """The years of the papers, where they are known."""
        return {key: paper.year for key, paper in self.records.items() if paper.year}

    def shown(self, case: Case, claims: Sequence[str]) -> list[dict[str, str]]:
        """Return what these claims are held against, in reading order. CPU-bound."""
        return [
            {"paper": self.records[key].title, "text": text}
            for key in case.papers
            for text in (*self._record(key), *self._near(key, claims))
        ]

    def _record(self, key: str) -> list[str]:
        paper = self.records[key]
        return [record_passage(paper).text] if paper.authors or paper.year else []

    def _near(self, key: str, claims: Sequence[str]) -> list[str]:
        passages = self.passages[key]
        if len(passages) <= _WHOLE:
            return list(passages)
        if key not in self._vectors:
            self._vectors[key] = self.embedder.embed(passages)
        near = self.embedder.embed(claims) @ self._vectors[key].T
        picked: set[int] = set()
        for claim, row in zip(claims, near, strict=True):
            meant = [ScoredPoint(place, float(score)) for place, score in enumerate(row)]
            words = [ScoredPoint(place, score) for place, score in enumerate(bm25(claim, passages))]
            both = fused([meant, [one for one in words if one.score > 0]], _NEAREST)
            picked |= {one.id for one in both}
        return [passages[place] for place in sorted(picked)]


def read_material(data: Path | None, embedder: Embedder) -> Material:
    """Return the questions of a file with their papers, or the packaged ones with the starter library's.

    Raises:
        InputError: The file cannot be read.
    """
    if data is not None:
        read = read_papers(data)
        return Material(
            cases=read.cases,
            records={item.paper.id: item.paper for item in read.sources},
            passages={item.paper.id: _passages(item) for item in read.sources},
            embedder=embedder,
        )
    with starter_papers() as path:
        records = {item.id: item for item in read_records(path) if isinstance(item, Paper)}
    return Material(
        cases=read_questions(),
        records=records,
        embedder=embedder,
        passages={key: [paper.abstract or paper.title] for key, paper in records.items()},
    )


def _passages(source: Source) -> list[str]:
    key = hashlib.sha256(source.content).hexdigest()
    paper = source.paper
    return [
        item.text
        for item in cut_passages(source.read[1], paper=paper.id, title=paper.title, sha256=key)
    ]


class Split(BaseModel):
    """What an answer says, piece by piece."""

    refuses: bool = Field(
        description="Whether all it says is that it does not know or cannot tell."
    )
    claims: list[str] = Field(default=[], description="None where it refuses.")


class Verdict(BaseModel):
    """Whether the passages say one claim."""

    number: int
    why: str = Field(description="The words that decide it, or what is lacking; one sentence.")
    verdict: Literal["supported", "contradicted", "not_there"]


class Held(BaseModel):
    """All claims, held against the passages."""

    verdicts: list[Verdict] = Field(description="One for each claim.")


class Said(BaseModel):
    """What an answer has."""

    said: list[str] = Field(description="Numbers of the points that it says, such as 1.2.")


_SPLIT = """\
You take the answer to a question apart into claims: statements of one fact each that can be looked up one by
one. Put names in the place of pronouns, keep numbers, conditions and hedges, and let the claims say together
all that the answer says of the matter and nothing else. That somebody writes it, where the answer only names
its source ("Weber et al. (2019) write that ..."), is no claim of its own. What says only that something
is not known is no claim; say in `refuses` whether the whole answer is of that kind.

Example: "The Orrin lamp, sold since 1911, burns 31 hours; who made it I cannot tell." has the claims "The
Orrin lamp has been sold since 1911." and "The Orrin lamp burns 31 hours.", and does not refuse.

Where `faults` is given, an earlier answer had these."""
_HELD = """\
You check claims against passages of the papers that they are about, and against nothing else: not what you
know, and not how likely it sounds. Of each claim say first `why`, then
- supported: the passages say it, in whatever words, of the same thing;
- contradicted: they say what cannot be true together with it;
- not_there: neither, or only a part of it.

A number, direction or condition that differs makes a claim contradicted, however much else agrees. Give one
verdict for each number. Where `faults` is given, an earlier answer had these."""
_SAID = """\
You read an answer to a question beside the points that people's answers have. Name the numbers of the
points that the answer says, in whatever words, whole and in their sense. A point that is only hinted at, or
told of something else, is not said. What else the answer says costs nothing here. Where `faults` is given,
an earlier answer had these."""


SPLIT: Task[Split] = judge_task("split_into_claims", _SPLIT, Split, 2000)
HELD: Task[Held] = judge_task("hold_claims_against_papers", _HELD, Held, 4000)
SAID: Task[Said] = judge_task("points_said", _SAID, Said, 800)


def faults_of_split(answer: Split) -> list[str]:
    """Say what is wrong: an answer that does not refuse has claims, one that refuses has none."""
    if answer.refuses == bool(answer.claims):
        return ["an answer either refuses or has claims"]
    return []


def faults_of_held(answer: Held, claims: Sequence[str]) -> list[str]:
    """Say which claims have no verdict, or two, and which numbers there are not."""
    told = [item.number for item in answer.verdicts]
    wanted = range(1, len(claims) + 1)
    faults = [f"claim {number} has no verdict" for number in wanted if number not in told]
    faults += [f"claim {number} has two verdicts" for number in wanted if told.count(number) > 1]
    return faults + [f"there is no claim {number}" for number in told if number not in wanted]


def faults_of_said(answer: Said, points: Sequence[str]) -> list[str]:
    """Say which numbers there are not."""
    return [f"there is no point {number}" for number in answer.said if number not in points]


SHARES = {"factual": "supported", "contradicted": "contradicted", "not_there": "not_there"}


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What a judge said; None where its answer could not be used, or nobody asked."""

    refuses: bool | None = None
    verdicts: Sequence[str] | None = None
    """Of each claim."""
    said: Collection[str] | None = None
    """Numbers of the points said."""


def points_of(case: Case) -> dict[str, str]:
    """Return the points of people's answers by number: '2.1' is the first one of the second answer."""
    return {
        f"{number}.{place}": fact
        for number, answer in enumerate(case.answers, start=1)
        for place, fact in enumerate(
            [point.fact for point in answer.points] or [f"The answer is: {answer.text}"], start=1
        )
    }


def measures(points: Collection[str], judged: Judged) -> dict[str, float]:
    """Return the measures; what the judge did not say is left out."""
    found: dict[str, float] = {}
    if judged.refuses is not None:
        found["answered"] = float(not judged.refuses)
    if judged.verdicts is not None:
        found["claims"] = len(judged.verdicts)
    if judged.verdicts:
        found |= {
            name: list(judged.verdicts).count(verdict) / len(judged.verdicts)
            for name, verdict in SHARES.items()
        }
    if judged.said is not None:
        answers: Mapping[str, list[str]] = {
            number.split(".")[0]: [
                one for one in points if one.split(".")[0] == number.split(".")[0]
            ]
            for number in points
        }
        found["coverage"] = max(
            sum(number in judged.said for number in mine) / len(mine) for mine in answers.values()
        )
    return found


_EACH = 45
"""Tokens of what is said of a claim or a point, about."""


def questions_of(item: Answered, material: Material) -> Iterator[Question]:
    """Yield about what is asked of an answer: its sentences stand for claims that nobody has split yet."""
    if not item.answer:
        return
    sentences = [span.text for span in split_sentences(item.answer)]
    yield SPLIT, _split(item), _EACH * len(sentences)
    if item.case.in_scope:
        yield SAID, _said(item), _EACH
        yield HELD, _held(item, sentences, material), _EACH * len(sentences)


async def judged(mind: TaskModel, item: Answered, *, material: Material) -> Row:
    """Return what came of an answer.

    A row has 'case', 'arm', 'figures' (evals.asking.claim_judge), 'claims' (each with its verdict and why), 'missed'
    (points that it does not say), 'errors' (what the judge said that could not be used) and 'error' of the run.

    Raises:
        BudgetError: The budget is spent.
    """
    points = points_of(item.case)
    row: Row = {
        "case": item.case.id,
        "arm": item.arm,
        "claims": [],
        "errors": [],
        "error": item.error,
    }
    if not item.answer:
        # Nothing was said: a refusal, or a run that broke, which has refused nobody.
        figures = {"answered": 0.0} | ({"coverage": 0.0} if points else {})
        return row | {"figures": figures, "missed": [*points.values()]}
    (split, wrong), said = await asyncio.gather(
        asked(mind, SPLIT, _split(item), faults_of_split), _points_said(mind, item, row)
    )
    if split is None:
        row["errors"].append(f"{SPLIT.name}: {wrong}")
    claims = split.claims if split else []
    verdicts = await _verdicts(mind, item, claims, material, row) if item.case.in_scope else None
    found = Judged(
        refuses=split.refuses if split else None,
        verdicts=verdicts if split else None,
        said=said,
    )
    missed = [fact for number, fact in points.items() if said is not None and number not in said]
    return row | {"figures": measures(points, found), "missed": missed}


async def _points_said(mind: TaskModel, item: Answered, row: Row) -> list[str] | None:
    if not item.case.in_scope:
        return None
    points = [*points_of(item.case)]
    answer: Said | None
    answer, wrong = await asked(
        mind, SAID, _said(item), lambda given: faults_of_said(given, points)
    )
    if answer is None:
        row["errors"].append(f"{SAID.name}: {wrong}")
    return answer.said if answer else None


async def _verdicts(
    mind: TaskModel, item: Answered, claims: list[str], material: Material, row: Row
) -> list[str] | None:
    if not claims:
        return []
    inputs = await asyncio.to_thread(_held, item, claims, material)
    answer: Held | None
    answer, wrong = await asked(mind, HELD, inputs, partial(faults_of_held, claims=claims))
    if answer is None:
        row["errors"].append(f"{HELD.name}: {wrong}")
        return None
    told = sorted(answer.verdicts, key=lambda one: one.number)
    row["claims"] = [
        {"claim": claims[one.number - 1], "verdict": one.verdict, "why": one.why} for one in told
    ]
    return [one.verdict for one in told]


def _split(item: Answered) -> dict[str, Any]:
    return {"question": item.case.question, "answer": item.answer}


def _said(item: Answered) -> dict[str, Any]:
    return _split(item) | {"points": points_of(item.case)}


def _held(item: Answered, claims: list[str], material: Material) -> dict[str, Any]:
    return {
        "question": item.case.question,
        "passages": material.shown(item.case, claims),
        "claims": {str(number): claim for number, claim in enumerate(claims, start=1)},
    }
