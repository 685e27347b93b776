"""`citeloom eval asking`: ask each question in each way and tell what came of it."""

import asyncio
import hashlib
import os
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from evals.asking.cases import (
    ARMS,
    USUAL,
    Case,
    Source,
    choose_cases,
    read_papers,
    read_questions,
)
from evals.asking.measures import Sources, measures, summarise, told_of, traced
from evals.figures import RESAMPLES, spent
from evals.runner import Options, Suite, choose, say
from evals.trials import Row, attempted, cost_of, failures_of, home_at, results_of, run_graph
from state.document import DocumentEntry
from state.paper import Paper
from tools.cache import open_cache
from tools.clients import Clients
from tools.documents.cut_passages import cut_passages
from tools.embed.open_embedder import embedder
from tools.library.library import Library
from tools.library.open_library import STARTER, close_libraries, create_library, open_library
from tools.library.search_types import PassageFilter
from tools.retrieve.keywords import fill_missing_keywords
from tools.retrieve.retriever import Retriever
from tools.settings import settings

PAPERS = "papers"
"""The library of the caller's documents."""


def build_papers(home: Path, sources: Sequence[Source]) -> dict[str, Paper]:
    """Make a library of these documents, read and cut as `citeloom library add` does; return its records."""
    library = create_library(PAPERS, home_at(home), embedder())
    library.add([source.paper for source in sources])
    for source in sources:
        key, (kind, document) = hashlib.sha256(source.content).hexdigest(), source.read
        passages = cut_passages(
            document, paper=source.paper.id, title=source.paper.title, sha256=key
        )
        entry = DocumentEntry(
            sha256=key,
            paper=source.paper.id,
            name=source.name,
            kind=kind,
            reader=document.reader,
            passages=len(passages),
        )
        library.texts.put(entry, document.text, passages)
    return _indexed(library)


def _indexed(library: Library) -> dict[str, Paper]:
    library.index()
    fill_missing_keywords(library)
    records = library.get(library.ids())
    close_libraries()
    return records


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What all runs of one benchmark share."""

    mind: str
    library: str
    home: Path
    """Where the library is; the arms have homes of their own beside it."""
    texts: Mapping[str, str]
    """The text of each paper by its id, as the benchmark has it."""
    records: Mapping[str, Paper]


class SharedLibrary(Clients):
    """The product's clients: with one library for all, and all else of an arm's own.

    So what an arm has paid for, answers above all, no other arm finds in a cache.
    """

    def __init__(self, setting: Setting, arm: str) -> None:
        super().__init__(home_at(setting.home.parent / f"{arm}-{os.getpid()}"))
        self._shared = home_at(setting.home)

    async def opened(self, name: str, caller: str = "") -> Library:
        """Open the library that all arms share."""
        return await asyncio.to_thread(self.shared, name)

    def shared(self, name: str) -> Library:
        """Open the library that all arms share; synchronous."""
        return open_library(name, self._shared, self.embedder)


_ready: dict[tuple[Path, str], SharedLibrary] = {}


def ready_for(arm: str, setting: Setting) -> SharedLibrary:
    """Return the clients of one arm in this process; what is done once is part of no answer's time."""
    key = (setting.home, arm)
    if key not in _ready:
        _ready[key] = SharedLibrary(setting, arm)
        retriever = Retriever(ARMS[arm]["retriever"], _ready[key].shared(setting.library))
        retriever.retrieve("citation", limit=1, wanted=PassageFilter())
    return _ready[key]


def forget() -> None:
    """Let go of the files of homes that are about to be deleted."""
    _ready.clear()
    close_libraries()
    open_cache.cache_clear()


def try_arm(task: tuple[Case, str], setting: Setting) -> Row:
    """Ask one question in one way; whatever goes wrong stands in the row.

    The row has 'answer', 'sentences' (each with its text, verdict, and the papers and quotes it rests on),
    'queries', 'missing', 'counts' (evals.asking.measures), 'cost', 'stages' (seconds, as the run says).
    """
    case, arm = task
    turns = [
        {"role": role, "content": text}
        for turn in case.history
        for role, text in (("user", turn.question), ("assistant", turn.answer))
    ]
    inputs = {
        "question": case.question,
        "library": setting.library,
        "papers": list(case.within),
        "messages": turns,
    }
    row: Row = {
        "case": case.id,
        "arm": arm,
        "sentences": [],
        "counts": {},
        "cost": {},
        "stages": {},
    }

    def asked() -> dict[str, Any]:
        return _told(
            case,
            setting,
            run_graph("ask", inputs, ready_for(arm, setting), {"mind": setting.mind, **ARMS[arm]}),
        )

    return row | attempted(asked)


def _told(case: Case, setting: Setting, result: Mapping[str, Any]) -> dict[str, Any]:
    stop = result.get("stop")
    told = told_of(result.get("sentences") or [], result.get("claims") or [])
    passages = {item.id: item for item in result.get("passages") or []}
    hops = result.get("hops") or []
    read = [key for hop in hops for key in hop.chosen]
    sources = Sources(setting.texts, setting.records, passages)
    return {
        "answer": result.get("answer", ""),
        "error": stop.cause if stop else "",
        "sentences": [
            {
                "text": item.text,
                "verdict": item.verdict,
                "traced": traced(item, sources),
                "quotes": [[claim.paper, claim.quote.text] for claim in item.held],
            }
            for item in told
        ],
        "queries": [hop.query for hop in hops],
        "missing": list(result.get("missing") or []),
        "counts": {
            **measures(case, told, sources),
            "hops": len(hops),
            "passages": len(read),
            "claims": len(result.get("claims") or []),
        },
        "cost": cost_of(result.get("usage") or [], result["took"]),
        "stages": dict(result.get("seconds") or {}),
        "tasks": spent(result.get("usage") or []),
        "failures": failures_of(result),
    }


@dataclass(frozen=True, kw_only=True)
class AskingOptions(Options):
    """The command as given; `n` counts the questions of each group."""

    data: Annotated[
        Path | None,
        typer.Option(help="Papers with questions; the packaged questions if left out."),
    ] = None
    groups: Annotated[str, typer.Option(metavar="A,B", help="Which groups.")] = ""
    arms: Annotated[
        str,
        typer.Option(metavar="A,B", help="What to compare; 'hybrid-2' always is. All if left out."),
    ] = ""


class Asking(Suite[AskingOptions]):
    """Ask questions with known answers: coverage, quotes that stand, refusals, time and cost."""

    def prepare(self) -> None:
        """Read the questions."""
        options = self.options
        self.arms = choose(options.arms, ARMS, "arm", [USUAL])
        self.data = read_papers(options.data) if options.data else None
        self.cases = choose_cases(
            (self.data.cases if self.data else read_questions()), options.groups, options.n
        )

    def rows(self) -> Generator[Row]:
        """Ask in each way, one question after the other.

        Each question begins with another arm: what one has split or embedded, the next has at hand.
        """
        count = len(self.arms)
        tasks = [
            (case, self.arms[(place + turn) % count])
            for place, case in enumerate(self.cases)
            for turn in range(count)
        ]
        self.runs = len(tasks)
        with tempfile.TemporaryDirectory(
            prefix="citeloom-asking-", ignore_cleanup_errors=True
        ) as folder:
            home = Path(folder) / "shared"
            try:
                run = partial(try_arm, setting=self._setting(home))
                with closing(results_of(run, tasks, self.options.workers)) as done:
                    yield from done
            finally:
                forget()

    def _setting(self, home: Path) -> Setting:
        if self.data is None:
            say("making the starter library")
            records = _indexed(open_library(STARTER, home_at(home), embedder()))
        else:
            needed = {paper for case in self.cases for paper in case.within}
            sources = [item for item in self.data.sources if item.paper.id in needed]
            say(f"making a library of {len(sources)} documents")
            records = build_papers(home, sources)
        texts = {key: paper.abstract or "" for key, paper in records.items()}
        if self.data:
            texts |= {item.paper.id: item.text for item in self.data.sources}
        return Setting(
            mind=self.options.mind,
            library=PAPERS if self.data else STARTER,
            home=home,
            texts=texts,
            records=records,
        )

    def failed(self, row: Row) -> bool:
        """Whether nothing was answered."""
        return not row["sentences"]

    def found(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the figures."""
        options = self.options
        return {
            "settings": {
                "data": options.data.name if options.data else "questions over the starter library",
                "n": len(self.cases),
                "mind": options.mind,
                "seed": options.seed,
                "model": settings().strong_model if options.mind == "llm" else None,
                "resamples": RESAMPLES,
                "arms": {arm: dict(ARMS[arm]) for arm in self.arms},
            },
            "left_out": self.data.left_out if self.data else {},
            **summarise(self.cases, rows, seed=options.seed),
        }

    def notes(self, found: dict[str, Any]) -> list[str]:
        """Say what counts as nothing."""
        told = "A question that was not answered has no factual accuracy and covers nothing."
        return [*super().notes(found), told]
