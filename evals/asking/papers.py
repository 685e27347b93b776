"""Real papers with questions: the documents, the questions put to each, and what people answered."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evals.asking.cases import Answer, Case, Point
from evals.json_lines import json_lines
from state.paper import Paper
from tools.bibliography.read_record import RecordError, paper_from
from tools.errors import InputError
from tools.text.sentences import split_sentences
from tools.text.words import distinct_content_stems

_NONE = frozenset({"unanswerable", "not answerable", "n/a"})
_YES_NO = frozenset({"yes", "no"})


@dataclass(frozen=True, kw_only=True)
class Source:
    """One document to be asked."""

    paper: Paper
    text: str


@dataclass
class PaperCases:
    """The questions that can be asked, their documents, and why the other lines cannot be used."""

    cases: list[Case] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


def read_papers(path: Path) -> PaperCases:
    """Read JSON lines, plain or gzip, of doc_id, full_text and qa (a list of question, answer).

    Several answers to one question count as its alternatives; 'Unanswerable' makes it one that must
    be refused. A document whose text came before is left out.

    Raises:
        InputError: The file cannot be read, or holds no document that can be used.
    """
    found = PaperCases()
    texts: dict[str, str] = {}
    for number, row in json_lines(path):
        name = _text(row, "doc_id") or f"line {number}"
        try:
            source = _source(name, row)
            if (earlier := texts.setdefault(source.text, name)) != name:
                raise RecordError(f"{earlier} is the same text")
            found.cases += list(_cases(name, source.paper.id, row.get("qa")))
            found.sources.append(source)
        except RecordError as error:
            found.left_out[name] = str(error)
    if not found.cases:
        raise InputError(
            f"'{path}' holds no question that can be asked: give JSON lines with doc_id, full_text "
            "and qa, a list of question and answer"
        )
    return found


def _source(name: str, row: object) -> Source:
    text = _text(row, "full_text")
    if not text:
        raise RecordError("it has no full_text")
    title = _text(row, "title") or f"Paper {name}"
    return Source(paper=paper_from({"title": title, "authors": []}), text=text)


def _text(row: object, key: str) -> str:
    value = row.get(key) if isinstance(row, dict) else None
    return value.strip() if isinstance(value, str) else ""


def _cases(name: str, paper: str, asked: object) -> Iterator[Case]:
    by_question: dict[str, list[str]] = {}
    for item in asked if isinstance(asked, list) else []:
        question, answer = _text(item, "question"), _text(item, "answer")
        if question and answer:
            by_question.setdefault(question, []).append(answer)
    if not by_question:
        raise RecordError("it has no qa")
    for number, (question, answers) in enumerate(by_question.items(), 1):
        yield _case(f"{name}-{number}", paper, question, answers)


def _case(key: str, paper: str, question: str, answers: Sequence[str]) -> Case:
    there = [answer for answer in answers if answer.casefold().strip(" .") not in _NONE]
    # Where people disagree whether there is an answer, giving one is no fault.
    kind = "yes_no" if there and all(_is_yes_no(answer) for answer in there) else "open"
    more: dict[str, Any] = {"group": "papers", "kind": kind} if there else {
        "group": "unanswerable", "kind": "unanswerable",
    }  # fmt: skip
    return Case(
        id=key, question=question, papers=(paper,), within=(paper,),
        answers=tuple(_answer(text, paper) for text in there), **more,
    )  # fmt: skip


def _is_yes_no(answer: str) -> bool:
    return answer.casefold().strip(" .") in _YES_NO


def _answer(text: str, paper: str) -> Answer:
    if _is_yes_no(text):
        return Answer(text=text)
    sentences = [" ".join(span.text.split()) for span in split_sentences(text)]
    points = [Point(fact=fact, paper=paper) for fact in sentences if distinct_content_stems(fact)]
    return Answer(text=text, points=tuple(points))
