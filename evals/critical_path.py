"""How near `find` comes to its critical path with an LLM that takes its time over each answer.

    python -m evals.critical_path [--ranker debate,cascade] [--delay 0.3] [--concurrency 16]
        [--keep 133] [--repeat 3] [--data DIR [--query ID]] [--json FILE]

A scripted LLM (tests/fakes) in a process of its own answers every question after the delay. The run
searches the starter library for the example abstract, or with --data an OpenAlex on loopback that
holds a citation graph (as `citeloom eval retrieval`) for one of its papers. It goes as from the
command line, with checkpoints and run_store in files; vectors are remembered from a first run.

mind           `exact` quotes without fault and finds that nothing is missing. `careless` misquotes
               every fifth paper and the input at first, and once wants more on something.
waves          The least number of answers that must be waited for one after the other. Stages depend
               on one another, so each adds its own: the longest chain of its calls, where a question
               asked again depends on its answer, or calls / concurrency if that is more.
own work       Seconds of the same run where the LLM answers at once; its client and the fake, too.
critical path  waves x delay + own work.
wall           Seconds of the run. Of wall and of own work the best of --repeat counts, each, as other
               work of the machine only ever adds to them.
ratio          wall / critical path. Calls to the LLM go on while the run works, so it may be below 1.
strict         The same as if all work from the first to the last question of a stage cost no time.
share          LLM calls / papers judged; one debate call for each would be 1.
"""

import argparse
import asyncio
import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from time import perf_counter
from typing import Any

from pydantic import SecretStr

# LangGraph reads it when it is first imported, as the command line has it.
os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

from citeloom.settings import Settings
from evals.retrieval.asking import key_for
from evals.retrieval.corpus import Case, choose_cases, read_corpus
from evals.retrieval.server import serving_apart
from evals.slow_llm import TEMPERS, Call, SlowLlm, Temper, asking, waves
from evals.source_runs import Table, tell
from tests.support import RememberingEmbedder, link_libraries
from tools.clients import Clients
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.library.open import close_libraries, open_library

RANKERS = ("debate", "cascade")
"""Those that put questions to the mind which do not wait for one another."""
TASKS = ("plan_queries", "debate_papers", "reflect")
_EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "abstract.md"


@dataclass(frozen=True)
class Run:
    """What a run took, and what it asked."""

    seconds: float
    calls: Sequence[Call]
    """In the order in which they came."""
    peak: int
    """Most calls under way at once, as the LLM saw it."""
    judged: int
    """Papers that have a score."""
    failures: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Course:
    """What is run: where it searches for what, and how many papers it keeps."""

    text: str
    keep: int
    concurrency: int
    libraries: Path
    embedder: Embedder
    llm: SlowLlm
    source: str = "library"
    library: str = "starter"
    url: str = ""
    """Of the local OpenAlex."""
    case: Case | None = None


# --- The run ----------------------------------------------------------------------------------


class _Clients(Clients):
    """The product's clients with an embedder that remembers."""

    def __init__(self, settings: Settings, embedder: Embedder) -> None:
        super().__init__(settings)
        self._embedder = embedder

    @property
    def embedder(self) -> Embedder:
        """The benchmark's embedder."""
        return self._embedder


def try_once(course: Course, ranker: str, temper: Temper, delay: float) -> Run:
    """Run `find` once, with a home of its own."""
    with tempfile.TemporaryDirectory(prefix="citeloom-eval-", ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "home"
        link_libraries(course.libraries, home)
        url = course.llm.begin(temper, delay)
        try:
            seconds, result = asyncio.run(_find(course, _settings(course, home, url), ranker))
        finally:
            calls, peak = course.llm.end()
            close_libraries()
    failures = [f"{item.stage}: {item.subject}: {item.cause}" for item in result["failures"]]
    return Run(seconds, calls, peak, len(result["scores"]), failures)


def _settings(course: Course, home: Path, llm: str) -> Settings:
    """Return the defaults, whatever the environment says, that lead to the fakes."""
    case, here = course.case, course.url or "http://127.0.0.1:9"
    key = key_for(case.year, case.hidden, home.parent.name) if case else ""
    return Settings.model_construct(
        home=home, llm_base_url=llm, llm_api_key=SecretStr("none"), strong_model="scripted",
        fast_model="scripted", llm_concurrency=course.concurrency,
        openalex_url=here, openalex_api_key=SecretStr(key), openalex_rate=1000.0,
        crossref_url=f"{here}/crossref", crossref_rate=1000.0,
    )  # fmt: skip


async def _find(course: Course, settings: Settings, ranker: str) -> tuple[float, dict[str, Any]]:
    """Return the seconds of a run as the command line makes it, and its last state."""
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    from langgraph.store.sqlite.aio import AsyncSqliteStore

    from graphs.find import builder

    context = RunContext(mind="llm", ranker=ranker, refresh=True)  # type: ignore[arg-type]  # one of RANKERS
    # Where cached_property looks first.
    vars(context)["clients"] = _Clients(settings, course.embedder)
    inputs: Any = {
        "text": course.text, "keep": course.keep, "sources": [course.source],
        "library": course.library,
    }  # fmt: skip
    if course.case:
        inputs |= {"before": date(course.case.year, 1, 1), "exclude": list(course.case.own)}
    config: Any = {
        "configurable": {"thread_id": "run"}, "recursion_limit": 1000, "max_concurrency": 16,
    }  # fmt: skip
    async with (
        AsyncSqliteSaver.from_conn_string(str(settings.home / "checkpoints.sqlite")) as saver,
        AsyncSqliteStore.from_conn_string(str(settings.home / "run_store.sqlite")) as store,
    ):
        await store.setup()
        graph = builder.compile(checkpointer=saver, store=store, name="find")
        began = perf_counter()
        async for _ in graph.astream(inputs, config, context=context, stream_mode=["custom"]):
            pass
        seconds = perf_counter() - began
        return seconds, dict((await graph.aget_state(config)).values)


# --- The figures ------------------------------------------------------------------------------


def measure(
    course: Course, rankers: Sequence[str], delay: float, repeat: int
) -> Iterator[dict[str, object]]:
    """Yield a row for each ranker and temper."""
    for ranker in rankers:
        for temper in TEMPERS:
            try_once(course, ranker, temper, 0.0)  # imports, and the vectors of all texts
            # In turn, so that what else the machine does meets both alike.
            pairs = [
                (try_once(course, ranker, temper, 0.0), try_once(course, ranker, temper, delay))
                for _ in range(repeat)
            ]
            own = min(pairs, key=lambda pair: pair[0].seconds)[0]
            run = min(pairs, key=lambda pair: pair[1].seconds)[1]
            yield _row(ranker, temper, own, run, delay, course.concurrency)


def _row(
    ranker: str, temper: Temper, own: Run, run: Run, delay: float, concurrency: int
) -> dict[str, object]:
    least = waves(run.calls, concurrency)
    path = least * delay + own.seconds
    asked = Counter(call.task for call in run.calls)
    return {
        "ranker": ranker,
        "mind": temper,
        "judged": run.judged,
        **{task: asked[task] for task in TASKS},
        "again": sum(call.again for call in run.calls),
        "share": f"{len(run.calls) / max(run.judged, 1):.3f}",
        "peak": run.peak,
        "waves": least,
        "own work (s)": f"{own.seconds:.2f}",
        "critical path (s)": f"{path:.2f}",
        "wall (s)": f"{run.seconds:.2f}",
        "ratio": f"{run.seconds / path:.2f}",
        "strict": f"{run.seconds / (path - asking(own.calls)):.2f}",
        "failures": len(run.failures),
        "_own": asdict(own),
        "_run": asdict(run),
    }


def _course(stack: ExitStack, options: argparse.Namespace) -> Course:
    embedder = RememberingEmbedder()
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="citeloom-libraries-")))
    (folder / "libraries").mkdir()
    given: dict[str, Any] = {"text": _EXAMPLE.read_text(encoding="utf-8")}
    if options.data:
        corpus = read_corpus(options.data)
        most = max(corpus.records, key=lambda record: len(record.references))
        case = choose_cases(corpus, [options.query or most.id], 1).cases[0]
        tell(f"starting a local source with {len(corpus.records)} papers")
        url = stack.enter_context(serving_apart(options.data, None))
        given = {"text": case.text, "case": case, "source": "openalex", "url": url}
    else:
        tell("building the starter library")
        open_library("starter", Settings.model_construct(home=folder), embedder)
        close_libraries()
    return Course(
        keep=options.keep, concurrency=options.concurrency, libraries=folder / "libraries",
        embedder=embedder, llm=stack.enter_context(SlowLlm()), **given,
    )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ranker", default=",".join(RANKERS))
    parser.add_argument("--delay", type=float, default=0.3, help="seconds of each answer")
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--keep", type=int, default=133, help="1.5 times as many are judged")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--data", type=Path, help="a folder with papers.jsonl.gz")
    parser.add_argument("--query", default="", help="a paper of it; else the one that cites most")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    rankers = options.ranker.split(",")
    if unknown := sorted(set(rankers) - set(RANKERS)):
        parser.error(f"no such ranker: {', '.join(unknown)}; there are: {', '.join(RANKERS)}")
    rows: list[dict[str, object]] = []
    with ExitStack() as stack:
        course = _course(stack, options)
        for row in measure(course, rankers, options.delay, options.repeat):
            tell(f"{row['ranker']}, {row['mind']}: ratio {row['ratio']}")
            rows.append(row)
    title = f"Answers in {options.delay * 1000:.0f} ms, {options.concurrency} at once"
    print(Table(title, rows).markdown())
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
