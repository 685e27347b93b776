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
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import numpy as np
import typer

from evals.figures import (
    difference,
    interval,
    json_lines,
)
from evals.report import INTERVALS, Report
from evals.runner import Options, Suite, choose
from evals.trials import home_at
from evals.writing.cases import numbers_in
from state.document import DocumentEntry
from state.paper import Paper
from state.passage import Passage, passage_id
from tools.documents.cut_passages import cut_passages
from tools.documents.open_document import read_document
from tools.embed.embedder import Embedder
from tools.embed.open_embedder import embedder
from tools.errors import InputError
from tools.library.library import Library
from tools.library.open_library import close_libraries, create_library
from tools.library.search_types import PassageFilter, RetrieverName
from tools.retrieve.keywords import fill_missing_keywords
from tools.retrieve.retriever import Retriever
from tools.text.words import distinct_content_stems

GOLD_SHARE = 0.6
GOLD_STEMS = 2
GOLD_TIES = 3


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
    readers: dict[str, Callable[[QuestionSet, Iterator[Any]], QuestionSet]] = {
        "papers_with_questions": _read_papers,
        "scifact_questions": partial(_read_pieces, pieces_of=_evidence),
        "expert_long_answers": partial(_read_pieces, pieces_of=_contexts),
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
                    f"{path} is not as evals/asking/passages.py says: {error}"
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


Piece = tuple[str, str, bool]
"""Title, text, and whether it is gold."""


def _evidence(row: Mapping[str, Any]) -> Iterator[Piece]:
    yield from ((item["title"], item["text"], True) for item in row["evidence"])


def _contexts(row: Mapping[str, Any]) -> Iterator[Piece]:
    cited = set(map(int, numbers_in(row["answer"])))
    for position, item in enumerate(row["contexts"]):
        title, text = item["title"], item["text"]
        if isinstance(title, str) and isinstance(text, str) and text.strip():
            yield title, text, position in cited


def _read_pieces(
    made: QuestionSet,
    rows: Iterator[Mapping[str, Any]],
    pieces_of: Callable[[Mapping[str, Any]], Iterator[Piece]],
) -> QuestionSet:
    texts: dict[str, list[str]] = {}
    for row in rows:
        made.asked += 1
        pieces = list(pieces_of(row))
        for title, text, _ in pieces:
            known = texts.setdefault(title, [])
            known += [text] if text not in known else []
        if gold := frozenset(
            passage_id(_paper_of(title), text) for title, text, is_ in pieces if is_
        ):
            made.questions.append(Question(" ".join(row["question"].split()), gold, None))
    for title, several in texts.items():
        paper = _paper_of(title)
        made.papers[paper] = Paper(id=paper, title=title)
        made.texts.append(_as_document(paper, title, several))
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


ARMS: tuple[RetrieverName, ...] = get_args(RetrieverName)
K = 10


def measure(
    made: QuestionSet, half: str, home: Path, embedder: Embedder, seed: int
) -> Iterator[dict[str, Any]]:
    """Build a set's library in `home` and ask; yield the figures, of papers' questions of their paper and of all.

    `build_s` are seconds: for dense vectors and terms, or for keywords beside these.
    """
    library = create_library(made.name.replace("_", "-"), home_at(home), embedder)
    try:
        build = _build(made, library, embedder)
        questions = made.half(half)
        whole = any(question.paper for question in questions)
        for suffix in (", its paper", ", all papers") if whole else ("",):
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
                "questions": len(questions),
                "arms": {
                    name: {**_figures(one, seed), "build_s": build[name]}
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


def _build(made: QuestionSet, library: Library, embedder: Embedder) -> dict[str, float]:
    library.add(made.papers.values(), index=False)
    for text in made.texts:
        library.texts.put(text.entry, text.text, text.passages)
    embedder.embed(["the model is loaded before the clock starts"])
    started = time.perf_counter()
    library.index()
    indexed = time.perf_counter()
    fill_missing_keywords(library)
    vectors = indexed - started
    return {"vectors": vectors, "hybrid": vectors, "keywords": time.perf_counter() - indexed}


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
        ids = [hit.passage for hit in hits]
        found["recall"].append(len(question.gold & set(ids)) / len(question.gold))
    return found


def _figures(asked: Mapping[str, list[float]], seed: int) -> dict[str, Any]:
    p50, p95 = np.percentile(asked["context_ms"] or [0.0], [50, 95])
    return {
        "recall": interval(asked["recall"], seed=seed),
        "context_ms_p50": float(p50),
        "context_ms_p95": float(p95),
    }


@dataclass(frozen=True, kw_only=True)
class PassagesOptions(Options):
    """The command as given."""

    data: Annotated[Path, typer.Option(help="A folder with question sets.")]
    half: Annotated[Literal["held-out", "tuning", "all"], typer.Option(help="Which questions.")] = (
        "held-out"
    )
    sets: Annotated[str, typer.Option(metavar="A,B", help="Which sets; all if left out.")] = ""


class Passages(Suite[PassagesOptions]):
    """Measure how often each retriever finds the passage that answers a question, and how fast."""

    def prepare(self) -> None:
        """Read the sets."""
        sets = {made.name: made for made in read_sets(self.options.data)}
        self.chosen = [sets[name] for name in choose(self.options.sets, list(sets), "set")]

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
            "views": list(rows),
        }

    def markdown(self, found: dict[str, Any]) -> str:
        """Return a table for each set."""
        tables = {}
        for view in found["views"]:
            title = (
                f"{view['view']}: {view['questions']} of {view['qualify']} questions that qualify "
                f"({view['asked']} in the file), {view['passages']} passages of {view['documents']} documents"
            )
            tables[title] = view["arms"]
            minus = {f"hybrid minus {name}": it for name, it in view["hybrid_minus"].items()}
            tables[f"{view['view']}, recall"] = {"": minus}
        note = (
            f"In papers_with_questions a question qualifies whose answer has {GOLD_STEMS} content stems "
            f"or more and stands, by a share of {GOLD_SHARE} of them, in at most {GOLD_TIES} passages. "
            f"{INTERVALS} The build is the time for vectors, or for keywords beside vectors that are there."
        )
        return Report(tables, [note]).markdown()
