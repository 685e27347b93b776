"""`citeloom eval retrieval`: how much of papers' own reference lists `find` recovers."""

import tempfile
from collections.abc import Generator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from evals.intervals import RESAMPLES
from evals.retrieval.arms import ARMS, Arm, choose_arms
from evals.retrieval.corpus import Case, Cases, Corpus, choose_cases, read_corpus, read_ids
from evals.retrieval.report import markdown
from evals.retrieval.server import serving_apart
from evals.retrieval.summary import summarise
from evals.retrieval.trial import Row, Setting, try_arm
from evals.retrieval.vectors import RememberingEmbedder, text_of
from evals.runner import Options, check_file, say
from evals.side_by_side import remembering, results_of

USUAL_COUNT = 60
_CHUNK = 2_000
"""Texts embedded between two lines that say how far it is."""


@dataclass(frozen=True, kw_only=True)
class RetrievalOptions(Options):
    """The command as given."""

    data: Annotated[Path, typer.Option(help="A folder that holds papers.jsonl.gz.")]
    queries: Annotated[Path, typer.Option(help="JSON lines with 'id', or an id in each line.")]
    keep: Annotated[int, typer.Option(help="Papers to keep.", min=1, max=200)] = 100
    k: Annotated[int, typer.Option(help="How many papers count as the first ones.", min=1)] = 40
    arms: Annotated[
        str,
        typer.Option(
            metavar="A,B", help="What to compare; 'bfs' and 'default' always are. All if left out."
        ),
    ] = ""
    vectors: Annotated[
        Path | None, typer.Option(help="Keep the vectors of texts there for the next time.")
    ] = None
    meaning: Annotated[bool, typer.Option(help="Let the source search by meaning as well.")] = False


class Retrieval:
    """Measure how much of papers' own reference lists `find` recovers, arm by arm.

    It runs the real graph against a local source that answers as OpenAlex does.
    """

    corpus: Corpus
    chosen: Cases
    arms: list[Arm]
    not_run: dict[str, str]

    def __init__(self, options: RetrievalOptions) -> None:
        self.options = options

    def prepare(self) -> None:
        """Read the corpus and the queries that it has."""
        options = self.options
        check_file(options.vectors)
        self.arms, self.not_run = choose_arms(options.arms)
        ids = read_ids(options.queries)
        self.corpus = read_corpus(options.data)
        # Only a number that was asked for must be there; the usual one is a limit.
        count = options.n if options.n is not None else min(USUAL_COUNT, len(ids))
        self.chosen = choose_cases(self.corpus, ids, count)

    def rows(self) -> Generator[Row]:
        """Run each arm, one query paper after the other."""
        options = self.options
        with ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="citeloom-vectors-"))
            vectors = options.vectors or Path(folder) / "vectors.sqlite"
            if options.meaning:
                _embed_all(self.corpus, vectors)
            say(f"starting a local source with {len(self.corpus.records)} papers")
            url = stack.enter_context(
                serving_apart(options.data, vectors if options.meaning else None)
            )
            setting = Setting(
                url=url, keep=options.keep, mind=options.mind, meaning=options.meaning,
                vectors=vectors,
            )  # fmt: skip
            tasks = [(case, arm) for case in self.chosen.cases for arm in self.arms]
            yield from stack.enter_context(closing(rows_of(tasks, setting, options.workers)))

    def outcome(self, row: Row) -> str:
        """Say which run it was, and how long it took."""
        return f"{row['query']} {row['arm']}: {row['seconds']:.1f} s"

    def failed(self, row: Row) -> bool:
        """Whether the run broke."""
        return bool(row["error"])

    def found(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the figures."""
        options = self.options
        summary = summarise(self.chosen.cases, rows, k=options.k, seed=options.seed)
        return {
            "settings": {
                "data": options.data.name, "n": len(self.chosen.cases), "keep": options.keep,
                "k": options.k, "seed": options.seed, "mind": options.mind,
                "meaning": options.meaning, "resamples": RESAMPLES,
                "arms": {name: dict(ARMS[name].settings) for name in summary["arms"]},
            },
            "not_run": self.not_run,
            "left_out": self.chosen.left_out,
            **summary,
        }  # fmt: skip

    def markdown(self, found: dict[str, Any]) -> str:
        """Return the tables."""
        return markdown(found)


def rows_of(tasks: Sequence[tuple[Case, Arm]], setting: Setting, workers: int) -> Generator[Row]:
    """Yield the row of each task as it is done; see evals.side_by_side."""
    return results_of(partial(_run, setting=setting), tasks, workers)


def _run(task: tuple[Case, Arm], setting: Setting) -> Row:
    return try_arm(*task, setting, remembering(setting.vectors))


def _embed_all(corpus: Corpus, vectors: Path) -> None:
    texts = [text_of(record) for record in corpus.records]
    embedder = RememberingEmbedder(vectors)
    for at in range(0, len(texts), _CHUNK):
        say(f"embedding all papers: {at} of {len(texts)}")
        embedder.embed(texts[at : at + _CHUNK])
