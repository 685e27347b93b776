"""The questions: what is asked, what a whole answer says, and which sentence of which paper bears it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from evals.runner import choose
from state.ask import ConversationTurn

ELSEWHERE = frozenset({"out_of_scope", "unanswerable"})
"""Groups whose questions the library does not answer."""
NEAR = frozenset({"near_miss", "unanswerable"})
"""Kinds of these that are on its subject all the same."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """One fact that a whole answer has."""

    fact: str
    paper: str
    sentence: str = ""
    """The sentence of the paper that bears it; empty where that is not known."""
    record: tuple[str, ...] = ()
    """Names and years that must stand in the answer; for facts that the paper's record bears."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An answer that a person gave, and its facts."""

    text: str
    points: tuple[Point, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Case:
    """One question. Without answers it is one that must be refused."""

    id: str
    group: str
    kind: str
    question: str
    papers: tuple[str, ...] = ()
    """Papers that a whole answer needs."""
    answers: tuple[Answer, ...] = ()
    """Where there are several, the best of them counts."""
    history: tuple[ConversationTurn, ...] = ()
    forbidden: tuple[str, ...] = ()
    """What the question tries to make the system say."""
    within: tuple[str, ...] = ()
    """The papers that it is put to; the whole library if empty."""

    @property
    def in_scope(self) -> bool:
        """Whether the library holds an answer."""
        return bool(self.answers)

    @property
    def checkable(self) -> bool:
        """Whether it is known what a whole answer says."""
        return any(answer.points for answer in self.answers)


def read_questions() -> list[Case]:
    """Return the packaged questions over the starter library."""
    text = (files("evals.asking") / "questions.jsonl").read_text(encoding="utf-8")
    return [_case(json.loads(line)) for line in text.splitlines()]


def choose_cases(cases: Sequence[Case], groups: str, count: int | None) -> list[Case]:
    """Return the first `count` questions of each of the groups named, or all.

    Raises:
        InputError: There is no such group.
    """
    names = choose(groups, dict.fromkeys(case.group for case in cases), "group")
    found: list[Case] = []
    for case in cases:
        before = sum(one.group == case.group for one in found)
        if case.group in names and (count is None or before < count):
            found.append(case)
    return found


def _case(row: dict[str, Any]) -> Case:
    points = tuple(
        Point(**{**point, "record": tuple(point.get("record", ()))}) for point in row["points"]
    )
    return Case(
        id=row["id"],
        group=row["group"],
        kind=row["kind"],
        question=row["question"],
        papers=tuple(row["papers"]),
        answers=(Answer(text=row["answer"], points=points),) if row["answer"] else (),
        history=tuple(ConversationTurn(**turn) for turn in row.get("history", ())),
        forbidden=tuple(row.get("forbidden", ())),
    )
