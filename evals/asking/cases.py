"""What is asked: packaged questions, or papers of yours with questions; what a whole answer says; ways of asking."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evals.runner import choose
from evals.trials import Cases, json_lines
from state.ask import ConversationTurn
from state.document import Document
from state.paper import Paper
from tools.bibliography.read_record import RecordError, paper_from
from tools.documents.open_document import Kind, read_document
from tools.errors import DocumentError, InputError
from tools.text.words import distinct_content_stems, split_sentences

USUAL = "hybrid-2"
"""What the others are compared with: the product's defaults."""
REGULAR = "vectors-1"
"""What Keyword Augmented Retrieval is compared with in its own Table 1."""
_RETRIEVERS = ("hybrid", "vectors", "keywords")


ARMS: Mapping[str, Mapping[str, Any]] = {
    f"{one}-{hops}": {"retriever": one, "max_hops": hops} for one in _RETRIEVERS for hops in (2, 1)
} | {"kar": {"method": "kar", "retriever": "keywords"}}
"""Ways of asking: settings of the run."""


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
    return [_case(row) for _, row in json_lines(Path(__file__).with_name("questions.jsonl"))]


def choose_cases(cases: Sequence[Case], groups: str, count: int | None) -> list[Case]:
    """Return the first `count` questions of each of the groups named, or all.

    Raises:
        InputError: There is no such group.
    """
    names = choose(groups, dict.fromkeys(case.group for case in cases), "group")
    found: list[Case] = []
    for case in cases:
        if case.group in names and (
            count is None or sum(one.group == case.group for one in found) < count
        ):
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


_NONE = frozenset({"unanswerable", "not answerable", "n/a"})
_YES_NO = frozenset({"yes", "no"})


@dataclass(frozen=True, kw_only=True)
class Source:
    """One document to be asked."""

    paper: Paper
    text: str
    name: str
    content: bytes
    read: tuple[Kind, Document]
    """What a reader made of the content."""


@dataclass(kw_only=True)
class PaperCases(Cases[Case]):
    """Questions, and their documents."""

    sources: list[Source] = field(default_factory=list)


def read_papers(path: Path) -> PaperCases:
    """Read JSON lines, plain or gzip, of doc_id, full_text or file, and qa (a list of question, answer).

    `file` is the path of a PDF or another document, from the folder of the lines on; `title` and `year`
    may be given. Several answers to one question count as its alternatives; 'Unanswerable' makes it one that must
    be refused. A document whose text came before is left out.

    Raises:
        InputError: The file cannot be read, or holds no document that can be used.
    """
    found = PaperCases()
    texts: dict[str, str] = {}
    for number, row in json_lines(path):
        name = _text(row, "doc_id") or f"line {number}"
        try:
            source = _source(name, row, path.parent)
            if (earlier := texts.setdefault(source.text, name)) != name:
                raise RecordError(f"{earlier} is the same text")
            if not (cases := list(_cases(name, source.paper.id, row.get("qa")))):
                raise RecordError("it has no qa")
            found.cases += cases
            found.sources.append(source)
        except RecordError as error:
            found.left_out[name] = str(error)
    if not found.cases:
        raise InputError(
            f"'{path}' holds no question that can be asked: give JSON lines with doc_id, full_text "
            "or file, and qa, a list of question and answer"
        )
    return found


def _source(name: str, row: Any, folder: Path) -> Source:
    text, file = _text(row, "full_text"), _text(row, "file")
    if not text and not file:
        raise RecordError("it has no full_text and no file")
    title = _text(row, "title")
    called = file or f"{title or name}.txt"
    try:
        content = text.encode() if text else (folder / file).read_bytes()
        read = read_document(content, name=Path(called).name)
    except (OSError, DocumentError) as error:
        raise RecordError(f"'{called}' cannot be read: {error}") from error
    known = read[1] if file else Document()
    paper = paper_from(
        {
            "title": title or known.title or f"Paper {name}",
            "year": row.get("year") or known.year,
            "authors": [author.name for author in known.authors],
        }
    )
    return Source(
        paper=paper, text=text or known.text, name=Path(called).name, content=content, read=read
    )


def _text(row: object, key: str) -> str:
    value = row.get(key) if isinstance(row, dict) else None
    return value.strip() if isinstance(value, str) else ""


def _cases(name: str, paper: str, asked: object) -> Iterator[Case]:
    by_question: dict[str, list[dict[str, Any]]] = {}
    for item in asked if isinstance(asked, list) else []:
        if _text(item, "question") and _text(item, "answer"):
            by_question.setdefault(_text(item, "question"), []).append(item)
    for number, (question, items) in enumerate(by_question.items(), 1):
        answers = [_text(item, "answer") for item in items]
        there = [answer for answer in answers if answer.casefold().strip(" .") not in _NONE]
        # Where people disagree whether there is an answer, giving one is no fault.
        kind = "yes_no" if all(map(_is_yes_no, there)) else "open"
        yield Case(
            id=f"{name}-{number}",
            group="papers" if there else "unanswerable",
            kind=kind if there else "unanswerable",
            question=question,
            papers=(paper,),
            within=(paper,),
            answers=tuple(_answer(text, paper) for text in there),
        )


def _is_yes_no(answer: str) -> bool:
    return answer.casefold().strip(" .") in _YES_NO


def _answer(text: str, paper: str) -> Answer:
    if _is_yes_no(text):
        return Answer(text=text)
    sentences = (" ".join(span.text.split()) for span in split_sentences(text))
    points = (Point(fact=fact, paper=paper) for fact in sentences if distinct_content_stems(fact))
    return Answer(text=text, points=tuple(points))
