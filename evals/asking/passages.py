"""`citeloom eval passages`: is the passage that answers among the first ten? Retrievers as in KAR's Table 1.

Three files are read, those that the folder has, each one row of JSON in a line:

- papers_with_questions: full texts, with questions that have short answers but no marked evidence.
  A question's gold passages are those of its paper with the largest share of the answer's content
  stems, if that share is at least GOLD_SHARE, the answer has at least GOLD_STEMS of them (so not
  'Yes' or 'BERT'), and no more than GOLD_TIES passages share it. The others do not qualify.
- scifact_questions: claims with their evidence, title and text; all evidence is the library.
- expert_long_answers: answers that cite some of their contexts; these are gold, and all contexts of
  all questions are the library.
"""

import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import numpy as np
import typer

from evals.figures import difference, interval
from evals.runner import Options, Suite
from evals.trials import home_at, json_lines
from evals.writing.cases import numbers_in
from state.document import DocumentEntry
from state.paper import Paper
from state.passage import Passage, passage_id
from tools.documents.cut_passages import cut_passages
from tools.documents.open_document import read_document
from tools.embed.embedder import Embedder
from tools.embed.open_embedder import embedder
from tools.errors import InputError
from tools.library.open_library import close_libraries, create_library
from tools.library.search_types import PassageFilter, RetrieverName
from tools.retrieve.keywords import fill_missing_keywords
from tools.retrieve.retriever import Retriever
from tools.text.words import distinct_content_stems

GOLD_SHARE = 0.6
GOLD_STEMS = 2
GOLD_TIES = 3


@dataclass(slots=True)
class Question:
    """A question, and the ids of the passages that hold its answer."""

    text: str
    gold: frozenset[str]
    paper: str | None
    """The paper that it is asked of, where it is asked of one."""


@dataclass
class QuestionSet:
    """One library and the questions to it."""

    name: str
    papers: dict[str, Paper] = field(default_factory=dict)
    texts: dict[str, tuple[DocumentEntry, str, list[Passage]]] = field(default_factory=dict)
    """Documents as a library takes them in, by their paper."""
    questions: list[Question] = field(default_factory=list)
    asked: int = 0
    """Questions in the file, those that do not qualify and those asked twice among them."""

    def put(self, paper: str, title: str, digest: str, text: str, passages: list[Passage]) -> None:
        """Add a document."""
        entry = DocumentEntry(
            sha256=digest, paper=paper, name="text.txt", kind="text", reader="given"
        )
        self.papers[paper] = Paper(id=paper, title=title)
        self.texts[paper] = entry, text, passages


def read_sets(folder: Path) -> list[QuestionSet]:
    """Read the sets that the folder has.

    Raises:
        InputError: It has none, or one cannot be read.
    """
    readers: dict[str, Callable[[QuestionSet, Mapping[str, Any]], None]] = {
        "papers_with_questions": _read_paper,
        "scifact_questions": lambda made, row: _read_pieces(
            made, row, [(item["title"], item["text"], True) for item in row["evidence"]]
        ),
        "expert_long_answers": _read_contexts,
    }
    found = []
    for name, read in readers.items():
        for path in sorted(folder.glob(f"{name}.jsonl*"))[:1]:
            made = QuestionSet(name)
            try:
                for _, row in json_lines(path):
                    read(made, row)
            except (KeyError, TypeError, ValueError) as error:
                raise InputError(
                    f"{path} is not as evals/asking/passages.py says: {error}"
                ) from error
            found.append(made)
    if not found:
        raise InputError(f"{folder} has none of {', '.join(readers)} (.jsonl or .jsonl.gz)")
    return found


def _read_paper(made: QuestionSet, row: Mapping[str, Any]) -> None:
    content = row["full_text"].encode()
    digest = sha256(content).hexdigest()
    paper = f"local:{digest[:12]}"
    if paper not in made.papers:  # some papers are there twice, with other questions
        title = f"Paper {len(made.papers) + 1}"
        _, document = read_document(content, name="paper.txt")
        made.put(
            paper,
            title,
            digest,
            document.text,
            cut_passages(document, paper=paper, title=title, sha256=digest),
        )
    for asked in row["qa"]:
        made.asked += 1
        if gold := gold_passages(str(asked["answer"]), made.texts[paper][2]):
            text = " ".join(asked["question"].split())
            same = [one for one in made.questions if (one.text, one.paper) == (text, paper)]
            if same:
                same[0].gold |= gold
            else:
                made.questions.append(Question(text, gold, paper))


def gold_passages(answer: str, passages: Sequence[Passage]) -> frozenset[str]:
    """Return the passages that hold an answer, none if that is not certain; see the module."""
    wanted = distinct_content_stems(answer)
    if len(wanted) < GOLD_STEMS or not passages:
        return frozenset()
    shares = {p.id: len(wanted & distinct_content_stems(p.text)) / len(wanted) for p in passages}
    best = max(shares.values())
    gold = frozenset(key for key, share in shares.items() if share == best)
    return gold if best >= GOLD_SHARE and len(gold) <= GOLD_TIES else frozenset()


def _read_contexts(made: QuestionSet, row: Mapping[str, Any]) -> None:
    cited = set(map(int, numbers_in(row["answer"])))
    pieces = ((item["title"], item["text"], at in cited) for at, item in enumerate(row["contexts"]))
    texts = (one for one in pieces if isinstance(one[0], str) and isinstance(one[1], str))
    _read_pieces(made, row, [one for one in texts if one[1].strip()])


def _read_pieces(
    made: QuestionSet, row: Mapping[str, Any], pieces: Sequence[tuple[str, str, bool]]
) -> None:
    """Add a question and its pieces: title, text, and whether it is gold; those of one title are one document."""
    made.asked += 1
    golds = set()
    for title, text, is_gold in pieces:
        paper = f"local:{sha256(title.encode()).hexdigest()[:12]}"
        known = [one.text for one in made.texts[paper][2]] if paper in made.texts else []
        texts = known if text in known else [*known, text]
        digest = sha256("\n\n".join([title, *texts]).encode()).hexdigest()
        passages, start = list[Passage](), 0
        for one in texts:
            passages.append(
                Passage(
                    id=passage_id(paper, one),
                    paper=paper,
                    title=title,
                    start=start,
                    end=start + len(one),
                    text=one,
                    document=digest,
                )
            )
            start += len(one) + 2
        made.put(paper, title, digest, "\n\n".join(texts), passages)
        if is_gold:
            golds.add(passage_id(paper, text))
    if golds:
        made.questions.append(Question(" ".join(row["question"].split()), frozenset(golds), None))


ARMS: tuple[RetrieverName, ...] = get_args(RetrieverName)
K = 10
HALVES = {"tuning": slice(0, None, 2), "held-out": slice(1, None, 2), "all": slice(None)}
"""The questions to tune on (the first, the third, ...) and the others."""


def measure(
    made: QuestionSet, half: str, home: Path, embedder: Embedder, seed: int
) -> Iterator[dict[str, Any]]:
    """Build a set's library in `home` and ask; yield the figures, of papers' questions of their paper and of all."""
    library = create_library(made.name.replace("_", "-"), home_at(home), embedder)
    try:
        library.add(made.papers.values(), index=False)
        for text in made.texts.values():
            library.texts.put(*text)
        library.index()
        fill_missing_keywords(library)
        questions = made.questions[HALVES[half]]
        for suffix in (
            (", its paper", ", all papers")
            if any(question.paper for question in questions)
            else ("",)
        ):
            asked = {
                name: _ask(Retriever(name, library), questions, within="its" in suffix)
                for name in ARMS
            }
            yield {
                "view": f"{made.name}{suffix}",
                "passages": library.texts.count(),
                "documents": len(made.texts),
                "asked": made.asked,
                "qualify": len(made.questions),
                "n": len(questions),
                "arms": {
                    name: {
                        "recall": interval(one["recall"], seed=seed),
                        "context_ms_p50": float(np.percentile(one["context_ms"] or [0.0], 50)),
                        "context_ms_p95": float(np.percentile(one["context_ms"] or [0.0], 95)),
                    }
                    for name, one in asked.items()
                },
                "hybrid_minus": {
                    name: difference(asked["hybrid"]["recall"], one["recall"], seed=seed)
                    for name, one in asked.items()
                    if name != "hybrid"
                },
            }
    finally:
        close_libraries()


def _ask(way: Retriever, questions: Sequence[Question], *, within: bool) -> dict[str, list[float]]:
    """Return the recall of each question, and the milliseconds."""
    found: dict[str, list[float]] = {"recall": [], "context_ms": []}
    if questions:  # opens files and fills caches, which a session does once
        way.retrieve(questions[0].text, limit=K, wanted=PassageFilter())
    for question in questions:
        papers = frozenset({question.paper}) if within and question.paper else frozenset[str]()
        started = time.perf_counter()
        hits = way.retrieve(question.text, limit=K, wanted=PassageFilter(papers=papers))
        found["context_ms"].append(1000 * (time.perf_counter() - started))
        found["recall"].append(
            len(question.gold.intersection(hit.passage for hit in hits)) / len(question.gold)
        )
    return found


@dataclass(frozen=True, kw_only=True)
class PassagesOptions(Options):
    """The command as given."""

    data: Annotated[Path, typer.Option(help="A folder with question sets.")]
    half: Annotated[Literal["held-out", "tuning", "all"], typer.Option(help="Which questions.")] = (
        "held-out"
    )


class Passages(Suite[PassagesOptions]):
    """Measure how often each retriever finds the passage that answers a question, and how fast."""

    def prepare(self) -> None:
        """Read the sets."""
        self.chosen = read_sets(self.options.data)

    def rows(self) -> Generator[dict[str, Any]]:
        """Measure each set."""
        options = self.options
        with tempfile.TemporaryDirectory() as home:
            for made in self.chosen:
                yield from measure(made, options.half, Path(home), embedder(), options.seed)

    def found(self, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return the figures."""
        options = self.options
        return {
            "settings": {
                "data": str(options.data),
                "half": options.half,
                "k": K,
                "seed": options.seed,
                "embedder": embedder().name,
            },
            "views": {row["view"]: row for row in rows},
        }

    def notes(self, found: dict[str, Any]) -> list[str]:
        """Say which questions count."""
        told = (
            f"In papers_with_questions a question qualifies whose answer has {GOLD_STEMS} content stems "
            f"or more and stands, by a share of {GOLD_SHARE} of them, in at most {GOLD_TIES} passages."
        )
        return [told, *super().notes(found)]
