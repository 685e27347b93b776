"""Whether the references of a synthesis are right.

A folder has PDFs and a truth.jsonl (see evals.pdf_extraction), and GROBID's JSON beside some. Each
question of evals/synthesis/questions.jsonl, or of FILE, is asked of the files that it names.

verified   Lines that have a source line, and all of whose source lines stand in their paragraphs.
right      Lines whose secondary references are the works that their source lines cite by the truth
           (below): none missing, none too many. A line of which a source line's
           citations are not known is not judged.
printed    The same, where a reference that GROBID did not link counts as right when its first author's
           name and its year are printed in the source lines: GROBID overlooks citations.
citing     Right, of the lines for which the truth or the run has a secondary reference.

How the truth is known, the surest first:

contexts   Sentences with the labels they cite, found by hand.
printed    Labels in brackets ('[3, 5-7]') in the sentence itself, of papers that number their references:
           a reader sees the truth. Found here by nothing but a pattern.
GROBID     Citations of GROBID's JSON. A sentence with one that GROBID could not link is not judged.
"""

import base64
import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from rapidfuzz import fuzz

from evals.figures import spent
from evals.pdf.measures import (
    NAMED,
    SENTENCE,
    Truth,
    Work,
    best_stretch,
    letters,
    read_truth,
    same_title,
)
from evals.synthesis.arms import Arm, paragraphs_of, synthesize
from evals.trials import Row, fresh_home, json_lines
from evals.writing.cases import numbers_in
from state.synthesis import Line, NumberedReference, Origin
from tools.clients import Clients
from tools.errors import InputError
from tools.text.words import split_sentences

Way = Literal["contexts", "printed", "GROBID"]
WAYS: tuple[Way, ...] = ("contexts", "printed", "GROBID")
_SAME = 92.0
"""Of 100: likeness of letters from which two stretches are of the same words."""
_FEWEST = 25
"""Letters below which a stretch may stand anywhere."""
_FOUND = 85.0
"""Of 100: likeness from which GROBID's text has a sentence."""
_TOUCH = 2
"""Characters of a citation that must lie in a sentence for it to be one of its citations."""
_BEHIND = re.compile(r"\s*\[\d{1,3}(?:\s*[-–,;]\s*\d{1,3})*\]")


@dataclass(frozen=True)
class Cited:
    """What some words cite, and how that is known."""

    way: Way
    works: tuple[Work, ...]
    text: str = ""
    """The sentences that the words stand in."""


@dataclass(frozen=True)
class Known:
    """What is known of one file's citations."""

    truth: Truth
    _by_label: Mapping[str, Work] = field(default_factory=dict)

    def cited(self, quote: str, paragraph: str, start: int, end: int) -> Cited | None:
        """Return what the sentences of a quote cite; None where nothing is known of them.

        Args:
            quote: Words of the paper.
            paragraph: The paragraph they stand in, whole.
            start: Where they begin in it.
            end: Where they end.
        """
        text = sentences_about(paragraph, start, end)
        if self.truth.contexts and (labels := self._by_hand(quote)) is not None:
            return Cited("contexts", self._works(labels), text)
        if self.truth.numbered:
            return Cited("printed", self._works(printed_labels(text)), text)
        if self.truth.parsed and (titles := self._by_machine(text)) is not None:
            return Cited("GROBID", tuple(Work("", "", title) for title in titles), text)
        return None

    def _works(self, labels: Sequence[str]) -> tuple[Work, ...]:
        return tuple(self._by_label.get(label, Work(label, "", "")) for label in labels)

    def _by_hand(self, quote: str) -> list[str] | None:
        wanted = letters(quote)
        found: list[str] = []
        known = False
        for context in self.truth.contexts:
            sentences = SENTENCE.split(context.text)
            if len(sentences) != len(context.cites):  # it was cut elsewhere: tells nothing of one
                continue
            for sentence, labels in zip(sentences, context.cites, strict=True):
                if _same(letters(sentence), wanted):
                    known = True
                    found += labels
        return list(dict.fromkeys(found)) if known else None

    def _by_machine(self, text: str) -> list[str] | None:
        long_enough = {
            at: known
            for at, (known, _) in enumerate(self.truth.parsed)
            if len(known) >= 0.8 * len(text)
        }
        if (where := best_stretch(text, long_enough, _FOUND)) is None:
            return None
        at, start, end = where
        titles = [
            title
            for first, last, title in self.truth.parsed[at][1]
            if min(last, end) - max(first, start) >= _TOUCH
        ]
        if None in titles:
            return None
        return list(dict.fromkeys(title for title in titles if title))


def _same(first: str, second: str) -> bool:
    short, long = sorted((first, second), key=len)
    return len(short) >= _FEWEST and fuzz.partial_ratio(short, long) >= _SAME


def sentences_about(paragraph: str, start: int, end: int) -> str:
    """Return the sentences that a stretch touches, with labels that stand behind the full stop."""
    spans = [span for span in split_sentences(paragraph) if span.start < end and start < span.end]
    first = min([start, *(span.start for span in spans)])
    last = max([end, *(span.end for span in spans)])
    behind = _BEHIND.match(paragraph, last)
    return paragraph[first : behind.end() if behind else last]


def printed_labels(text: str) -> list[str]:
    """Return the labels in brackets, ranges spelt out, each once."""
    return [label for label in numbers_in(text) if len(label) < 4]


QUESTIONS = Path(__file__).with_name("questions.jsonl")


class Question(NamedTuple):
    """A question, and the files that it is asked of."""

    question: str
    files: tuple[str, ...]


def read_questions(path: Path = QUESTIONS) -> list[Question]:
    """Return the questions, one a line.

    Raises:
        InputError: It cannot be read, or a line is no question with files.
    """
    try:
        return [Question(row["question"], tuple(row["files"])) for _, row in json_lines(path)]
    except (KeyError, TypeError) as error:
        raise InputError(f"the questions '{path}' have no question or files: {error}") from error


def files_of(folder: Path, asked: Question) -> list[Path]:
    """Return the files that a question is asked of.

    Raises:
        InputError: One is missing.
    """
    paths = [folder / file for file in asked.files]
    if missing := [path for path in paths if not path.is_file()]:
        raise InputError(f"there is no '{missing[0].name}' in '{missing[0].parent}'")
    return paths


@dataclass(frozen=True)
class LineRow:
    """What was found out about one line."""

    question: str
    text: str
    verified: bool
    ways: tuple[str, ...]
    """How the citations of its source lines are known; empty where they are not."""
    right: bool | None
    """None where it is not judged."""
    printed: bool | None
    """The same, where what is printed in the source lines counts as well."""
    wanted: tuple[str, ...]
    given: tuple[str, ...]

    @property
    def citing(self) -> bool:
        """Whether there is a reference to be right or wrong about."""
        return bool(self.wanted or self.given)


def judged(question: str, run: Mapping[str, Any], known: Mapping[str, Known]) -> list[LineRow]:
    """Return what is found out about each line.

    Args:
        question: What was asked.
        run: What was answered.
        known: What is known of each file, by its name without a folder.
    """
    by_paper = {item.paper: known[item.name] for item in run["stacked"] if item.name in known}
    references = {item.number: item for item in run["references"]}
    paragraphs = paragraphs_of(run)
    rows = []
    for line in run["lines"]:
        cited = [_cited(origin, by_paper, paragraphs) for origin in line.origins]
        given = [references[number] for number in line.secondary]
        wanted = [
            (origin.paper, work)
            for origin, one in zip(line.origins, cited, strict=True)
            for work in (one.works if one else ())
        ]
        known_all = bool(cited) and all(cited)
        left = unmatched(wanted, given)
        machine = [one.text for one in cited if one and one.way == "GROBID"]
        rows.append(
            LineRow(
                question=question,
                text=line.text,
                verified=is_verified(line, paragraphs),
                ways=tuple(sorted({one.way for one in cited if one})),
                right=is_right(wanted, given) if known_all else None,
                printed=(
                    all_given(wanted, given) and all(stands_in(one, machine) for one in left)
                    if known_all
                    else None
                ),
                wanted=tuple(f"{work.label} {work.title}".strip() for _, work in wanted),
                given=tuple(item.entry for item in given),
            )
        )
    return rows


def is_verified(line: Line, paragraphs: Mapping[str, Origin]) -> bool:
    """Whether a line has source lines, and each stands where it is said to stand."""
    return bool(line.origins) and all(
        origin.quote.verified
        and origin.paragraph in paragraphs
        and paragraphs[origin.paragraph].quote.text[origin.quote.start : origin.quote.end]
        == origin.quote.text
        for origin in line.origins
    )


def is_right(wanted: Sequence[tuple[str, Work]], given: Sequence[NumberedReference]) -> bool:
    """Whether references are just the works cited, each told with the paper that cites it."""
    return all_given(wanted, given) and not unmatched(wanted, given)


def all_given(wanted: Sequence[tuple[str, Work]], given: Sequence[NumberedReference]) -> bool:
    """Whether each of the works cited is among the references."""
    return all(any(matches(item, *one) for item in given) for one in wanted)


def unmatched(
    wanted: Sequence[tuple[str, Work]], given: Sequence[NumberedReference]
) -> list[NumberedReference]:
    """Return the references that are none of the works cited."""
    return [item for item in given if not any(matches(item, *one) for one in wanted)]


def stands_in(reference: NumberedReference, texts: Sequence[str]) -> bool:
    """Whether one of the texts prints the name of a reference's first author, and its year."""
    paper = reference.paper
    if not paper.authors or not paper.year:
        return False
    name = letters(paper.authors[0].name.split()[-1])
    return any(name in letters(text) and str(paper.year) in text for text in texts)


def matches(reference: NumberedReference, paper: str, work: Work) -> bool:
    """Whether a reference is a work that a paper cites: by label where there is one, and by name."""
    places = [item for item in reference.cited_in if item.paper == paper]
    if work.label and places and all(item.label.strip("[]. ") != work.label for item in places):
        return False
    ids = {letters(reference.paper.doi or ""), letters(reference.paper.arxiv or "")} - {""}
    if work.id and any(letters(work.id).endswith(one) for one in ids):
        return True
    if not work.title:
        return bool(work.label and places)
    if same_title(reference.paper.title, work.title):
        return True
    title = letters(work.title)
    return any(
        len(letters(text)) > len(title) and fuzz.partial_ratio(title, letters(text)) >= NAMED
        for text in [reference.entry, *(item.entry for item in places)]
    )


def _cited(
    origin: Origin, known: Mapping[str, Known], paragraphs: Mapping[str, Origin]
) -> Cited | None:
    whole = paragraphs.get(origin.paragraph)
    if origin.paper not in known or whole is None:
        return None
    start, end = origin.quote.start or 0, origin.quote.end or 0
    return known[origin.paper].cited(origin.quote.text, whole.quote.text, start, end)


def measure(folder: Path, questions: Sequence[Question], arms: Sequence[Arm]) -> Generator[Row]:
    """Ask all questions in each way, with one home for all, so that no file is read twice.

    A row has 'case' (the question), 'arm', 'lines' (LineRow) and 'tasks'.

    Raises:
        InputError: A file is missing, or a run was stopped.
    """
    known = {
        Path(truth.file).name: Known(truth, {work.label: work for work in truth.works})
        for truth in read_truth(folder)
    }
    with fresh_home() as here:
        for asked in questions:
            uploads = [
                {"name": path.name, "content": base64.b64encode(path.read_bytes()).decode()}
                for path in files_of(folder, asked)
            ]
            for arm in arms:
                run = synthesize(asked.question, uploads, Clients(here), arm)
                yield {
                    "case": asked.question,
                    "arm": arm.name,
                    "lines": judged(asked.question, run, known),
                    "tasks": spent(run["usage"]),
                }


def table(runs: Sequence[Row]) -> dict[str, dict[str, dict[str, float]]]:
    """Return for each arm what all its lines count, and by how the truth is known."""
    lines: dict[str, list[LineRow]] = {}
    for run in runs:
        lines.setdefault(run["arm"], []).extend(run["lines"])
    return {
        arm: {name: _counted(mine) for name, mine in _by_truth(rows).items() if mine}
        for arm, rows in lines.items()
    }


def _by_truth(rows: Sequence[LineRow]) -> dict[str, list[LineRow]]:
    return {
        "all": list(rows),
        **{way: [row for row in rows if row.ways == (way,)] for way in WAYS},
        "several": [row for row in rows if len(row.ways) > 1],
        "not known": [row for row in rows if not row.ways],
    }


def _counted(rows: Sequence[LineRow]) -> dict[str, float]:
    told = [row for row in rows if row.right is not None]
    found = {"lines": len(rows), "verified": sum(row.verified for row in rows)}
    for name, mine in (("judged", told), ("citing", [row for row in told if row.citing])):
        found |= {
            name: len(mine),
            f"{name}, right": sum(row.right is True for row in mine),
            f"{name}, right or printed": sum(row.printed is True for row in mine),
        }
    return dict(found)
