"""The question sets: papers, their documents and passages, and questions with gold passages.

Three files are read, those that the folder has, each one row of JSON in a line:

- papers_with_questions: full texts, with questions that have short answers but no marked evidence.
  A question's gold passages are those of its paper with the largest share of the answer's content
  stems, if that share is at least GOLD_SHARE, the answer has at least GOLD_STEMS of them (so not
  'Yes' or 'BERT'), and no more than GOLD_TIES passages share it. The others do not qualify.
- scifact_questions: claims with their evidence, title and text; all evidence is the library.
- expert_long_answers: answers that cite some of their contexts; these are gold, and all contexts of
  all questions are the library.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from evals.data_files import json_lines
from state.document import DocumentEntry
from state.paper import Paper
from state.passage import Passage, passage_id
from tools.documents.cut_passages import cut_passages
from tools.documents.open_document import read_document
from tools.errors import InputError
from tools.text.words import distinct_content_stems

GOLD_SHARE = 0.6
GOLD_STEMS = 2
GOLD_TIES = 3
_CITED = re.compile(r"\[([\d,;\s-]+)\]")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the ids of the passages that hold its answer."""

    text: str
    gold: frozenset[str]
    paper: str | None
    """The paper that it is asked of, where it is asked of one."""


@dataclass(frozen=True, slots=True)
class Text:
    """A document as a library takes it in."""

    entry: DocumentEntry
    text: str
    passages: tuple[Passage, ...]


@dataclass
class QuestionSet:
    """One library and the questions to it."""

    name: str
    papers: dict[str, Paper] = field(default_factory=dict)
    texts: list[Text] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    asked: int = 0
    """Questions in the file, those that do not qualify and those asked twice among them."""

    def half(self, name: str) -> list[Question]:
        """Return the questions to tune on ('tuning': the 1st, 3rd, ...), the others, or 'all'."""
        starts = {"tuning": (0, 2), "held-out": (1, 2), "all": (0, 1)}
        first, step = starts[name]
        return self.questions[first::step]


def read_sets(folder: Path) -> list[QuestionSet]:
    """Read the sets that the folder has.

    Raises:
        InputError: It has none, or one cannot be read.
    """
    readers = {
        "papers_with_questions": _read_papers,
        "scifact_questions": _read_evidence,
        "expert_long_answers": _read_contexts,
    }
    found = []
    for name, read in readers.items():
        paths = [folder / f"{name}.jsonl.gz", folder / f"{name}.jsonl"]
        path = next((path for path in paths if path.is_file()), None)
        if path:
            try:
                found.append(read(QuestionSet(name), (row for _, row in json_lines(path))))
            except (KeyError, TypeError, ValueError) as error:
                raise InputError(
                    f"{path} is not as evals/asking/passage_sets.py says: {error}"
                ) from error
    if not found:
        raise InputError(f"{folder} has none of {', '.join(readers)} (.jsonl or .jsonl.gz)")
    return found


def _read_papers(made: QuestionSet, rows: Iterator[Mapping[str, Any]]) -> QuestionSet:
    golds: dict[tuple[str, str], frozenset[str]] = {}
    for row in rows:
        content = row["full_text"].encode()
        digest = sha256(content).hexdigest()
        paper = f"local:{digest[:12]}"
        if paper not in made.papers:  # some papers are there twice, with other questions
            title = f"Paper {len(made.papers) + 1}"
            made.papers[paper] = Paper(id=paper, title=title)
            kind, document = read_document(content, name="paper.txt")
            passages = cut_passages(document, paper=paper, title=title, sha256=digest)
            entry = DocumentEntry(
                sha256=digest, paper=paper, name="paper.txt", kind=kind, reader=document.reader
            )
            made.texts.append(Text(entry, document.text, tuple(passages)))
        known = next(text for text in made.texts if text.entry.sha256 == digest)
        for asked in row["qa"]:
            made.asked += 1
            gold = gold_passages(str(asked["answer"]), known.passages)
            if gold:
                key = (paper, " ".join(asked["question"].split()))
                golds[key] = golds.get(key, frozenset()) | gold
    made.questions = [Question(text, gold, paper) for (paper, text), gold in golds.items()]
    return made


def gold_passages(answer: str, passages: tuple[Passage, ...]) -> frozenset[str]:
    """Return the passages that hold an answer, none if that is not certain; see the module."""
    wanted = distinct_content_stems(answer)
    if len(wanted) < GOLD_STEMS or not passages:
        return frozenset()
    shares = {p.id: len(wanted & distinct_content_stems(p.text)) / len(wanted) for p in passages}
    best = max(shares.values())
    gold = frozenset(key for key, share in shares.items() if share == best)
    return gold if best >= GOLD_SHARE and len(gold) <= GOLD_TIES else frozenset()


def _read_evidence(made: QuestionSet, rows: Iterator[Mapping[str, Any]]) -> QuestionSet:
    pieces: dict[str, list[str]] = {}
    questions = []
    for row in rows:
        made.asked += 1
        gold = [(item["title"], item["text"]) for item in row["evidence"]]
        for title, text in gold:
            _add_piece(pieces, title, text)
        questions.append((row["question"], gold))
    return _finished(made, pieces, questions)


def _read_contexts(made: QuestionSet, rows: Iterator[Mapping[str, Any]]) -> QuestionSet:
    pieces: dict[str, list[str]] = {}
    questions = []
    for row in rows:
        made.asked += 1
        cited = {
            int(number)
            for group in _CITED.findall(row["answer"])
            for number in re.findall(r"\d+", group)
        }
        gold = []
        for position, item in enumerate(row["contexts"]):
            title, text = item["title"], item["text"]
            if isinstance(title, str) and isinstance(text, str) and text.strip():
                _add_piece(pieces, title, text)
                if position in cited:
                    gold.append((title, text))
        questions.append((row["question"], gold))
    return _finished(made, pieces, questions)


def _add_piece(pieces: dict[str, list[str]], title: str, text: str) -> None:
    known = pieces.setdefault(title, [])
    if text not in known:
        known.append(text)


def _finished(
    made: QuestionSet,
    pieces: Mapping[str, list[str]],
    questions: list[tuple[str, list[tuple[str, str]]]],
) -> QuestionSet:
    for title, texts in pieces.items():
        paper = _paper_of(title)
        made.papers[paper] = Paper(id=paper, title=title)
        made.texts.append(_as_document(paper, title, texts))
    for question, items in questions:
        gold = frozenset(passage_id(_paper_of(title), text) for title, text in items)
        if gold:
            made.questions.append(Question(" ".join(question.split()), gold, None))
    return made


def _paper_of(title: str) -> str:
    return f"local:{sha256(title.encode()).hexdigest()[:12]}"


def _as_document(paper: str, title: str, texts: list[str]) -> Text:
    whole = "\n\n".join(texts)
    digest = sha256(f"{title}\n{whole}".encode()).hexdigest()
    passages, start = [], 0
    for text in texts:
        end = start + len(text)
        passages.append(
            Passage(
                id=passage_id(paper, text),
                paper=paper,
                title=title,
                start=start,
                end=end,
                text=text,
                document=digest,
            )
        )
        start = end + 2
    entry = DocumentEntry(sha256=digest, paper=paper, name="text.txt", kind="text", reader="given")
    return Text(entry, whole, tuple(passages))
