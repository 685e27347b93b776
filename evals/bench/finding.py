"""What `find` costs as it keeps more papers, over a slice of a citation graph on this machine.

One text, the embedded engine, checkpoints as the command line keeps them; cost that grows linearly has
ratios of 1.
"""

import asyncio
import random
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from evals.bench.part import Given, Row
from evals.retrieval.corpus import Corpus, Record, read_corpus
from evals.retrieval.works import sliced
from evals.trials import BenchClients, fresh_home, remembering
from state.paper import Paper
from tools.bibliography.read_records import read_records
from tools.errors import PermanentError
from tools.library.open_library import starter_papers
from tools.run_settings import RunSettings

_MADE = 3000
_ABOUT = 60
"""Papers whose abstracts are long enough for a text are tried up to here."""


def corpus_of(given: Given) -> Corpus:
    """Return the papers of the data, or made ones where it has none."""
    graph = given.data / "citation_graph" if given.data else None
    return read_corpus(graph) if graph and graph.is_dir() else made(given.n or _MADE, given.seed)


def text_of(corpus: Corpus) -> str:
    """Return the text with which a bench begins: the longest of the first abstracts."""
    return max((one.abstract or "" for one in corpus.records[:_ABOUT]), key=len)


def made(size: int, seed: int) -> Corpus:
    """Return papers of the starter library, from the beginning again under other ids and titles.

    Each has a sentence more, of another paper, so that no two texts are the same; each round cites itself.
    """
    with starter_papers() as path:
        papers = [one for one in read_records(path) if isinstance(one, Paper) and one.abstract]
    chance = random.Random(seed)
    places = {paper.id: at for at, paper in enumerate(papers)}

    def record(at: int) -> Record:
        turn, place = divmod(at, len(papers))
        paper, start = papers[place], at - place
        more = str(chance.choice(papers).abstract).split(". ")[0]
        cited = [start + places[key] for key in paper.references if key in places]
        return Record(
            id=f"10.5555/made.{at}",
            title=f"{paper.title}, again {turn}" if turn else paper.title,
            abstract=f"{paper.abstract} {more}.",
            year=paper.year,
            authors=tuple(author.name for author in paper.authors),
            venue=paper.venue,
            references=tuple(f"10.5555/made.{one}" for one in cited if one < size),
        )

    return Corpus(records=tuple(map(record, range(size))))


SIZES = (50, 100, 200, 500)


def measure(given: Given) -> Iterator[Row]:
    """Yield what `find` costs for a paper that may be kept, at each size beside the smallest; fewer may be worth it."""
    corpus = corpus_of(given)
    text = text_of(corpus)
    with TemporaryDirectory(prefix="citeloom-finding-") as folder:
        slice_ = sliced(corpus, Path(folder))
        vectors = Path(folder) / "vectors.sqlite"
        _found(slice_, vectors, text, SIZES[-1])  # so that no size embeds for the others
        first: dict[str, float] = {}
        for size in SIZES:
            for what, (value, unit) in _found(slice_, vectors, text, size).items():
                each = value / size
                first.setdefault(what, each)
                beside = f"{each:.4g} {unit} a paper, at first {first[what]:.4g}"
                yield Row(
                    "finding", what, value, unit, beside, each / (first[what] or 1.0), size=size
                )


def _found(slice_: Path, vectors: Path, text: str, keep: int) -> Mapping[str, tuple[float, str]]:
    """Run `find` once; return how many papers it kept, and what it cost."""
    with fresh_home() as here:
        at = here.model_copy(update={"snapshot": slice_})
        context = RunSettings(mind="extractive")
        vars(context)["clients"] = BenchClients(at, remembering(vectors))
        saved = at.home / "checkpoints.sqlite"
        began = perf_counter()
        inputs = {"text": text, "sources": ["snapshot"], "keep": keep}
        result = asyncio.run(_run(inputs, context, saved))
        seconds = perf_counter() - began
        size = sum(one.stat().st_size for one in at.home.glob("checkpoints.sqlite*"))
    if stop := result.get("stop"):
        raise PermanentError(f"find stopped: {stop.cause}")
    kept = sum(item.selected for item in result.get("papers", ()))
    searches = sum(max(len(entry.sent), 1) for entry in result.get("search_log", ()))
    return {
        "kept": (kept, ""),
        "find": (seconds, "s"),
        "questions": (sum(usage.calls for usage in result.get("usage", ())), ""),
        "searches": (searches, ""),
        "checkpoints": (size, "bytes"),
    }


async def _run(inputs: Mapping[str, Any], context: RunSettings, saved: Path) -> dict[str, Any]:
    from citeloom.runs.run_files import LatestCheckpointSaver

    builder = import_module("graphs.find").builder
    config: Any = {
        "recursion_limit": 1000,
        "max_concurrency": 16,
        "configurable": {"thread_id": "finding"},
    }
    async with LatestCheckpointSaver.from_conn_string(str(saved)) as saver:
        graph = builder.compile(checkpointer=saver)
        return dict(await graph.ainvoke(dict(inputs), config, context=context))
